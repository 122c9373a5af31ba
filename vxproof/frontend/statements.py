"""Statements: variables, assignments, control. A faulty statement does not stop the next one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from vxproof.diagnostics import Label
from vxproof.frontend import ast
from vxproof.frontend.calls import fits
from vxproof.frontend.context import Abandoned, Context, Inferred
from vxproof.frontend.exprs import condition, require_mutable
from vxproof.frontend.literals import emit_literal, literal_value
from vxproof.frontend.operators import converted, dereferenced
from vxproof.frontend.regions import loop, role, spawn
from vxproof.frontend.scope import Local, Poisoned
from vxproof.frontend.sizes import NotStatic, size_term
from vxproof.frontend.type_syntax import TypeReader
from vxproof.frontend.typing_rules import literal_dtype, spell, widened
from vxproof.frontend.views import chain, index, is_element, row_view, tensor, tile_view
from vxproof.ir.ops import Assert, Assign, Declare, If, Return, StoreElement, StoreTile
from vxproof.ir.types import UNIT, RefType, ScalarType, TensorType, Type, UnitType

if TYPE_CHECKING:
    from vxproof.ir.ops import Block
    from vxproof.ir.values import Value
    from vxproof.logic.terms import Term


def block(ctx: Context, body: ast.Block) -> None:
    """Elaborate a block's statements into the current one; a value at its end is an effect."""
    ctx.roles.update(s.name.text for s in body.statements if isinstance(s, ast.Role))
    for one in body.statements:
        statement(ctx, one)
    if body.tail is not None:
        statement(ctx, ast.ExprStmt(body.tail, body.tail.span))


def block_value(ctx: Context, body: ast.Block, hint: Type | None) -> Value:
    """Elaborate a block for the value at its end; unit where there is none."""
    for one in body.statements:
        statement(ctx, one)
    if body.tail is None:
        return ctx.fresh(UNIT, body.span)
    return ctx.expr(ctx, body.tail, hint)


def statement(ctx: Context, stmt: ast.Stmt) -> None:
    """Elaborate one statement; its first fault ends it."""
    try:
        _statement(ctx, stmt)
    except Abandoned:
        if isinstance(stmt, ast.Let):
            ctx.scope.names[stmt.name.text] = Poisoned()


def _statement(ctx: Context, stmt: ast.Stmt) -> None:
    match stmt:
        case ast.Let():
            _let(ctx, stmt)
        case ast.Assign():
            _assign(ctx, stmt)
        case ast.ExprStmt(value=ast.If() as branch):
            _branch(ctx, branch)
        case ast.ExprStmt(value=value):
            ctx.expr(ctx, value, None)
        case ast.For():
            loop(ctx, stmt, block)
        case ast.Return():
            _return(ctx, stmt)
        case ast.Assert():
            _assert(ctx, stmt)
        case ast.Spawn():
            spawn(ctx, stmt, block)
        case ast.Role():
            role(ctx, stmt, block)
        case ast.Scope(body=body):
            with ctx.nested() as ops:
                block(ctx, body)
            for op in ops:
                ctx.emit(op)
        case _:
            assert_never(stmt)


def _let(ctx: Context, stmt: ast.Let) -> None:
    reader = TypeReader(ctx.program.machine, ctx.findings)
    place = None if stmt.resident is None else reader.place(stmt.resident)
    before = len(ctx.findings)
    expected = None if stmt.type is None else reader.read(stmt.type, ctx.scope)
    if len(ctx.findings) > before:
        raise Abandoned
    if isinstance(stmt.value, ast.MemoryRef):
        ctx.fail("E3001", "a place is no value", stmt.value.span)
    literal = literal_value(stmt.value)
    if expected is None and _is_open(stmt):
        decided = ctx.decided.get(stmt.span)
        if decided is None:
            _open_let(ctx, stmt, place)
            return
        expected = decided
    if isinstance(expected, TensorType) and literal is not None:
        value = emit_literal(ctx, literal, expected, fill=expected)
    else:
        value = ctx.expr(ctx, stmt.value, expected)
    if isinstance(value.type, UnitType):
        ctx.fail("E3001", f"`{stmt.name.text}` is given no value", stmt.value.span)
    type_: Type = value.type
    if expected is not None:
        value = _initial(ctx, expected, value)
        type_ = _merged(expected, value.type)
    if place is not None:
        type_ = _resident_type(type_, place)
    variable = ctx.variable(
        stmt.name.text, type_, stmt.name.span, mutable=stmt.mutable, resident=place
    )
    ctx.emit(Declare(variable, value, stmt.span))
    ctx.scope.names[stmt.name.text] = Local(variable, _static(ctx, stmt, type_))


