"""Elaboration of a program: places, signatures, then bodies, into a module of typed IR."""

from __future__ import annotations

from dataclasses import replace

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Severity, Source, Span
from vxproof.frontend import ast
from vxproof.frontend.context import Context, Inferred
from vxproof.frontend.exprs import expression
from vxproof.frontend.places import build_machine
from vxproof.frontend.scope import Scope
from vxproof.frontend.signatures import Program, Signature, read_signature
from vxproof.frontend.statements import (
    always_returns,
    block,
    block_value,
    default_type,
    emit_return,
)
from vxproof.frontend.typing_rules import spell
from vxproof.ir.module import Function, Module
from vxproof.ir.types import UNIT, ScalarType, TensorType, Type, UnitType
from vxproof.ir.verifier import verify_module

_MOST_ROUNDS = 8
_MOST_CALL_DEPTH = 64


def elaborate(program_ast: ast.Program, source: Source, target: str | None) -> Module:
    """Return the typed IR of a program for one target, or for the program's own machine.

    Raises:
        DiagnosticError: the program is not well formed; every finding of the run is in it.
    """
    machine, place_findings = build_machine(program_ast, target)
    program = Program(source, machine, _functions(program_ast, place_findings))
    for name in program.asts:
        _signature(program, name, None)
    for name in program.asts:
        _body(program, name)
    findings = [*place_findings, *program.findings]
    errors = [d for d in findings if d.info.severity is not Severity.WARNING]
    if errors:
        raise DiagnosticError(_ordered(errors))
    warnings = [d for d in findings if d.info.severity is Severity.WARNING] + program.warnings
    functions = tuple(body for body in program.bodies.values() if body is not None)
    module = Module(source, machine, functions, _ordered(warnings))
    verify_module(module)
    return module


def _ordered(findings: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(unique, key=lambda d: (-1 if d.primary is None else d.primary.span.start, d.code))
    )


def _functions(
    program_ast: ast.Program, findings: tuple[Diagnostic, ...]
) -> dict[str, ast.Function]:
    found: dict[str, ast.Function] = {}
    twice: list[Diagnostic] = []
    for function in program_ast.functions:
        name = function.name
        if name.text in found:
            twice.append(
                Diagnostic(
                    "E1003",
                    f"function `{name.text}` is declared twice",
                    Label(name.span, "again here"),
                    secondary=(Label(found[name.text].name.span, "first here"),),
                )
            )
        else:
            found[name.text] = function
    if twice:
        raise DiagnosticError(_ordered([*twice, *findings]))
    if not found:
        raise DiagnosticError(
            (*findings, Diagnostic("E1001", "no function to verify", Label(program_ast.span)))
        )
    return found


def _signature(program: Program, name: str, at: Span | None) -> Signature:
    known = program.signatures.get(name)
    if known is None:
        known = read_signature(program, program.asts[name])
        if known.result is None and not _may_return_value(program.asts[name]):
            known = replace(known, result=UNIT)
        program.signatures[name] = known
    if known.result is None and at is not None:
        known = _inferred_result(program, name, at)
    return known


def _may_return_value(function: ast.Function) -> bool:
    if function.body.tail is not None:
        return True
    stack: list[ast.Stmt] = list(function.body.statements)
    while stack:
        one = stack.pop()
        match one:
            case ast.Return(value=value) if value is not None:
                return True
            case ast.For(body=body) | ast.Scope(body=body):
                stack.extend(body.statements)
            case ast.ExprStmt(value=ast.If() as branch):
                stack.extend(branch.then.statements)
                match branch.otherwise:
                    case ast.Block(statements=rest):
                        stack.extend(rest)
                    case ast.If() as other:
                        stack.append(ast.ExprStmt(other, other.span))
                    case None:
                        pass
            case _:
                pass
    return False


