"""Operations of the typed IR, in evaluation order: each names its operands, none nests another.

Control is structured: `For`, `If` and `Spawn` hold blocks. Elementwise operations, casts and
literals work alike on scalars and on tiles; the result's type tells.
"""

from __future__ import annotations

from vxproof.diagnostics import Span
from vxproof.ir.data_ops import (
    Cast,
    Dot,
    Elementwise,
    GridIndex,
    Iota,
    Literal,
    MatMul,
    NewTensor,
    Reduce,
    SymbolRef,
    Transpose,
    View,
    ViewAxis,
)
from vxproof.ir.functions import Fn, Init, ReduceFn, Semantics
from vxproof.ir.types import UNIT, Type
from vxproof.ir.values import Clause, Value, Variable
from vxproof.logic.terms import Term
from vxproof.records import dataclass

__all__ = [
    "Assert",
    "Assign",
    "Block",
    "Borrow",
    "Call",
    "Cast",
    "Declare",
    "Deref",
    "Dot",
    "Elementwise",
    "Fn",
    "For",
    "GridIndex",
    "If",
    "Init",
    "Iota",
    "Literal",
    "LoadElement",
    "MatMul",
    "NewTensor",
    "Operation",
    "Print",
    "Read",
    "Reduce",
    "ReduceFn",
    "Return",
    "Semantics",
    "Spawn",
    "StoreElement",
    "StoreTile",
    "SymbolRef",
    "Transfer",
    "TransferAsync",
    "Transpose",
    "View",
    "ViewAxis",
    "Wait",
    "result_of",
    "result_type",
]


@dataclass(frozen=True, slots=True)
class LoadElement:
    """One element, by one index for each axis."""

    result: Value
    base: Value
    indices: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class StoreElement:
    """Write one element, by one index for each axis."""

    base: Value
    indices: tuple[Value, ...]
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class StoreTile:
    """Write a whole tensor or view; the value is complete before the first element is written."""

    target: Value
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Transfer:
    """Copy into another space, complete before anything reads the result."""

    result: Value
    source: Value
    place: str
    span: Span


@dataclass(frozen=True, slots=True)
class TransferAsync:
    """Start a copy; the result is a token."""

    result: Value
    source: Value
    place: str
    span: Span


@dataclass(frozen=True, slots=True)
class Wait:
    """Use up a token and give the tile that has arrived."""

    result: Value
    token: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Declare:
    """Make a variable and store its first value; `init` is None where none is given."""

    variable: Variable
    init: Value | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """Store into a variable; a tile's elements are copied into the variable's own place."""

    variable: Variable
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Read:
    """The current value of a variable; of a tensor, a name for its place, not a copy."""

    result: Value
    variable: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Borrow:
    """A reference to what a value names."""

    result: Value
    of: Value
    mutable: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Deref:
    """What a reference refers to."""

    result: Value
    ref: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """Call of a user function; `generics` gives each of its symbols (generics, extents) a term."""

    result: Value
    function: str
    generics: tuple[tuple[str, Term], ...]
    args: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    """A condition with its message: run-time on the host, proved on a device.

    A `comptime` one is proved everywhere.
    """

    cond: Value
    message: str
    span: Span
    comptime: bool = False


@dataclass(frozen=True, slots=True)
class Print:
    """Host output, a row a line."""

    args: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the function."""

    value: Value | None
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """Iterate `index` (i64) over `[lower, upper)`; `stages` is the S of `pipelined(S)`."""

    index: Value
    lower: Value
    upper: Value
    body: Block
    stages: Term | None
    invariants: tuple[Clause, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """Two arms; as an expression, `result` is `then_value` or `else_value`."""

    cond: Value
    then: Block
    orelse: Block
    span: Span
    result: Value | None = None
    then_value: Value | None = None
    else_value: Value | None = None


@dataclass(frozen=True, slots=True)
class Spawn:
    """A kernel: `body` runs once a grid point on a block of `warps` warps.

    Without a grid there is one point. `semantics` has an entry for each axis. `warps` is 0 for a
    body with scalar code only, run by one thread. `tiled` tells whether the body has tile
    operations.
    """

    topology: str
    warps: Term
    grid: tuple[Value, ...]
    semantics: tuple[Semantics, ...]
    body: Block
    tiled: bool
    span: Span


Operation = (
    Literal
    | SymbolRef
    | GridIndex
    | Elementwise
    | Cast
    | Reduce
    | Transpose
    | Iota
    | MatMul
    | Dot
    | NewTensor
    | View
    | LoadElement
    | StoreElement
    | StoreTile
    | Transfer
    | TransferAsync
    | Wait
    | Declare
    | Assign
    | Read
    | Borrow
    | Deref
    | Call
    | Assert
    | Print
    | Return
    | For
    | If
    | Spawn
)

Block = tuple[Operation, ...]


def result_of(op: Operation) -> Value | None:
    """Return the value that an operation defines, if it defines one."""
    result = getattr(op, "result", None)
    return result if isinstance(result, Value) else None


def result_type(op: Operation) -> Type:
    """Return the type of what an operation defines, unit where it defines nothing."""
    result = result_of(op)
    return UNIT if result is None else result.type
