"""Operators: operand types are brought together, then one elementwise operation is emitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.context import Context, Inferred
from vxproof.frontend.literals import has_float, is_flexible, literal_value
from vxproof.frontend.typing_rules import broadcast, product_dtype, same_size, spell, widened
from vxproof.ir.dtypes import BOOL, F64, DType, Kind
from vxproof.ir.ops import Cast, Deref, Elementwise, Fn, If, Literal, MatMul
from vxproof.ir.types import RefType, ScalarType, TensorType, Type

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.values import Value
    from vxproof.logic.terms import Term

_FN = {
    ast.BinaryOp.ADD: Fn.ADD,
    ast.BinaryOp.SUB: Fn.SUB,
    ast.BinaryOp.MUL: Fn.MUL,
    ast.BinaryOp.DIV: Fn.DIV,
    ast.BinaryOp.REM: Fn.REM,
    ast.BinaryOp.EQ: Fn.EQ,
    ast.BinaryOp.NE: Fn.NE,
    ast.BinaryOp.LT: Fn.LT,
    ast.BinaryOp.LE: Fn.LE,
    ast.BinaryOp.GT: Fn.GT,
    ast.BinaryOp.GE: Fn.GE,
    ast.BinaryOp.AND: Fn.AND,
    ast.BinaryOp.OR: Fn.OR,
}
COMPARISONS = frozenset({Fn.EQ, Fn.NE, Fn.LT, Fn.LE, Fn.GT, Fn.GE})
_LOGICAL = frozenset({Fn.AND, Fn.OR})


def dereferenced(ctx: Context, value: Value) -> Value:
    """Return what a value refers to, or the value itself."""
    if not isinstance(value.type, RefType):
        return value
    result = ctx.fresh(value.type.target, value.span, value.name)
    ctx.emit(Deref(result, value, value.span))
    return result


def numeric(ctx: Context, value: Value) -> Value:
    """Return a scalar or tile operand, read through a reference; E3002 for anything else."""
    value = dereferenced(ctx, value)
    if isinstance(value.type, Inferred):
        return value
    if not isinstance(value.type, ScalarType | TensorType):
        ctx.fail("E3002", f"expected a number or a tile, found {spell(value.type)}", value.span)
    return value


def converted(ctx: Context, value: Value, dtype: DType, *, implicit: bool = True) -> Value:
    """Return a scalar or tile with another element type, through a `Cast` where it differs."""
    match value.type:
        case ScalarType(dtype=have):
            target: Type = ScalarType(dtype)
        case TensorType(dtype=have, shape=shape):
            target = TensorType(dtype, shape)
        case _:
            return value
    if have == dtype:
        return value
    result = ctx.fresh(target, value.span)
    ctx.emit(Cast(result, value, value.span, implicit))
    return result


def elementwise_type(
    ctx: Context, values: tuple[Value, ...], span: Span, dtype: DType | None = None
) -> Type | Inferred:
    """Return the type of an elementwise result; E3002 where shapes do not go together.

    `dtype` replaces the operands' own, as for comparisons.
    """
    shape: tuple[Term, ...] | None = None
    tensors = [v for v in values if isinstance(v.type, TensorType)]
    known = [v for v in values if not isinstance(v.type, Inferred)]
    if not known:
        if dtype is not None:
            return ScalarType(dtype)
        return next((v.type for v in values if isinstance(v.type, Inferred)), Inferred())
    element = dtype
    if element is None:
        kind = known[0].type
        if not isinstance(kind, ScalarType | TensorType):
            ctx.fail("E3002", f"expected a number or a tile, found {spell(kind)}", span)
        element = kind.dtype
    if not tensors:
        open_ = len(known) < len(values) and dtype is None
        return Inferred(element) if open_ else ScalarType(element)
    for value in tensors:
        own = value.type.shape if isinstance(value.type, TensorType) else None
        if own is None:
            return TensorType(element, None)
        if shape is None:
            shape = own
            continue
        joined = broadcast(shape, own)
        if joined is None:
            first = tensors[0]
            ctx.fail(
                "E3002",
                f"shapes do not go together: {spell(first.type)} and {spell(value.type)}",
                span,
                help_="axes are equal or literally 1, and the ranks are equal",
            )
        shape = joined
    return TensorType(element, shape)


def pair(
    ctx: Context,
    left: ast.Expr,
    right: ast.Expr,
    hint: Type | None,
    *,
    check: Fn | None = None,
) -> tuple[Value, Value]:
    """Elaborate two operands; a literal takes the other's type, integers widen without loss.

    With `check`, each operand's kind is checked for that function before the two are compared.
    """
    if is_flexible(left) and is_flexible(right):
        if hint is None and (has_float(left) or has_float(right)):
            hint = ScalarType(F64)
        a, b = ctx.expr(ctx, left, hint), ctx.expr(ctx, right, hint)
    elif is_flexible(left):
        b = numeric(ctx, ctx.expr(ctx, right, hint))
        a = ctx.expr(ctx, left, b.type)
    else:
        a = numeric(ctx, ctx.expr(ctx, left, hint))
        b = ctx.expr(ctx, right, a.type if is_flexible(right) else hint)
    a, b = numeric(ctx, a), numeric(ctx, b)
    if isinstance(a.type, Inferred) and is_flexible(right):
        return a, a
    if isinstance(b.type, Inferred) and is_flexible(left):
        return b, b
    if check is not None:
        _operand_kind(ctx, check, a)
        _operand_kind(ctx, check, b)
    return unified(ctx, a, b)


def unified(ctx: Context, a: Value, b: Value) -> tuple[Value, Value]:
    """Bring two operands to one element type; E3002 where that would lose something."""
    if isinstance(a.type, Inferred) or isinstance(b.type, Inferred):
        return a, b
    assert isinstance(a.type, ScalarType | TensorType)
    assert isinstance(b.type, ScalarType | TensorType)
    left, right = a.type.dtype, b.type.dtype
    if left == right:
        return a, b
    common = widened(left, right)
    if common is None:
        ctx.fail(
            "E3002",
            f"operands of different types: {left.name} and {right.name}",
            a.span.to(b.span),
            help_="convert one of them with `as`",
        )
    return converted(ctx, a, common), converted(ctx, b, common)


def binary(ctx: Context, expr: ast.Binary, hint: Type | None) -> Value:
    """Elaborate a binary operator."""
    if expr.op is ast.BinaryOp.MATMUL:
        return matmul(ctx, expr)
    fn = _FN[expr.op]
    if fn in _LOGICAL:
        return _logical(ctx, expr, fn)
    a, b = pair(
        ctx,
        expr.left,
        expr.right,
        None if fn in COMPARISONS else hint,
        check=fn if fn is Fn.REM else None,
    )
    return apply(ctx, fn, (a, b), expr.span)


def apply(ctx: Context, fn: Fn, args: tuple[Value, ...], span: Span) -> Value:
    """Emit one elementwise function over operands of one element type."""
    for arg in args:
        _operand_kind(ctx, fn, arg)
    type_ = elementwise_type(ctx, args, span, BOOL if fn in COMPARISONS else None)
    result = ctx.fresh(type_, span)  # type: ignore[arg-type]
    ctx.emit(Elementwise(result, fn, args, span))
    return result


def _operand_kind(ctx: Context, fn: Fn, arg: Value) -> None:
    if not isinstance(arg.type, ScalarType | TensorType):
        return
    dtype = arg.type.dtype
    if fn is Fn.REM and not dtype.is_integer:
        ctx.fail("E3030", f"`%` needs integers, found {dtype.name}", arg.span)
    if dtype.kind is Kind.STORAGE:
        ctx.fail(
            "E3002",
            f"{dtype.name} is a storage format and has no arithmetic",
            arg.span,
            help_="convert it with `as` first",
        )
    if dtype.kind is Kind.BOOL and fn not in {Fn.EQ, Fn.NE, *_LOGICAL, Fn.NOT}:
        ctx.fail("E3002", "bool has no arithmetic", arg.span)


def _condition(ctx: Context, value: Value) -> Value:
    value = numeric(ctx, value)
    if isinstance(value.type, ScalarType | TensorType) and value.type.dtype.kind is Kind.BOOL:
        return value
    if isinstance(value.type, Inferred):
        return value
    ctx.fail("E3002", f"expected a condition, found {spell(value.type)}", value.span)


def _logical(ctx: Context, expr: ast.Binary, fn: Fn) -> Value:
    a = _condition(ctx, ctx.expr(ctx, expr.left, None))
    if isinstance(a.type, TensorType):
        b = _condition(ctx, ctx.expr(ctx, expr.right, None))
        return apply(ctx, fn, (a, b), expr.span)
    with ctx.nested() as right_ops:
        b = _condition(ctx, ctx.expr(ctx, expr.right, None))
    if isinstance(b.type, TensorType):
        for op in right_ops:
            ctx.emit(op)
        return apply(ctx, fn, (a, b), expr.span)
    constant = ctx.fresh(ScalarType(BOOL), expr.left.span)
    literal = Literal(constant, fn is Fn.OR, expr.left.span)
    result = ctx.fresh(ScalarType(BOOL), expr.span)
    right = tuple(right_ops)
    if fn is Fn.AND:
        ctx.emit(If(a, right, (literal,), expr.span, result, b, constant))
    else:
        ctx.emit(If(a, (literal,), right, expr.span, result, constant, b))
    return result


def unary(ctx: Context, expr: ast.Unary, hint: Type | None) -> Value:
    """Elaborate a prefix operator; a literal's sign belongs to the literal."""
    match expr.op:
        case ast.UnaryOp.NEG:
            value = numeric(ctx, ctx.expr(ctx, expr.operand, hint))
            if isinstance(value.type, ScalarType | TensorType) and (
                value.type.dtype.kind is Kind.UNSIGNED
            ):
                ctx.fail("E3002", f"{value.type.dtype.name} has no negative values", expr.span)
            return apply(ctx, Fn.NEG, (value,), expr.span)
        case ast.UnaryOp.NOT:
            return apply(
                ctx, Fn.NOT, (_condition(ctx, ctx.expr(ctx, expr.operand, None)),), expr.span
            )
        case ast.UnaryOp.DEREF:
            value = ctx.expr(ctx, expr.operand, hint)
            if not isinstance(value.type, RefType):
                ctx.fail("E3002", f"`*` needs a reference, found {spell(value.type)}", expr.span)
            return dereferenced(ctx, value)


