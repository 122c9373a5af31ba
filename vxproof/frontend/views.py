"""Views and element accesses: `a[i]`, `tile(a, [i, j], [BM, BN])`, `slice(a, [r, c], [M, N])`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.context import Context, Inferred
from vxproof.frontend.literals import emit_literal, literal_value
from vxproof.frontend.operators import converted, dereferenced, numeric
from vxproof.frontend.sizes import NotStatic, size_term
from vxproof.frontend.typing_rules import spell, widened
from vxproof.ir.dtypes import I64
from vxproof.ir.ops import LoadElement, View, ViewAxis
from vxproof.ir.types import ScalarType, TensorType, Tiled
from vxproof.logic.terms import Const, Term

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.values import Value


def size(ctx: Context, expr: ast.Expr) -> Term:
    """Return a tile size as a term; at least 1 where it is constant."""
    try:
        term = size_term(ctx.scope, expr)
    except NotStatic as fault:
        ctx.fail(fault.code, fault.reason, fault.span)
    if isinstance(term, Const) and term.value < 1:
        ctx.fail("E3002", f"a dimension is at least 1, this one is {term.value}", expr.span)
    return term


def shape(ctx: Context, expr: ast.Expr) -> tuple[Term, ...]:
    """Return `[M, N]` as terms."""
    if not isinstance(expr, ast.ListLit) or not expr.items:
        ctx.fail("E3002", "expected a shape such as `[64, 128]`", expr.span)
    return tuple(size(ctx, item) for item in expr.items)


def index(ctx: Context, expr: ast.Expr) -> Value:
    """Elaborate an index, as an i64."""
    value = numeric(ctx, ctx.expr(ctx, expr, ScalarType(I64)))
    if isinstance(value.type, Inferred):
        return value
    if not isinstance(value.type, ScalarType) or not value.type.dtype.is_integer:
        ctx.fail("E3002", f"an index is an integer, found {spell(value.type)}", expr.span)
    if widened(value.type.dtype, I64) != I64:
        ctx.fail(
            "E3002",
            f"{value.type.dtype.name} does not widen to i64",
            expr.span,
            help_="convert it with `as i64`",
        )
    return converted(ctx, value, I64)


def tensor(ctx: Context, expr: ast.Expr) -> tuple[Value, TensorType]:
    """Elaborate an expression that has to be a tensor, read through a reference."""
    value = dereferenced(ctx, ctx.expr(ctx, expr, None))
    if not isinstance(value.type, TensorType):
        ctx.fail("E3002", f"expected a tensor, found {spell(value.type)}", expr.span)
    return value, value.type


def chain(expr: ast.Index) -> tuple[ast.Expr, list[ast.Expr]]:
    """Split `a[i][j]` into `a` and `[i, j]`."""
    indices: list[ast.Expr] = []
    base: ast.Expr = expr
    while isinstance(base, ast.Index):
        indices.append(base.index)
        base = base.base
    return base, indices[::-1]


def indexed(ctx: Context, expr: ast.Index, *, row: bool = False) -> Value:
    """Elaborate `a[i]…[k]`: an element where every axis has an index, else a view of a part.

    With `row`, a tensor without a shape is taken to have one more axis than there are indices.
    """
    base_expr, index_exprs = chain(expr)
    base, type_ = tensor(ctx, base_expr)
    indices = tuple(index(ctx, one) for one in index_exprs)
    if is_element(ctx, type_, len(indices), expr.span, row=row):
        result = ctx.fresh(ScalarType(type_.dtype), expr.span)
        ctx.emit(LoadElement(result, base, indices, expr.span))
        return result
    return row_view(ctx, base, type_, indices, expr.span)


def is_element(
    ctx: Context, type_: TensorType, count: int, span: Span, *, row: bool = False
) -> bool:
    """Whether `count` indices name one element; E3002 where the tensor has fewer axes."""
    if type_.shape is None:
        return not row
    if count > len(type_.shape):
        ctx.fail("E3002", f"{spell(type_)} has {len(type_.shape)} axes, not {count}", span)
    return count == len(type_.shape)


def row_view(
    ctx: Context, base: Value, type_: TensorType, indices: tuple[Value, ...], span: Span
) -> Value:
    """Emit the view that drops leading axes."""
    if type_.shape is None:
        result = ctx.fresh(TensorType(type_.dtype, None, type_.place), span, base.name)
        axes = tuple(ViewAxis(i, Const(1), Const(1), False) for i in indices)
    else:
        rest = type_.shape[len(indices) :]
        result = ctx.fresh(
            TensorType(type_.dtype, rest, type_.place, None, type_.scale), span, base.name
        )
        axes = tuple(ViewAxis(i, Const(1), Const(1), False) for i in indices) + tuple(
            ViewAxis(None, Const(1), extent, True) for extent in rest
        )
    ctx.emit(View(result, base, axes, None, "index", span))
    return result


def tile_view(ctx: Context, call: ast.Call) -> Value:
    """Elaborate `tile(…)` or `slice(…)`."""
    spelled = call.callee.text
    pad_expr = _pad(ctx, call)
    if len(call.args) < 2:
        ctx.fail("E3010", f"`{spelled}` takes a tensor, indices and a shape", call.span)
    base, type_ = tensor(ctx, call.args[0])
    if type_.shape is None:
        ctx.fail("E3002", f"`{spelled}` needs a tensor with a shape", call.args[0].span)
    index_exprs, sizes = _indices_and_sizes(ctx, call, type_)
    rank = len(type_.shape)
    if len(index_exprs) != rank or len(sizes) != rank:
        ctx.fail(
            "E3002",
            f"{spell(type_)} has {rank} axes: `{spelled}` needs {rank} indices and {rank} sizes",
            call.span,
        )
    axes: list[ViewAxis] = []
    for one, length in zip(index_exprs, sizes, strict=True):
        literal = literal_value(one)
        zero = isinstance(literal, ast.IntLit) and literal.value == 0
        value = None if zero else index(ctx, one)
        axes.append(ViewAxis(value, length if spelled == "tile" else Const(1), length, True))
    pad = None if pad_expr is None else _pad_value(ctx, pad_expr, type_)
    result = ctx.fresh(
        TensorType(type_.dtype, tuple(sizes), type_.place, None, type_.scale), call.span, base.name
    )
    ctx.emit(View(result, base, tuple(axes), pad, spelled, call.span))
    return result


def _indices_and_sizes(
    ctx: Context, call: ast.Call, type_: TensorType
) -> tuple[tuple[ast.Expr, ...], tuple[Term, ...]]:
    match call.args[1:]:
        case (ast.ListLit(items=items), ast.ListLit() as sizes):
            return items, shape(ctx, sizes)
        case (ast.ListLit(items=items),) if isinstance(type_.layout, Tiled):
            return items, _layout_tile(type_, type_.layout)
        case rest if isinstance(type_.layout, Tiled) and not any(
            isinstance(one, ast.ListLit) for one in rest
        ):
            return tuple(rest), _layout_tile(type_, type_.layout)
        case _:
            ctx.fail(
                "E3010",
                f"`{call.callee.text}` takes a tensor, indices and a shape",
                call.span,
                help_="such as `tile(a, [i, j], [BM, BN])`; only `Layout::Tiled` gives the shape",
            )


def _layout_tile(type_: TensorType, layout: Tiled) -> tuple[Term, ...]:
    assert type_.shape is not None
    lead = len(type_.shape) - len(layout.tile)
    return (*(Const(1) for _ in range(lead)), *layout.tile)


def _pad(ctx: Context, call: ast.Call) -> ast.Expr | None:
    pad = None
    for named in call.named:
        if named.name.text != "pad" or pad is not None:
            ctx.fail("E3010", f"unexpected argument `{named.name.text}`", named.span)
        pad = named.value
    return pad


def _pad_value(ctx: Context, expr: ast.Expr, type_: TensorType) -> Value:
    literal = literal_value(expr)
    hint = ScalarType(type_.dtype)
    if literal is not None and not isinstance(literal, ast.BoolLit) and not type_.dtype.is_numeric:
        return emit_literal(ctx, literal, None)
    value = numeric(ctx, ctx.expr(ctx, expr, hint))
    if value.type != hint and not isinstance(value.type, Inferred):
        ctx.fail("E3002", f"the pad of {spell(type_)} is {spell(hint)}", expr.span)
    return value
