"""Ranges, rewriting and hints against exact evaluation at every point of small boxes."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from vxproof.constraints.hints import cleared, hints
from vxproof.constraints.linear import Picker
from vxproof.constraints.ranges import Ranges
from vxproof.constraints.rewrite import Rewriter, divisions
from vxproof.logic.build import (
    align_up,
    ceil_div,
    conj,
    div,
    ite,
    le,
    lt,
    max_,
    min_,
    mod,
    ne,
    tdiv,
    tmod,
)
from vxproof.logic.evaluate import Undefined, evaluate, holds
from vxproof.logic.terms import App, Const, Formula, Op, Sym, Term

NAMES = ("a", "b", "c")
BOX = {"a": (-2, 3), "b": (0, 3), "c": (1, 3)}
POINTS = [
    dict(zip(NAMES, values, strict=True))
    for values in product(*(range(lo, hi + 1) for lo, hi in BOX.values()))
]
LEAVES = st.one_of(st.integers(-4, 9).map(Const), st.sampled_from(NAMES).map(Sym))


def _grown(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(inner, inner)
    operators = (
        lambda p: p[0] + p[1],
        lambda p: p[0] - p[1],
        lambda p: p[0] * p[1],
        lambda p: div(*p),
        lambda p: mod(*p),
        lambda p: tdiv(*p),
        lambda p: tmod(*p),
        lambda p: max_(*p),
        lambda p: min_(*p),
        lambda p: align_up(*p),
        lambda p: ceil_div(*p),
        lambda p: ite(le(*p), p[1], p[0]),
    )
    return st.one_of(*(pairs.map(operator) for operator in operators))


TERMS = st.recursive(LEAVES, _grown, max_leaves=6)
FORMULAS = st.tuples(TERMS, TERMS, st.sampled_from([le, lt])).map(lambda t: t[2](t[0], t[1]))


def value(term: Term, point: dict[str, int]) -> int | None:
    try:
        return evaluate(term, point)
    except Undefined:
        return None


def true(formula: Formula, point: dict[str, int]) -> bool:
    try:
        return holds(formula, point)
    except Undefined:
        return False


def box() -> Ranges:
    return Ranges(None, dict(BOX))


@given(TERMS)
def test_bounds_hold_every_value(term: Term) -> None:
    low, high = box().bounds(term)
    for point in POINTS:
        found = value(term, point)
        if found is not None:
            assert low is None or low <= found
            assert high is None or found <= high


@given(st.lists(FORMULAS, min_size=1, max_size=3), TERMS)
def test_narrowed_ranges_hold_every_admitted_point(formulas: list[Formula], term: Term) -> None:
    ranges = Ranges(box())
    ranges.assume(formulas)
    low, high = ranges.bounds(term)
    for point in POINTS:
        if not all(true(formula, point) for formula in formulas):
            continue
        for name, number in point.items():
            least, most = ranges.symbol(name)
            assert least is None or least <= number
            assert most is None or number <= most
        found = value(term, point)
        if found is not None:
            assert low is None or low <= found
            assert high is None or found <= high


@given(FORMULAS)
def test_rewriting_and_clearing_keep_the_truth(formula: Formula) -> None:
    ranges = box()
    same = [Rewriter({}, ranges).formula(formula), cleared(formula, ranges)]
    for point in POINTS:
        try:
            expected = holds(formula, point)
        except Undefined:
            continue
        assert [true(one, point) for one in same] == [expected, expected]


@given(FORMULAS, st.lists(FORMULAS, max_size=3))
def test_hints_and_picked_ways_follow(goal: Formula, facts: list[Formula]) -> None:
    ranges = box()
    found = hints(goal, facts, ranges)
    picked = Picker(ranges).pick((goal,), (*facts, *found))
    for point in POINTS:
        if not all(true(fact, point) for fact in facts):
            continue
        for hint in found:
            try:
                assert holds(hint, point)
            except Undefined:
                continue
        if picked is not None:
            try:
                assert holds(goal, point)
            except Undefined:
                continue


@given(FORMULAS)
def test_divisions_are_found_where_they_are_evaluated(formula: Formula) -> None:
    units = [(one, held) for one, held in divisions(formula)]
    for point in POINTS:
        try:
            holds(formula, point)
        except Undefined:
            assert any(_fails(node, held, point) for node, held in units)


def _fails(node: App, held: tuple[Formula, ...], point: dict[str, int]) -> bool:
    unit = value(node.args[1], point)
    if unit is None:
        return False
    bad = unit < 1 if node.op in {Op.ALIGN_UP, Op.CEIL_DIV} else unit == 0
    return bad and all(true(one, point) for one in held)


def test_divisors_are_guarded_from_the_left() -> None:
    a = Sym("a")
    guarded = conj(ne(a, 0), le(mod(Const(8), a), 1))
    assert [held for _, held in divisions(guarded)] == [(ne(a, 0),)]
