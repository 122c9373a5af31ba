"""Canonical counterexamples: the least in declared order, re-evaluated in exact integers."""

from __future__ import annotations

from vxproof.logic import congruence
from vxproof.logic.box import Box
from vxproof.logic.build import neg
from vxproof.logic.terms import Formula
from vxproof.records import dataclass
from vxproof.smt.question import Setting, Settings, refutes
from vxproof.smt.search import Axis, Found, search
from vxproof.smt.solver import Solver
from vxproof.smt.z3_backend import Model, Query, Unsatisfiable

_MOST_QUERIES = 48
_BOXES = 60

Values = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point where every hypothesis is true and the goal false; `engine` says how it was found.

    The point is the least one unless `engine` says "smallest found".
    """

    values: Values
    engine: str


def find(solver: Solver, setting: Setting, goal: Formula, model: Values) -> Values | None:
    """The model, if it refutes in exact arithmetic; else one of the strict question that does."""
    if refutes(model, setting.hypotheses, goal):
        return model
    again = solver.ask(_strict(setting, goal, setting.box))
    if isinstance(again, Model) and refutes(again.values, setting.hypotheses, goal):
        return again.values
    return None


def _strict(setting: Setting, goal: Formula, box: Box) -> Query:
    names = tuple(symbol.name for symbol in setting.symbols)
    return Query(names, box, strict=(*setting.hypotheses, neg(goal)))


def minimise(
    solver: Solver, settings: Settings, setting: Setting, goal: Formula, model: Values
) -> Counterexample:
    """Make each symbol least in turn, by bisection with the solver, or at once by search."""
    descent = _Descent(solver, setting, goal, model)
    for axis in setting.axes:
        if not descent.lower(axis):
            break
        outcome = search(
            descent.box, setting.axes, settings.reader, setting.hypotheses, goal, _BOXES
        )
        if isinstance(outcome, Found):
            engine = "z3" if descent.least else "z3, smallest found"
            return Counterexample(outcome.values, engine)
    engine = "z3" if descent.least else "z3, smallest found"
    return Counterexample(descent.model, engine)


class _Descent:
    """Fixes symbols one after the other at the least value that some counterexample takes."""

    def __init__(self, solver: Solver, setting: Setting, goal: Formula, model: Values) -> None:
        self._solver = solver
        self._setting = setting
        self._goal = goal
        self._queries = _MOST_QUERIES
        self.box = setting.box.copy()
        self.model = model
        self.least = True

    def lower(self, axis: Axis) -> bool:
        """Fix one symbol; false where the effort is spent, and the rest stays as it is."""
        low = (self.box.range(axis.atom) or (None, None))[0]
        if low is None:
            self.least = False
        else:
            high = self._value(axis)
            width = 0
            while low < high:
                probe = min(low + width, (low + high) // 2)
                answer = self._exists(axis, low, probe)
                if answer is None:
                    self.least = False
                    return False
                if answer:
                    high = self._value(axis)
                else:
                    low = probe + 1
                    width = 2 * width + 1
        self._fix(axis, self._value(axis))
        return True

    def _value(self, axis: Axis) -> int:
        return dict(self.model)[axis.name]

    def _fix(self, axis: Axis, value: int) -> None:
        self.box.set_range(axis.atom, (value, value))

    def _exists(self, axis: Axis, low: int, high: int) -> bool | None:
        """Whether a counterexample has the symbol in a range, which then is the model."""
        own = self.box.classes.get(axis.atom, congruence.ANY)
        low, high = congruence.up(own, low), congruence.down(own, high)
        if low > high:
            return False
        if self._queries == 0:
            return None
        self._queries -= 1
        inner = self.box.copy()
        inner.set_range(axis.atom, (low, high))
        answer = self._solver.ask(_strict(self._setting, self._goal, inner))
        if isinstance(answer, Unsatisfiable):
            return False
        if not isinstance(answer, Model):
            return None
        if not refutes(answer.values, self._setting.hypotheses, self._goal):
            return None
        self.model = answer.values
        return True
