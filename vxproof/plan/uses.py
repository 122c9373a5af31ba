"""Definitions and uses of values along a timeline, and the source lines of a life."""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.diagnostics import Source
from vxproof.ir.ops import Borrow, Declare, Deref, Operation, Read, result_of
from vxproof.ir.types import RefType
from vxproof.ir.values import Value
from vxproof.plan.objects import Draft, OuterName
from vxproof.plan.timeline import Step, Timeline, operands


class Uses:
    """Who makes and who reads each value of a timeline."""

    def __init__(self, line: Timeline, outer: Mapping[int, OuterName] | None = None) -> None:
        self.outer = {} if outer is None else outer
        self.made: dict[int, Operation] = {}
        self.read: dict[int, list[Step]] = {}
        self.named: dict[int, list[Step]] = {}
        self.bound: dict[int, Value] = {}
        for step in line.steps:
            if step.end:
                continue
            result = result_of(step.op)
            if result is not None:
                self.made[result.id] = step.op
            if isinstance(step.op, Read):
                self.named.setdefault(step.op.variable.id, []).append(step)
            if isinstance(step.op, Declare) and step.op.init is not None:
                self.bound[step.op.variable.id] = step.op.init
            for value in operands(step.op):
                self.read.setdefault(value.id, []).append(step)

    def only(self, value: Value) -> Step | None:
        """Return the one step that reads a value, None where there are none or several."""
        steps = self.read.get(value.id, [])
        return steps[0] if len(steps) == 1 else None

    def origin(self, value: Value) -> Value:
        """Return the value that a name, a borrow or a dereference stands for.

        A tensor's name always means the same place; a reference that may be changed is its own.
        """
        while True:
            match self.made.get(value.id):
                case Read(variable=variable) if variable.id in self.bound and not (
                    variable.mutable and isinstance(variable.type, RefType)
                ):
                    value = self.bound[variable.id]
                case Borrow(of=inner) | Deref(ref=inner):
                    value = inner
                case _:
                    return value

    def is_part(self, value: Value) -> bool:
        """Whether a value is the name of a part of a tensor that was taken outside the kernel."""
        op = self.made.get(value.id)
        known = self.outer.get(op.variable.id) if isinstance(op, Read) else None
        return known is not None and known.part

    def maker(self, value: Value) -> Operation | None:
        """Return the operation that makes a value, None for one from outside the timeline."""
        return self.made.get(value.id)


def lines_of(draft: Draft, line: Timeline, source: Source) -> tuple[int, int]:
    """Return the first and last source line of a tile's life.

    A life that ends with a loop ends at the loop's last line.
    """
    first = draft.span.line
    step = line.steps[min(draft.death, len(line.steps)) - 1]
    last = step.op.span.line
    if step.end:
        last = source.position(max(step.op.span.end - 1, 0))[0]
    return first, max(first, last)
