"""The worst of a refuted obligation: its greatest need, and which bound alone would prevent it.

A counterexample is the least one; the greatest need is what the author has to make room for. It is
approached from both ends: the interval of the need above, the need at counterexamples below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from vxproof.logic.build import ge, le
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.obligation import Measure, Obligation, Origin
from vxproof.logic.terms import Sym
from vxproof.logic.verdict import Bound, Peak, Proved, Refuted, Verdict
from vxproof.smt.largest import largest_legal, least_above
from vxproof.smt.question import Settings

Decide = Callable[[Obligation], Verdict]
Witness = tuple[tuple[str, int], ...]

_MOST_QUERIES = 24
_TURNED = frozenset({Origin.GENERIC, Origin.PARAMETER, Origin.EXTENT})


def explained(
    settings: Settings, decide: Decide, obligation: Obligation, refuted: Refuted
) -> Refuted:
    """Return a refutation with its peak and the bounds on one parameter that make it hold."""
    measure = obligation.measure
    if measure is None:
        return refuted
    peak = _peak(settings, decide, obligation, measure, refuted)
    remedies = tuple(_remedies(settings, decide, obligation, peak, refuted))
    return replace(refuted, peak=peak, remedies=remedies)


def _need(measure: Measure, witness: Witness) -> int | None:
    try:
        return evaluate(measure.need, dict(witness))
    except (Undefined, KeyError):
        return None


def _peak(
    settings: Settings,
    decide: Decide,
    obligation: Obligation,
    measure: Measure,
    refuted: Refuted,
) -> Peak | None:
    """The greatest need; None where no bound of it is known."""
    box = settings.of(obligation.symbols, obligation.hypotheses).box
    bounds = box.interval(measure.need)
    high = None if bounds is None else bounds[1]
    low, best = _need(measure, refuted.witness), refuted.witness
    if high is None or low is None:
        return None
    guess, exact = high - 1, True
    for _ in range(_MOST_QUERIES):
        if low >= high:
            break
        answer = decide(replace(obligation, goal=le(measure.need, guess), measure=None))
        match answer:
            case Proved():
                high = guess
            case Refuted(witness=witness) if (need := _need(measure, witness)) is not None:
                low, best = need, witness
            case _:
                exact = False
                break
        guess = (low + high - 1) // 2
    legal = refuted.largest
    if best != refuted.witness:
        legal = largest_legal(settings, obligation, dict(best))
    return Peak(low, exact and low >= high, best, legal)


def _remedies(
    settings: Settings,
    decide: Decide,
    obligation: Obligation,
    peak: Peak | None,
    refuted: Refuted,
) -> Iterator[Bound]:
    """Yield each bound on one parameter, at a legal value, that is proved to be enough."""
    witness, legal = refuted.witness, refuted.largest
    if peak is not None:
        witness, legal = peak.witness, peak.largest
    env = dict(witness)
    turned = {symbol.name for symbol in obligation.symbols if symbol.origin in _TURNED}
    for name, value in legal:
        if value is None or name not in turned or name not in env:
            continue
        if value < env[name]:
            bound, hypothesis = Bound(name, value, at_most=True), le(Sym(name), value)
        else:
            least = least_above(settings, obligation, env, name)
            if least is None:
                continue
            bound, hypothesis = Bound(name, least, at_most=False), ge(Sym(name), least)
        bounded = replace(obligation, hypotheses=(*obligation.hypotheses, hypothesis), measure=None)
        if isinstance(decide(bounded), Proved):
            yield bound
