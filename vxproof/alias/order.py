"""Program order: positions, enclosing loops and kernels of each operation of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.ir.ops import Block, For, If, Operation, Read, Spawn

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Function
    from vxproof.ir.ops import Declare
    from vxproof.ir.values import Variable


class Order:
    """Positions in a pre-order walk, with the loops and the kernel around each operation."""

    def __init__(self, function: Function) -> None:
        """Walk the function once."""
        self._position: dict[int, int] = {}
        self._loops: dict[int, tuple[For, ...]] = {}
        self._region: dict[int, Spawn | None] = {}
        self._reads: dict[Variable, list[Read]] = {}
        self._count = 0
        self._walk(function.body, (), None)

    def _walk(self, body: Block, loops: tuple[For, ...], region: Spawn | None) -> None:
        for op in body:
            self._count += 1
            self._position[id(op)] = self._count
            self._loops[id(op)] = loops
            self._region[id(op)] = region
            match op:
                case Read(variable=variable):
                    self._reads.setdefault(variable, []).append(op)
                case For(body=inner):
                    self._walk(inner, (*loops, op), region)
                case If(then=then, orelse=orelse):
                    self._walk(then, loops, region)
                    self._walk(orelse, loops, region)
                case Spawn(body=inner):
                    self._walk(inner, loops, op)
                case _:
                    pass

    def position(self, op: Operation) -> int:
        """Return the position of an operation, from 1."""
        return self._position[id(op)]

    def loops(self, op: Operation) -> tuple[For, ...]:
        """Return the loops around an operation, outermost first."""
        return self._loops[id(op)]

    def region_of(self, op: Operation) -> Spawn | None:
        """Return the kernel around an operation, None on the host or in a helper function."""
        return self._region[id(op)]

    def write_before_use(
        self, declared: Declare, name: Variable, writes: tuple[Operation, ...]
    ) -> tuple[Operation, Span] | None:
        """Return a write after which a name is still used, with the span of that use.

        In a loop that does not hold the declaration, a use before the write follows it in the
        next iteration.
        """
        start = self.position(declared)
        outer = set(map(id, self.loops(declared)))
        for write in writes:
            at = self.position(write)
            if at < start:
                continue
            shared = {id(loop) for loop in self.loops(write)} - outer
            for use in self._reads.get(name, ()):
                again = shared & {id(loop) for loop in self.loops(use)}
                if self.position(use) > at or again:
                    return write, use.span
        return None
