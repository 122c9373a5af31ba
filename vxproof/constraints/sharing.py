"""When two buffers share a byte, by the layout that is taken: the first one that fits."""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.constraints.disjoint import disjoint
from vxproof.logic.build import conj, disj, le, lt, neg
from vxproof.logic.terms import FALSE, TRUE, Formula
from vxproof.plan.nodes import Arena, ArenaLayout
from vxproof.plan.ranges import Ranges


class Sharing:
    """Conditions under which buffers of the arenas of one plan meet."""

    def __init__(self, arenas: Sequence[Arena], ranges: Ranges) -> None:
        self.ranges = ranges
        self.fitting: dict[str, tuple[Formula, ...]] = {}
        self.places = {
            buffer.name: (arena, i) for arena in arenas for i, buffer in enumerate(arena.buffers)
        }

    def condition(self, a: str, b: str) -> Formula:
        """Say when two objects share a byte; true where that is not known."""
        if a == b or a not in self.places or b not in self.places:
            return TRUE
        (arena, i), (other, k) = self.places[a], self.places[b]
        if arena is not other:
            return FALSE
        if not arena.layouts:
            return TRUE
        return disj(
            *(
                conj(self.taken(arena, at), self.meet(arena, layout, i, k))
                for at, layout in enumerate(arena.layouts)
            )
        )

    def meet(self, arena: Arena, layout: ArenaLayout, i: int, k: int) -> Formula:
        """Say when two buffers meet in one layout."""
        start, other = layout.offsets[i], layout.offsets[k]
        end, other_end = start + arena.buffers[i].size, other + arena.buffers[k].size
        if self.ranges.le(end, other) or self.ranges.le(other_end, start):
            return FALSE
        return conj(lt(start, other_end), lt(other, end))

    def taken(self, arena: Arena, at: int) -> Formula:
        """Say when a layout is the first that fits; the last one is, where no other does."""
        fits = self.fits(arena)
        last = at == len(fits) - 1
        return conj(*(neg(one) for one in fits[:at]), TRUE if last else fits[at])

    def fits(self, arena: Arena) -> tuple[Formula, ...]:
        """Say of each layout when it lies within the capacity and keeps live buffers apart."""
        known = self.fitting.get(arena.space)
        if known is None:
            known = tuple(
                conj(
                    TRUE if arena.capacity is None else le(layout.total, arena.capacity),
                    *disjoint(arena, layout, self.ranges),
                )
                for layout in arena.layouts
            )
            self.fitting[arena.space] = known
        return known
