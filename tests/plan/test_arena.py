"""Arena layouts against a brute-force first fit, at sizes that are known."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from vxproof.logic.evaluate import evaluate
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Const, Sym, mul
from vxproof.plan.arena import layouts, peaks
from vxproof.plan.nodes import ArenaLayout, Buffer, BufferKind, Life
from vxproof.plan.ranges import ranges_of

NOTHING = ranges_of((), ())


def buffer(name: str, size: int, birth: int, death: int, align: int = 1) -> Buffer:
    return Buffer(name, BufferKind.TILE, Const(size), "", align, Life(birth, death, 1, 1))


def first_fit(buffers: list[Buffer]) -> list[int]:
    """Lowest free offset for each buffer, in the order of birth: the rule itself, on numbers."""
    placed: dict[int, tuple[int, int]] = {}
    order = sorted(
        range(len(buffers)),
        key=lambda i: (buffers[i].life.birth, -buffers[i].life.death, buffers[i].name),
    )
    for i in order:
        one = buffers[i]
        size = evaluate(one.size, {})
        taken = sorted(placed[k] for k in placed if buffers[k].life.meets(one.life))
        start = 0
        for low, high in taken:
            aligned = -(-start // one.alignment) * one.alignment
            if aligned + size <= low:
                break
            start = max(start, high)
        start = -(-start // one.alignment) * one.alignment
        placed[i] = (start, start + size)
    return [placed[i][0] for i in range(len(buffers))]


@st.composite
def arenas(draw: st.DrawFn) -> list[Buffer]:
    count = draw(st.integers(1, 9))
    found = []
    for i in range(count):
        birth = draw(st.integers(1, 12))
        death = draw(st.integers(birth, 14))
        size = draw(st.integers(1, 40))
        found.append(buffer(f"b{i}", size, birth, death, draw(st.sampled_from([1, 4, 16]))))
    return found


def overlaps(buffers: list[Buffer], layout: ArenaLayout) -> bool:
    ranges = [
        (evaluate(at, {}), evaluate(at, {}) + evaluate(one.size, {}))
        for one, at in zip(buffers, layout.offsets, strict=True)
    ]
    return any(
        buffers[i].life.meets(buffers[k].life)
        and ranges[i][0] < ranges[k][1]
        and ranges[k][0] < ranges[i][1]
        for i in range(len(buffers))
        for k in range(i)
    )


@given(arenas())
def test_known_sizes_are_laid_out_by_first_fit(buffers: list[Buffer]) -> None:
    birth = layouts(buffers, NOTHING)[0]
    assert [evaluate(at, {}) for at in birth.offsets] == first_fit(buffers)


@given(arenas())
def test_every_layout_is_legal(buffers: list[Buffer]) -> None:
    for layout in layouts(buffers, NOTHING):
        assert not overlaps(buffers, layout), layout.rule
        ends = [
            evaluate(at, {}) + evaluate(one.size, {})
            for one, at in zip(buffers, layout.offsets, strict=True)
        ]
        assert evaluate(layout.total, {}) >= max(ends)
        for one, at in zip(buffers, layout.offsets, strict=True):
            assert evaluate(at, {}) % one.alignment == 0


@given(arenas())
def test_the_peak_is_the_fullest_point(buffers: list[Buffer]) -> None:
    fullest = max(
        sum(evaluate(one.size, {}) for one in buffers if one.life.birth <= point <= one.life.death)
        for point in range(1, 15)
    )
    assert max(evaluate(need.term, {}) for need, _ in peaks(buffers, NOTHING)) == fullest


def test_sizes_that_cannot_be_compared_get_more_than_one_layout() -> None:
    free = ranges_of(
        (Symbol("A", 1, None, Origin.GENERIC), Symbol("B", 1, None, Origin.GENERIC)), ()
    )
    a, b = Sym("A"), Sym("B")
    buffers = [
        buffer("long", 8, 1, 9),
        Buffer("short", BufferKind.TILE, a, "A", 1, Life(2, 3, 1, 1)),
        buffer("top", 8, 3, 9),
        Buffer("late", BufferKind.TILE, b, "B", 1, Life(5, 6, 1, 1)),
    ]
    found = layouts(buffers, free)
    assert [one.rule for one in found][:2] == ["birth", "longest life"]
    best = min(evaluate(one.total, {"A": 100, "B": 90}) for one in found)
    assert best == 116


def test_a_hole_is_taken_where_it_provably_fits() -> None:
    symbols = (Symbol("A", 1, None, Origin.GENERIC),)
    a = Sym("A")
    buffers = [
        Buffer("first", BufferKind.TILE, mul(Const(4), a), "4*A", 1, Life(1, 2, 1, 1)),
        Buffer("second", BufferKind.TILE, a, "A", 1, Life(1, 9, 1, 1)),
        Buffer("third", BufferKind.TILE, mul(Const(3), a), "3*A", 1, Life(4, 9, 1, 1)),
    ]
    birth = layouts(buffers, ranges_of(symbols, ()))[0]
    by_name = dict(zip((one.name for one in buffers), birth.offsets, strict=True))
    assert evaluate(by_name["second"], {"A": 7}) == 0
    assert evaluate(by_name["first"], {"A": 7}) == 7
    assert evaluate(by_name["third"], {"A": 7}) == 7
    assert evaluate(birth.total, {"A": 7}) == 35
