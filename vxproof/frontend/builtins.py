"""Built-in functions and methods: each checks its operands and emits one operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.context import Abandoned, Context, Inferred
from vxproof.frontend.literals import hinted_dtype, is_flexible, literal_value
from vxproof.frontend.operators import (
    apply,
    dereferenced,
    elementwise_type,
    emit_matmul,
    numeric,
    pair,
    unified,
)
from vxproof.frontend.sizes import NotStatic, size_term
from vxproof.frontend.type_syntax import TypeReader
from vxproof.frontend.typing_rules import SHORT_FLOATS, same_shape, spell
from vxproof.frontend.views import indexed, shape, tensor, tile_view
from vxproof.ir.dtypes import F32, I32, I64, Kind
from vxproof.ir.ops import (
    Dot,
    Elementwise,
    Fn,
    GridIndex,
    Iota,
    Print,
    Reduce,
    ReduceFn,
    Transfer,
    TransferAsync,
    Transpose,
    Wait,
)
from vxproof.ir.types import UNIT, ScalarType, TensorType, TokenType, Type
from vxproof.logic.terms import Const

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.values import Value

Builtin = Callable[[Context, ast.Call, Type | None], "Value"]

_FLOAT_METHODS = {
    "exp": Fn.EXP,
    "exp2": Fn.EXP2,
    "log": Fn.LOG,
    "log2": Fn.LOG2,
    "sqrt": Fn.SQRT,
    "rsqrt": Fn.RSQRT,
    "tanh": Fn.TANH,
}
_REDUCTIONS = {"max": ReduceFn.MAX, "sum": ReduceFn.SUM}


def _arity(ctx: Context, call: ast.Call, count: int) -> None:
    if len(call.args) != count or call.named:
        ctx.fail(
            "E3010",
            f"`{call.callee.text}` takes {count} arguments, not {len(call.args)}",
            call.span,
        )


def _extreme(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 2)
    operands = pair(ctx, call.args[0], call.args[1], hint)
    return apply(ctx, Fn.MAX if call.callee.text == "max" else Fn.MIN, operands, call.span)


def _select(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 3)
    cond = numeric(ctx, ctx.expr(ctx, call.args[0], None))
    if isinstance(cond.type, ScalarType | TensorType) and cond.type.dtype.kind is not Kind.BOOL:
        ctx.fail("E3002", f"`select` needs a condition, found {spell(cond.type)}", cond.span)
    a, b = pair(ctx, call.args[1], call.args[2], hint)
    a, b = unified(ctx, a, b)
    return _selected(ctx, cond, a, b, call.span)


def _selected(ctx: Context, cond: Value, a: Value, b: Value, span: Span) -> Value:
    from_operands = apply_type(ctx, cond, a, b, span)
    result = ctx.fresh(from_operands, span)
    ctx.emit(Elementwise(result, Fn.SELECT, (cond, a, b), span))
    return result


def apply_type(ctx: Context, cond: Value, a: Value, b: Value, span: Span) -> Type:
    """Return the type of `select(cond, a, b)`: the arms' dtype, the shape of all three."""
    arm = a if not isinstance(a.type, Inferred) else b
    if isinstance(arm.type, Inferred):
        return arm.type
    assert isinstance(arm.type, ScalarType | TensorType)
    return elementwise_type(ctx, (cond, a, b), span, arm.type.dtype)  # type: ignore[return-value]


def _dot(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 2)
    sides = []
    for arg in call.args:
        if isinstance(arg, ast.Index):
            value = indexed(ctx, arg, row=True)
        else:
            value, _ = tensor(ctx, arg)
        sides.append(dereferenced(ctx, value))
    a, b = sides
    if not isinstance(a.type, TensorType) or not isinstance(b.type, TensorType):
        ctx.fail("E3002", "`dot` needs two rows", call.span)
    if a.type.dtype != b.type.dtype or not a.type.dtype.is_numeric:
        ctx.fail("E7002", f"no dot of {a.type.dtype.name} and {b.type.dtype.name}", call.span)
    if a.type.shape is not None and b.type.shape is not None:
        if len(a.type.shape) != 1 or len(b.type.shape) != 1:
            ctx.fail("E3002", "`dot` needs two rows", call.span)
        if not same_shape(a.type.shape, b.type.shape):
            ctx.fail("E7001", f"row lengths differ: {spell(a.type)} and {spell(b.type)}", call.span)
    dtype = F32 if a.type.dtype.name in SHORT_FLOATS else a.type.dtype
    result = ctx.fresh(ScalarType(dtype), call.span)
    ctx.emit(Dot(result, a, b, call.span))
    return result


