"""The ladder: engines in a fixed order, exact ones first, each obligation decided once.

0. normal form: the goal is true, or one of the hypotheses;
1. interval: the goal holds over the box that the hypotheses leave, by its corners;
2. bounds: the goal is a sum of products of hypotheses and a rest that the box decides;
3. enumeration: every point of a small domain, by branch and prune or all at once;
4. z3, within a budget of solver steps.

Proved means: at every point in range where no hypothesis is false, the goal is true and has a
value. Refuted means: at the witness, in exact arithmetic, every hypothesis is true and the goal
is false. Everything else is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from vxproof.logic.canonical import obligation_id
from vxproof.logic.digest import postorder
from vxproof.logic.obligation import Gap, Obligation, Symbol
from vxproof.logic.terms import FALSE, TRUE, App, Cmp, Const, Formula, Op, Sym
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Verdict, Waived
from vxproof.records import dataclass
from vxproof.smt import corner, enumeration
from vxproof.smt.counterexample import Counterexample, find, minimise
from vxproof.smt.largest import largest_legal
from vxproof.smt.peak import Explainer
from vxproof.smt.question import Setting, Settings
from vxproof.smt.search import Exhausted, Found, GaveUp, search
from vxproof.smt.solver import Absent, InProcess, Solver
from vxproof.smt.worker import Isolated
from vxproof.smt.z3_backend import Model, NoAnswer, Query, Unsatisfiable

_QUICK = 48
_THOROUGH = 150


@dataclass(frozen=True, slots=True)
class Sat:
    """The hypotheses hold together at this point."""

    model: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unsat:
    """The hypotheses contradict each other."""

    engine: str


class Prover:
    """Decides obligations; equal questions are answered once.

    Args:
        budget: solver steps an obligation (z3's `rlimit`), None for the default.
        use_z3: without it, what only z3 decides is unknown.
        isolate: run z3 in a process of its own, whose death or silence is an unknown.
        families: families of obligations whose products only z3 decides: step 2 and equality
            with a hypothesis are not used. A wrong proof that blocks of a grid do not meet is a
            silent race, so it is left to z3 until step 2 leaves certificates.
    """

    def __init__(
        self,
        budget: int | None = None,
        *,
        use_z3: bool = True,
        isolate: bool = False,
        families: frozenset[str] = frozenset({"grid"}),
    ) -> None:
        self.solver: Solver = Absent()
        if use_z3:
            self.solver = Isolated(budget) if isolate else InProcess(budget)
        self._families = families
        self._settings = Settings()
        self._answers: dict[object, Proved | Counterexample | Unknown] = {}

    def close(self) -> None:
        """End the solver's process, if there is one."""
        self.solver.close()

    def obligation_id(self, obligation: Obligation) -> str:
        """The id of an obligation; see `logic.canonical`."""
        return obligation_id(obligation, self._settings.reader.normaliser)

    def decide_all(self, obligations: Iterable[Obligation]) -> tuple[Decision, ...]:
        """Decide obligations, in their order."""
        return tuple(Decision(o, self.decide(o)) for o in obligations)

    def decide(self, obligation: Obligation) -> Verdict:
        """The verdict on one obligation; whatever goes wrong is unknown."""
        if obligation.reason_unknown is not None:
            return Unknown(obligation.reason_unknown, gap=obligation.gap)
        try:
            return self._decide(obligation)
        except RecursionError:
            return Unknown("the formula is nested too deeply for the prover", gap=Gap.SIZE)
        except (MemoryError, OverflowError):
            return Unknown("the formula's numbers are too large for the prover", gap=Gap.SIZE)

    def explained(self, decision: Decision) -> Decision:
        """A refuted need with its greatest value and what would prevent it; others as they are."""
        obligation, verdict = decision.obligation, decision.verdict
        match verdict:
            case Refuted():
                return Decision(obligation, self._told(obligation, verdict))
            case Waived(refuted=refuted):
                told = self._told(obligation, refuted)
                return Decision(obligation, replace(verdict, refuted=told))
            case Proved() | Unknown():
                return decision
            case _:
                assert_never(verdict)

    def _told(self, obligation: Obligation, refuted: Refuted) -> Refuted:
        certain = replace(obligation, waivable=None)
        try:
            return Explainer(self._settings, self.decide, certain, refuted).explained()
        except (RecursionError, MemoryError, OverflowError):
            return refuted

    def satisfiable(
        self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]
    ) -> Sat | Unsat | Unknown:
        """Whether some point makes every hypothesis true."""
        answer = self._answer(symbols, hypotheses, FALSE, bounds=False)
        match answer:
            case Proved(engine=engine):
                return Unsat(engine)
            case Counterexample(values=values):
                return Sat(values)
            case Unknown():
                return answer
            case _:
                assert_never(answer)

    # -- one obligation ------------------------------------------------------------------------

    def _decide(self, obligation: Obligation) -> Verdict:
        answer = self._answer(
            obligation.symbols,
            obligation.hypotheses,
            obligation.goal,
            bounds=obligation.family not in self._families,
        )
        if not isinstance(answer, Counterexample):
            return answer
        if obligation.approximations:
            rests = "; ".join(obligation.approximations)
            return Unknown(
                f"a counterexample rests on an approximation: {rests}", gap=Gap.APPROXIMATION
            )
        refuted = self._refuted(obligation, answer)
        return refuted if obligation.waivable is None else Waived(obligation.waivable, refuted)

    def _refuted(self, obligation: Obligation, found: Counterexample) -> Refuted:
        refuted = Refuted(found.values, found.engine, "exact evaluation")
        if obligation.measure is None:
            return refuted
        legal = largest_legal(self._settings, obligation, dict(found.values))
        return replace(refuted, largest=legal)

    def _answer(
        self,
        symbols: tuple[Symbol, ...],
        hypotheses: tuple[Formula, ...],
        goal: Formula,
        *,
        bounds: bool,
    ) -> Proved | Counterexample | Unknown:
        key = (tuple((s.name, s.lo, s.hi) for s in symbols), hypotheses, goal, bounds)
        known = self._answers.get(key)
        if known is None:
            known = self._stranger(symbols, hypotheses, goal)
            if known is None:
                setting = self._settings.of(symbols, hypotheses)
                known = self._exactly(setting, goal, bounds=bounds) or self._solve(setting, goal)
            self._answers[key] = known
        return known

    def _stranger(
        self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...], goal: Formula
    ) -> Unknown | None:
        declared = {symbol.name for symbol in symbols}
        if len(declared) < len(symbols):
            return Unknown("the obligation declares a symbol twice")
        for formula in (*hypotheses, goal):
            if not self._settings.free(formula) <= declared:
                strangers = ", ".join(sorted(self._settings.free(formula) - declared))
                return Unknown(f"the obligation does not declare {strangers}")
        return None

    # -- steps 0 to 3 --------------------------------------------------------------------------

    def _exactly(
        self, setting: Setting, goal: Formula, *, bounds: bool
    ) -> Proved | Counterexample | None:
        reader, box = self._settings.reader, setting.box
        if setting.empty:
            return Proved("interval")
        normal = reader.normaliser.formula(goal)
        if normal == TRUE:
            return Proved("normal form")
        if box.truth(goal) is True:
            return Proved("interval")
        total = box.total(goal)
        known = map(reader.normaliser.formula, setting.hypotheses)
        if total and (bounds or _affine(normal)) and normal in known:
            return Proved("normal form")
        if bounds and total and corner.proves(box, setting.facts, reader, goal):
            return Proved("bounds")
        return self._enumerate(setting, goal, total=total)

    def _enumerate(
        self, setting: Setting, goal: Formula, *, total: bool
    ) -> Proved | Counterexample | None:
        names = self._settings.free(goal)
        axes = [axis for axis in setting.axes if axis.name in names]
        count = enumeration.points(setting.box, axes)
        if count is None or count > enumeration.MOST_POINTS:
            return None
        quick = self._search(setting, goal, _QUICK)
        if not isinstance(quick, GaveUp):
            return _from_search(quick)
        if not total:
            return None
        relevant = [
            h
            for h in setting.hypotheses
            if self._settings.free(h) <= names and setting.box.total(h)
        ]
        everywhere = enumeration.holds_everywhere(setting.box, axes, relevant, goal)
        if everywhere is None:
            return None
        if everywhere:
            return Proved("enumeration")
        return _from_search(self._search(setting, goal, _THOROUGH))

    def _search(self, setting: Setting, goal: Formula, limit: int) -> Found | Exhausted | GaveUp:
        return search(
            setting.box,
            setting.axes,
            self._settings.reader,
            setting.hypotheses,
            goal,
            limit,
        )

    # -- step 4 --------------------------------------------------------------------------------

    def _solve(self, setting: Setting, goal: Formula) -> Proved | Counterexample | Unknown:
        names = tuple(symbol.name for symbol in setting.symbols)
        query = Query(names, setting.box, loose=setting.hypotheses, denied=goal)
        answer = self.solver.ask(query)
        if isinstance(answer, Unsatisfiable):
            return Proved("z3")
        found = _from_search(self._search(setting, goal, _THOROUGH))
        if found is not None:
            return found
        match answer:
            case NoAnswer(reason=reason, steps=steps, gap=gap):
                return Unknown(reason, f"{steps:,} solver steps" if steps else "", gap)
            case Model(values=values, steps=steps):
                model = find(self.solver, setting, goal, values)
                if model is None:
                    reason = "the solver's model does not hold in exact arithmetic"
                    return Unknown(reason, f"{steps:,} solver steps", Gap.SOLVER)
                return minimise(self.solver, self._settings, setting, goal, model)
            case _:
                assert_never(answer)


def _from_search(outcome: Found | Exhausted | GaveUp) -> Proved | Counterexample | None:
    match outcome:
        case Found(values=values):
            return Counterexample(values, "enumeration")
        case Exhausted(clear=True):
            return Proved("enumeration")
        case _:
            return None


def _affine(formula: Formula) -> bool:
    """Whether a formula in normal form compares a sum of multiples of symbols."""
    return all(
        isinstance(node, Const | Sym | Cmp)
        or (isinstance(node, App) and node.op is Op.ADD)
        or (
            isinstance(node, App)
            and node.op is Op.MUL
            and len(node.args) == 2
            and isinstance(node.args[0], Const)
        )
        for node in postorder(formula, ())
    )
