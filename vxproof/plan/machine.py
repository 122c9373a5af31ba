"""An explicit-state run of a plan by several threads, at concrete values of its symbols.

Each act touches the bytes that its map gives to each thread, at the offsets of the first layout
that fits. Between two barriers nothing orders the threads, so two accesses of one byte by different
threads, one of them a write, are a race in some schedule. Loops run at most three times. Conditions
that the plan does not decide, and trip counts that depend on the run, are tried both ways.
Written on its own, from the meaning of the nodes, so that it can judge what a proof found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.terms import Term
from vxproof.plan.nodes import (
    Access,
    Act,
    Arena,
    ArenaLayout,
    Await,
    Barrier,
    Branch,
    Commit,
    Event,
    Loop,
    Plan,
    WaitGroup,
)
from vxproof.records import dataclass

MAX_TRIPS = 3
CELLS = 16
MAX_RUNS = 64
UNIT_THREAD = -1
TENSOR_BYTES = 1 << 20
"""Bytes that a tensor outside is given; each has addresses of its own."""

Bytes = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Touch:
    """What one thread did to a range of bytes, and when."""

    thread: int
    start: int
    end: int
    write: bool
    verb: str
    object: str
    line: int
    when: tuple[int, ...]

    @property
    def text(self) -> str:
        """The touch in words."""
        who = "the matrix unit" if self.thread == UNIT_THREAD else f"thread {self.thread}"
        does = "writes" if self.write else "reads"
        at = f" in iteration {', '.join(map(str, self.when))}" if self.when else ""
        return f"{who} {does} {self.object} ({self.verb}){at}"


@dataclass(frozen=True, slots=True)
class Race:
    """Two touches of one byte that nothing orders."""

    first: Touch
    second: Touch

    @property
    def byte(self) -> int:
        """The first byte that both touch."""
        return max(self.first.start, self.second.start)


@dataclass(frozen=True, slots=True)
class Stuck:
    """A barrier that only some threads reach."""

    condition: str


MachineFault = Race | Stuck


class UnrunnableError(Exception):
    """The plan has no values to run with: a size is not defined at the given point."""


def run_plan(
    plan: Plan, values: Mapping[str, int], objects: frozenset[str] | None = None
) -> tuple[MachineFault, ...]:
    """Run a plan and return what goes wrong, each pair of acts once.

    `objects` restricts the run to accesses of these objects.

    Raises:
        UnrunnableError: a size or an offset has no value here.
    """
    found: dict[object, MachineFault] = {}
    choices = 1
    run = 0
    while run < min(choices, MAX_RUNS):
        machine = _Machine(plan, values, objects, run)
        machine.execute(plan.events, frozenset(machine.threads))
        for fault in machine.faults:
            found.setdefault(_key(fault), fault)
        choices = max(choices, 1 << min(machine.asked, 6))
        run += 1
    return tuple(found.values())


def _key(fault: MachineFault) -> object:
    match fault:
        case Race(first=first, second=second):
            return first.object, first.verb, second.object, second.verb
        case Stuck(condition=condition):
            return condition
        case _:
            assert_never(fault)


class _Machine:
    def __init__(
        self,
        plan: Plan,
        values: Mapping[str, int],
        objects: frozenset[str] | None,
        choices: int,
    ) -> None:
        self.values = values
        self.objects = objects
        self.choices = choices
        self.asked = 0
        self.faults: list[MachineFault] = []
        self.seen: list[Touch] = []
        self.when: list[int] = []
        self.condition = ""
        self.ranges: dict[str, Bytes] = {}
        base = 0
        for arena in plan.arenas:
            base = self.place(arena, base)
        self.free = base
        self.maps: dict[tuple[str, str], int] = {}
        for act in _acts(plan.events):
            for access in act.accesses:
                if self.watched(access) and access.map not in {"all", "one", "unit"}:
                    self.maps.setdefault((access.object, access.map), len(self.maps))
        self.threads = tuple(range(max(2, len(self.maps))))

    def watched(self, access: Access) -> bool:
        return self.objects is None or access.object in self.objects

    def number(self, value: Term) -> int:
        try:
            return evaluate(value, self.values)
        except (Undefined, KeyError) as why:
            raise UnrunnableError(str(why)) from why

    def place(self, arena: Arena, base: int) -> int:
        """Give the buffers of an arena their bytes."""
        if not arena.layouts:
            for buffer in arena.buffers:
                size = max(self.number(buffer.size), 1)
                self.ranges[buffer.name] = (base, base + size)
                base += size
            return base
        layout = next((one for one in arena.layouts if self.fits(arena, one)), arena.layouts[-1])
        end = base
        for buffer, offset in zip(arena.buffers, layout.offsets, strict=True):
            start = base + self.number(offset)
            stop = start + self.number(buffer.size)
            self.ranges[buffer.name] = (start, stop)
            end = max(end, stop)
        return end

    def fits(self, arena: Arena, layout: ArenaLayout) -> bool:
        """Whether a layout lies within the capacity and keeps what lives together apart."""
        if arena.capacity is not None and self.number(layout.total) > arena.capacity:
            return False
        placed = [
            (buffer, self.number(offset), self.number(offset) + self.number(buffer.size))
            for buffer, offset in zip(arena.buffers, layout.offsets, strict=True)
        ]
        return all(
            end <= other or stop <= start
            for i, (one, start, end) in enumerate(placed)
            for two, other, stop in placed[:i]
            if one.life.meets(two.life)
        )

    def choose(self) -> bool:
        """Decide what the plan leaves open; the bits of the run's number, in turn."""
        bit = self.choices >> (self.asked % 6) & 1
        self.asked += 1
        return bit == 0

    def execute(self, events: Sequence[Event], active: frozenset[int]) -> None:
        for event in events:
            match event:
                case Act():
                    self.act(event, active)
                case Barrier():
                    if len(active) < len(self.threads):
                        self.faults.append(Stuck(self.condition))
                    else:
                        self.seen = []
                case Await():
                    self.seen = [one for one in self.seen if one.thread != UNIT_THREAD]
                case Loop():
                    self.loop(event, active)
                case Branch():
                    self.branch(event, active)
                case Commit() | WaitGroup():
                    pass
                case _:
                    assert_never(event)

    def loop(self, loop: Loop, active: frozenset[int]) -> None:
        try:
            trips = evaluate(loop.trips, self.values)
        except (Undefined, KeyError):
            trips = 2 if self.choose() else 0
        for i in range(min(trips, MAX_TRIPS)):
            self.when.append(i)
            self.execute(loop.body, active)
            self.when.pop()

    def branch(self, branch: Branch, active: frozenset[int]) -> None:
        if branch.uniform:
            self.execute(branch.then if self.choose() else branch.orelse, active)
            return
        outer, self.condition = self.condition, branch.condition
        first = frozenset(t for t in active if t % 2 == 0)
        self.execute(branch.then, first)
        self.execute(branch.orelse, active - first)
        self.condition = outer

    def act(self, act: Act, active: frozenset[int]) -> None:
        fresh = [
            Touch(
                thread,
                start,
                end,
                access.write,
                act.verb,
                access.object,
                act.line,
                tuple(self.when),
            )
            for access in act.accesses
            if self.watched(access)
            for thread, start, end in self.pieces(access, active)
        ]
        for touch in fresh:
            for other in self.seen:
                if (
                    other.thread != touch.thread
                    and (other.write or touch.write)
                    and other.start < touch.end
                    and touch.start < other.end
                ):
                    self.faults.append(Race(other, touch))
                    break
        self.seen.extend(fresh)

    def pieces(self, access: Access, active: frozenset[int]) -> Iterator[tuple[int, int, int]]:
        """Yield who touches which bytes of an object."""
        if access.object not in self.ranges:
            self.ranges[access.object] = (self.free, self.free + TENSOR_BYTES)
            self.free += TENSOR_BYTES
        start, end = self.ranges[access.object]
        match access.map:
            case "unit":
                yield UNIT_THREAD, start, end
            case "one":
                if 0 in active:
                    yield 0, start, end
            case "all":
                for thread in sorted(active):
                    yield thread, start, end
            case _:
                shift = self.maps[access.object, access.map]
                step = max(1, -(-(end - start) // max(CELLS, len(self.threads))))
                for i, at in enumerate(range(start, end, step)):
                    thread = (i + shift) % len(self.threads)
                    if thread in active:
                        yield thread, at, min(at + step, end)


def _acts(events: Sequence[Event]) -> Iterator[Act]:
    for event in events:
        match event:
            case Act():
                yield event
            case Loop(body=body):
                yield from _acts(body)
            case Branch(then=then, orelse=orelse):
                yield from _acts(then)
                yield from _acts(orelse)
            case _:
                pass
