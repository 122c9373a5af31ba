"""Layouts of an arena: where each buffer starts, as a term, for all admitted sizes at once.

Three orders are tried: birth (ties by longer life, then by name), longest life first, largest
first. A buffer takes the lowest hole between live ones into which it provably fits, else it goes
above all of them. Where sizes cannot be compared the result is therefore an upper bound of what
first fit would need at each point; two buffers whose lives meet never share a byte by construction.

Where that may waste room, what first fit does at the largest and at the smallest sizes is added:
each buffer above the one that it rests on there. Such a layout is valid where its buffers are
disjoint, which whoever uses it has to show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from vxproof.logic.build import max_
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.terms import Const, Term
from vxproof.plan.nodes import ArenaLayout, Buffer
from vxproof.plan.poly import ZERO, Poly, poly
from vxproof.plan.ranges import Ranges

ALTERNATIVES_UP_TO = 64
"""Buffers of an arena up to which the orders after the first are laid out too."""

SAMPLED_UP_TO = 16
"""Buffers of an arena up to which what first fit does at single sizes is added."""

OPEN_END = 1 << 20
"""What stands for the largest value of a symbol that has none."""


def layouts(buffers: Sequence[Buffer], ranges: Ranges) -> tuple[ArenaLayout, ...]:
    """Return the layouts to try, in order; one only where the first needs no more than the peak."""
    found = safe_layouts(buffers, ranges)
    if len(found) < 2 or len(buffers) > SAMPLED_UP_TO:
        return _distinct(found)
    for name, sizes in (("largest sizes", _high(ranges)), ("smallest sizes", _low(ranges))):
        for rule, order in _orders(buffers, ranges):
            one = _sampled(f"{rule}, at the {name}", buffers, order, sizes, ranges)
            if one is not None:
                found = (*found, one)
    return _distinct(found)


def safe_layouts(buffers: Sequence[Buffer], ranges: Ranges) -> tuple[ArenaLayout, ...]:
    """Return the layouts that are valid for every admitted value, in order."""
    if not buffers:
        return ()
    first = _by_birth(buffers, ranges)
    if len(buffers) > ALTERNATIVES_UP_TO or _is_tight(first, buffers, ranges):
        return (first,)
    others = (
        _in_order(rule, buffers, order, ranges) for rule, order in _orders(buffers, ranges)[1:]
    )
    return (first, *others)


def _distinct(found: Sequence[ArenaLayout]) -> tuple[ArenaLayout, ...]:
    first: dict[tuple[Term, ...], ArenaLayout] = {}
    for one in found:
        first.setdefault(one.offsets, one)
    return tuple(first.values())


def _orders(buffers: Sequence[Buffer], ranges: Ranges) -> tuple[tuple[str, list[int]], ...]:
    born = sorted(range(len(buffers)), key=lambda i: _birth_key(buffers[i]))
    life = sorted(born, key=lambda i: -_length(buffers[i]))
    size = sorted(born, key=lambda i: -_corner(buffers[i], ranges))
    return ("birth", born), ("longest life", life), ("largest", size)


def peaks(buffers: Sequence[Buffer], ranges: Ranges) -> tuple[tuple[Poly, tuple[int, ...]], ...]:
    """Return the needs of the largest sets of buffers that live together, with their indices.

    In program order; equal needs are given once, and a need that another one covers for all
    admitted values is left out.
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
        if not any(other != need and _exceeds(other, need, ranges) for other in needs)
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
    return any(ranges.least(need - total) == 0 for need, _ in peaks(buffers, ranges))


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
        floor = stack[at - 1].end if at else ZERO
        stack.insert(at, _Placed(buffer.life.death, start, end, below=poly(start) != floor))
        if at == len(stack) - 1:
            ends[end] = None
    return ArenaLayout("birth", tuple(offsets), _largest(tuple(ends), ranges))


