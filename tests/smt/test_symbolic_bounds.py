"""Symbolic bounds on tiling questions: sound on random ones, strong enough for the usual ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logic.generators import points, truth
from vxproof.logic import build as b
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Formula, Rel, Sym, Term, add
from vxproof.smt import corner
from vxproof.smt.question import Settings

B, C, N, X, J, R = (Sym(name) for name in "BCNXJR")
SMALL = (
    Symbol("B", 1, 3, Origin.GENERIC),
    Symbol("C", 1, 2, Origin.GENERIC),
    Symbol("N", 0, 6, Origin.EXTENT),
    Symbol("X", -1, 2, Origin.GRID),
    Symbol("J", 0, 2, Origin.GRID),
    Symbol("R", -2, 1, Origin.ELEMENT),
)
WIDE = tuple(
    Symbol(s.name, max(0, s.lo or 0), 2**40 if s.name in "NXJ" else 2**20, s.origin) for s in SMALL
)
FACTS: tuple[Formula, ...] = (
    b.eq(b.mod(N, B), 0),
    b.eq(b.mod(N, C), 0),
    b.lt(X, b.div(N, B)),
    b.lt(J, b.div(N, C)),
    b.lt(X, b.ceil_div(N, B)),
    b.lt(R, B),
    b.lt(R, b.mod(N, B)),
    b.lt(X, J),
    b.le(X * B, N),
    b.le(b.align_up(N, C), b.max_(B, C)),
    b.lt(X, b.tdiv(N, B)),
    b.eq(N, X * C + J),
)
PARTS: tuple[Term, ...] = (
    X * B,
    J * B,
    X * B * C,
    R * C,
    B * C,
    *(B, C, N, X, J, R),
    N * C,
    N * B,
    b.div(N, B),
    b.div(N, B) * B,
    b.mod(N, B),
    b.tmod(N - X, C),
    b.align_up(N, C),
    b.ceil_div(N, B) * B,
    b.max_(X, J),
    b.min_(N, X * B),
)
sums = st.lists(st.tuples(st.integers(-2, 2), st.sampled_from(PARTS)), min_size=1, max_size=4).map(
    lambda parts: add(*(p * c for c, p in parts))
)
goals = st.one_of(
    st.tuples(st.sampled_from(list(Rel)), sums, st.integers(-3, 3)).map(
        lambda t: b.compare(t[0], t[1], t[2])
    ),
    st.tuples(sums, sums, st.integers(-2, 2)).map(
        lambda t: b.disj(b.le(t[0], t[2]), b.lt(t[2], t[1]))
    ),
)


def proves(symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...], goal: Formula) -> bool:
    shared = Settings()
    setting = shared.of(symbols, hypotheses)
    assert not setting.empty
    return setting.box.total(goal) and corner.proves(
        setting.box, setting.facts, shared.reader, goal
    )


@given(st.lists(st.sampled_from(FACTS), max_size=4, unique=True), goals)
def test_what_is_proved_holds(hypotheses: list[Formula], goal: Formula) -> None:
    shared = Settings()
    setting = shared.of(SMALL, tuple(hypotheses))
    if setting.empty or not corner.proves(setting.box, setting.facts, shared.reader, goal):
        return
    for env in points(SMALL):
        if not truth(goal, env):
            assert not all(truth(h, env) for h in hypotheses), env


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        ((b.eq(b.mod(N, B), 0), b.lt(X, b.div(N, B))), b.le(X * B + B, N)),
        ((b.lt(X, b.div(N, B)),), b.le(X * B + B, N)),
        ((b.lt(X, b.tdiv(N, B)), b.lt(R, B)), b.lt(X * B + R, N)),
        ((b.lt(X, b.ceil_div(N, B)),), b.lt(X * B, N)),
        ((b.eq(b.mod(N, B), 0),), b.eq(b.div(N, B) * B, N)),
        ((b.eq(b.mod(N, B), 0),), b.eq(b.mod(N * C, B), 0)),
        ((b.eq(b.mod(N, C), 0), b.eq(b.mod(N, B), 0)), b.eq(b.div(N, B) * B, b.div(N, C) * C)),
        ((), b.le(N, b.align_up(N, B))),
        ((b.lt(X, B), b.lt(J, C)), b.lt(X * C + J, B * C)),
        ((b.lt(X, J), b.lt(R, B)), b.ne(X * B + R, J * B)),
        ((b.le(X, N), b.le(J, N)), b.le(b.max_(X, J), N)),
        ((b.le(2 * N * B * C, 2**40),), b.le(N * B * C + 1, 2**40)),
        ((b.lt(X, N), b.eq(N, C * B)), b.lt(b.div(X, B), C)),
        ((b.lt(X, C * B),), b.lt(b.tdiv(X, B), C)),
        ((b.lt(R, b.min_(B, C)),), b.conj(b.lt(R, B), b.lt(R, C))),
        ((), b.implies(b.lt(X, b.div(N, B)), b.lt(X * B, N))),
    ],
    ids=lambda value: None,
)
def test_tiling_shapes_are_proved_on_wide_ranges(
    hypotheses: tuple[Formula, ...], goal: Formula
) -> None:
    assert proves(WIDE, hypotheses, goal)


@pytest.mark.parametrize(
    ("hypotheses", "goal"),
    [
        ((b.lt(X, b.ceil_div(N, B)),), b.le(X * B + B, N)),
        ((b.le(X, b.div(N, B)),), b.lt(X * B, N)),
        ((b.lt(X, J), b.le(R, B)), b.ne(X * B + R, J * B)),
        ((), b.eq(b.mod(N, B), 0)),
        ((b.le(X, N),), b.le(b.max_(X, J), N)),
        ((b.le(N, X),), b.le(N, b.min_(X, J))),
        ((b.lt(X, B), b.le(J, C)), b.lt(X * C + J, B * C)),
    ],
    ids=lambda value: None,
)
def test_twins_that_are_one_off_are_not_proved(
    hypotheses: tuple[Formula, ...], goal: Formula
) -> None:
    assert not proves(WIDE, hypotheses, goal)


def test_a_factor_that_may_be_negative_keeps_no_order() -> None:
    signed = (Symbol("R", -5, 5, Origin.VALUE), *(s for s in WIDE if s.name != "R"))
    assert proves(WIDE, (b.le(X, J),), b.le(R * X, R * J))
    assert not proves(signed, (b.le(X, J),), b.le(R * X, R * J))
