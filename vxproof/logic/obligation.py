"""Obligations: what has to hold for every admitted value of the parameters, and why it is asked.

An obligation is closed: for all values of its symbols within their ranges, the hypotheses imply
the goal. Everything that a message needs is kept beside the formula, in source names.
"""

from __future__ import annotations

from enum import Enum

from vxproof.diagnostics import Label, Span, Table
from vxproof.logic.terms import Formula, Term
from vxproof.records import dataclass


class Origin(Enum):
    """What a symbol stands for; parameters are shown first and minimised first."""

    GENERIC = "const generic"
    EXTENT = "extent"
    STRIDE = "stride"
    PARAMETER = "parameter"
    GRID = "grid index"
    LOOP = "loop variable"
    VALUE = "value"
    ELEMENT = "element index"


@dataclass(frozen=True, slots=True)
class Symbol:
    """Declaration of a symbol: an integer in `[lo, hi]`, either end open where it is None.

    `name` is unique within the obligation; `display` is the source's own name for it.
    """

    name: str
    lo: int | None
    hi: int | None
    origin: Origin
    display: str = ""

    def __post_init__(self) -> None:
        """Reject an empty range."""
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            raise ValueError(f"symbol {self.name} has an empty range [{self.lo}, {self.hi}]")


@dataclass(frozen=True, slots=True)
class Contribution:
    """One summand of a need: a buffer, its size in the measure's unit, and where it lives.

    `expression` is the source's way to write the size, `lifetime` says from which to which line.
    """

    name: str
    expression: str
    amount: Term
    lifetime: str
    span: Span


@dataclass(frozen=True, slots=True)
class Measure:
    """A need that is compared with a limit: `need <= limit`.

    `unit` is bytes, columns, registers or threads; `source` says where the limit comes from.
    """

    subject: str
    need: Term
    limit: Term
    unit: str
    source: str


class Replay(Enum):
    """How a witness is re-executed before it is shown."""

    EXACT = "exact evaluation"
    INTERPRETER = "reference interpreter"
    PLAN_MACHINE = "plan machine"
    STRUCTURE = "path in the alias graph"


class Gap(Enum):
    """What kind of thing is missing where something is unknown: decides what to do next."""

    BUDGET = "budget"
    SOLVER = "solver"
    SIZE = "size"
    APPROXIMATION = "approximation"
    NOT_STATED = "not stated"
    NOT_BUILT = "not built"
    NOT_REPLAYED = "not replayed"


@dataclass(frozen=True, slots=True)
class Obligation:
    """A proof task.

    Attributes:
        code: the diagnostic code of its refutation.
        family: capacity, residency, placement, bounds, arithmetic, alignment, ordering, grid,
            contracts, launch, asynchrony.
        headline: what the refutation's first line says.
        span: the place of the fault, if there is one.
        symbols: every free symbol, in the order in which a counterexample is made least.
        hypotheses: what may be assumed (`requires`, ranges, path conditions, invariants).
        goal: what has to hold.
        measure: need and limit, where the goal compares two amounts.
        contributions: the summands of the need.
        approximations: sentences; a refutation that rests on one is unknown, and names it.
        labels: the other places that matter, such as the second access.
        tables: what else a refutation shows, such as the path of bindings.
        replay: how its witness is re-executed.
        subject: key for the interpreter's or plan machine's replay (op ids, buffer names).
        help: one fix.
        waivable: a refutation becomes a waived verdict with this warning code.
        reason_unknown: it cannot be decided, for this reason; the goal is not looked at.
        gap: what kind of gap that is.
        candidates: clauses that might make it hold, tried in turn where it is refuted.
    """

    code: str
    family: str
    headline: str
    span: Span
    symbols: tuple[Symbol, ...]
    hypotheses: tuple[Formula, ...]
    goal: Formula
    measure: Measure | None = None
    contributions: tuple[Contribution, ...] = ()
    approximations: tuple[str, ...] = ()
    labels: tuple[Label, ...] = ()
    tables: tuple[Table, ...] = ()
    replay: Replay = Replay.EXACT
    subject: tuple[str | int, ...] = ()
    help: str | None = None
    waivable: str | None = None
    reason_unknown: str | None = None
    gap: Gap = Gap.NOT_STATED
    candidates: tuple[Formula, ...] = ()
