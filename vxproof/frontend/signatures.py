"""Signatures: parameters, symbols and contracts of functions, before any body is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label, Span
from vxproof.frontend import ast
from vxproof.frontend.scope import Local, Poisoned, Scope, Size
from vxproof.frontend.sizes import NotStatic, clause_formula
from vxproof.frontend.type_syntax import TypeReader
from vxproof.ir.dtypes import DTYPES
from vxproof.ir.machine_query import resolve_topology
from vxproof.ir.types import RefType, ScalarType, TensorType, Type
from vxproof.ir.values import Clause, Variable
from vxproof.logic.obligation import Origin, Symbol

if TYPE_CHECKING:
    from vxproof.diagnostics import Source
    from vxproof.ir.module import Function, Machine

_I64 = DTYPES["i64"]
I64_RANGE = (-(1 << 63), (1 << 63) - 1)
LARGEST_TENSOR = 1 << 40


@dataclass(slots=True)
class Program:
    """Everything that is known across functions; signatures and bodies are made once, on demand."""

    source: Source
    machine: Machine
    asts: dict[str, ast.Function]
    signatures: dict[str, Signature] = field(default_factory=dict)
    bodies: dict[str, Function | None] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    under_way: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as its callers see it.

    `result` is None where the source leaves it out; the body then tells. `scope` binds generics,
    extents and parameters.
    """

    name: str
    span: Span
    generics: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    params: tuple[Variable, ...]
    result: Type | None
    topology: str | None
    requires: tuple[Clause, ...]
    ensures: tuple[Clause, ...]
    result_variable: Variable
    scope: Scope
    next_id: int


def first_spawn(block: ast.Block) -> ast.Spawn | None:
    """Return the first `spawn` of a body in source order, or None."""
    stack: list[ast.Stmt] = list(reversed(block.statements))
    while stack:
        statement = stack.pop()
        match statement:
            case ast.Spawn():
                return statement
            case ast.For(body=body) | ast.Scope(body=body) | ast.Role(body=body):
                stack.extend(reversed(body.statements))
            case ast.ExprStmt(value=ast.If() as branch):
                stack.extend(reversed(list(_arms(branch))))
            case _:
                pass
    return None


def _arms(branch: ast.If) -> list[ast.Stmt]:
    statements = list(branch.then.statements)
    match branch.otherwise:
        case ast.Block(statements=rest):
            statements.extend(rest)
        case ast.If() as other:
            statements.extend(_arms(other))
        case None:
            pass
    return statements


def _default_place(program: Program, function: ast.Function) -> str | None:
    if function.name.text == "main":
        return None
    spawn = first_spawn(function.body)
    if spawn is None:
        return None
    topology = resolve_topology(program.machine, spawn.topology.name)
    return None if topology is None else topology.memory


def _placed(type_: Type, place: str | None) -> Type:
    match type_:
        case TensorType(place=None):
            return replace(type_, place=place)
        case RefType(target=TensorType(place=None) as target):
            return replace(type_, target=replace(target, place=place))
        case _:
            return type_


