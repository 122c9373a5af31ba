"""AST of expressions. No node stands for parentheses: the tree's shape says what they said."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vxproof.frontend.ast_types import MemoryRef, TopologyRef
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.ast_operators import BinaryOp, UnaryOp
    from vxproof.frontend.ast_stmts import Block
    from vxproof.frontend.ast_types import Name, TensorType, Type


@dataclass(frozen=True, slots=True)
class IntLit:
    """An integer literal, never negative, at most 2^64 - 1; `suffix` is a dtype name or None."""

    value: int
    suffix: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class FloatLit:
    """A float literal, never negative; `inf` is the literal of infinite value."""

    value: float
    suffix: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class BoolLit:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class StrLit:
    """A string, which only `print` takes; `value` has its escapes resolved."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class ListLit:
    """`[a, b, …]`: a shape, an index list, or the values of a tensor."""

    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Var:
    """One identifier in use."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Path:
    """`a::b::c`. As an expression it has two segments or more; as a callee, one or more."""

    segments: tuple[str, ...]
    span: Span

    @property
    def text(self) -> str:
        """The path as written."""
        return "::".join(self.segments)


@dataclass(frozen=True, slots=True)
class NamedArg:
    """`pad: 0.0` in an argument list."""

    name: Name
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`f(x)`, `stage<8192>(x)`, `tile(a, [i, j], [BM, BN], pad: 0.0)`; built-ins included.

    `const_args` is None where none are written. Named arguments stand after the others.
    """

    callee: Path
    const_args: tuple[Expr, ...] | None
    args: tuple[Expr, ...]
    named: tuple[NamedArg, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class MethodCall:
    """`x.max(1)`."""

    receiver: Expr
    method: Name
    args: tuple[Expr, ...]
    named: tuple[NamedArg, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    """`a[i]`; `a[i][j]` is two of them."""

    base: Expr
    index: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TensorNew:
    """`Tensor<f32>([64, 128])`, zero-filled by shape, or `Tensor<f32>([[1.0, 2.0]])`, by value."""

    type: TensorType
    args: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TensorUninit:
    """`Tensor<f32, [M, N]>::uninit()`."""

    type: TensorType
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x`, `!x`, `*x`."""

    op: UnaryOp
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Borrow:
    """`&x` or `&mut x`."""

    operand: Expr
    mutable: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """`x as T`."""

    operand: Expr
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """`a op b`; `op_span` is the operator's own place."""

    op: BinaryOp
    left: Expr
    right: Expr
    op_span: Span
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    """`if c { … } else { … }`; an `else if` is an If in `otherwise`.

    It is an expression everywhere; an `if` statement is an ExprStmt that holds it.
    """

    condition: Expr
    then: Block
    otherwise: Block | If | None
    span: Span


Expr: TypeAlias = (
    IntLit
    | FloatLit
    | BoolLit
    | StrLit
    | ListLit
    | Var
    | Path
    | MemoryRef
    | TopologyRef
    | Call
    | MethodCall
    | Index
    | TensorNew
    | TensorUninit
    | Unary
    | Borrow
    | Cast
    | Binary
    | If
)
