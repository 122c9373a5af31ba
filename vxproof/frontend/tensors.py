"""Fresh tensors: zero-filled by shape, from nested lists of values, or uninitialised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.context import Context, Inferred
from vxproof.frontend.literals import literal_value
from vxproof.frontend.operators import converted, numeric
from vxproof.frontend.type_syntax import TypeReader
from vxproof.frontend.typing_rules import literal_dtype, same_shape, spell, widened
from vxproof.frontend.views import shape
from vxproof.ir.dtypes import DTYPES
from vxproof.ir.machine_query import resolve_space
from vxproof.ir.ops import Init, NewTensor
from vxproof.ir.types import ScalarType, TensorType, Type
from vxproof.logic.terms import Const

if TYPE_CHECKING:
    from vxproof.ir.values import Value

HOST_SPACE = "CPU_DRAM"


def _read(ctx: Context, type_: ast.TensorType) -> TensorType:
    tensor = TypeReader(ctx.program.machine, ctx.findings).tensor(type_, ctx.scope)
    if tensor.place is None and not ctx.in_spawn and ctx.topology is None:
        host = resolve_space(ctx.program.machine, HOST_SPACE)
        return replace(tensor, place=None if host is None else host.name)
    return tensor


def new_tensor(ctx: Context, expr: ast.TensorNew) -> Value:
    """Elaborate `Tensor<f32>([64, 128])` or `Tensor<f32>([[1.0, 2.0]])`."""
    tensor = _read(ctx, expr.type)
    match expr.args:
        case (ast.ListLit(items=items) as given,) if items:
            by_value = any(isinstance(i, ast.ListLit | ast.FloatLit) for i in items) or (
                tensor.shape is not None
            )
            if by_value:
                return _filled(ctx, tensor, given)
            sizes = shape(ctx, given)
            result = ctx.fresh(replace(tensor, shape=sizes), expr.span)
            ctx.emit(NewTensor(result, Init.ZERO, (), expr.span))
            return result
        case () if tensor.shape is not None:
            result = ctx.fresh(tensor, expr.span)
            ctx.emit(NewTensor(result, Init.ZERO, (), expr.span))
            return result
        case _:
            ctx.fail(
                "E3010",
                "a tensor is made from a shape or from nested lists of values",
                expr.span,
                help_="such as `Tensor<f32>([64, 128])`",
            )


def uninitialised(ctx: Context, expr: ast.TensorUninit) -> Value:
    """Elaborate `Tensor<f32, [M, N]>::uninit()`."""
    tensor = _read(ctx, expr.type)
    if tensor.shape is None:
        ctx.fail("E3002", "an uninitialised tensor needs a shape", expr.span)
    result = ctx.fresh(tensor, expr.span)
    ctx.emit(NewTensor(result, Init.UNINIT, (), expr.span))
    return result


def list_literal(ctx: Context, expr: ast.ListLit, hint: Type | None) -> Value:
    """Elaborate a list where a tensor is asked for."""
    if isinstance(hint, TensorType):
        return _filled(ctx, hint, expr)
    return _filled(ctx, _inferred(ctx, expr), expr)


def _inferred(ctx: Context, expr: ast.ListLit) -> TensorType:
    """Return the type of a list that nothing asks for: its first literal tells the dtype."""
    first: ast.Expr = expr
    while isinstance(first, ast.ListLit) and first.items:
        first = first.items[0]
    literal = literal_value(first)
    if not isinstance(literal, ast.IntLit | ast.FloatLit):
        ctx.fail(
            "E3018",
            "a list of values begins with a number, or has a tensor type",
            expr.span,
            help_="such as `Tensor<f32>([[1.0, 2.0]])`",
        )
    dtype = DTYPES.get(literal.suffix or "")
    if dtype is None:
        dtype = literal_dtype(is_float=isinstance(literal, ast.FloatLit))
    host = None if ctx.in_spawn or ctx.topology else resolve_space(ctx.program.machine, HOST_SPACE)
    return TensorType(dtype, None, None if host is None else host.name)


def _filled(ctx: Context, tensor: TensorType, expr: ast.ListLit) -> Value:
    leaves: list[Value] = []
    sizes = _collect(ctx, expr, tensor, leaves)
    found = tuple(Const(size) for size in sizes)
    if tensor.shape is not None and not same_shape(tensor.shape, found):
        ctx.fail(
            "E3001",
            f"{spell(tensor)} is given values of shape {list(sizes)}",
            expr.span,
        )
    result = ctx.fresh(replace(tensor, shape=found), expr.span)
    ctx.emit(NewTensor(result, Init.ELEMENTS, tuple(leaves), expr.span))
    return result


def _collect(
    ctx: Context, expr: ast.ListLit, tensor: TensorType, leaves: list[Value]
) -> tuple[int, ...]:
    if not expr.items:
        ctx.fail("E3018", "a list of values may not be empty", expr.span)
    inner: tuple[int, ...] | None = None
    for item in expr.items:
        if isinstance(item, ast.ListLit):
            sizes = _collect(ctx, item, tensor, leaves)
        else:
            leaves.append(_leaf(ctx, item, tensor))
            sizes = ()
        if inner is not None and sizes != inner:
            ctx.fail("E3018", "the rows of a list of values have one length", item.span)
        inner = sizes
    return (len(expr.items), *(inner or ()))


def _leaf(ctx: Context, item: ast.Expr, tensor: TensorType) -> Value:
    value = numeric(ctx, ctx.expr(ctx, item, ScalarType(tensor.dtype)))
    if isinstance(value.type, Inferred):
        return value
    if not isinstance(value.type, ScalarType):
        ctx.fail("E3018", f"a list holds scalars, found {spell(value.type)}", item.span)
    if value.type.dtype != tensor.dtype:
        if widened(value.type.dtype, tensor.dtype) != tensor.dtype:
            ctx.fail(
                "E3001",
                f"expected {tensor.dtype.name}, found {value.type.dtype.name}",
                item.span,
            )
        return converted(ctx, value, tensor.dtype)
    return value
