"""Every operator means the same to z3 as in exact evaluation, whatever is known of the ranges."""

from __future__ import annotations

import pytest

from vxproof.logic import build as b
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import App, Op, Sym
from vxproof.logic.tighten import full_box
from vxproof.smt.z3_backend import Answer, Model, NoAnswer, Query, Unsatisfiable, ask

X, K = Sym("x"), Sym("k")
VALUES = (-7, -2, 0, 5)
DIVISORS = (-3, -1, 0, 2)


def equals(op: Op, x: int, k: int, value: int, *, wide: bool) -> Answer:
    """Whether `op(x, k) == value` has a model with the operands fixed."""
    ends = {"x": (x, x), "k": (k, k)}
    if wide:
        ends = {"x": (min(VALUES), max(VALUES)), "k": (min(DIVISORS), max(DIVISORS))}
    declared = tuple(Symbol(name, *ends[name], Origin.VALUE) for name in ends)
    args = (X,) if op is Op.POW2_CEIL else (X, K)
    formulas = (b.eq(X, x), b.eq(K, k), b.eq(App(op, args), value))
    return ask(Query(("x", "k"), full_box(declared, Normaliser()), strict=formulas))


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("op", list(Op))
def test_operator(op: Op, wide: bool) -> None:
    for x in VALUES:
        for k in DIVISORS:
            args = (X,) if op is Op.POW2_CEIL else (X, K)
            try:
                value = evaluate(App(op, args), {"x": x, "k": k})
            except Undefined:
                assert isinstance(equals(op, x, k, 0, wide=wide), Unsatisfiable)
                continue
            assert isinstance(equals(op, x, k, value, wide=wide), Model)


def test_power_of_two_needs_an_upper_end() -> None:
    box = full_box((Symbol("x", 0, None, Origin.VALUE),), Normaliser())
    query = Query(("x",), box, strict=(b.eq(b.pow2_ceil(X), 8),))
    assert isinstance(ask(query), NoAnswer)
