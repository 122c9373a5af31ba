"""Interval operators against every pair of values, and residue classes against membership."""

from __future__ import annotations

from itertools import product

import pytest

from vxproof.logic import congruence, interval
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.interval import Interval
from vxproof.logic.terms import App, Const, Op, term

ENDS = (-7, -3, -1, 0, 1, 2, 5)
RANGES = [(lo, hi) for lo in ENDS for hi in ENDS if lo <= hi]
FAR = 16
DIVISIONS = (Op.DIV, Op.MOD, Op.TDIV, Op.TMOD, Op.ALIGN_UP, Op.CEIL_DIV)


def values(bounds: Interval) -> range:
    """The values of an interval, an open end cut off far away."""
    lo, hi = bounds
    return range(-FAR if lo is None else lo, (FAR if hi is None else hi) + 1)


def holds_all(found: Interval, results: list[int]) -> bool:
    lo, hi = found
    return all((lo is None or lo <= r) and (hi is None or r <= hi) for r in results)


def opened(bounds: Interval) -> list[Interval]:
    return [bounds, (None, bounds[1]), (bounds[0], None)]


@pytest.mark.parametrize("op", DIVISIONS)
def test_divisions(op: Op) -> None:
    for a, b in product(RANGES[::2], RANGES):
        try:
            results = [
                evaluate(App(op, (Const(x), Const(y))), {}) for x in values(a) for y in values(b)
            ]
        except Undefined:
            assert interval.quotient(op, a, b) is None
            continue
        found = interval.quotient(op, a, b)
        assert found is not None
        assert holds_all(found, results), (a, b, found)
        if a[0] == a[1] and b[0] == b[1]:
            assert found == (results[0], results[0])


@pytest.mark.parametrize("op", DIVISIONS)
def test_divisions_with_open_ends(op: Op) -> None:
    for a, b in product(RANGES[::4], RANGES[::3]):
        for c, d in product(opened(a), opened(b)):
            found = interval.quotient(op, c, d)
            if found is not None:
                pairs = product(values(c), values(d))
                results = [evaluate(App(op, (Const(x), Const(y))), {}) for x, y in pairs]
                assert holds_all(found, results), (c, d, found)


def test_products() -> None:
    for a, b in product(RANGES, RANGES):
        results = [x * y for x in values(a) for y in values(b)]
        assert interval.multiply(a, b) == (min(results), max(results))
    for a, b in product(RANGES[::2], RANGES[::2]):
        for c, d in product(opened(a), opened(b)):
            results = [x * y for x in values(c) for y in values(d)]
            assert holds_all(interval.multiply(c, d), results), (c, d)


def test_powers_of_two() -> None:
    for a in RANGES:
        results = [evaluate(App(Op.POW2_CEIL, (term(x),)), {}) for x in values(a)]
        assert interval.power_of_two(a) == (min(results), max(results))


def test_residue_classes() -> None:
    classes = [congruence.reduced(m, r) for m in (0, 1, 2, 4, 6) for r in (-3, 0, 1, 5)]
    members = {c: [v for v in range(-30, 31) if congruence.contains(c, v)] for c in classes}
    for a, b in product(classes, classes):
        met = congruence.both(a, b)
        common = set(members[a]) & set(members[b])
        assert common == (set() if met is None else {v for v in common if in_class(met, v)})
        assert met is not None or not common
        if met is not None:
            assert {v for v in range(-30, 31) if in_class(met, v)} == common
        for x, y in product(members[a][:6], members[b][:6]):
            assert in_class(congruence.plus(a, b), x + y)
            assert in_class(congruence.times(a, b), x * y)
            assert in_class(congruence.either(a, b), x)
            assert in_class(congruence.either(a, b), y)


def in_class(a: congruence.Congruence, value: int) -> bool:
    return congruence.contains(a, value)


def test_linear_residues() -> None:
    for factor, residue, modulus in product(range(-6, 7), range(-4, 5), (1, 2, 5, 6, 9)):
        found = congruence.solve(factor, residue, modulus)
        solutions = {x for x in range(-20, 21) if (factor * x - residue) % modulus == 0}
        expected = set() if found is None else {x for x in range(-20, 21) if in_class(found, x)}
        assert solutions == expected
