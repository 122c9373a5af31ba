"""Signatures: parameters, symbols and contracts of functions, before any body is looked at."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label, Span
from vxproof.frontend import ast
from vxproof.frontend.scope import Local, Poisoned, Scope, Size
from vxproof.frontend.sizes import NotStatic, clause_formula
from vxproof.frontend.type_syntax import TypeReader
from vxproof.frontend.typing_rules import widened
from vxproof.ir.dtypes import DTYPES, I64
from vxproof.ir.machine_query import resolve_topology
from vxproof.ir.types import UNIT, RefType, ScalarType, TensorType, Type
from vxproof.ir.values import Clause, Variable
from vxproof.logic.build import conj, le
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Const, Sym
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Source
    from vxproof.ir.module import Function, Machine

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
    return _SignatureReader(program, function).read()


class _SignatureReader:
    """Declares a function's names in order: const generics, scalars, extents, tensors, result."""

    def __init__(self, program: Program, function: ast.Function) -> None:
        self._program = program
        self._function = function
        self._reader = TypeReader(program.machine, program.findings)
        self._scope = Scope()
        self._symbols: list[Symbol] = []
        self._declared: dict[str, Span] = {}
        self._params: dict[int, Variable] = {}
        self._ranges: list[Clause] = []
        self._next_id = 0

    def read(self) -> Signature:
        program, function = self._program, self._function
        for generic in function.const_params:
            self._generic(generic)
        for position, param in enumerate(function.params):
            self._declare(param.name)
            if isinstance(param.type, ast.NamedType):
                self._scalar(position, param, param.type)
        self._tensors()
        scalars = [self._params[k] for k in sorted(self._params)]
        for variable in scalars:
            if isinstance(variable.type, ScalarType) and variable.type.dtype.is_integer:
                low, high = variable.type.dtype.int_range
                self._symbols.append(
                    Symbol(variable.symbol.name, low, high, Origin.PARAMETER, variable.name)
                )
        result = self._result(function.result)
        kind = ScalarType(I64) if result is None else result
        result_variable = self._variable("result", kind, function.name.span)
        bound = Local(result_variable, result_variable.symbol)
        with_result = Scope(self._scope, {"return": bound})
        if self._scope.find("result") is None:
            with_result.names["result"] = bound
        return Signature(
            function.name.text,
            function.name.span,
            tuple(generic.name.text for generic in function.const_params),
            tuple(self._symbols),
            tuple(scalars),
            result,
            self._topology(),
            (
                *self._ranges,
                *_clauses(program, function.contracts, self._scope, ensures=False),
            ),
            _clauses(program, function.contracts, with_result, ensures=True),
            result_variable,
            self._scope,
            self._next_id,
        )

    def _result(self, written: ast.Type | None) -> Type | None:
        """Return the type of the result; `void` is the type of no value."""
        if written is None:
            return None
        if isinstance(written, ast.NamedType) and written.name == "void":
            return UNIT
        return self._reader.read(written, self._scope)

    def _declare(self, name: ast.Name) -> None:
        if name.text in self._declared:
            self._program.findings.append(
                Diagnostic(
                    "E1003",
                    f"`{name.text}` is declared twice",
                    Label(name.span, "again here"),
                    secondary=(Label(self._declared[name.text], "first here"),),
                )
            )
        self._declared.setdefault(name.text, name.span)

    def _variable(self, name: str, type_: Type, span: Span) -> Variable:
        self._next_id += 1
        return Variable(self._next_id, name, type_, span)

    def _generic(self, generic: ast.ConstParam) -> None:
        self._declare(generic.name)
        name = generic.name.text
        written = generic.type
        dtype = DTYPES.get(written.name) if isinstance(written, ast.NamedType) else None
        if dtype is None or not dtype.is_integer or widened(dtype, I64) != I64:
            self._program.findings.append(
                Diagnostic(
                    "E3002",
                    f"const generic `{name}` has to be an integer that an i64 holds",
                    Label(written.span),
                    help=f"write `const {name}: i64`",
                )
            )
            dtype = I64
        self._scope.names[name] = Size(name, dtype)
        low, high = dtype.int_range
        self._symbols.append(Symbol(name, low, high, Origin.GENERIC, name))
        if dtype is not I64:
            within = conj(le(Const(low), Sym(name)), le(Sym(name), Const(high)))
            text = f"{low} <= {name} && {name} <= {high}"
            self._ranges.append(Clause(within, text, generic.span))

    def _scalar(self, position: int, param: ast.Param, written: ast.NamedType) -> None:
        before = len(self._program.findings)
        type_ = self._reader.read(written, self._scope)
        variable = self._variable(param.name.text, type_, param.name.span)
        self._params[position] = variable
        is_integer = isinstance(type_, ScalarType) and type_.dtype.is_integer
        faulty = len(self._program.findings) > before
        self._scope.names[param.name.text] = (
            Poisoned() if faulty else Local(variable, variable.symbol if is_integer else None)
        )

    def _tensors(self) -> None:
        """Declare tensor parameters; their names hide nothing until all their sizes are read."""
        place = _default_place(self._program, self._function)
        bound: dict[str, Local | Poisoned] = {}
        for position, param in enumerate(self._function.params):
            if position in self._params:
                continue
            _declare_extents(param.type, self._scope, self._symbols)
            before = len(self._program.findings)
            type_ = self._reader.read(
                param.type, self._scope, owner=param.name.text, symbols=self._symbols
            )
            variable = self._variable(param.name.text, _placed(type_, place), param.name.span)
            self._params[position] = variable
            faulty = len(self._program.findings) > before
            bound[param.name.text] = Poisoned() if faulty else Local(variable)
        self._scope.names.update(bound)

    def _topology(self) -> str | None:
        written = self._function.topology
        if written is None:
            return None
        found = resolve_topology(self._program.machine, written.name)
        if found is not None:
            return found.name
        on = self._program.machine.target
        finding = Diagnostic(
            "W1025" if on is None else "E1010",
            f"`Topology::{written.name}` is not declared"
            if on is None
            else f"unknown topology `{written.name}` on {on}",
            Label(written.span),
        )
        (self._program.warnings if on is None else self._program.findings).append(finding)
        return written.name


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
