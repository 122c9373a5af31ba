"""Drafts of tiles to buffers of arenas, and the peaks of calls as frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vxproof.ir.module import Function, Module, Space
from vxproof.ir.ops import Call
from vxproof.logic.build import min_
from vxproof.logic.substitute import substitute
from vxproof.logic.terms import Const, Term
from vxproof.plan.arena import layouts, safe_layouts
from vxproof.plan.nodes import Arena, Buffer, BufferKind, Life
from vxproof.plan.objects import Draft, Tracker
from vxproof.plan.ranges import Ranges, ranges_of
from vxproof.plan.sizes import amount, expression
from vxproof.plan.timeline import Timeline, timeline
from vxproof.plan.uses import lines_of
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of the sizes of one function."""

    module: Module
    ranges: Ranges
    names: Mapping[str, str]


def buffer_of(draft: Draft, facts: Facts, lines: tuple[int, int]) -> Buffer | None:
    """Return a draft as a buffer, None where the program gives its tensor no shape."""
    if draft.type.shape is None:
        return None
    space = facts.module.machine.spaces[draft.space]
    size = draft.amount
    text = draft.text
    if size is None:
        size = amount(draft.type, space, draft.depth, facts.ranges)
        text = expression(draft.type, space, draft.depth, facts.names, facts.ranges)
    elif space.columns is None:
        size = facts.ranges.align_up(size, space.granule)
    return Buffer(
        name=draft.name,
        kind=draft.kind,
        size=size,
        expression=text,
        alignment=draft.alignment or max(space.tile_alignment, 1),
        life=Life(draft.birth, draft.death, *lines),
        depth=draft.depth,
        layout=draft.layout,
        shape=draft.type.shape,
        dtype=draft.type.dtype.name,
        span=draft.span,
    )


def arena_of(space: Space, buffers: Sequence[Buffer], ranges: Ranges) -> Arena:
    """Lay out the buffers of one space."""
    capacity = space.columns if space.columns is not None else space.capacity
    return Arena(
        space=space.name,
        unit="columns" if space.columns is not None else space.unit,
        capacity=capacity,
        granule=1 if space.columns is not None else max(space.granule, 1),
        bound=space.bound,
        buffers=tuple(buffers),
        layouts=layouts(buffers, ranges),
    )


def arenas_of(tracker: Tracker, line: Timeline, facts: Facts) -> tuple[Arena, ...]:
    """Return the arena of each space that holds a tile, in the order of first use."""
    by_space: dict[str, list[Buffer]] = {}
    for draft in sorted(tracker.drafts, key=lambda one: one.birth):
        buffer = buffer_of(draft, facts, lines_of(draft, line, facts.module.source))
        if buffer is not None:
            by_space.setdefault(draft.space, []).append(buffer)
    return tuple(
        arena_of(facts.module.machine.spaces[space], buffers, facts.ranges)
        for space, buffers in by_space.items()
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """What a call takes of a space: an amount, and the multiple at which it starts."""

    size: Term
    alignment: int


class Calls:
    """Frames of callees: what a call takes of each space while it runs."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[str, Mapping[str, Frame]] = {}
        self.active: list[str] = []

    @property
    def outer(self) -> dict[str, Term]:
        """Values of symbols in sizes that are not the callee's own."""
        return {}

    def frames(self, op: Call) -> Mapping[str, Frame]:
        """Return what a call takes of each space, in the caller's symbols."""
        names = dict(op.generics)
        if not self.active:
            names |= self.outer
        return {
            space: Frame(substitute(frame.size, names), frame.alignment)
            for space, frame in self.of(op.function).items()
        }

    def of(self, name: str) -> Mapping[str, Frame]:
        """Return what a function takes of each space; a call on a cycle counts nothing here."""
        if name in self.known:
            return self.known[name]
        if name in self.active:
            return {}
        self.active.append(name)
        try:
            function = self.module.function(name)
            ranges = self.ranges(function)
            found = {
                arena.space: Frame(
                    min_(*(one.total for one in safe_layouts(arena.buffers, ranges))),
                    math.lcm(*(one.alignment for one in arena.buffers)),
                )
                for arena in self.arenas(function)
                if arena.layouts
            }
        finally:
            self.active.pop()
        self.known[name] = found
        return found

    def ranges(self, function: Function) -> Ranges:
        """Return what is known of a function's symbols."""
        return ranges_of(function.symbols, (clause.formula for clause in function.requires))

    def arenas(self, function: Function) -> tuple[Arena, ...]:
        """Return the arenas of a function's body, the frames of its own calls included."""
        line = timeline(function.body)
        tracker = Tracker(self.module.machine, line)
        tracker.run()
        add_frames(tracker, line, self)
        names = {symbol.name: symbol.display or symbol.name for symbol in function.symbols}
        return arenas_of(tracker, line, Facts(self.module, self.ranges(function), names))


def add_frames(tracker: Tracker, line: Timeline, calls: Calls) -> None:
    """Add a frame for each call whose callee places tiles."""
    for step in line.steps:
        if not isinstance(step.op, Call):
            continue
        for space, frame in calls.frames(step.op).items():
            if frame.size == Const(0):
                continue
            draft = tracker.draft_amount(step, f"{step.op.function}()", BufferKind.FRAME, space)
            draft.amount, draft.text = frame.size, f"peak of `{step.op.function}`"
            whole = tracker.machine.spaces[space].tile_alignment
            draft.alignment = math.lcm(frame.alignment, max(whole, 1))
