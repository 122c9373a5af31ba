"""Builds statements and blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label
from vxproof.frontend import ast
from vxproof.frontend.build_types import TypeBuilder
from vxproof.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vxproof.diagnostics import Span
    from vxproof.frontend.build_exprs import Arguments
    from vxproof.frontend.lexing import Token


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a loop, a spawn or a signature, until the node around it is made."""

    word: str
    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class _Tail:
    """The expression that ends a block without a `;`."""

    value: ast.Expr


def has_value(node: ast.If | ast.Block) -> bool:
    """Tell whether every way through a block or an `if` ends in a value."""
    while True:
        if isinstance(node, ast.Block):
            return node.tail is not None
        if node.then.tail is None or node.otherwise is None:
            return False
        node = node.otherwise


def makes_its_value(body: ast.Block) -> bool:
    """Tell whether the value at a block's end is a tensor that the block makes."""
    made = {one.name.text: one.value for one in body.statements if isinstance(one, ast.Let)}
    value = body.tail
    if isinstance(value, ast.Var):
        value = made.get(value.name, value)
    return isinstance(value, ast.TensorNew | ast.TensorUninit)


class StmtBuilder(TypeBuilder):
    """Statements, on top of expressions and types."""

    def unique(self, clauses: Iterable[Clause]) -> dict[str, Clause]:
        """Return clauses by word; a word that comes twice is an error at the second."""
        found: dict[str, Clause] = {}
        for clause in clauses:
            first = found.setdefault(clause.word, clause)
            if first is not clause:
                self.diagnostics.append(
                    Diagnostic(
                        "E1001",
                        f"`{clause.word}` is given twice",
                        Label(clause.span, "again here"),
                        (Label(first.span, "first here"),),
                    )
                )
        return found

    def make_block(
        self, start: int, end: int, *children: ast.Stmt | ast.If | _Tail | None
    ) -> ast.Block:
        """Read `{ … }`; a final `if` that has a value is the block's value."""
        statements: list[ast.Stmt] = []
        tail: ast.Expr | None = None
        for position, child in enumerate(children, start=1):
            match child:
                case None:
                    pass
                case _Tail(value):
                    tail = value
                case ast.If() if position == len(children) and has_value(child):
                    tail = child
                case ast.If():
                    statements.append(ast.ExprStmt(child, child.span))
                case _:
                    statements.append(child)
        return ast.Block(tuple(statements), tail, self.span(start, end))

    def make_empty(self, _start: int, _end: int) -> None:
        """Drop a `;` that stands alone."""

    def make_tail(self, _start: int, _end: int, value: ast.Expr) -> _Tail:
        """Mark the expression that ends a block."""
        return _Tail(value)

    def make_expr_stmt(self, start: int, end: int, value: ast.Expr) -> ast.Stmt:
        """Read `e;`."""
        return ast.ExprStmt(value, self.span(start, end))

    def make_mutable(self, _start: int, _end: int, *words: Token) -> bool:
        """Read whether `mut` is there."""
        return bool(words)

    def make_annotation(self, _start: int, _end: int, *types: ast.Type) -> ast.Type | None:
        """Read `: T` where it is there."""
        return types[0] if types else None

    def make_let(
        self,
        start: int,
        end: int,
        mutable: bool,
        token: Token,
        annotation: ast.Type | None,
        value: ast.Expr,
    ) -> ast.Let:
        """Read `let mut x: T = e;`."""
        span = self.span(start, end)
        return ast.Let(self.name(token), mutable, None, annotation, value, span)

    def make_spawn_value(
        self,
        start: int,
        end: int,
        _mutable: bool,
        _token: Token,
        _annotation: ast.Type | None,
        region: ast.Spawn,
    ) -> ast.Stmt:
        """Refuse `let x = spawn on(T) { … };`: results leave through tensors made outside."""
        if not makes_its_value(region.body):
            self.report(
                "the value of a `spawn` is outside the kernel subset",
                self.span(start, end),
                advice="write the result into a tensor that is made before the `spawn`",
                code="E6190",
            )
        return region

    def make_resident(self, start: int, end: int, place: ast.MemoryRef, let: ast.Let) -> ast.Stmt:
        """Read `resident<Memory::X> let mut x = e;`."""
        return replace(let, resident=place, span=self.span(start, end))

    def make_assign(
        self, start: int, end: int, target: ast.Expr, token: Token, value: ast.Expr
    ) -> ast.Stmt:
        """Read `x = e` or `x += e`."""
        return ast.Assign(target, ast.AssignOp(token.kind), value, self.span(start, end))

    def make_return(self, start: int, end: int, *values: ast.Expr) -> ast.Stmt:
        """Read `return e`."""
        return ast.Return(values[0] if values else None, self.span(start, end))

    def make_assert(
        self, start: int, end: int, condition: ast.Expr, message: ast.StrLit | None = None
    ) -> ast.Stmt:
        """Read `assert(e, "…")`."""
        return ast.Assert(condition, message, comptime=False, span=self.span(start, end))

    def make_comptime_assert(
        self, start: int, end: int, condition: ast.Expr, message: ast.StrLit | None = None
    ) -> ast.Stmt:
        """Read `comptime assert(e, "…")`."""
        return ast.Assert(condition, message, comptime=True, span=self.span(start, end))

    def make_comptime_block(self, start: int, end: int, body: ast.Block) -> ast.Stmt:
        """Read `comptime { assert(e, "…"); }`, a block of compile-time assertions only."""
        asserts = tuple(
            replace(one, comptime=True) for one in body.statements if isinstance(one, ast.Assert)
        )
        span = self.span(start, end)
        if body.tail is not None or len(asserts) < len(body.statements):
            self.report(
                "compile-time blocks of more than assertions are outside the kernel subset",
                span,
                code="E6190",
            )
        return ast.Scope(replace(body, statements=asserts, tail=None), span)

    def make_if_expr(
        self,
        start: int,
        end: int,
        condition: ast.Expr,
        then: ast.Block,
        otherwise: ast.Block | ast.If | None = None,
    ) -> ast.If:
        """Read `if c { … } else …`."""
        return ast.If(condition, then, otherwise, self.span(start, end))

    def make_pipelined(self, start: int, end: int, stages: ast.Expr) -> Clause:
        """Read `pipelined(S)`."""
        return Clause("pipelined", stages, self.span(start, end))

    def make_invariant(self, start: int, end: int, condition: ast.Expr) -> Clause:
        """Read `invariant(e)`."""
        return Clause("invariant", condition, self.span(start, end))

    def make_for(
        self, start: int, end: int, token: Token, first: ast.Expr, stop: ast.Expr, *rest: object
    ) -> ast.Stmt:
        """Read a loop with its clauses."""
        *clauses, body = rest
        assert isinstance(body, ast.Block)
        words = [clause for clause in clauses if isinstance(clause, Clause)]
        pipelined = self.unique(clause for clause in words if clause.word == "pipelined")
        stages = pipelined["pipelined"].value if pipelined else None
        invariants = tuple(clause.value for clause in words if clause.word == "invariant")
        name, span = self.name(token), self.span(start, end)
        return ast.For(name, first, stop, stages, invariants, body, span)  # type: ignore[arg-type]

    def make_warps(self, start: int, end: int, count: ast.Expr) -> Clause:
        """Read `warps(4)`."""
        return Clause("warps", count, self.span(start, end))

    def make_grid(self, start: int, end: int, axes: ast.ListLit) -> Clause:
        """Read `grid([H, N / BM])`."""
        return Clause("grid", axes.items, self.span(start, end))

    def make_semantics(self, start: int, end: int, axes: ast.ListLit) -> Clause:
        """Read `semantics([parallel, arbitrary])`."""
        return Clause("semantics", self.words(axes), self.span(start, end))

    def words(self, items: ast.ListLit) -> tuple[ast.Name, ...]:
        """Return the items of a list that holds only names."""
        names = []
        for item in items.items:
            if isinstance(item, ast.Var):
                names.append(ast.Name(item.name, item.span))
            else:
                self.report("only names stand in this list", item.span)
        return tuple(names)

    def make_spawn(
        self, start: int, end: int, topology: ast.TopologyRef, *rest: object
    ) -> ast.Stmt:
        """Read a spawn with its clauses."""
        *clauses, body = rest
        assert isinstance(body, ast.Block)
        if body.tail is not None and makes_its_value(body):
            self.report(
                "a device region hands out a tensor that it makes",
                body.tail.span,
                advice="make it before the `spawn`, in a space that the region sees",
                code="E6030",
            )
        found = self.unique(clause for clause in clauses if isinstance(clause, Clause))
        warps, grid, semantics = (
            found[word].value if word in found else None for word in ("warps", "grid", "semantics")
        )
        span = self.span(start, end)
        return ast.Spawn(topology, warps, grid, semantics, body, span)  # type: ignore[arg-type]

    def make_role(
        self, start: int, end: int, token: Token, args: Arguments, body: ast.Block
    ) -> ast.Stmt:
        """Read `role producer(warps: 1) { … }`."""
        self.refuse_strings(args)
        warps: ast.Expr | None = None
        for value in (*args.args, *args.named):
            if isinstance(value, ast.NamedArg) and value.name.text == "warps" and warps is None:
                warps = value.value
            else:
                self.report("a role takes `warps: n` and nothing else", value.span)
        return ast.Role(self.name(token), warps, body, self.span(start, end))

    def make_scope(self, start: int, end: int, body: ast.Block) -> ast.Stmt:
        """Read a bare block."""
        return ast.Scope(body, self.span(start, end))
