"""Expressions: one function per form, each returning the value that its operations compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, assert_never

from vxproof.diagnostics import Label
from vxproof.frontend import ast
from vxproof.frontend.builtins import BUILTINS, method
from vxproof.frontend.calls import call_function
from vxproof.frontend.context import Abandoned, Context, Inferred
from vxproof.frontend.literals import emit_literal, is_flexible, literal_value
from vxproof.frontend.operators import binary, cast, converted, numeric, unary
from vxproof.frontend.scope import Counter, Local, Poisoned, Size
from vxproof.frontend.tensors import list_literal, new_tensor, uninitialised
from vxproof.frontend.type_syntax import TypeReader
from vxproof.frontend.typing_rules import same_shape, spell, widened
from vxproof.frontend.views import indexed
from vxproof.ir.dtypes import I64, Kind
from vxproof.ir.ops import Borrow, If, Read, SymbolRef
from vxproof.ir.types import RefType, ScalarType, TensorType, Type, UnitType

if TYPE_CHECKING:
    from vxproof.ir.ops import Block
    from vxproof.ir.values import Value


def expression(ctx: Context, expr: ast.Expr, hint: Type | None) -> Value:
    """Elaborate an expression; `hint` is the type that its context asks for, if it asks.

    Raises:
        Abandoned: the expression is in error; the finding is recorded.
    """
    literal = literal_value(expr)
    if literal is not None:
        return emit_literal(ctx, literal, hint)
    match expr:
        case ast.Var():
            return _name(ctx, expr)
        case ast.Binary():
            return binary(ctx, expr, hint)
        case ast.Unary():
            return unary(ctx, expr, hint)
        case ast.Cast(type=ast.NamedType(name=name, span=span)):
            dtype = TypeReader(ctx.program.machine, ctx.findings).dtype(name, span)
            return cast(ctx, expr, dtype)
        case ast.Cast():
            ctx.fail("E3002", "`as` converts to an element type", expr.type.span)
        case ast.Index():
            return indexed(ctx, expr)
        case ast.Call():
            return _call(ctx, expr, hint)
        case ast.MethodCall():
            return method(ctx, expr, hint)
        case ast.Borrow():
            return _borrow(ctx, expr)
        case ast.If():
            return conditional(ctx, expr, hint)
        case ast.TensorNew() | ast.TensorUninit() | ast.ListLit():
            return _fresh_tensor(ctx, expr, hint)
        case _:
            _refuse(ctx, expr)


def _fresh_tensor(
    ctx: Context, expr: ast.TensorNew | ast.TensorUninit | ast.ListLit, hint: Type | None
) -> Value:
    match expr:
        case ast.TensorNew():
            return new_tensor(ctx, expr)
        case ast.TensorUninit():
            return uninitialised(ctx, expr)
        case ast.ListLit():
            return list_literal(ctx, expr, hint)


def _refuse(
    ctx: Context,
    expr: ast.MemoryRef
    | ast.TopologyRef
    | ast.StrLit
    | ast.Path
    | ast.IntLit
    | ast.FloatLit
    | ast.BoolLit,
) -> NoReturn:
    """Refuse what is no value where it stands."""
    match expr:
        case ast.MemoryRef() | ast.TopologyRef():
            ctx.fail("E3002", "a place is no value", expr.span)
        case ast.StrLit():
            ctx.fail("E6190", "strings are outside the kernel subset", expr.span)
        case ast.Path():
            ctx.fail("E1002", f"unknown name `{expr.text}`", expr.span)
        case ast.IntLit() | ast.FloatLit() | ast.BoolLit():
            raise AssertionError("literals are handled first")
        case _:
            assert_never(expr)


def _name(ctx: Context, expr: ast.Var) -> Value:
    binding = ctx.lookup(expr.name, expr.span)
    match binding:
        case Local(variable=variable):
            result = ctx.fresh(variable.type, expr.span, variable.name)
            ctx.emit(Read(result, variable, expr.span))
            return result
        case Counter(value=value):
            return value
        case Size(symbol=symbol, dtype=dtype):
            result = ctx.fresh(ScalarType(I64), expr.span, symbol)
            ctx.emit(SymbolRef(result, symbol, expr.span))
            return converted(ctx, result, dtype)
        case Poisoned():
            raise Abandoned
        case _:
            assert_never(binding)


def _call(ctx: Context, expr: ast.Call, hint: Type | None) -> Value:
    name = expr.callee.text
    builtin = BUILTINS.get(name)
    if builtin is not None and name not in ctx.program.asts:
        return builtin(ctx, expr, hint)
    return call_function(ctx, expr)


def _borrow(ctx: Context, expr: ast.Borrow) -> Value:
    value = ctx.expr(ctx, expr.operand, None)
    target = value.type.target if isinstance(value.type, RefType) else value.type
    if not isinstance(target, ScalarType | TensorType):
        ctx.fail("E3002", f"no reference to {spell(value.type)}", expr.span)
    if expr.mutable:
        require_mutable(ctx, expr.operand)
        _require_variable(ctx, expr.operand)
    result = ctx.fresh(RefType(target, expr.mutable), expr.span, value.name)
    ctx.emit(Borrow(result, value, expr.mutable, expr.span))
    return result


def _require_variable(ctx: Context, place: ast.Expr) -> None:
    """Refuse a `&mut` of a scalar that has one value for good, such as a parameter."""
    binding = ctx.lookup(place.name, place.span) if isinstance(place, ast.Var) else None
    if not isinstance(binding, Local) or not isinstance(binding.variable.type, ScalarType):
        return
    variable = binding.variable
    if not variable.mutable:
        ctx.fail(
            "E3002",
            f"`{variable.name}` is not declared `mut`",
            place.span,
            secondary=(Label(variable.span, "declared here"),),
            help_=f"`let mut {variable.name} = …`",
        )


def require_mutable(ctx: Context, place: ast.Expr) -> None:
    """Check that the variable behind a place may be written; E4006 through a shared reference."""
    root = place
    while True:
        match root:
            case ast.Index(base=inner) | ast.Unary(op=ast.UnaryOp.DEREF, operand=inner):
                root = inner
            case ast.MethodCall(receiver=inner):
                root = inner
            case ast.Call(callee=callee, args=(inner, *_)) if callee.text in {"tile", "slice"}:
                root = inner
            case _:
                break
    if not isinstance(root, ast.Var):
        return
    binding = ctx.lookup(root.name, root.span)
    if not isinstance(binding, Local):
        ctx.fail("E3002", f"`{root.name}` cannot be assigned", root.span)
    variable = binding.variable
    match variable.type:
        case RefType(mutable=False):
            ctx.fail(
                "E4006",
                f"`{root.name}` is written through a shared reference",
                root.span,
                help_=f"take `{root.name}` as `&mut`",
            )
        case TensorType() if variable in ctx.parameters:
            ctx.fail(
                "E4006",
                f"`{root.name}` is an input and cannot be written",
                root.span,
                help_=f"take `{root.name}` as `&mut`",
            )
        case _:
            pass


def conditional(ctx: Context, expr: ast.If, hint: Type | None) -> Value:
    """Elaborate an `if` expression: both arms have values of one type."""
    cond = condition(ctx, expr.condition)
    if expr.otherwise is None:
        ctx.fail("E3002", "an `if` without `else` has no value", expr.span)
    other_tail = expr.otherwise.tail if isinstance(expr.otherwise, ast.Block) else expr.otherwise
    then_first = not (expr.then.tail is not None and is_flexible(expr.then.tail))
    if then_first or other_tail is None:
        then_ops, then_value = _arm(ctx, expr.then, hint)
        else_ops, else_value = _arm(ctx, expr.otherwise, hint or then_value.type)
    else:
        else_ops, else_value = _arm(ctx, expr.otherwise, hint)
        then_ops, then_value = _arm(ctx, expr.then, hint or else_value.type)
    then_ops, then_value, else_ops, else_value = _joined(
        ctx, expr, (then_ops, then_value), (else_ops, else_value)
    )
    type_ = then_value.type
    if isinstance(type_, TensorType) and isinstance(else_value.type, TensorType):
        type_ = type_ if else_value.type.shape is not None else else_value.type
    result = ctx.fresh(type_, expr.span)
    ctx.emit(If(cond, then_ops, else_ops, expr.span, result, then_value, else_value))
    return result


def _joined(
    ctx: Context, expr: ast.If, then: tuple[Block, Value], other: tuple[Block, Value]
) -> tuple[Block, Value, Block, Value]:
    (then_ops, a), (else_ops, b) = then, other
    if isinstance(a.type, ScalarType) and isinstance(b.type, ScalarType):
        common = widened(a.type.dtype, b.type.dtype) if a.type != b.type else a.type.dtype
        if common is not None:
            with ctx.nested() as extra:
                a2 = converted(ctx, a, common)
            then_ops = (*then_ops, *extra)
            with ctx.nested() as extra:
                b2 = converted(ctx, b, common)
            return then_ops, a2, (*else_ops, *extra), b2
    if isinstance(a.type, Inferred) or isinstance(b.type, Inferred) or _alike(a.type, b.type):
        return then_ops, a, else_ops, b
    ctx.fail("E3002", f"the arms differ: {spell(a.type)} and {spell(b.type)}", expr.span)


def _alike(a: Type, b: Type) -> bool:
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        if a.shape is None or b.shape is None:
            return a.dtype == b.dtype
        return a.dtype == b.dtype and same_shape(a.shape, b.shape)
    return a == b


def _arm(ctx: Context, arm: ast.Block | ast.If, hint: Type | None) -> tuple[Block, Value]:
    with ctx.nested() as ops:
        if isinstance(arm, ast.If):
            value = conditional(ctx, arm, hint)
        else:
            value = ctx.block_value(ctx, arm, hint)
    if isinstance(value.type, UnitType):
        ctx.fail("E3002", "this arm has no value", arm.span)
    return tuple(ops), value


def condition(ctx: Context, expr: ast.Expr) -> Value:
    """Elaborate the condition of an `if` or `assert`: one bool."""
    value = numeric(ctx, ctx.expr(ctx, expr, None))
    if not isinstance(value.type, ScalarType) or value.type.dtype.kind is not Kind.BOOL:
        ctx.fail(
            "E3002",
            f"expected a condition, found {spell(value.type)}",
            expr.span,
            help_="use `select` for conditions over tiles"
            if isinstance(value.type, TensorType)
            else None,
        )
    return value
