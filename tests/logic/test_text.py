"""Source text of terms and formulas."""

from __future__ import annotations

import pytest

from vxproof.logic import build as b
from vxproof.logic.terms import App, Const, Formula, Not, Op, Sym, Term, mul
from vxproof.logic.text import show

BM, D, N, X = (Sym(n) for n in ("BM", "D", "N", "x"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2 * BM * D, "2*BM*D"),
        (b.align_up(BM * D * 2, 128), "align_up(2*BM*D, 128)"),
        (b.div(N, BM), "N/BM"),
        (b.tmod(N, BM), "N % BM"),
        (b.div(N, BM) * BM, "N/BM*BM"),
        (BM * b.div(N, BM), "BM*(N/BM)"),
        (b.div(N, BM * D), "N/(BM*D)"),
        ((BM + D) * N, "(BM + D)*N"),
        (BM - D, "BM - D"),
        (-2 * D + BM, "BM - 2*D"),
        (BM - 1, "BM - 1"),
        (-1 - BM, "-BM - 1"),
        (mul(Const(-3), BM), "-3*BM"),
        (BM * (D - N), "BM*(D - N)"),
        (b.mod(N - 1, BM + 1), "(N - 1) % (BM + 1)"),
        (b.max_(BM, D, 4), "max(BM, D, 4)"),
        (b.pow2_ceil(b.ceil_div(N, 32)), "pow2_ceil(ceil_div(N, 32))"),
        (b.ite(b.lt(N, BM), N, BM), "if N < BM { N } else { BM }"),
        (b.ite(b.lt(N, BM), N, BM) + 1, "(if N < BM { N } else { BM }) + 1"),
        (b.le(2 * BM, 101376), "2*BM <= 101376"),
        (b.conj(b.le(0, X), b.lt(X, N)), "0 <= x && x < N"),
        (
            b.disj(b.conj(b.le(0, X), b.lt(X, N)), b.eq(X, -1)),
            "0 <= x && x < N || x == -1",
        ),
        (b.conj(b.disj(b.ne(X, 1), b.lt(X, N)), b.le(X, 9)), "(x != 1 || x < N) && x <= 9"),
        (Not(b.conj(b.le(0, X), b.lt(X, N))), "!(0 <= x && x < N)"),
    ],
)
def test_source_text(value: Term | Formula, text: str) -> None:
    assert show(value) == text


def test_names() -> None:
    assert show(b.lt(Sym("%3"), N), {"%3": "j"}) == "j < N"


def test_shared_terms_stay_short() -> None:
    value: Term = X
    for _ in range(200):
        value = App(Op.MAX, (value, App(Op.DIV, (value, Const(2)))))
    assert len(show(value)) < 10_000
