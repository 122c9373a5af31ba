"""Where each value of a function lies, and on which topology each operation runs.

A place follows views, borrows, variables and calls. A value that nothing has placed has none: it
is in the registers or the private memory of whoever computes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.ir.dtypes import Kind
from vxproof.ir.machine_query import HOST
from vxproof.ir.module import Function, kernels, walk
from vxproof.ir.ops import (
    Assign,
    Block,
    Borrow,
    Call,
    Cast,
    Declare,
    Deref,
    Dot,
    Elementwise,
    For,
    If,
    Init,
    LoadElement,
    MatMul,
    NewTensor,
    Operation,
    Print,
    Read,
    Reduce,
    Return,
    Spawn,
    StoreElement,
    StoreTile,
    Transfer,
    TransferAsync,
    Transpose,
    View,
    Wait,
    result_of,
)
from vxproof.ir.types import RefType, ScalarType, TensorType, TokenType, Type
from vxproof.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vxproof.constraints.placement_rules import Rules
    from vxproof.diagnostics import Span
    from vxproof.ir.values import Value, Variable

ANYWHERE = ""
"""The place of a result that lies in different places from call to call; nothing has this name."""


@dataclass(frozen=True, slots=True)
class Context:
    """How a function is called: on which topology, and where each argument lies, if known."""

    topology: str | None
    places: tuple[str | None, ...]


Instance = tuple[str, Context]
"""A function by name in one context."""


def spawns(function: Function) -> bool:
    """Tell whether a function has a kernel."""
    return any(isinstance(op, Spawn) for op in walk(function.body))


def own_topology(function: Function) -> str | None:
    """Return what a function runs on whoever calls it, None where it takes the caller's."""
    if function.topology is not None:
        return function.topology
    return HOST if function.name == "main" or spawns(function) else None


def root_context(function: Function) -> Context:
    """Return the context of a function that nobody of the module calls: the host runs it."""
    return Context(own_topology(function) or HOST, (ANYWHERE,) * len(function.params))


def place_of_type(type_: Type) -> str | None:
    """Return the place that a type names, through references and tokens."""
    match type_:
        case TensorType(place=place):
            return place
        case RefType(target=TensorType(place=place)) | TokenType(tensor=TensorType(place=place)):
            return place
        case _:
            return None


def is_tensor(type_: Type) -> bool:
    """Tell whether a type is a tensor or a reference to one."""
    return isinstance(type_, TensorType) or (
        isinstance(type_, RefType) and isinstance(type_.target, TensorType)
    )


def is_placed(type_: Type) -> bool:
    """Tell whether values of a type lie somewhere: tensors, references to them, their tokens."""
    return is_tensor(type_) or isinstance(type_, TokenType)


