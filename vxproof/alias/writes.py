"""Which variables of a function may have elements written, under whatever name.

A backward closure from the places that are written, over reads, views, references, bindings and
arms. A tensor that a call takes by value is written where the callee writes its parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from vxproof.ir.module import Function, walk
from vxproof.ir.ops import (
    Assign,
    Borrow,
    Call,
    Declare,
    Deref,
    If,
    LoadElement,
    Operation,
    Read,
    StoreElement,
    StoreTile,
    Transpose,
    View,
    Wait,
)
from vxproof.ir.types import RefType, ScalarType
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

Place = tuple[bool, int]
"""A value (True) or variable (False), by its id."""


@dataclass(slots=True)
class Writes:
    """The variables that each function of a module may write, every function looked at once."""

    functions: Mapping[str, Function]
    _memo: dict[str, frozenset[int]] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    def of(self, function: Function) -> frozenset[int]:
        """Return the ids of the variables whose elements a function may write."""
        known = self._memo.get(function.name)
        if known is None:
            self._open.add(function.name)
            known = self._memo[function.name] = self._closure(function)
            self._open.discard(function.name)
        return known

    def takes(self, function: str, position: int) -> bool:
        """Tell whether a function may write what it is given at a position."""
        callee = self.functions.get(function)
        if callee is None or function in self._open:  # a cycle of calls: nothing is known
            return True
        parameter = callee.params[position]
        if isinstance(parameter.type, RefType):
            return parameter.type.mutable
        return not isinstance(parameter.type, ScalarType) and parameter.id in self.of(callee)

    def _closure(self, function: Function) -> frozenset[int]:
        names: dict[Place, list[Place]] = {}
        work: list[Place] = []
        for op in walk(function.body):
            for target, source in _edges(op):
                names.setdefault(target, []).append(source)
            work.extend(self._written(op))
        found: set[Place] = set()
        while work:
            place = work.pop()
            if place not in found:
                found.add(place)
                work.extend(names.get(place, ()))
        return frozenset(identity for is_value, identity in found if not is_value)

    def _written(self, op: Operation) -> Iterator[Place]:
        match op:
            case StoreElement(base=value) | StoreTile(target=value):
                yield True, value.id
            case Borrow(of=value, mutable=True):
                yield True, value.id
            case Assign(variable=variable):
                yield False, variable.id
            case Call(function=function, args=args):
                for position, arg in enumerate(args):
                    if self.takes(function, position):
                        yield True, arg.id
            case _:
                pass


def _edges(op: Operation) -> Iterator[tuple[Place, Place]]:
    """Yield each name that an operation makes, with what it may be another name of."""
    match op:
        case Read(result=result, variable=variable):
            yield (True, result.id), (False, variable.id)
        case View(result=result, base=value) | LoadElement(result=result, base=value):
            yield _named(result, value)
        case Transpose(result=result, value=value):
            yield _named(result, value)
        case Borrow(result=result, of=value) | Deref(result=result, ref=value):
            yield _named(result, value)
        case Wait(result=result, token=value):
            yield _named(result, value)
        case Declare(variable=variable, init=init) if init is not None:
            yield _bound(variable, init)
        case Assign(variable=variable, value=value) if isinstance(variable.type, RefType):
            yield _bound(variable, value)
        case If(result=result, then_value=then, else_value=orelse) if result is not None:
            for arm in (then, orelse):
                if arm is not None:
                    yield _named(result, arm)
        case Call(result=result, args=args) if not isinstance(result.type, ScalarType):
            for arg in args:
                yield _named(result, arg)
        case _:
            pass


def _named(result: Value, value: Value) -> tuple[Place, Place]:
    return (True, result.id), (True, value.id)


def _bound(variable: Variable, value: Value) -> tuple[Place, Place]:
    return (False, variable.id), (True, value.id)
