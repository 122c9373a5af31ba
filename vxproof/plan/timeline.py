"""Program points: blocks of the IR laid out in a line, with loops and scopes as intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vxproof.ir.module import Kernel
from vxproof.ir.ops import Block, For, If, Operation, Spawn, ViewAxis
from vxproof.ir.values import Value
from vxproof.records import dataclass


@dataclass(slots=True, eq=False)
class Region:
    """A loop body, an arm or the whole: its first and last point, and what encloses it."""

    start: int
    end: int
    parent: Region | None
    loop: For | None

    @property
    def enclosing(self) -> Iterator[Region]:
        """This region and those around it, from the inside out."""
        at: Region | None = self
        while at is not None:
            yield at
            at = at.parent

    def encloses(self, other: Region) -> bool:
        """Whether the other region is this one or lies inside it."""
        return any(region is self for region in other.enclosing)

    def outermost_loop(self, outside: Region) -> Region | None:
        """Return the widest loop around this region that is not around `outside`."""
        around = {id(region) for region in outside.enclosing}
        found: Region | None = None
        for region in self.enclosing:
            if id(region) in around:
                break
            if region.loop is not None:
                found = region
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """An operation at its point; control has a step at its head and one at its end."""

    point: int
    op: Operation
    scope: Region
    end: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """Every operation in program order; points run from 1."""

    steps: tuple[Step, ...]
    root: Region


def timeline(*blocks: Sequence[Operation]) -> Timeline:
    """Lay out blocks one after the other in one scope."""
    builder = _Builder()
    root = Region(1, 1, None, None)
    for block in blocks:
        builder.block(block, root)
    root.end = builder.point + 1
    return Timeline(tuple(builder.steps), root)


def kernel_timeline(kernel: Kernel) -> Timeline:
    """Lay out a kernel: the residents declared before it, then its body, in one scope."""
    return timeline(kernel.residents, kernel.spawn.body)


class _Builder:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.point = 0

    def block(self, block: Sequence[Operation], scope: Region) -> None:
        for op in block:
            self.step(op, scope)
            match op:
                case For(body=body):
                    self.inner(body, scope, op)
                case If(then=then, orelse=orelse):
                    self.inner(then, scope, None)
                    self.inner(orelse, scope, None)
                case Spawn(body=body):
                    self.inner(body, scope, None)
                case _:
                    continue
            self.step(op, scope, end=True)

    def inner(self, body: Block, scope: Region, loop: For | None) -> None:
        region = Region(self.point + (loop is None), 0, scope, loop)
        self.block(body, region)
        region.end = self.point + 1 if loop is not None else max(self.point, region.start)

    def step(self, op: Operation, scope: Region, *, end: bool = False) -> None:
        self.point += 1
        self.steps.append(Step(self.point, op, scope, end))


_NO_OPERANDS = frozenset({"result", "span", "index"})


def operands(op: Operation) -> Iterator[Value]:
    """Yield the values that an operation reads; the arms of an `If` are not entered."""
    for name in type(op).__slots__:
        if name in _NO_OPERANDS:
            continue
        part = getattr(op, name)
        match part:
            case Value():
                yield part
            case tuple():
                for one in part:
                    match one:
                        case Value():
                            yield one
                        case ViewAxis(index=Value() as index):
                            yield index
                        case _:
                            pass
            case _:
                pass