def _is_open(stmt: ast.Let) -> bool:
    literal = literal_value(stmt.value)
    return (
        stmt.mutable and isinstance(literal, ast.IntLit | ast.FloatLit) and literal.suffix is None
    )


def _open_let(ctx: Context, stmt: ast.Let, place: str | None) -> None:
    variable = ctx.variable(
        stmt.name.text,
        Inferred(),  # type: ignore[arg-type]
        stmt.name.span,
        mutable=True,
        resident=place,
    )
    ctx.open_types[variable.id] = stmt
    ctx.scope.names[stmt.name.text] = Local(variable)


def default_type(ctx: Context, stmt: ast.Let) -> ScalarType | None:
    """Return the type of an open `let` that no assignment decides; None is an error, recorded."""
    literal = literal_value(stmt.value)
    is_float = isinstance(literal, ast.FloatLit)
    if stmt.span in ctx.element_types:
        return ScalarType(ctx.element_types[stmt.span])
    if isinstance(literal, ast.FloatLit) and literal.value in {float("inf"), float("-inf")}:
        ctx.record(
            "E3002",
            f"the type of `{stmt.name.text}` is not decided by any assignment",
            stmt.name.span,
            help_=f"annotate it, such as `let mut {stmt.name.text}: Tensor<f32, [M, 1]> = -inf`",
        )
        return None
    return ScalarType(literal_dtype(is_float=is_float))


def _resident_type(type_: Type, place: str) -> Type:
    return replace(type_, place=place) if isinstance(type_, TensorType) else type_


def _merged(expected: Type, found: Type) -> Type:
    if isinstance(expected, TensorType) and isinstance(found, TensorType):
        return replace(
            expected,
            shape=expected.shape if expected.shape is not None else found.shape,
            place=expected.place or found.place,
            layout=expected.layout or found.layout,
            scale=expected.scale or found.scale,
        )
    return expected


def _static(ctx: Context, stmt: ast.Let, type_: Type) -> Term | None:
    if stmt.mutable or not isinstance(type_, ScalarType) or not type_.dtype.is_integer:
        return None
    try:
        return size_term(ctx.scope, stmt.value)
    except NotStatic:
        return None


def _initial(ctx: Context, expected: Type, value: Value) -> Value:
    found = value.type
    if isinstance(found, Inferred):
        return value
    if isinstance(expected, ScalarType) and isinstance(found, ScalarType):
        if widened(found.dtype, expected.dtype) == expected.dtype:
            return converted(ctx, value, expected.dtype)
    elif isinstance(expected, TensorType) and isinstance(found, ScalarType):
        ctx.fail(
            "E3023",
            f"{spell(expected)} is given one {found.dtype.name}",
            value.span,
            help_="only a literal fills a shape; use `Tensor<…>([…])` and add the scalar",
        )
    elif isinstance(expected, TensorType) and isinstance(found, TensorType):
        if found.scale is None and expected.scale is not None and expected.dtype == found.dtype:
            found = replace(found, scale=expected.scale)
        if fits(expected, found):
            return value
    elif fits(expected, found):
        return value
    ctx.fail("E3001", f"expected {spell(expected)}, found {spell(value.type)}", value.span)


