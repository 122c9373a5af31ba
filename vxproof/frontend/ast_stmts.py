"""AST of statements and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.ast_exprs import Expr, StrLit
    from vxproof.frontend.ast_operators import AssignOp
    from vxproof.frontend.ast_types import MemoryRef, Name, TopologyRef, Type


@dataclass(frozen=True, slots=True)
class Let:
    """`let x = e;`, `let mut x: T = e;`, `resident<Memory::X> let mut x = e;`."""

    name: Name
    mutable: bool
    resident: MemoryRef | None
    type: Type | None
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = e;` or `target += e;`; that the target is a place is checked later."""

    target: Expr
    op: AssignOp
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ExprStmt:
    """An expression for its effect; also every `if` that is not the value of its block."""

    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """`for var in start..stop pipelined(S) invariant(e) { … }`; the clauses come in any order."""

    var: Name
    start: Expr
    stop: Expr
    pipelined: Expr | None
    invariants: tuple[Expr, ...]
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    """`return;` or `return e;`."""

    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert(e, "…");`, or `comptime assert(e, "…");`."""

    condition: Expr
    message: StrLit | None
    comptime: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Spawn:
    """`spawn on(T) warps(W) grid([…]) semantics([…]) { … }`; clauses not written are None."""

    topology: TopologyRef
    warps: Expr | None
    grid: tuple[Expr, ...] | None
    semantics: tuple[Name, ...] | None
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Role:
    """`role name(warps: n) { … }`."""

    name: Name
    warps: Expr | None
    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Scope:
    """A bare block `{ … }` as a statement."""

    body: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """Statements and, where the last thing has no `;`, the expression that is the block's value.

    A final `if` is the value only where it has an `else` and its blocks have values.
    """

    statements: tuple[Stmt, ...]
    tail: Expr | None
    span: Span


Stmt: TypeAlias = Let | Assign | ExprStmt | For | Return | Assert | Spawn | Role | Scope
