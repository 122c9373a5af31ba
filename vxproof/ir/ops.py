"""Operations of the typed IR, in evaluation order: each names its operands, none nests another.

Control is structured: `For`, `If` and `Spawn` hold blocks. Elementwise operations, casts and
literals work alike on scalars and on tiles; the result's type tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from vxproof.diagnostics import Span
from vxproof.ir.types import UNIT, Type
from vxproof.ir.values import Clause, Value, Variable
from vxproof.logic.terms import Term


class Fn(Enum):
    """Elementwise functions; the value is the name in the text form."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    REM = "rem"
    NEG = "neg"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    MAX = "max"
    MIN = "min"
    SELECT = "select"
    EXP = "exp"
    EXP2 = "exp2"
    LOG = "log"
    LOG2 = "log2"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    TANH = "tanh"
    ABS = "abs"


class ReduceFn(Enum):
    """Reductions along one axis, which stays with size 1."""

    MAX = "max"
    SUM = "sum"


class Init(Enum):
    """What a new tensor holds."""

    ZERO = "zero"
    UNINIT = "uninit"
    ELEMENTS = "elements"


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; of tile type, every element has it."""

    result: Value
    value: int | float | bool
    span: Span


@dataclass(frozen=True, slots=True)
class SymbolRef:
    """A const generic or run-time extent, as an i64."""

    result: Value
    symbol: str
    span: Span


@dataclass(frozen=True, slots=True)
class GridIndex:
    """This grid point's coordinate on one axis, as an i64."""

    result: Value
    axis: int
    span: Span


@dataclass(frozen=True, slots=True)
class Elementwise:
    """A function applied element by element, with broadcasting of axes of size 1 and of scalars."""

    result: Value
    fn: Fn
    args: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion to the result's dtype; `implicit` where the source does not write `as`."""

    result: Value
    value: Value
    span: Span
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Reduce:
    """Reduction along `axis`, kept with size 1."""

    result: Value
    fn: ReduceFn
    axis: int
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Transpose:
    """Axes permuted: axis k of the result is axis `perm[k]` of the operand; a view."""

    result: Value
    value: Value
    perm: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Iota:
    """Each element is its own coordinate along `axis`."""

    result: Value
    axis: int
    span: Span


@dataclass(frozen=True, slots=True)
class MatMul:
    """`a @ b`, or `acc + a @ b` as one accumulate where `acc` is given (from `mma_acc`)."""

    result: Value
    a: Value
    b: Value
    acc: Value | None
    tf32: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Dot:
    """Inner product of two rows."""

    result: Value
    a: Value
    b: Value
    span: Span


@dataclass(frozen=True, slots=True)
class NewTensor:
    """A fresh tensor; `elements` in row-major order for `Init.ELEMENTS`, else empty."""

    result: Value
    init: Init
    elements: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ViewAxis:
    """One axis of a view: elements `[index * scale, index * scale + size)` of the base's axis.

    `index` None stands for 0. `keep` False drops the axis, whose size is then 1.
    """

    index: Value | None
    scale: Term
    size: Term
    keep: bool


@dataclass(frozen=True, slots=True)
class View:
    """A part of a tensor, without a copy: one `ViewAxis` for each axis of the base.

    `pad` is what out-of-range elements read as; out-of-range writes are dropped. `spelled` is
    `tile`, `slice` or `index`.
    """

    result: Value
    base: Value
    axes: tuple[ViewAxis, ...]
    pad: Value | None
    spelled: str
    span: Span


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
    """A condition with its message: run-time on the host, proved on a device."""

    cond: Value
    message: str
    span: Span


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


class Semantics(Enum):
    """How the points of a grid axis may be ordered."""

    PARALLEL = "parallel"
    ARBITRARY = "arbitrary"


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