def _assign(ctx: Context, stmt: ast.Assign) -> None:
    op = stmt.op.binary
    value_expr: ast.Expr = stmt.value
    if op is not None:
        value_expr = ast.Binary(op, stmt.target, stmt.value, stmt.span, stmt.span)
    match stmt.target:
        case ast.Var(name=name, span=span):
            _assign_variable(ctx, name, span, value_expr, stmt)
        case ast.Index():
            require_mutable(ctx, stmt.target)
            _assign_indexed(ctx, stmt.target, value_expr, stmt)
        case ast.Call(callee=callee) as call if callee.text in {"tile", "slice"}:
            require_mutable(ctx, stmt.target)
            value = ctx.expr(ctx, value_expr, None)
            _store(ctx, tile_view(ctx, call), value, value_expr, stmt)
        case ast.Unary(op=ast.UnaryOp.DEREF, operand=operand):
            require_mutable(ctx, stmt.target)
            reference = ctx.expr(ctx, operand, None)
            if not isinstance(reference.type, RefType):
                ctx.fail(
                    "E3002",
                    f"`*` needs a reference, found {spell(reference.type)}",
                    stmt.target.span,
                )
            value = ctx.expr(ctx, value_expr, reference.type.target)
            _store(ctx, dereferenced(ctx, reference), value, value_expr, stmt)
        case _:
            ctx.fail("E3002", "this is not a place that can be assigned", stmt.target.span)


def _assign_variable(
    ctx: Context, name: str, span: object, value_expr: ast.Expr, stmt: ast.Assign
) -> None:
    binding = ctx.lookup(name, stmt.target.span)
    if not isinstance(binding, Local):
        ctx.fail(
            "E3002",
            f"`{name}` cannot be assigned",
            stmt.target.span,
            help_="loop variables, const generics and extents are fixed",
        )
    variable = binding.variable
    if isinstance(variable.type, RefType):
        if isinstance(value_expr, ast.Borrow):
            ctx.fail(
                "E6190",
                "giving a reference another target is outside the kernel subset",
                stmt.span,
                help_=f"`*{name} = …` writes what it refers to",
            )
        require_mutable(ctx, stmt.target)
        value = ctx.expr(ctx, value_expr, variable.type.target)
        _store(ctx, dereferenced(ctx, ctx.expr(ctx, stmt.target, None)), value, value_expr, stmt)
        return
    if not variable.mutable:
        ctx.fail(
            "E3002",
            f"`{name}` is not declared `mut`",
            stmt.target.span,
            secondary=(Label(variable.span, "declared here"),),
            help_=f"`let mut {name} = …`",
        )
    if isinstance(variable.type, Inferred):
        value = ctx.expr(ctx, value_expr, None)
        open_type: object = value.type
        if not isinstance(open_type, Inferred):
            _decide(ctx, name, variable.id, value)
        elif open_type.dtype is not None:
            at = ctx.open_types[variable.id].span
            ctx.element_types.setdefault(at, open_type.dtype)
        return
    literal = literal_value(value_expr)
    if isinstance(variable.type, TensorType) and literal is not None:
        filled = replace(variable.type, place=None)
        value = emit_literal(ctx, literal, filled, fill=filled)
    else:
        value = ctx.expr(ctx, value_expr, variable.type)
        if isinstance(value.type, TensorType) and isinstance(variable.type, TensorType):
            anywhere = replace(variable.type, place=None)
            value = _assigned(ctx, anywhere, value)
        else:
            value = _assigned(ctx, variable.type, value)
    ctx.emit(Assign(variable, value, stmt.span))


def _assigned(ctx: Context, expected: Type, value: Value) -> Value:
    try:
        return _initial(ctx, expected, value)
    except Abandoned:
        fault = ctx.findings[-1]
        if fault.code == "E3001":
            ctx.findings[-1] = replace(fault, code="E3002")
        raise


