"""What a refuted obligation leads to: its greatest need, and clauses that would prevent it.

A counterexample is the least one; the greatest need is what the author has to make room for. It is
approached from both ends: the interval of the need above, the need at counterexamples below.
A clause is offered only where the obligation is proved under it, and where it leaves some value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from vxproof.logic.build import ge, le
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.obligation import Measure, Obligation, Origin
from vxproof.logic.terms import FALSE, And, Cmp, Formula, Sym
from vxproof.logic.text import show
from vxproof.logic.verdict import Peak, Proved, Refuted, Verdict
from vxproof.records import dataclass
from vxproof.smt.largest import largest_legal, least_above
from vxproof.smt.question import Settings

Witness = tuple[tuple[str, int], ...]

_MOST_QUERIES = 24
_IN_REQUIRES = frozenset({Origin.GENERIC, Origin.PARAMETER, Origin.EXTENT})
_LONGEST = 48
"""Characters of a clause that is offered."""

_FUNCTION = re.compile(r"\b(align_up|ceil_div|max|min|pow2_ceil)\(|\bif\b|…")
"""What `requires` has no word for."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Looks into one refuted obligation; `decide` is the prover's own way to a verdict."""

    settings: Settings
    decide: Callable[[Obligation], Verdict]
    obligation: Obligation
    refuted: Refuted

    def explained(self) -> Refuted:
        """The refutation with its peak and the clauses that make the obligation hold.

        An access out of bounds has no peak: how far out it may go says nothing.
        """
        measure, accesses = self.obligation.measure, self.obligation.family == "bounds"
        peak = None if measure is None or accesses else self._peak(measure)
        return replace(self.refuted, peak=peak, remedies=tuple(self._remedies(peak)))

    # -- the greatest need ---------------------------------------------------------------------

    def _peak(self, measure: Measure) -> Peak | None:
        """The greatest need; None where no bound of it is known."""
        obligation, refuted = self.obligation, self.refuted
        box = self.settings.of(obligation.symbols, obligation.hypotheses).box
        bounds = box.interval(measure.need)
        high = None if bounds is None else bounds[1]
        low, best = _need(measure, refuted.witness), refuted.witness
        if high is None or low is None:
            return None
        guess = high - 1
        for _ in range(_MOST_QUERIES):
            if low >= high:
                break
            answer = self.decide(replace(obligation, goal=le(measure.need, guess), measure=None))
            match answer:
                case Proved():
                    high = guess
                case Refuted(witness=witness) if (need := _need(measure, witness)) is not None:
                    low, best = need, witness
                case _:
                    break
            guess = (low + high - 1) // 2
        legal = refuted.largest
        if best != refuted.witness:
            legal = largest_legal(self.settings, obligation, dict(best))
        return Peak(low, low >= high, best, legal)

    # -- remedies ------------------------------------------------------------------------------

    def _remedies(self, peak: Peak | None) -> Iterator[str]:
        """Yield clauses that are enough: bounds of one parameter, what was suggested, the goal."""
        found = list(self._bounds(peak))
        yield from found
        for clause in self.obligation.candidates:
            if self._expressible(clause) and self._helps(clause):
                found.append(self._text(clause))
                yield found[-1]
        goal = self.obligation.goal
        if not found and self._expressible(goal) and self._helps(goal):
            yield self._text(goal)

    def _bounds(self, peak: Peak | None) -> Iterator[str]:
        """Yield a bound for each parameter with a legal value, the smallest step first."""
        if self.obligation.family == "bounds":
            return
        witness, legal = self.refuted.witness, self.refuted.largest
        if peak is not None:
            witness, legal = peak.witness, peak.largest
        env = dict(witness)
        clauses: list[tuple[float, Formula]] = []
        for symbol in self.obligation.symbols:
            value = dict(legal).get(symbol.name)
            if value is None or symbol.origin not in _IN_REQUIRES:
                continue
            now, at = env[symbol.name], Sym(symbol.name)
            if value < now:
                clauses.append((_step(value, now), le(at, value)))
                continue
            least = least_above(self.settings, self.obligation, env, symbol.name)
            if least is not None:
                clauses.append((_step(now, least), ge(at, least)))
        for _, clause in sorted(clauses, key=lambda one: one[0]):
            if self._helps(clause):
                yield self._text(clause)

    def _helps(self, clause: Formula) -> bool:
        """Whether the obligation is proved under a clause that leaves some value."""
        under = replace(
            self.obligation, hypotheses=(*self.obligation.hypotheses, clause), measure=None
        )
        if not isinstance(self.decide(under), Proved):
            return False
        return isinstance(self.decide(replace(under, goal=FALSE)), Refuted)

    def _expressible(self, clause: Formula) -> bool:
        """Whether `requires` can say it: parameters only, short, without functions."""
        named = {one.name for one in self.obligation.symbols if one.origin in _IN_REQUIRES}
        if not isinstance(clause, Cmp | And) or not self.settings.free(clause) <= named:
            return False
        text = self._text(clause)
        return len(text) <= _LONGEST and _FUNCTION.search(text) is None

    def _text(self, clause: Formula) -> str:
        names = {one.name: one.display or one.name for one in self.obligation.symbols}
        return show(clause, names)


def _need(measure: Measure, witness: Witness) -> int | None:
    try:
        return evaluate(measure.need, dict(witness))
    except (Undefined, KeyError):
        return None


def _step(smaller: int, larger: int) -> float:
    """How far apart two values are, as a part of the larger one."""
    return (larger - smaller) / max(abs(larger), 1)
