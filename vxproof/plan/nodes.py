"""The plan: everything that is decided between the typed IR and emitted code, as immutable data.

A plan is for one kernel, one machine and one number of warps. Sizes, offsets and trip counts are
terms over the function's symbols. Program points are numbered from 1 in program order; a life is a
closed interval of points. Every access of an event names its object (a buffer of an arena, or a
tensor outside) and its *map*: the rule by which threads share the object's bytes. Two accesses of
one object with the same map touch each byte from the same thread.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from vxproof.diagnostics import Diagnostic, Span
from vxproof.logic.obligation import Symbol
from vxproof.logic.terms import Formula, Term
from vxproof.records import dataclass


class BufferKind(Enum):
    """What a buffer is for."""

    TILE = "tile"
    RING = "ring"
    RESIDENT = "resident"
    PRODUCT = "product"
    SCRATCH = "scratch"
    BARRIER = "barrier"
    FRAME = "frame"


@dataclass(frozen=True, slots=True)
class Life:
    """A closed interval of program points, with the source lines of its ends."""

    birth: int
    death: int
    first_line: int
    last_line: int

    def __post_init__(self) -> None:
        """Reject a life that ends before it begins."""
        if self.birth > self.death:
            raise ValueError(f"a life must run forwards, got {self.birth}..{self.death}")

    def meets(self, other: Life) -> bool:
        """Whether the two lives share a point."""
        return self.birth <= other.death and other.birth <= self.death

    @property
    def lines(self) -> str:
        """The life in source lines, for a message."""
        if self.first_line == self.last_line:
            return f"line {self.first_line}"
        return f"line {self.first_line} to line {self.last_line}"


@dataclass(frozen=True, slots=True)
class Case:
    """A choice that holds where `guard` does; the first case that holds is taken."""

    guard: Formula
    choice: str


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of an arena.

    `size` is in the arena's unit and rounded up to its granule; of a ring it counts every slot, of
    which there are `depth`. `expression` is the size as the source would write it, in source names.
    `alignment` is the multiple at which it starts. `layout` says how rows lie in shared memory.
    `span` is None in a plan that was written by hand.
    """

    name: str
    kind: BufferKind
    size: Term
    expression: str
    alignment: int
    life: Life
    depth: Term | None = None
    layout: tuple[Case, ...] = ()
    shape: tuple[Term, ...] = ()
    dtype: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ArenaLayout:
    """One way to place every buffer: offsets in the order of `Arena.buffers`, and their end."""

    rule: str
    offsets: tuple[Term, ...]
    total: Term


@dataclass(frozen=True, slots=True)
class Arena:
    """The buffers of one memory space, and the layouts of which one has to fit.

    `capacity` is in `unit`, None where the space has no bound; `bound` says where it comes from.
    A `spread` space lies across threads and has no addresses, so no layouts.
    """

    space: str
    unit: str
    capacity: int | None
    granule: int
    bound: str
    buffers: tuple[Buffer, ...]
    layouts: tuple[ArenaLayout, ...]
    spread: bool = False


@dataclass(frozen=True, slots=True)
class RegisterTile:
    """A tile held in registers: its layout, and how many registers each thread needs for it.

    `life` is set for what has to be held: residents, and results of products, loads of mutable
    memory and reductions that are read again. It counts between operations: from the one that makes
    the value to the one before its last use. Everything else can be recomputed, and is free.
    """

    name: str
    layout: str
    shape: tuple[Term, ...]
    dtype: str
    per_thread: Term
    resident: bool
    life: Life | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Access:
    """A read or write of an object by the threads of a block, shared out by `map`.

    The map `all` means that every thread may touch every byte, `one` that a single thread does;
    any other name stands for a fixed assignment of bytes to threads. `unit` is the matrix unit,
    which is no thread of the block.
    """

    object: str
    write: bool
    map: str


@dataclass(frozen=True, slots=True)
class Act:
    """What the threads of the block do together: a copy, a product, elementwise work, a store.

    `verb` names it, `result` is what it makes (empty for a store), `details` say how, as key and
    text. `line` is the source line, 0 where there is none.
    """

    verb: str
    result: str
    details: tuple[tuple[str, str], ...]
    accesses: tuple[Access, ...]
    line: int
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Barrier:
    """All threads of the block meet; `reason` names the pair that asks for it."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Await:
    """All threads wait for the matrix unit's completed work."""

    barrier: str


@dataclass(frozen=True, slots=True)
class Commit:
    """The copies that each thread issued since the last commit become one group."""


@dataclass(frozen=True, slots=True)
class WaitGroup:
    """Each thread waits until at most `pending` of its own groups are unfinished."""

    pending: Term


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of `trips` iterations; `stages` is the S of `pipelined(S)`."""

    index: str
    trips: Term
    stages: Term | None
    body: tuple[Event, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Two arms; `uniform` when every thread of the block takes the same one."""

    condition: str
    uniform: bool
    then: tuple[Event, ...]
    orelse: tuple[Event, ...]
    line: int


Event = Act | Barrier | Await | Commit | WaitGroup | Loop | Branch


@dataclass(frozen=True, slots=True)
class Plan:
    """A kernel's plan.

    `target` is None for the program's own machine. `family` names the matrix instruction, `none`
    where there is no product. `symbols` and `requires` are what the plan is for.
    """

    kernel: str
    index: int
    target: str | None
    warps: Term
    family: str
    symbols: tuple[Symbol, ...]
    requires: tuple[Formula, ...]
    arenas: tuple[Arena, ...]
    registers: tuple[RegisterTile, ...]
    events: tuple[Event, ...]

    def arena(self, space: str) -> Arena | None:
        """Return the arena of a space, None where the plan has none."""
        return next((arena for arena in self.arenas if arena.space == space), None)


@dataclass(frozen=True, slots=True)
class PlanRefusal:
    """No plan exists: what the target cannot take."""

    diagnostic: Diagnostic
