"""Which integer operations reach an index, extent, trip count, condition or contract.

A backward slice through values and variables. It stops at memory and at floats: a value that is
loaded is any value of its type already.
"""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.constraints.rewrite import Walker
from vxproof.ir.module import Function, Module, walk
from vxproof.ir.ops import (
    Assert,
    Assign,
    Borrow,
    Call,
    Cast,
    Declare,
    Deref,
    Elementwise,
    For,
    If,
    LoadElement,
    Operation,
    Read,
    Return,
    Spawn,
    StoreElement,
    StoreTile,
    View,
    result_of,
)
from vxproof.ir.types import RefType, ScalarType, Type
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """Ids of the values that reach one of those places."""

    values: frozenset[int]

    def __contains__(self, value: object) -> bool:
        """Whether a value reaches one of those places."""
        return isinstance(value, Value) and value.id in self.values


def _discrete(type_: Type) -> bool:
    if isinstance(type_, RefType):
        type_ = type_.target
    return isinstance(type_, ScalarType) and not type_.dtype.is_float


def _sinks(op: Operation, function: Function) -> Iterator[Value]:
    match op:
        case View(axes=axes):
            yield from (axis.index for axis in axes if axis.index is not None)
        case LoadElement(indices=indices) | StoreElement(indices=indices):
            yield from indices
        case For(lower=lower, upper=upper):
            yield from (lower, upper)
        case Spawn(grid=grid):
            yield from grid
        case If(cond=cond) | Assert(cond=cond):
            yield cond
        case Call(args=args):
            yield from args
        case Return(value=value) if value is not None and function.ensures:
            yield value
        case StoreTile(value=value):
            yield value
        case _:
            pass


def _operands(op: Operation) -> tuple[Value, ...]:
    match op:
        case Elementwise(args=args):
            return args
        case Cast(value=value):
            return (value,)
        case Borrow(of=value) | Deref(ref=value):
            return (value,)
        case If(cond=cond, then_value=then, else_value=orelse):
            return tuple(one for one in (cond, then, orelse) if one is not None)
        case _:
            return ()


def reach(function: Function, module: Module) -> Reach:
    """Return what reaches an index, extent, trip count, condition or contract of a function."""
    del module
    slicer = _Slice(function)
    for op in walk(function.body):
        slicer.add(op)
    return Reach(frozenset(slicer.close()))


class _Slice:
    """Collects definitions and sinks, then follows them backwards."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made: dict[int, Operation] = {}
        self.stores: dict[int, list[Value]] = {}
        self.variables: dict[str, Variable] = {}
        self.wanted: set[str] = set()
        self.work: list[Value] = []
        self.walker = Walker()

    def add(self, op: Operation) -> None:
        """Note what an operation defines and what has to be exact because of it."""
        result = result_of(op)
        if result is not None:
            self.made[result.id] = op
        match op:
            case Declare(variable=variable, init=init):
                self.variables[variable.symbol.name] = variable
                if init is not None:
                    self.stores.setdefault(variable.id, []).append(init)
            case Assign(variable=variable, value=value):
                self.stores.setdefault(variable.id, []).append(value)
            case For(invariants=clauses):
                for clause in clauses:
                    self.wanted |= self.walker.free(clause.formula)
            case _:
                pass
        sinks = _sinks(op, self.function)
        self.work.extend(value for value in sinks if _discrete(value.type))

    def close(self) -> set[int]:
        """Return the ids of the values that are reached backwards."""
        for name in sorted(self.wanted & self.variables.keys()):
            self._want(self.variables[name])
        found: set[int] = set()
        while self.work:
            value = self.work.pop()
            if value.id in found or not _discrete(value.type):
                continue
            found.add(value.id)
            op = self.made.get(value.id)
            if isinstance(op, Read):
                self._want(op.variable)
            elif op is not None:
                self.work.extend(_operands(op))
        return found

    def _want(self, variable: Variable) -> None:
        self.work.extend(self.stores.pop(variable.id, ()))