def read_signature(program: Program, function: ast.Function) -> Signature:
    """Make the signature of one function; findings go to the program."""
    reader = TypeReader(program.machine, program.findings)
    scope = Scope()
    symbols: list[Symbol] = []
    generics: list[str] = []
    declared: dict[str, Span] = {}

    def declare(name: ast.Name) -> None:
        if name.text in declared:
            program.findings.append(
                Diagnostic(
                    "E1003",
                    f"`{name.text}` is declared twice",
                    Label(name.span, "again here"),
                    secondary=(Label(declared[name.text], "first here"),),
                )
            )
        declared.setdefault(name.text, name.span)

    for generic in function.const_params:
        declare(generic.name)
        if not (isinstance(generic.type, ast.NamedType) and generic.type.name == "i64"):
            program.findings.append(
                Diagnostic(
                    "E3002",
                    f"const generic `{generic.name.text}` has to be an i64",
                    Label(generic.type.span),
                )
            )
        generics.append(generic.name.text)
        scope.names[generic.name.text] = Size(generic.name.text)
        symbols.append(Symbol(generic.name.text, *I64_RANGE, Origin.GENERIC, generic.name.text))

    next_id = 0
    scalars: dict[str, Variable] = {}
    for param in function.params:
        declare(param.name)
        if isinstance(param.type, ast.NamedType):
            next_id += 1
            before = len(program.findings)
            type_ = reader.read(param.type, scope)
            faulty = len(program.findings) > before
            variable = Variable(next_id, param.name.text, type_, param.name.span)
            scalars[param.name.text] = variable
            static = (
                variable.symbol
                if isinstance(type_, ScalarType) and type_.dtype.is_integer
                else None
            )
            scope.names[param.name.text] = (
                Poisoned() if faulty else Local(variable, static)
            )

    place = _default_place(program, function)
    params: list[Variable] = []
    tensor_names: dict[str, Variable] = {}
    poisoned: list[str] = []
    for param in function.params:
        if param.name.text in scalars and isinstance(param.type, ast.NamedType):
            params.append(scalars[param.name.text])
            continue
        _declare_extents(param.type, scope, symbols)
        before = len(program.findings)
        type_ = reader.read(param.type, scope, owner=param.name.text, symbols=symbols)
        if len(program.findings) > before:
            poisoned.append(param.name.text)
        next_id += 1
        variable = Variable(next_id, param.name.text, _placed(type_, place), param.name.span)
        tensor_names[param.name.text] = variable
        params.append(variable)
    for name, variable in tensor_names.items():
        scope.names[name] = Poisoned() if name in poisoned else Local(variable)
    for variable in scalars.values():
        if isinstance(variable.type, ScalarType) and variable.type.dtype.is_integer:
            low, high = variable.type.dtype.int_range
            symbols.append(Symbol(variable.symbol.name, low, high, Origin.PARAMETER, variable.name))

    result = None if function.result is None else reader.read(function.result, scope)
    next_id += 1
    result_variable = Variable(
        next_id, "result", result if result is not None else ScalarType(_I64), function.name.span
    )
    topology = None
    if function.topology is not None:
        found = resolve_topology(program.machine, function.topology.name)
        if found is None:
            program.findings.append(
                Diagnostic(
                    "E1010",
                    f"unknown topology `{function.topology.name}`",
                    Label(function.topology.span),
                )
            )
        topology = function.topology.name if found is None else found.name
    return Signature(
        function.name.text,
        function.name.span,
        tuple(generics),
        tuple(symbols),
        tuple(params),
        result,
        topology,
        _clauses(program, function.contracts, scope, ensures=False),
        _clauses(program, function.contracts, _with_result(scope, result_variable), ensures=True),
        result_variable,
        scope,
        next_id,
    )


def _with_result(scope: Scope, variable: Variable) -> Scope:
    return Scope(scope, {"result": Local(variable, variable.symbol)})


def _clauses(
    program: Program, contracts: tuple[ast.Contract, ...], scope: Scope, *, ensures: bool
) -> tuple[Clause, ...]:
    out: list[Clause] = []
    for contract in contracts:
        if (contract.kind is ast.ContractKind.ENSURES) != ensures:
            continue
        for condition in conjuncts(contract.condition):
            try:
                formula = clause_formula(scope, condition, dynamic=True)
            except NotStatic as fault:
                program.findings.append(Diagnostic(fault.code, fault.reason, Label(fault.span)))
                continue
            out.append(Clause(formula, program.source.slice(condition.span), condition.span))
    return tuple(out)


def conjuncts(expr: ast.Expr) -> list[ast.Expr]:
    """Split a condition at its outermost `&&`, in source order."""
    out: list[ast.Expr] = []
    stack = [expr]
    while stack:
        one = stack.pop()
        if isinstance(one, ast.Binary) and one.op is ast.BinaryOp.AND:
            stack.extend((one.right, one.left))
        else:
            out.append(one)
    return out


def _declare_extents(type_: ast.Type, scope: Scope, symbols: list[Symbol]) -> None:
    while isinstance(type_, ast.RefType):
        type_ = type_.target
    if not isinstance(type_, ast.TensorType) or type_.dims is None:
        return
    for name in (n for dim in type_.dims for n in _names(dim)):
        if scope.find(name) is None:
            scope.names[name] = Size(name)
            symbols.append(Symbol(name, 1, LARGEST_TENSOR, Origin.EXTENT, name))


def _names(expr: ast.Expr) -> list[str]:
    match expr:
        case ast.Var(name=name):
            return [name]
        case ast.Binary(left=left, right=right):
            return _names(left) + _names(right)
        case ast.Unary(operand=operand):
            return _names(operand)
        case ast.Call(args=args):
            return [name for arg in args for name in _names(arg)]
        case _:
            return []