class Flow:
    """One walk over a function in one context; the rules hear what is touched where.

    After `run`, `calls` has the functions called, each with its context, and `returned` the place
    of what is returned, None where it is not known.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        instance: Instance,
        results: Mapping[Instance, str],
        rules: Rules,
    ) -> None:
        """Prepare a walk; `results` has the places of results of functions walked before."""
        name, self._context = instance
        self._function = functions[name]
        self._functions = functions
        self._results = results
        self.rules = rules
        self.calls: list[Instance] = []
        self.returned: str | None = None
        self._values: dict[int, str] = {}
        self._variables: dict[int, str] = {}
        self._in_spawn = False
        self._topology = self._context.topology
        self._resident_topology: dict[int, str] = {}

    def run(self) -> None:
        """Walk the function."""
        places = zip(self._function.params, self._context.places, strict=True)
        for param, given in places:
            self._placed(param, place_of_type(param.type), param.span)
            place = place_of_type(param.type) or given
            if place is not None:
                self._variables[param.id] = place
        for kernel in kernels(self._function):
            for resident in kernel.residents:
                self._resident_topology.setdefault(resident.variable.id, kernel.spawn.topology)
        self._block(self._function.body)

    def _block(self, block: Block) -> None:
        for op in block:
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        place = self._judge(op)
        result = result_of(op)
        if result is not None and is_placed(result.type):
            known = place_of_type(result.type) or place
            if known is not None:
                self._values[result.id] = known

    def _judge(self, op: Operation) -> str | None:
        """Tell the rules what an operation does; return the place of its result, if it knows."""
        match op:
            case View(base=base) | Transpose(value=base) | Borrow(of=base) | Deref(ref=base):
                return self._place(base)
            case Wait(token=token):
                return self._place(token)
            case Read(variable=variable):
                return self._variable_place(variable)
            case Transfer(source=source, place=place) | TransferAsync(source=source, place=place):
                self._placed(op.result, place, op.span)
                self.rules.copy(
                    self._topology,
                    self._place(source),
                    place,
                    source,
                    op.span,
                    asynchronous=isinstance(op, TransferAsync),
                )
                return place
            case Call():
                return self._call(op)
            case Return(value=value) if value is not None:
                self._return(value)
            case For(body=body):
                self._block(body)
            case If(then=then, orelse=orelse, then_value=then_value):
                self._block(then)
                self._block(orelse)
                return None if then_value is None else self._place(then_value)
            case Spawn():
                self._spawn(op)
            case Declare():
                self._declare(op)
            case Assign(variable=variable, value=value, span=span):
                self._assign(variable, value, span)
            case _:
                return self._compute(op)
        return None

    def _compute(self, op: Operation) -> str | None:
        """Judge an operation that touches elements."""
        match op:
            case MatMul():
                operands = [("left operand", op.a), ("right operand", op.b)]
                if op.acc is not None:
                    operands.append(("accumulator", op.acc))
                for _, operand in operands:
                    self._touch(operand, op.span, "read")
                self.rules.product(
                    op, tuple((role, one, self._place(one)) for role, one in operands)
                )
                self._types((op.a, op.b), op.span)
            case Elementwise(args=args):
                self._read(args, op.span)
                self._types(args, op.span)
            case Dot(a=a, b=b):
                self._read((a, b), op.span)
                self._types((a, b), op.span)
            case Reduce(value=value):
                self._read((value,), op.span)
                self._types((value,), op.span)
            case Cast(value=value):
                self._read((value,), op.span)
            case Print(args=args):
                self._read(args, op.span)
            case LoadElement(base=base):
                self._touch(base, op.span, "read")
                self.rules.element(self._place(base), base, op.span)
            case StoreElement(base=base):
                self._touch(base, op.span, "write")
                self.rules.element(self._place(base), base, op.span)
            case StoreTile(target=target, value=value):
                self._read((value,), op.span)
                self._touch(target, op.span, "write")
                self.rules.reach(self._place(target), target.name, "copy", op.span)
            case NewTensor(result=result, init=init):
                place = place_of_type(result.type)
                self._placed(result, place, op.span)
                if init is not Init.UNINIT:
                    self._touch_place(place, result.name, op.span, "write")
            case _:
                pass
        return None

    def _read(self, values: tuple[Value, ...], span: Span) -> None:
        for value in values:
            self._touch(value, span, "read")
            if is_tensor(value.type):
                self.rules.reach(self._place(value), value.name, "copy", span)

    def _touch(self, value: Value, span: Span, access: str) -> None:
        if is_tensor(value.type):
            self._touch_place(self._place(value), value.name, span, access)

    def _touch_place(self, place: str | None, name: str, span: Span, access: str) -> None:
        self.rules.touch(self._topology, place, name, span, access)

    def _placed(self, value: Value | Variable, place: str | None, span: Span) -> None:
        type_ = value.type.tensor if isinstance(value.type, TokenType) else value.type
        if isinstance(type_, RefType):
            type_ = type_.target
        if isinstance(type_, TensorType):
            self.rules.placed_type(place, type_.dtype.name, span)

    def _types(self, values: tuple[Value, ...], span: Span) -> None:
        for value in values:
            type_ = value.type.target if isinstance(value.type, RefType) else value.type
            if isinstance(type_, ScalarType | TensorType) and type_.dtype.kind in {
                Kind.FLOAT,
                Kind.STORAGE,
            }:
                self.rules.element_type(self._topology, type_.dtype.name, span)

    def _place(self, value: Value) -> str | None:
        known = self._values.get(value.id)
        return place_of_type(value.type) if known is None else known

    def _variable_place(self, variable: Variable) -> str | None:
        own = variable.resident or place_of_type(variable.type)
        return own or self._variables.get(variable.id)

    def _declare(self, op: Declare) -> None:
        variable = op.variable
        if variable.resident is not None:
            topology = self._resident_topology.get(variable.id, self._topology)
            inside = self._topology if self._in_spawn else topology
            self.rules.touch(inside, variable.resident, variable.name, op.span, "write")
        place = None if op.init is None else self._place(op.init)
        if place is not None and is_placed(variable.type):
            self._variables[variable.id] = place

    def _assign(self, variable: Variable, value: Value, span: Span) -> None:
        if not is_placed(variable.type):
            return
        if not isinstance(variable.type, TensorType):
            place = self._place(value)
            if place is not None:
                self._variables[variable.id] = place
            return
        self._touch(value, span, "read")
        place = self._variable_place(variable)
        self._touch_place(place, variable.name, span, "write")
        self.rules.reach(place, variable.name, "copy", span)

    def _spawn(self, op: Spawn) -> None:
        topology = self._topology
        self._topology, self._in_spawn = op.topology, True
        self._block(op.body)
        self._topology, self._in_spawn = topology, False

    def _return(self, value: Value) -> None:
        if not is_placed(value.type):
            return
        place = self._place(value)
        if self.returned is None:
            self.returned = place
        elif place is not None and place != self.returned:
            self.returned = ANYWHERE

    def _call(self, op: Call) -> str | None:
        callee = self._functions.get(op.function)
        if callee is None:
            return None
        places: list[str | None] = []
        for param, arg in zip(callee.params, op.args, strict=False):
            wanted, given = place_of_type(param.type), self._place(arg)
            if wanted is not None and given is not None:
                self.rules.argument(param, wanted, given, arg)
            places.append(given if wanted is None and is_placed(param.type) else None)
        if callee.topology is not None:
            self.rules.runs(callee.name, callee.topology, self._topology, op.span)
        instance = (callee.name, Context(own_topology(callee) or self._topology, tuple(places)))
        self.calls.append(instance)
        return self._results.get(instance) or None
