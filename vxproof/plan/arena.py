"""Layouts of an arena: where each buffer starts, as a term, for all admitted sizes at once.

Three orders are tried: birth (ties by longer life, then by name), longest life first, largest
first. A buffer takes the lowest hole between live ones into which it provably fits, else it goes
above all of them. Where sizes cannot be compared the result is therefore an upper bound of what
first fit would need at each point; two buffers whose lives meet never share a byte by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from vxproof.logic.build import max_
from vxproof.logic.terms import Const, Term
from vxproof.plan.nodes import ArenaLayout, Buffer
from vxproof.plan.poly import ZERO, Poly, poly
from vxproof.plan.ranges import Ranges

ALTERNATIVES_UP_TO = 64
"""Buffers of an arena up to which the orders after the first are laid out too."""


def layouts(buffers: Sequence[Buffer], ranges: Ranges) -> tuple[ArenaLayout, ...]:
    """Return the layouts to try, in order; one only where the first needs no more than the peak."""
    if not buffers:
        return ()
    first = _by_birth(buffers, ranges)
    if len(buffers) > ALTERNATIVES_UP_TO or _is_tight(first, buffers, ranges):
        return (first,)
    life = sorted(range(len(buffers)), key=lambda i: (-_length(buffers[i]), _birth_key(buffers[i])))
    size = sorted(
        range(len(buffers)), key=lambda i: (-_corner(buffers[i], ranges), _birth_key(buffers[i]))
    )
    found = [first]
    for rule, order in (("longest life", life), ("largest", size)):
        one = _in_order(rule, buffers, order, ranges)
        if all(one.offsets != other.offsets for other in found):
            found.append(one)
    return tuple(found)


def peaks(buffers: Sequence[Buffer]) -> tuple[tuple[Poly, tuple[int, ...]], ...]:
    """Return the needs of the largest sets of buffers that live together, with their indices.

    In program order; equal needs are given once, and a need that another one covers for all
    positive extents is left out.
    """
    needs: dict[Poly, tuple[int, ...]] = {}
    live: dict[int, Poly] = {}
    deaths: list[tuple[int, int]] = []
    total = ZERO
    grown = False
    for i in sorted(range(len(buffers)), key=lambda i: _birth_key(buffers[i])):
        birth = buffers[i].life.birth
        if deaths and deaths[0][0] < birth:
            if grown and total not in needs:
                needs[total] = tuple(sorted(live))
            grown = False
            while deaths and deaths[0][0] < birth:
                total -= live.pop(heappop(deaths)[1])
        live[i] = poly(buffers[i].size)
        total += live[i]
        heappush(deaths, (buffers[i].life.death, i))
        grown = True
    if grown and total not in needs:
        needs[total] = tuple(sorted(live))
    return tuple(
        (need, members)
        for need, members in needs.items()
        if not any(other != need and (other - need).non_negative_factors for other in needs)
    )


def _birth_key(buffer: Buffer) -> tuple[int, int, str]:
    return buffer.life.birth, -buffer.life.death, buffer.name


def _length(buffer: Buffer) -> int:
    return buffer.life.death - buffer.life.birth


def _corner(buffer: Buffer, ranges: Ranges) -> int:
    high = ranges.bounds(buffer.size)[1]
    return -1 if high is None else high


def _is_tight(layout: ArenaLayout, buffers: Sequence[Buffer], ranges: Ranges) -> bool:
    total = poly(layout.total)
    return any(ranges.least(need - total) == 0 for need, _ in peaks(buffers))


def _by_birth(buffers: Sequence[Buffer], ranges: Ranges) -> ArenaLayout:
    """First fit in the order of birth; live buffers are kept in the order of their offsets."""
    offsets: list[Term] = [Const(0)] * len(buffers)
    ends: dict[Poly, None] = {}
    stack: list[_Placed] = []
    for i in sorted(range(len(buffers)), key=lambda k: _birth_key(buffers[k])):
        buffer = buffers[i]
        stack = _released(stack, buffer.life.birth)
        at, start = _hole(stack, buffer, ranges)
        end = poly(start) + poly(buffer.size)
        offsets[i] = start
        stack.insert(at, _Placed(buffer.life.death, start, end))
        if at == len(stack) - 1:
            ends[end] = None
    return ArenaLayout("birth", tuple(offsets), _largest(tuple(ends), ranges))


class _Placed:
    """A live buffer: when it dies, where it starts and ends, if a hole may be below."""

    __slots__ = ("below", "death", "end", "start")

    def __init__(self, death: int, start: Term, end: Poly) -> None:
        self.death = death
        self.start = start
        self.end = end
        self.below = False


def _released(stack: list[_Placed], birth: int) -> list[_Placed]:
    """Drop the dead; the neighbour above one may have a hole below it from now on."""
    if all(one.death >= birth for one in stack):
        return stack
    kept: list[_Placed] = []
    hole = False
    for one in stack:
        if one.death < birth:
            hole = True
            continue
        one.below = one.below or hole
        hole = False
        kept.append(one)
    return kept


def _hole(stack: list[_Placed], buffer: Buffer, ranges: Ranges) -> tuple[int, Term]:
    size = poly(buffer.size)
    for at, above in enumerate(stack):
        if not above.below:
            continue
        start = _start(stack[at - 1].end if at else ZERO, buffer, ranges)
        least = ranges.least(poly(above.start) - (poly(start) + size))
        if least is not None and least >= 0:
            return at, start
    return len(stack), _start(stack[-1].end if stack else ZERO, buffer, ranges)


def _start(end: Poly, buffer: Buffer, ranges: Ranges) -> Term:
    return ranges.align_up(end.term, buffer.alignment)


def _in_order(
    rule: str, buffers: Sequence[Buffer], order: Sequence[int], ranges: Ranges
) -> ArenaLayout:
    """Place each buffer above all those already placed whose lives meet its own."""
    offsets: list[Term] = [Const(0)] * len(buffers)
    below: dict[int, frozenset[int]] = {}
    ends: dict[int, Poly] = {}
    for i in order:
        rivals = frozenset(k for k in below if buffers[k].life.meets(buffers[i].life))
        covered = frozenset(j for k in rivals for j in below[k])
        tops = [ends[k] for k in sorted(rivals - covered)]
        base = _largest(tuple(dict.fromkeys(tops)), ranges) if tops else Const(0)
        offsets[i] = ranges.align_up(base, buffers[i].alignment)
        ends[i] = poly(offsets[i]) + poly(buffers[i].size)
        below[i] = rivals | covered
    return ArenaLayout(rule, tuple(offsets), _largest(tuple(dict.fromkeys(ends.values())), ranges))


def _largest(ends: tuple[Poly, ...], ranges: Ranges) -> Term:
    """Largest of the ends, without those that another one provably reaches."""
    kept: list[Poly] = []
    for end in ends:
        if any(_covers(other, end, ranges) for other in kept):
            continue
        kept = [other for other in kept if not _covers(end, other, ranges)]
        kept.append(end)
    return max_(*(end.term for end in kept))


def _covers(a: Poly, b: Poly, ranges: Ranges) -> bool:
    least = ranges.least(a - b)
    return least is not None and least >= 0
