"""Calls of user functions: arity, argument types, inference of const generics and extents."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.context import Context, Inferred
from vxproof.frontend.literals import has_float, is_flexible
from vxproof.frontend.operators import converted
from vxproof.frontend.sizes import NotStatic, size_term
from vxproof.frontend.typing_rules import same_shape, spell, widened
from vxproof.ir.machine_query import HOST
from vxproof.ir.ops import Call
from vxproof.ir.types import UNIT, RefType, ScalarType, Swizzled, TensorType, Tiled, Type
from vxproof.logic.obligation import Origin
from vxproof.logic.substitute import substitute, symbols_of
from vxproof.logic.terms import Sym, Term

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.signatures import Signature
    from vxproof.ir.values import Value, Variable


_WIDER_LANGUAGE: dict[str, str | None] = {
    "barrier": "leave it out: barriers are placed where accesses of threads meet",
    "matmul_into": "write `c = a @ b`",
    "flash_attention_into": "write the loop over keys",
} | dict.fromkeys(("grad", "jvp", "vjp", "now", "sizeof", "sum"))
"""Functions of the language at large, each with what to write instead."""


def call_function(ctx: Context, expr: ast.Call) -> Value:
    """Elaborate a call; E1002, E3003, E3010, E3016 and E6001 where it does not fit."""
    name = expr.callee.text
    if name not in ctx.program.asts and name in _WIDER_LANGUAGE:
        ctx.fail(
            "E6190",
            f"`{name}` is outside the kernel subset",
            expr.callee.span,
            help_=_WIDER_LANGUAGE[name],
        )
    if name not in ctx.program.asts:
        near = get_close_matches(name, [*ctx.program.asts, *_builtin_names()], n=1)
        ctx.fail(
            "E1002",
            f"unknown function `{name}`",
            expr.callee.span,
            help_=f"did you mean `{near[0]}`?" if near else None,
        )
    signature = ctx.signature(ctx, name, expr.callee.span)
    if expr.named:
        ctx.fail("E3010", f"`{name}` takes no named arguments", expr.named[0].span)
    if len(expr.args) != len(signature.params):
        ctx.fail(
            "E3010",
            f"`{name}` takes {len(signature.params)} arguments, not {len(expr.args)}",
            expr.span,
        )
    on_host = ctx.topology is None and not ctx.in_spawn and signature.topology == HOST
    if signature.topology is not None and signature.topology != ctx.topology and not on_host:
        running = "the host" if ctx.topology is None else f"`Topology::{ctx.topology}`"
        ctx.fail(
            "E6001",
            f"`{name}` runs on `Topology::{signature.topology}` and is called on {running}",
            expr.span,
        )
    bound = _explicit(ctx, signature, expr)
    args: list[Value] = []
    for param, arg in zip(signature.params, expr.args, strict=True):
        value = ctx.expr(ctx, arg, _literal_hint(param, arg))
        _bind(param.type, value.type, bound, signature)
        static = _static(ctx, arg)
        if static is not None:
            bound[param.symbol.name] = static
        args.append(value)
    _require_bound(ctx, signature, bound, expr.span)
    checked = tuple(
        _argument(ctx, param, value, bound)
        for param, value in zip(signature.params, args, strict=True)
    )
    result_type = _substituted(signature.result or UNIT, bound)
    result = ctx.fresh(result_type, expr.span, name)
    sizes = tuple(
        (symbol.name, bound[symbol.name]) for symbol in signature.symbols if symbol.name in bound
    )
    ctx.emit(Call(result, name, sizes, checked, expr.span))
    return result


def _literal_hint(param: Variable, arg: ast.Expr) -> Type | None:
    """Return what a literal argument is asked to be; a float literal for an integer is E3003."""
    if not isinstance(param.type, ScalarType):
        return None
    misfit = is_flexible(arg) and has_float(arg) and not param.type.dtype.is_float
    return None if misfit else param.type


def _builtin_names() -> tuple[str, ...]:
    return ("max", "min", "select", "dot", "iota", "tile", "slice", "transfer", "wait", "print")


def _static(ctx: Context, arg: ast.Expr) -> Term | None:
    try:
        return size_term(ctx.scope, arg)
    except NotStatic:
        return None


def _explicit(ctx: Context, signature: Signature, expr: ast.Call) -> dict[str, Term]:
    given = expr.const_args or ()
    if len(given) > len(signature.generics):
        ctx.fail(
            "E3010",
            f"`{signature.name}` has {len(signature.generics)} const generics, not {len(given)}",
            expr.span,
        )
    names = signature.generics[: len(given)]
    return {name: _const(ctx, arg) for name, arg in zip(names, given, strict=True)}


def _const(ctx: Context, arg: ast.Expr) -> Term:
    """Return a const argument: any integer, since a const generic need not be a size."""
    try:
        return size_term(ctx.scope, arg)
    except NotStatic as fault:
        ctx.fail(fault.code, fault.reason, fault.span)


def _bind(param: Type, arg: Type, bound: dict[str, Term], signature: Signature) -> None:
    if isinstance(param, RefType):
        param = param.target
    if isinstance(arg, RefType):
        arg = arg.target
    if not isinstance(param, TensorType) or not isinstance(arg, TensorType):
        return
    if param.shape is None or arg.shape is None or len(param.shape) != len(arg.shape):
        return
    free = {s.name for s in signature.symbols if s.origin in {Origin.GENERIC, Origin.EXTENT}}
    for want, have in zip(param.shape, arg.shape, strict=True):
        if isinstance(want, Sym) and want.name in free:
            bound.setdefault(want.name, have)


def _require_bound(ctx: Context, signature: Signature, bound: dict[str, Term], span: Span) -> None:
    for symbol in signature.symbols:
        needed = symbol.origin in {Origin.GENERIC, Origin.EXTENT}
        if needed and symbol.name not in bound:
            ctx.fail(
                "E3016",
                f"`{symbol.name}` of `{signature.name}` is not fixed by the arguments",
                span,
                help_=f"give it: `{signature.name}<…>(…)`",
            )


def _substituted(type_: Type, bound: dict[str, Term]) -> Type:
    match type_:
        case TensorType(shape=shape, layout=layout) if shape is not None:
            if isinstance(layout, Tiled):
                layout = Tiled(tuple(substitute(one, bound) for one in layout.tile))
            return replace(
                type_, shape=tuple(substitute(one, bound) for one in shape), layout=layout
            )
        case RefType(target=TensorType() as target):
            inner = _substituted(target, bound)
            assert isinstance(inner, TensorType)
            return replace(type_, target=inner)
        case _:
            return type_


def _argument(ctx: Context, param: Variable, value: Value, bound: dict[str, Term]) -> Value:
    want, have = _substituted(param.type, bound), value.type
    if isinstance(have, Inferred):
        return value
    if isinstance(want, ScalarType) and isinstance(have, RefType):
        _mismatch(ctx, param, want, value)
    if isinstance(want, ScalarType) and isinstance(have, ScalarType):
        if widened(have.dtype, want.dtype) == want.dtype:
            return converted(ctx, value, want.dtype)
        _mismatch(ctx, param, want, value)
    if not fits(want, have) or not _stored_alike(want, have):
        _mismatch(ctx, param, want, value)
    return value


def _stored_alike(want: Type, have: Type) -> bool:
    """Whether elements lie where a parameter with rounded axes or rows says that they lie."""
    if isinstance(want, RefType) and isinstance(have, RefType):
        return _stored_alike(want.target, have.target)
    if not isinstance(want, TensorType) or not isinstance(have, TensorType):
        return True
    match want.layout, have.layout:
        case Tiled(tile=a), Tiled(tile=b):
            return same_shape(a, b)
        case (Tiled() | Swizzled()) as wanted, other:
            return wanted == other
        case _:
            return True


def fits(want: Type, have: Type) -> bool:
    """Whether a value of type `have` may stand where `want` is asked for."""
    match want, have:
        case RefType(target=a, mutable=need), RefType(target=b, mutable=got):
            return (got or not need) and fits(a, b)
        case TensorType(), TensorType():
            if want.dtype != have.dtype or want.scale != have.scale:
                return False
            if want.place is not None and have.place not in {None, want.place}:
                return False
            if want.shape is None:
                return True
            return have.shape is not None and same_shape(want.shape, have.shape)
        case _:
            return want == have


def _mismatch(ctx: Context, param: Variable, want: Type, value: Value) -> None:
    free = symbols_of_type(want)
    ctx.fail(
        "E3003",
        f"`{param.name}` is {spell(want)}, the argument {spell(value.type)}",
        value.span,
        help_=f"sizes are compared as terms over {', '.join(sorted(free))}" if free else None,
    )


def symbols_of_type(type_: Type) -> frozenset[str]:
    """Return the symbols in a type's sizes."""
    if isinstance(type_, RefType):
        type_ = type_.target
    if not isinstance(type_, TensorType) or type_.shape is None:
        return frozenset()
    return frozenset().union(*(symbols_of(one) for one in type_.shape))
