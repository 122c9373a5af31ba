"""What is added to hypotheses and is no fact of the source follows from facts of the source.

On paper: from `s + c <= T` and `k >= 0` follows `k*s + k*c <= k*T`; for `k >= 1`, `k * (X div k)`
is at most X and `k * ceil_div(X, k)` at most X + k - 1; for `g < h` and `k >= 0`, `k*g + k` is at
most `k*h`. Here each rule is tried at every point of a small box, often enough to fire.
"""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import cast

from vxproof.constraints.grid import _growth
from vxproof.constraints.hints import hints
from vxproof.constraints.ranges import Ranges
from vxproof.constraints.rewrite import Rewriter
from vxproof.constraints.state import State
from vxproof.logic.build import ceil_div, div, eq, le, lt, min_, mod, tdiv
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.terms import Const, Formula, Sym, Term, mul

BOX = {"a": (-3, 3), "b": (0, 3), "c": (1, 3)}
OPEN: dict[str, tuple[int | None, int | None]] = {"a": (None, None), "b": (0, None), "c": (1, None)}
POINTS = [
    dict(zip(BOX, values, strict=True))
    for values in product(*(range(lo, hi + 1) for lo, hi in BOX.values()))
]


def _size(draw: Random) -> Term:
    return Sym(draw.choice("abc")) if draw.random() < 0.8 else Const(draw.randint(-1, 3))


def _top(draw: Random, depth: int = 2) -> Term:
    whole = Sym(draw.choice("abc")) * draw.randint(1, 3) + draw.randint(-2, 5)
    quotient = draw.choice((div, ceil_div, tdiv, mod))(whole, _size(draw))
    kind = draw.randrange(6) if depth else 0
    if kind == 1:
        return quotient + draw.randint(-2, 2)
    if kind == 2:
        return mul(_size(draw), quotient)
    if kind == 3:
        return min_(_top(draw, depth - 1), _top(draw, depth - 1))
    if kind == 4:
        return _top(draw, depth - 1) + _size(draw)
    return quotient if draw.random() < 0.8 else whole


def _fact(draw: Random) -> Formula:
    left: Term = Sym(draw.choice("abc"))
    if draw.random() < 0.4:
        left = left + draw.randint(-2, 2)
    top = _top(draw)
    pair = (top, left) if draw.random() < 0.15 else (left, top)
    return draw.choice((le, lt, eq))(*pair)


def _goal(draw: Random) -> Formula:
    return le(mul(*(_size(draw) for _ in range(draw.randint(2, 3)))), _size(draw))


def _true(formula: Formula, point: dict[str, int]) -> bool | None:
    try:
        return holds(formula, point)
    except Undefined:
        return None


def test_hints_follow_at_every_point() -> None:
    tried = 0
    for seed in range(1500):
        draw = Random(seed)
        facts = [_fact(draw) for _ in range(draw.randint(1, 3))]
        ranges = Ranges(None, dict(BOX if draw.random() < 0.5 else OPEN))
        found = hints(_goal(draw), facts, ranges)
        assert set(found.values()) <= set(facts)
        for point in POINTS:
            if all(_true(fact, point) for fact in facts):
                tried += len(found)
                for hint in found:
                    assert _true(hint, point) is not False, (seed, facts, hint, point)
    assert tried > 3_000


def test_products_grow_from_a_point_to_a_later_one() -> None:
    """`a` is the coordinate of one point, `a@2` that of the other, and `b` is the point's own."""
    mine, theirs = Sym("a"), Sym("a@2")
    both = Rewriter({"a": theirs, "b": Sym("b@2")})
    found = 0
    for seed in range(300):
        draw = Random(seed)
        box = Ranges(None, dict(BOX if draw.random() < 0.5 else OPEN))
        rest = mul(*(_size(draw) for _ in range(draw.randint(1, 2))))
        way = le(mul(mine, rest) + draw.randint(-1, 2), mul(theirs, rest))
        for low in (mine, theirs):
            state = cast(State, SimpleNamespace(box=box))
            for formula in _growth(state, (way,), mine, both, low):
                found += 1
                for point in POINTS:
                    for other in range(-3, 4):
                        at = {**point, "a@2": other, "b@2": point["b"]}
                        ordered = at[low.name] < at[(theirs if low == mine else mine).name]
                        assert not ordered or _true(formula, at), (seed, formula, at)
    assert found > 50