def matmul(ctx: Context, expr: ast.Binary) -> Value:
    """Elaborate `a @ b`: [M, K] times [K, N]; E7001 for dimensions, E7002 for element types."""
    a = numeric(ctx, ctx.expr(ctx, expr.left, None))
    b = numeric(ctx, ctx.expr(ctx, expr.right, None))
    return emit_matmul(ctx, a, b, expr.span)


def emit_matmul(
    ctx: Context,
    a: Value,
    b: Value,
    span: Span,
    *,
    acc: Value | None = None,
    tf32: bool = False,
) -> Value:
    """Emit a matrix product, or an accumulate where `acc` is given."""
    for side in (a, b):
        if not isinstance(side.type, TensorType) or side.type.shape is None:
            ctx.fail("E7001", f"`@` needs tiles, found {spell(side.type)}", side.span)
        if len(side.type.shape) != 2:
            ctx.fail("E7001", f"`@` needs matrices, found {spell(side.type)}", side.span)
    assert isinstance(a.type, TensorType)
    assert isinstance(b.type, TensorType)
    assert a.type.shape is not None
    assert b.type.shape is not None
    (rows, inner), (inner_b, columns) = a.type.shape, b.type.shape
    if not same_size(inner, inner_b):
        ctx.fail(
            "E7001",
            f"inner dimensions differ: {spell(a.type)} @ {spell(b.type)}",
            span,
            help_="the left operand's columns are the right operand's rows; transpose one?",
        )
    dtype = product_dtype(a.type.dtype, b.type.dtype)
    if dtype is None:
        ctx.fail(
            "E7002",
            f"no matrix product of {a.type.dtype.name} and {b.type.dtype.name}",
            span,
            help_="convert one operand with `as`",
        )
    type_ = TensorType(dtype, (rows, columns))
    if acc is not None and not isinstance(acc.type, Inferred):
        fits = (
            isinstance(acc.type, TensorType)
            and acc.type.dtype == dtype
            and acc.type.shape is not None
            and len(acc.type.shape) == 2
            and same_size(acc.type.shape[0], rows)
            and same_size(acc.type.shape[1], columns)
        )
        if not fits:
            ctx.fail("E7001", f"accumulator is {spell(acc.type)}, product {spell(type_)}", acc.span)
    result = ctx.fresh(type_, span)
    ctx.emit(MatMul(result, a, b, acc, tf32, span))
    return result