def _decide(ctx: Context, name: str, variable_id: int, value: Value) -> None:
    stmt = ctx.open_types[variable_id]
    match value.type:
        case ScalarType():
            ctx.newly_decided.setdefault(stmt.span, value.type)
        case TensorType():
            ctx.newly_decided.setdefault(stmt.span, replace(value.type, place=None, layout=None))
        case _:
            return
    local = ctx.scope.find(name)
    if isinstance(local, Local):
        type_ = ctx.newly_decided[stmt.span]
        scope = ctx.scope
        while name not in scope.names and scope.parent is not None:
            scope = scope.parent
        scope.names[name] = Local(replace(local.variable, type=type_))


def _assign_indexed(
    ctx: Context, target: ast.Index, value_expr: ast.Expr, stmt: ast.Assign
) -> None:
    base_expr, index_exprs = chain(target)
    base, type_ = tensor(ctx, base_expr)
    element = is_element(ctx, type_, len(index_exprs), target.span)
    value = ctx.expr(ctx, value_expr, ScalarType(type_.dtype) if element else None)
    indices = tuple(index(ctx, one) for one in index_exprs)
    if not element:
        _store(ctx, row_view(ctx, base, type_, indices, target.span), value, value_expr, stmt)
        return
    value = _assigned(ctx, ScalarType(type_.dtype), value)
    ctx.emit(StoreElement(base, indices, value, stmt.span))


def _store(
    ctx: Context, target: Value, value: Value, value_expr: ast.Expr, stmt: ast.Assign
) -> None:
    expected = target.type
    if isinstance(expected, TensorType):
        expected = replace(expected, place=None)
        literal = literal_value(value_expr)
        if literal is not None and isinstance(value.type, ScalarType):
            value = emit_literal(ctx, literal, expected, fill=expected)
    value = _assigned(ctx, expected, value)
    ctx.emit(StoreTile(target, value, stmt.span))


def _branch(ctx: Context, branch: ast.If) -> None:
    cond = condition(ctx, branch.condition)
    with ctx.nested() as then_ops:
        block(ctx, branch.then)
    with ctx.nested() as else_ops:
        match branch.otherwise:
            case None:
                pass
            case ast.If() as other:
                _branch(ctx, other)
            case ast.Block() as body:
                block(ctx, body)
    ctx.emit(If(cond, tuple(then_ops), tuple(else_ops), branch.span))


def _return(ctx: Context, stmt: ast.Return) -> None:
    if ctx.in_spawn:
        code = "E6030" if stmt.value is not None else "E6190"
        ctx.fail(code, "a `spawn` region cannot return from its function", stmt.span)
    value = None if stmt.value is None else ctx.expr(ctx, stmt.value, ctx.result)
    emit_return(ctx, value, stmt.span)


def emit_return(ctx: Context, value: Value | None, span: object) -> None:
    """Emit a return, its value checked against the function's result type."""
    found: Type = UNIT if value is None else value.type
    where = value.span if value is not None else span
    ctx.returns.append((found, where))  # type: ignore[arg-type]
    if ctx.result is not None and value is not None:
        value = _assigned(ctx, ctx.result, value)
    elif ctx.result is not None and not isinstance(ctx.result, UnitType):
        ctx.fail("E3002", f"expected {spell(ctx.result)}", where)  # type: ignore[arg-type]
    ctx.emit(Return(value, where))  # type: ignore[arg-type]


def _assert(ctx: Context, stmt: ast.Assert) -> None:
    cond = condition(ctx, stmt.condition)
    message = "" if stmt.message is None else stmt.message.value
    ctx.emit(Assert(cond, message, stmt.span, stmt.comptime))


def always_returns(body: Block) -> bool:
    """Whether every path through a block ends in a return."""
    for op in body:
        match op:
            case Return():
                return True
            case If(then=then, orelse=orelse) if always_returns(then) and always_returns(orelse):
                return True
            case _:
                pass
    return False
