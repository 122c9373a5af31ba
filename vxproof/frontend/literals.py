"""Literals: which expressions take their type from their surroundings, and what they become."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.typing_rules import literal_dtype, spell
from vxproof.ir.dtypes import DTYPES, DType, Kind
from vxproof.ir.ops import Literal
from vxproof.ir.types import RefType, ScalarType, TensorType, Type

if TYPE_CHECKING:
    from vxproof.frontend.context import Context
    from vxproof.ir.values import Value


def is_flexible(expr: ast.Expr) -> bool:
    """Whether an expression takes the element type that its context asks for."""
    match expr:
        case ast.IntLit(suffix=None) | ast.FloatLit(suffix=None):
            return True
        case ast.Unary(op=ast.UnaryOp.NEG, operand=operand):
            return is_flexible(operand)
        case ast.Binary(op=op, left=left, right=right):
            return (
                op not in {ast.BinaryOp.AND, ast.BinaryOp.OR, ast.BinaryOp.MATMUL}
                and is_flexible(left)
                and is_flexible(right)
            )
        case ast.Call(callee=callee):
            return callee.text == "iota"
        case _:
            return False


def has_float(expr: ast.Expr) -> bool:
    """Whether a flexible expression has a float literal in it."""
    match expr:
        case ast.FloatLit():
            return True
        case ast.Unary(operand=operand):
            return has_float(operand)
        case ast.Binary(left=left, right=right):
            return has_float(left) or has_float(right)
        case _:
            return False


def literal_value(expr: ast.Expr) -> ast.IntLit | ast.FloatLit | ast.BoolLit | None:
    """Return a literal, with a sign in front folded in; None for anything else."""
    match expr:
        case ast.IntLit() | ast.FloatLit() | ast.BoolLit():
            return expr
        case ast.Unary(op=ast.UnaryOp.NEG, operand=ast.IntLit() as inner, span=span):
            return ast.IntLit(-inner.value, inner.suffix, span)
        case ast.Unary(op=ast.UnaryOp.NEG, operand=ast.FloatLit() as inner, span=span):
            return ast.FloatLit(-inner.value, inner.suffix, span)
        case _:
            return None


def hinted_dtype(hint: Type | None) -> DType | None:
    """Return the element type that a context asks for, if it asks for one."""
    match hint:
        case ScalarType(dtype=dtype) | TensorType(dtype=dtype):
            return dtype
        case RefType(target=target):
            return target.dtype
        case _:
            return None


def emit_literal(
    ctx: Context,
    literal: ast.IntLit | ast.FloatLit | ast.BoolLit,
    hint: Type | None,
    *,
    fill: TensorType | None = None,
) -> Value:
    """Emit a literal of the type asked for; with `fill`, a tile whose elements all have it."""
    value: int | float | bool
    if isinstance(literal, ast.BoolLit):
        dtype, value = DTYPES["bool"], literal.value
    else:
        dtype, value = _typed(ctx, literal, hint)
    type_: Type = ScalarType(dtype)
    if fill is not None:
        if fill.dtype != dtype:
            ctx.fail("E3001", f"expected {fill.dtype.name}, found {dtype.name}", literal.span)
        type_ = fill
    result = ctx.fresh(type_, literal.span)
    ctx.emit(Literal(result, value, literal.span))
    return result


def _typed(
    ctx: Context, literal: ast.IntLit | ast.FloatLit, hint: Type | None
) -> tuple[DType, int | float]:
    is_float = isinstance(literal, ast.FloatLit)
    if literal.suffix is not None:
        dtype = DTYPES.get(literal.suffix)
        if dtype is None or not dtype.is_numeric:
            ctx.fail("E3029", f"unknown literal suffix `{literal.suffix}`", literal.span)
    else:
        dtype = hinted_dtype(hint)
        if dtype is None or dtype.kind is Kind.BOOL:
            dtype = literal_dtype(is_float=is_float)
    if dtype.kind is Kind.STORAGE:
        ctx.fail(
            "E3002",
            f"{dtype.name} is a storage format and has no literals",
            literal.span,
            help_="write a float literal and convert it with `as`",
        )
    if dtype.is_float:
        value = float(literal.value)
        if not is_float and int(value) != literal.value:
            ctx.fail("E3002", f"{literal.value} is not exact as {dtype.name}", literal.span)
        return dtype, value
    if is_float:
        what = "inf" if isinf(literal.value) else "a float literal"
        ctx.fail("E3002", f"expected {spell(ScalarType(dtype))}, found {what}", literal.span)
    low, high = dtype.int_range
    if not low <= literal.value <= high:
        ctx.fail(
            "E3002",
            f"{literal.value} does not fit {dtype.name}",
            literal.span,
            help_="give the literal a suffix, such as `i64`, or annotate the variable",
        )
    return dtype, int(literal.value)
