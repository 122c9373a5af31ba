"""Run-time indices into register tiles (E6103): registers have no addresses.

An index is constant after unrolling where it is made of literals, const generics and the variables
of loops that the plan unrolls: constant bounds, at most 64 trips, at most 4,096 statements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.alias.faults import Fault
from vxproof.diagnostics import Label
from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Borrow,
    Cast,
    Declare,
    Deref,
    Elementwise,
    For,
    Literal,
    LoadElement,
    Operation,
    Read,
    Spawn,
    StoreElement,
    SymbolRef,
    Transpose,
    View,
)
from vxproof.ir.types import RefType, TensorType
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.alias.order import Order
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Function, Machine

MOST_TRIPS = 64
MOST_STATEMENTS = 4096
REGISTER_SCOPES = frozenset({"warpgroup", "subcore", "warp", "thread"})


@dataclass(frozen=True, slots=True)
class RuntimeIndex:
    """An index that is no constant, into a tile that a variable or parameter names."""

    base: Variable
    index: Value
    span: Span
    reason: str


def in_registers(machine: Machine, place: str | None) -> bool:
    """Whether a space is a register file: no addresses, narrower than a block."""
    if place is None or place not in machine.spaces:
        return False
    space = machine.spaces[place]
    return space.scope in REGISTER_SCOPES and space.columns is None


class IndexAnalysis:
    """Finds the run-time indices of one function."""

    def __init__(self, function: Function, order: Order) -> None:
        """Collect definitions once."""
        self._function = function
        self._order = order
        self._defined: dict[Value, Operation] = {}
        self._init: dict[Variable, Value | None] = {}
        self._counters: dict[Value, For] = {}
        for op in walk(function.body):
            result = getattr(op, "result", None)
            if isinstance(result, Value):
                self._defined[result] = op
            if isinstance(op, Declare):
                self._init[op.variable] = op.init
            if isinstance(op, For):
                self._counters[op.index] = op

    def root(self, value: Value) -> Variable | None:
        """Return the variable whose elements a value names, through views."""
        while True:
            match self._defined.get(value):
                case (
                    View(base=inner) | Deref(ref=inner) | Transpose(value=inner) | Borrow(of=inner)
                ):
                    value = inner
                case Read(variable=variable):
                    init = self._init.get(variable)
                    made = None if init is None else self._defined.get(init)
                    if init is not None and isinstance(made, View | Transpose | Borrow):
                        value = init
                        continue
                    return variable
                case _:
                    return None

    def runtime_indices(self) -> tuple[RuntimeIndex, ...]:
        """Return every run-time index into a tile that a variable names, in program order."""
        out: list[RuntimeIndex] = []
        for op in walk(self._function.body):
            match op:
                case (
                    LoadElement(base=base, indices=indices)
                    | StoreElement(base=base, indices=indices)
                ):
                    used = indices
                case View(base=base, axes=axes):
                    used = tuple(axis.index for axis in axes if axis.index is not None)
                case _:
                    continue
            root = self.root(base)
            if root is None or not isinstance(root.type, TensorType | RefType):
                continue
            for index in used:
                reason = self.why_not_constant(index)
                if reason is not None:
                    out.append(RuntimeIndex(root, index, op.span, reason))
        return tuple(out)

    def why_not_constant(self, value: Value) -> str | None:
        """Return why an index is no constant after unrolling; None where it is one."""
        if value in self._counters:
            return self._loop_reason(self._counters[value])
        match self._defined.get(value):
            case Literal():
                return None
            case SymbolRef(symbol=symbol) if symbol in self._function.generics:
                return None
            case SymbolRef(symbol=symbol):
                return f"`{symbol}` is known at run time only"
            case Elementwise(args=args):
                return next(
                    (why for why in map(self.why_not_constant, args) if why is not None), None
                )
            case Cast(value=inner):
                return self.why_not_constant(inner)
            case Read(variable=variable):
                init = self._init.get(variable)
                if variable.mutable or init is None:
                    return f"`{variable.name}` is known at run time only"
                return self.why_not_constant(init)
            case _:
                return "the index is computed at run time"

    def _loop_reason(self, loop: For) -> str | None:
        name = loop.index.name
        lower, upper = self._constant(loop.lower), self._constant(loop.upper)
        if lower is None or upper is None:
            if all(self.why_not_constant(b) is None for b in (loop.lower, loop.upper)):
                return f"the trips of the loop over `{name}` are fixed only by const generics"
            return f"the loop over `{name}` has run-time bounds"
        trips = max(0, upper - lower)
        if trips > MOST_TRIPS:
            return f"the loop over `{name}` has {trips} trips; up to {MOST_TRIPS} are unrolled"
        if trips * len(tuple(walk(loop.body))) > MOST_STATEMENTS:
            return f"the loop over `{name}` unrolls to more than {MOST_STATEMENTS} statements"
        return None

    def _constant(self, value: Value) -> int | None:
        match self._defined.get(value):
            case Literal(value=number) if isinstance(number, int):
                return number
            case Cast(value=inner):
                return self._constant(inner)
            case Read(variable=variable) if not variable.mutable:
                init = self._init.get(variable)
                return None if init is None else self._constant(init)
            case _:
                return None


def index_faults(
    function: Function, machine: Machine, order: Order, analysis: IndexAnalysis
) -> tuple[Fault, ...]:
    """Return the run-time indices into register tiles of a function's kernels, one a line."""
    tiled = {id(op) for op in walk(function.body) if isinstance(op, Spawn) and op.tiled}
    regions = {
        op.variable: order.region_of(op) for op in walk(function.body) if isinstance(op, Declare)
    }
    faults: dict[tuple[Variable, int], Fault] = {}
    for found in analysis.runtime_indices():
        variable = found.base
        if not isinstance(variable.type, TensorType):
            continue
        resident = variable.resident is not None and in_registers(machine, variable.resident)
        region = regions.get(variable)
        loose = (
            variable.type.place is None
            and region is not None
            and id(region) in tiled
            and variable not in function.params
        )
        if resident or loose or in_registers(machine, variable.type.place):
            faults.setdefault((variable, found.span.line), _fault(found))
    return tuple(faults.values())


def _fault(found: RuntimeIndex) -> Fault:
    name = found.base.name
    return Fault(
        "E6103",
        found.base,
        f"register tile `{name}` is indexed at run time: {found.reason}",
        found.span,
        (
            Label(found.base.span, f"`{name}` lives in registers"),
            Label(found.index.span, "the index"),
        ),
        (),
        "index with a constant or with a loop of constant bounds (at most 64 trips), select with "
        "`iota`, or keep the tile in shared memory",
    )