def _inferred_result(program: Program, name: str, at: Span) -> Signature:
    if name in program.under_way or len(program.under_way) > _MOST_CALL_DEPTH:
        program.findings.append(
            Diagnostic(
                "E3002",
                f"the result type of `{name}` cannot be inferred from itself",
                Label(at),
                help="write it: `-> T`",
            )
        )
        program.signatures[name] = replace(program.signatures[name], result=UNIT)
        return program.signatures[name]
    _body(program, name)
    return program.signatures[name]


def _body(program: Program, name: str) -> None:
    if name in program.bodies or name in program.under_way:
        return
    program.under_way.append(name)
    try:
        program.bodies[name] = _elaborated(program, name)
    finally:
        program.under_way.pop()


def _elaborated(program: Program, name: str) -> Function | None:
    function = program.asts[name]
    decided: dict[Span, ScalarType | TensorType] = {}
    signature = program.signatures[name]
    for _ in range(_MOST_ROUNDS):
        ctx = _context(program, signature, decided)
        _run(ctx, function)
        if not ctx.open_types:
            return _finish(program, signature, ctx, function)
        for stmt in ctx.open_types.values():
            type_ = ctx.newly_decided.get(stmt.span) or default_type(ctx, stmt)
            if type_ is None:
                program.findings.extend(ctx.findings)
                return None
            decided[stmt.span] = type_
    program.findings.append(
        Diagnostic("E3002", f"the types in `{name}` cannot be decided", Label(signature.span))
    )
    return None


def _context(
    program: Program, signature: Signature, decided: dict[Span, ScalarType | TensorType]
) -> Context:
    def find(ctx: Context, name: str, at: Span) -> Signature:
        return _signature(ctx.program, name, at)

    ctx = Context(
        program,
        expression,
        block_value,
        find,
        dict(decided),
        topology=signature.topology,
        result=signature.result,
        parameters=frozenset(signature.params),
        scope=Scope(signature.scope),
    )
    ctx.reserve(signature.next_id)
    return ctx


def _run(ctx: Context, function: ast.Function) -> None:
    body = function.body
    block(ctx, replace(body, tail=None))
    if body.tail is None:
        return
    if isinstance(body.tail, ast.If) and isinstance(ctx.result, UnitType):
        block(ctx, body)
        return
    tail = ast.Return(body.tail, body.tail.span)
    with ctx.guarded():
        value = ctx.expr(ctx, body.tail, ctx.result)
        if isinstance(value.type, UnitType):
            return
        emit_return(ctx, value, tail.span)


def _finish(
    program: Program, signature: Signature, ctx: Context, function: ast.Function
) -> Function:
    program.findings.extend(ctx.findings)
    result = signature.result
    if result is None:
        result = _common_result(program, ctx)
        program.signatures[signature.name] = replace(
            signature,
            result=result,
            result_variable=replace(signature.result_variable, type=result),
        )
        signature = program.signatures[signature.name]
    operations = ctx.block()
    if not isinstance(result, UnitType) and not program.findings and not always_returns(operations):
        program.findings.append(
            Diagnostic(
                "E3028",
                f"`{signature.name}` may end without returning {spell(result)}",
                Label(function.name.span),
                help="end every path with a `return`, or with a value",
            )
        )
    return Function(
        signature.name,
        signature.span,
        signature.generics,
        signature.symbols,
        signature.params,
        result,
        signature.topology,
        signature.requires,
        signature.ensures,
        None if isinstance(result, UnitType) else signature.result_variable,
        operations,
    )


def _common_result(program: Program, ctx: Context) -> Type:
    types = [type_ for type_, _ in ctx.returns if not isinstance(type_, Inferred)]
    if not types:
        return UNIT
    for type_, span in ctx.returns:
        if type_ != types[0]:
            program.findings.append(
                Diagnostic(
                    "E3002",
                    f"returns differ: {spell(types[0])} and {spell(type_)}",
                    Label(span),
                    help="write the result type: `-> T`",
                )
            )
    return types[0]