def cast(ctx: Context, expr: ast.Cast, dtype: DType) -> Value:
    """Elaborate `x as T`."""
    literal = literal_value(expr.operand)
    hint = None
    if literal is not None and not isinstance(literal, ast.BoolLit) and dtype.is_numeric:
        exact = isinstance(literal, ast.FloatLit) == dtype.is_float
        hint = ScalarType(dtype) if exact and literal.suffix is None else None
    value = numeric(ctx, ctx.expr(ctx, expr.operand, hint))
    if isinstance(value.type, Inferred):
        return value
    assert isinstance(value.type, ScalarType | TensorType)
    have = value.type.dtype
    if have.kind is Kind.BOOL and dtype.is_float:
        ctx.fail(
            "E3002",
            f"bool does not convert to {dtype.name}",
            expr.span,
            help_="use `select(c, 1.0, 0.0)`",
        )
    if dtype.kind is Kind.BOOL and have.kind is not Kind.BOOL:
        ctx.fail(
            "E3002", f"{have.name} does not convert to bool", expr.span, help_="compare it with 0"
        )
    if isinstance(value.type, ScalarType) and Kind.STORAGE in {have.kind, dtype.kind}:
        ctx.fail("E3002", "storage formats exist in tiles only", expr.span)
    return converted(ctx, value, dtype, implicit=False)
