"""The solver: the only importer of z3.

One query has a context of its own, fixed seeds and a limit in solver steps, so that equal
queries cost and answer the same. Whatever goes wrong in z3 is an answer that claims nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vxproof.logic.box import Box
from vxproof.logic.interval import EVERYTHING, Interval
from vxproof.logic.obligation import Gap
from vxproof.logic.terms import Formula, Sym
from vxproof.records import dataclass
from vxproof.smt.encode import Encoder, NotEncodableError

if TYPE_CHECKING:
    from types import ModuleType

    import z3

DEFAULT_BUDGET = 5_000_000
_WALL_MS = 20_000
_MEMORY_MB = 2048


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """No point satisfies the query."""

    steps: int


@dataclass(frozen=True, slots=True)
class Model:
    """A point that satisfies the query, if z3 is right."""

    values: tuple[tuple[str, int], ...]
    steps: int


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nothing is known, for this reason."""

    reason: str
    steps: int = 0
    gap: Gap = Gap.SOLVER


Answer = Unsatisfiable | Model | NoAnswer


@dataclass(frozen=True, slots=True)
class Query:
    """Find a point of the box where formulas hold.

    `strict` formulas must be true. A `loose` formula must not be false: it may be undefined.
    `denied` must not be true: it may be false or undefined. Unsatisfiability of the loose query
    proves that `denied` is true, and defined, wherever no `loose` formula is false.
    """

    symbols: tuple[str, ...]
    box: Box
    strict: tuple[Formula, ...] = ()
    loose: tuple[Formula, ...] = ()
    denied: Formula | None = None

    def range(self, name: str) -> Interval:
        """The range of a symbol in the box; the query asserts it."""
        return self.box.range(self.box.normaliser.number(Sym(name))) or EVERYTHING


def ask(query: Query, budget: int | None = None) -> Answer:
    """Decide one query within `budget` solver steps."""
    try:
        import z3 as module
    except ImportError:
        return NoAnswer("the solver z3 cannot be imported")
    limit = DEFAULT_BUDGET if budget is None else budget
    try:
        return _ask(module, query, limit)
    except NotEncodableError as error:
        return NoAnswer(str(error), gap=Gap.SIZE)
    except (module.Z3Exception, MemoryError, OSError) as error:
        return NoAnswer(f"the solver failed: {error}")


def _ask(module: ModuleType, query: Query, limit: int) -> Answer:
    context = module.Context()
    solver: z3.Solver = module.Solver(ctx=context)
    solver.set("rlimit", min(max(limit, 1), 2**32 - 1))
    solver.set("timeout", _WALL_MS)
    solver.set("random_seed", 0)
    solver.set("max_memory", _MEMORY_MB)
    box = query.box
    ranges = {box.normaliser.number(Sym(name)): query.range(name) for name in query.symbols}
    encoder = Encoder(module, context, Box(box.normaliser, ranges, {}))
    solver.add(_constraints(module, encoder, query))
    result = solver.check()
    steps = _steps(solver)
    if steps > limit:
        return NoAnswer(f"the budget of {limit:,} solver steps is spent", steps, Gap.BUDGET)
    if result == module.unknown:
        return NoAnswer(f"the solver gave up: {solver.reason_unknown()}", steps, Gap.BUDGET)
    if result == module.unsat:
        return Unsatisfiable(steps)
    model = solver.model()
    values: list[tuple[str, int]] = []
    for name in query.symbols:
        value = model.eval(encoder.symbol(name), model_completion=True)
        if not module.is_int_value(value):
            return NoAnswer("the solver's model is not one of integers", steps)
        values.append((name, int(str(value))))
    return Model(tuple(values), steps)


def _steps(solver: z3.Solver) -> int:
    statistics = solver.statistics()
    if "rlimit count" not in statistics.keys():  # noqa: SIM118 - not a mapping
        return 0
    return int(statistics.get_key_value("rlimit count"))


def _constraints(module: ModuleType, encoder: Encoder, query: Query) -> Sequence[z3.BoolRef]:
    found: list[z3.BoolRef] = []
    for name in query.symbols:
        symbol = encoder.symbol(name)
        lo, hi = query.range(name)
        if lo is not None:
            found.append(symbol >= lo)
        if hi is not None:
            found.append(symbol <= hi)
    for formula in query.strict:
        value, defined = encoder.formula(formula)
        found.append(value if defined is None else module.And(defined, value))
    for formula in query.loose:
        value, defined = encoder.formula(formula)
        found.append(value if defined is None else module.Implies(defined, value))
    if query.denied is not None:
        value, defined = encoder.formula(query.denied)
        denied = module.Not(value)
        found.append(denied if defined is None else module.Or(module.Not(defined), denied))
    return found
