"""Tensors of which each iteration of a loop visits a part of its own, and reads before it writes.

What one iteration stores there is then read by no later one, so that nothing comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Block,
    Cast,
    Deref,
    Elementwise,
    For,
    LoadElement,
    Operation,
    Read,
    Reduce,
    StoreElement,
    StoreTile,
    Transfer,
    View,
)
from vxproof.ir.shape import operands
from vxproof.ir.types import RefType, TensorType

if TYPE_CHECKING:
    from vxproof.ir.values import Value, Variable
    from vxproof.logic.terms import Term

_Part = tuple[int, "Term | None"]
"""The axis that the counter indexes, and the size of the part on it; None for one element."""


def visited_once(loop: For, root: Callable[[Value], Variable | None]) -> frozenset[Variable]:
    """Return the tensor variables of which every iteration visits a part of its own.

    `root` gives the variable whose elements a value names.
    """
    nested = {id(inner) for op in loop.body if isinstance(op, For) for inner in walk(op.body)}
    named = {op.variable for op in walk(loop.body) if isinstance(op, Read) and _is_tensor(op)}
    return frozenset(one for one in named if _Visits(one, loop).apart(loop.body, nested, root))


def _is_tensor(op: Read) -> bool:
    type_ = op.variable.type
    return isinstance(type_.target if isinstance(type_, RefType) else type_, TensorType)


class _Visits:
    """How the body of one loop goes through one tensor."""

    def __init__(self, variable: Variable, loop: For) -> None:
        self.variable = variable
        self.counter = loop.index
        self.names: set[Value] = set()
        self.views: set[Value] = set()
        self.parts: set[_Part] = set()
        self.written = False

    def apart(
        self, body: Block, nested: set[int], root: Callable[[Value], Variable | None]
    ) -> bool:
        """Whether all of it is by parts that the counter tells apart, reads before writes."""
        for op in walk(body):
            if isinstance(op, Read) and root(op.result) == self.variable:
                if op.variable != self.variable:
                    return False
                self.names.add(op.result)
                continue
            if isinstance(op, Deref) and op.ref in self.names:
                self.names.add(op.result)
                continue
            used = [value for value in operands(op) if value in self.names | self.views]
            if used and (id(op) in nested or not self._follows(op)):
                return False
        return len(self.parts) == 1

    def _follows(self, op: Operation) -> bool:
        match op:
            case View(base=base, axes=axes, result=result) if base in self.names:
                self.views.add(result)
                found = [
                    (number, axis.size)
                    for number, axis in enumerate(axes)
                    if axis.index == self.counter and axis.scale == axis.size
                ]
                self.parts.update(found[:1])
                return bool(found)
            case LoadElement(base=base, indices=indices) if base in self.names:
                return not self.written and self._element(indices)
            case StoreElement(base=base, indices=indices) if base in self.names:
                self.written = True
                return self._element(indices)
            case StoreTile(target=target, value=value):
                late = value in self.views and self.written
                self.written = self.written or target in self.views
                return not late and not {target, value} & self.names
            case Elementwise() | Cast() | Reduce() | Transfer():
                return not self.written and not self.names & set(operands(op))
            case _:
                return False

    def _element(self, indices: tuple[Value, ...]) -> bool:
        found = [number for number, index in enumerate(indices) if index == self.counter]
        self.parts.update((number, None) for number in found[:1])
        return bool(found)