class _Placed:
    """A live buffer: when it dies, where it starts and ends, if a hole may be below."""

    __slots__ = ("below", "death", "end", "start")

    def __init__(self, death: int, start: Term, end: Poly, *, below: bool) -> None:
        self.death = death
        self.start = start
        self.end = end
        self.below = below


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
    """Place each buffer in the lowest hole that provably takes it, or above all rivals.

    Which hole to ask about is read off the offsets at the largest sizes.
    """
    offsets: list[Term] = [Const(0)] * len(buffers)
    starts: dict[int, Poly] = {}
    ends: dict[int, Poly] = {}
    sizes = _high(ranges)
    for i in order:
        rivals = [k for k in starts if buffers[k].life.meets(buffers[i].life)]
        rivals.sort(key=lambda k: (_value(starts[k].term, sizes), k))
        offsets[i] = _lowest(buffers[i], rivals, starts, ends, ranges)
        starts[i] = poly(offsets[i])
        ends[i] = starts[i] + poly(buffers[i].size)
    return ArenaLayout(rule, tuple(offsets), _largest(tuple(dict.fromkeys(ends.values())), ranges))


def _lowest(
    buffer: Buffer,
    rivals: Sequence[int],
    starts: Mapping[int, Poly],
    ends: Mapping[int, Poly],
    ranges: Ranges,
) -> Term:
    """The lowest offset that is provably free among rivals, which stand in their order."""
    size = poly(buffer.size)
    sizes = _high(ranges)
    below: list[Poly] = []
    for at, above in enumerate(rivals):
        base = max(below, key=lambda end: _value(end.term, sizes), default=ZERO)
        start = _start(base, buffer, ranges)
        top = poly(start) + size
        if (
            _value(top.term, sizes) <= _value(starts[above].term, sizes)
            and all(_covers(poly(start), end, ranges) for end in below)
            and all(_covers(starts[k], top, ranges) for k in rivals[at:])
        ):
            return start
        below.append(ends[above])
    base_term = _largest(tuple(dict.fromkeys(below)), ranges) if below else Const(0)
    return ranges.align_up(base_term, buffer.alignment)


def _sampled(
    rule: str,
    buffers: Sequence[Buffer],
    order: Sequence[int],
    sizes: Mapping[str, int],
    ranges: Ranges,
) -> ArenaLayout | None:
    """What first fit does at single sizes: each buffer above the one that it rests on there."""
    offsets: list[Term] = [Const(0)] * len(buffers)
    spans: dict[int, tuple[int, int]] = {}
    try:
        lengths = [evaluate(one.size, sizes) for one in buffers]
    except (Undefined, KeyError):
        return None
    for i in order:
        unit = buffers[i].alignment
        rivals = [k for k in spans if buffers[k].life.meets(buffers[i].life)]
        floors = {0: -1} | {-(-spans[k][1] // unit) * unit: k for k in rivals}
        start = min(
            at
            for at in floors
            if all(at + lengths[i] <= spans[k][0] or spans[k][1] <= at for k in rivals)
        )
        under = floors[start]
        spans[i] = start, start + lengths[i]
        if under >= 0:
            offsets[i] = _start(
                poly(offsets[under]) + poly(buffers[under].size), buffers[i], ranges
            )
    ends = (poly(at) + poly(one.size) for at, one in zip(offsets, buffers, strict=True))
    return ArenaLayout(rule, tuple(offsets), _largest(tuple(dict.fromkeys(ends)), ranges))


def _high(ranges: Ranges) -> dict[str, int]:
    return {
        name: (max(low or 1, OPEN_END) if high is None else high)
        for name, (low, high) in ranges.intervals.items()
    }


def _low(ranges: Ranges) -> dict[str, int]:
    return {
        name: max(1, low or 1) if high is None else min(max(1, low or 1), high)
        for name, (low, high) in ranges.intervals.items()
    }


def _value(term: Term, sizes: Mapping[str, int]) -> int:
    """A term at single sizes; 0 where it has no value, which only costs a hole."""
    try:
        return evaluate(term, sizes)
    except (Undefined, KeyError):
        return 0


def _largest(ends: tuple[Poly, ...], ranges: Ranges) -> Term:
    """Largest of the ends, without those that another one provably reaches."""
    kept: list[Poly] = []
    for end in ends:
        if any(_covers(other, end, ranges) for other in kept):
            continue
        kept = [other for other in kept if not _covers(end, other, ranges)]
        kept.append(end)
    return max_(*(end.term for end in kept))


def _exceeds(a: Poly, b: Poly, ranges: Ranges) -> bool:
    """Whether one need provably covers another, by a difference that has no negative part."""
    gap = a - b
    return gap.non_negative_factors and _covers(a, b, ranges)


def _covers(a: Poly, b: Poly, ranges: Ranges) -> bool:
    least = ranges.least(a - b)
    return least is not None and least >= 0
