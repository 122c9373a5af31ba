"""What remains to be shown of an arena's layout: buffers that live together share no byte.

Independent of how the plan placed them. Where the live buffers stand in one provable order, each
new one is compared with its two neighbours only; else every pair that meets becomes a formula.
"""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.logic.build import align_up, disj, eq, le
from vxproof.logic.terms import Formula, Term
from vxproof.plan.nodes import Arena, ArenaLayout, Buffer
from vxproof.plan.ranges import Ranges

Placed = tuple[Buffer, Term]


def disjoint(
    arena: Arena,
    layout: ArenaLayout,
    ranges: Ranges,
    apart: frozenset[frozenset[str]] = frozenset(),
) -> tuple[Formula, ...]:
    """Return formulas that say: aligned, within the total, and disjoint while alive.

    `apart` are pairs of names that have to be disjoint whatever their lives are.
    """
    placed = sorted(
        zip(arena.buffers, layout.offsets, strict=True), key=lambda one: one[0].life.birth
    )
    found: list[Formula] = []
    for buffer, offset in placed:
        found.extend(le(0, one) for one in (offset, buffer.size) if not ranges.le(0, one))
        if not ranges.le(offset + buffer.size, layout.total):
            found.append(le(offset + buffer.size, layout.total))
        if not ranges.divides(buffer.alignment, offset):
            found.append(eq(offset, align_up(offset, buffer.alignment)))
    if not _in_order(placed, ranges):
        found.extend(_pairs(placed, ranges))
    if apart:
        by_name = {buffer.name: (buffer, offset) for buffer, offset in placed}
        for names in sorted(map(sorted, apart)):
            if all(name in by_name for name in names):
                found.extend(_pairs([by_name[name] for name in names], ranges, ever=True))
    return tuple(found)


def _in_order(placed: Sequence[Placed], ranges: Ranges) -> bool:
    """Whether the live buffers always stand in a provable order of their offsets."""
    stack: list[Placed] = []
    for buffer, offset in placed:
        stack = [one for one in stack if one[0].life.death >= buffer.life.birth]
        at = len(stack)
        while at and not ranges.le(stack[at - 1][1] + stack[at - 1][0].size, offset):
            at -= 1
        if at < len(stack) and not ranges.le(offset + buffer.size, stack[at][1]):
            return False
        stack.insert(at, (buffer, offset))
    return True


def _pairs(placed: Sequence[Placed], ranges: Ranges, *, ever: bool = False) -> list[Formula]:
    found: list[Formula] = []
    live: list[Placed] = []
    for buffer, offset in placed:
        live = [one for one in live if ever or one[0].life.death >= buffer.life.birth]
        for other, start in live:
            below, above = start + other.size, offset + buffer.size
            if not (ranges.le(below, offset) or ranges.le(above, start)):
                found.append(disj(le(below, offset), le(above, start)))
        live.append((buffer, offset))
    return found