def _mma_acc(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    args = call.args
    tf32 = len(args) == 4 and isinstance(args[3], ast.Var) and args[3].name == "tf32"
    if len(args) != (4 if tf32 else 3) or call.named:
        ctx.fail("E3010", "`mma_acc` takes a, b, acc, and `tf32` if wanted", call.span)
    a, b, acc = (numeric(ctx, ctx.expr(ctx, arg, None)) for arg in args[:3])
    return emit_matmul(ctx, a, b, call.span, acc=acc, tf32=tf32)


def _iota(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 2)
    sizes = shape(ctx, call.args[1])
    axis = _axis(ctx, call.args[0], len(sizes))
    dtype = hinted_dtype(hint)
    if dtype is None or not dtype.is_integer:
        dtype = I32
    result = ctx.fresh(TensorType(dtype, sizes), call.span)
    ctx.emit(Iota(result, axis, call.span))
    return result


def _axis(ctx: Context, expr: ast.Expr, rank: int) -> int:
    literal = literal_value(expr)
    if not isinstance(literal, ast.IntLit) or not 0 <= literal.value < rank:
        ctx.fail("E3002", f"an axis is a constant from 0 to {rank - 1}", expr.span)
    return literal.value


def _transfer(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 2)
    place_expr = call.args[1]
    if not isinstance(place_expr, ast.MemoryRef):
        ctx.fail("E3002", "expected a place such as `Memory::SMEM`", place_expr.span)
    source = dereferenced(ctx, ctx.expr(ctx, call.args[0], None))
    if not isinstance(source.type, TensorType):
        ctx.fail("E3002", f"`transfer` moves tensors, found {spell(source.type)}", call.span)
    reader = TypeReader(ctx.program.machine, ctx.findings)
    place = reader.place(place_expr)
    layout = hint.layout if isinstance(hint, TensorType) else None
    type_ = TensorType(source.type.dtype, source.type.shape, place, layout, source.type.scale)
    if call.callee.text == "transfer":
        result = ctx.fresh(type_, call.span)
        ctx.emit(Transfer(result, source, place, call.span))
        return result
    token = ctx.fresh(TokenType(type_), call.span)
    ctx.emit(TransferAsync(token, source, place, call.span))
    return token


def _wait(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 1)
    token = ctx.expr(ctx, call.args[0], None)
    if not isinstance(token.type, TokenType):
        ctx.fail("E3002", f"`wait` needs a token, found {spell(token.type)}", call.span)
    result = ctx.fresh(token.type.tensor, call.span, token.name)
    ctx.emit(Wait(result, token, call.span))
    return result


def _grid_index(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    _arity(ctx, call, 1)
    if ctx.rank is None:
        ctx.fail("E6141", "`grid_index` is meaningful inside a `spawn` with a grid", call.span)
    try:
        axis = size_term(ctx.scope, call.args[0])
    except NotStatic:
        axis = None
    if not isinstance(axis, Const) or not 0 <= axis.value < ctx.rank:
        ctx.fail(
            "E6141",
            f"a grid index is a constant from 0 to {ctx.rank - 1}",
            call.args[0].span,
            label=f"the grid has {ctx.rank} axes",
        )
    result = ctx.fresh(ScalarType(I64), call.span)
    ctx.emit(GridIndex(result, axis.value, call.span))
    return result


def _print(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    values = []
    for arg in call.args:
        if isinstance(arg, ast.StrLit):
            continue
        values.append(dereferenced(ctx, ctx.expr(ctx, arg, None)))
    if ctx.in_spawn or ctx.topology is not None:
        ctx.fail("E6190", "`print` is a host statement", call.span)
    ctx.emit(Print(tuple(values), call.span))
    return ctx.fresh(UNIT, call.span)


def _view(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    return tile_view(ctx, call)


def _role_message(ctx: Context, call: ast.Call, hint: Type | None) -> Value:
    if not call.args or not isinstance(call.args[0], ast.Var):
        ctx.fail("E3010", f"`{call.callee.text}` names a role first", call.span)
    name = call.args[0].name
    if name not in ctx.roles:
        ctx.fail("E1002", f"unknown role `{name}`", call.args[0].span)
    for arg in call.args[1:]:
        ctx.expr(ctx, arg, None)
    if ctx.in_role:
        raise Abandoned
    ctx.fail("E6161", f"`{call.callee.text}` stands outside of a role", call.span)


BUILTINS: dict[str, Builtin] = {
    "max": _extreme,
    "min": _extreme,
    "select": _select,
    "dot": _dot,
    "mma_acc": _mma_acc,
    "iota": _iota,
    "tile": _view,
    "slice": _view,
    "transfer": _transfer,
    "transfer_async": _transfer,
    "wait": _wait,
    "grid_index": _grid_index,
    "print": _print,
    "yield_to": _role_message,
    "await_from": _role_message,
}


_WIDER_METHODS = frozenset(
    {"as_ptr", "extent", "relocate", "shape", "topology"}
    | {f"to_{where}{mode}" for where in ("device", "gpu", "sram") for mode in ("", "_relaxed")}
)
"""Methods of the language at large."""


def method(ctx: Context, call: ast.MethodCall, hint: Type | None) -> Value:
    """Elaborate `x.name(…)`."""
    name = call.method.text
    receiver_hint = hint if is_flexible(call.receiver) else None
    value = numeric(ctx, ctx.expr(ctx, call.receiver, receiver_hint))
    if call.named:
        ctx.fail("E3010", f"`.{name}` takes no named arguments", call.span)
    if isinstance(value.type, Inferred):
        return value
    assert isinstance(value.type, ScalarType | TensorType)
    dtype = value.type.dtype
    if name in _FLOAT_METHODS or name == "abs":
        if call.args:
            ctx.fail("E3010", f"`.{name}()` takes no arguments", call.span)
        if not (dtype.is_float or (name == "abs" and dtype.is_numeric)):
            ctx.fail("E3002", f"`.{name}()` needs floats, found {dtype.name}", call.span)
        return apply(ctx, _FLOAT_METHODS.get(name, Fn.ABS), (value,), call.span)
    if name in _REDUCTIONS:
        return _reduce(ctx, call, value, _REDUCTIONS[name])
    if name == "transpose":
        return _transpose(ctx, call, value)
    if name in _WIDER_METHODS:
        ctx.fail(
            "E6190",
            f"`.{name}` is outside the kernel subset",
            call.method.span,
            help_="`transfer(x, Memory::…)` copies between spaces"
            if name.startswith("to_")
            else None,
        )
    ctx.fail(
        "E1002",
        f"unknown method `.{name}`",
        call.method.span,
        help_=f"known: {', '.join(sorted({*_FLOAT_METHODS, *_REDUCTIONS, 'abs', 'transpose'}))}",
    )


def _reduce(ctx: Context, call: ast.MethodCall, value: Value, fn: ReduceFn) -> Value:
    if len(call.args) != 1:
        ctx.fail(
            "E3010",
            f"`.{fn.value}` takes an axis",
            call.span,
            help_=f"for two operands there is `{fn.value}(a, b)`" if fn is ReduceFn.MAX else None,
        )
    if not isinstance(value.type, TensorType) or value.type.shape is None:
        ctx.fail("E3002", f"`.{fn.value}(axis)` needs a tile", call.span)
    if not value.type.dtype.is_numeric:
        ctx.fail("E3002", f"{value.type.dtype.name} has no arithmetic", call.span)
    axis = _axis(ctx, call.args[0], len(value.type.shape))
    sizes = tuple(Const(1) if k == axis else extent for k, extent in enumerate(value.type.shape))
    result = ctx.fresh(TensorType(value.type.dtype, sizes), call.span)
    ctx.emit(Reduce(result, fn, axis, value, call.span))
    return result


def _transpose(ctx: Context, call: ast.MethodCall, value: Value) -> Value:
    if not isinstance(value.type, TensorType) or value.type.shape is None:
        ctx.fail("E3002", "`.transpose` needs a tile", call.span)
    rank = len(value.type.shape)
    perm: list[int] = []
    match call.args:
        case (ast.ListLit(items=items),):
            perm = [item.value for item in items if isinstance(item, ast.IntLit)]
        case ():
            perm = list(range(rank))[::-1]
        case _:
            pass
    if sorted(perm) != list(range(rank)):
        ctx.fail("E3002", f"`.transpose` takes a permutation of {rank} axes", call.span)
    sizes = tuple(value.type.shape[k] for k in perm)
    result = ctx.fresh(TensorType(value.type.dtype, sizes, value.type.place), call.span, value.name)
    ctx.emit(Transpose(result, value, tuple(perm), call.span))
    return result
