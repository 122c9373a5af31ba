"""Declared spaces that are spread over threads: what one instance holds of each tile.

A space of scope warpgroup or narrower has no arena of the block: an instance holds its part of a
tile after distribution over the spawn's threads, by the plan's layouts on a target, evenly over the
warps without one.
"""

from __future__ import annotations

from typing_extensions import override

from vxproof.ir.module import Space
from vxproof.ir.types import tile_bytes
from vxproof.logic.terms import Const, Term, mul
from vxproof.plan.buffers import Facts
from vxproof.plan.context import Context
from vxproof.plan.nodes import Arena, Buffer, Life
from vxproof.plan.objects import REGISTER_SCOPES, Draft, Tracker
from vxproof.plan.ranges import Ranges
from vxproof.plan.spreads import Name, Spreads
from vxproof.plan.term_text import show_term
from vxproof.plan.timeline import Timeline
from vxproof.plan.uses import lines_of

_WARPS = {"warpgroup": 4, "warp": 1}


class RegisterTracker(Tracker):
    """Follows tiles in declared register spaces, and nothing else."""

    @override
    def arena_space(self, place: str | None) -> str | None:
        """Return the name of a bounded space that is spread over threads."""
        space = self.space(place)
        if space is None or space.scope not in REGISTER_SCOPES or space.capacity is None:
            return None
        return space.name


def register_arenas(
    context: Context, line: Timeline, facts: Facts, spreads: Spreads
) -> tuple[Arena, ...]:
    """Return an arena without offsets for each declared space that is spread over threads."""
    if not any(
        one.scope in REGISTER_SCOPES and one.capacity is not None
        for one in context.module.machine.spaces.values()
    ):
        return ()
    tracker = RegisterTracker(context.module.machine, line)
    tracker.run()
    names: dict[int, Name] = {}
    for step in line.steps:
        for name in spreads.names_of(step):
            for one in tracker.objects_of(name):
                if isinstance(one, Draft):
                    names.setdefault(id(one), name)
    found: dict[str, list[Buffer]] = {}
    for draft in sorted(tracker.drafts, key=lambda one: one.birth):
        if draft.type.shape is None:
            continue
        space = context.space(draft.space)
        size = _size(context, space, draft, names.get(id(draft)), spreads)
        buffer = Buffer(
            name=draft.name,
            kind=draft.kind,
            size=facts.ranges.align_up(size, max(space.granule, 1)),
            expression=show_term(size, facts.names).replace(" ", ""),
            alignment=1,
            life=Life(draft.birth, draft.death, *lines_of(draft, line, context.module.source)),
            shape=draft.type.shape,
            dtype=draft.type.dtype.name,
            span=draft.span,
        )
        found.setdefault(draft.space, []).append(buffer)
    return tuple(
        Arena(
            name,
            "bytes",
            space.capacity,
            space.granule,
            space.bound,
            tuple(buffers),
            (),
            spread=True,
        )
        for name, buffers in found.items()
        for space in (context.space(name),)
    )


def _size(
    context: Context, space: Space, draft: Draft, name: Name | None, spreads: Spreads
) -> Term:
    """Bytes of a tile in one instance of its space."""
    ranges = context.ranges
    warps = context.warps if context.warps != Const(0) else Const(1)
    held = _warps(space, warps, ranges)
    if context.target is None or name is None:
        whole = tile_bytes(draft.type)
        if space.scope == "thread":
            return ranges.ceil_div(whole, mul(warps, Const(32)))
        return ranges.ceil_div(mul(whole, held), warps)
    threads = Const(1) if space.scope == "thread" else mul(held, Const(32))
    return mul(spreads.registers(name), Const(4), threads)


def _warps(space: Space, warps: Term, ranges: Ranges) -> Term:
    """Warps of the block that one instance serves; four sub-cores share them out."""
    if space.scope == "subcore":
        return ranges.ceil_div(warps, 4)
    return ranges.min(warps, Const(_WARPS.get(space.scope or "", 1)))
