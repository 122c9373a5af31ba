"""Random terms, formulas and obligations over a few small symbols."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from vxproof.diagnostics import Span
from vxproof.logic import build as b
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.obligation import Obligation, Origin, Symbol
from vxproof.logic.terms import App, Cmp, Formula, Not, Op, Rel, Sym, Term, add, mul, term

NAMES = ("x", "y", "z")
BINARY = (Op.DIV, Op.MOD, Op.TDIV, Op.TMOD, Op.ALIGN_UP, Op.CEIL_DIV)
BUILDERS = {
    Op.DIV: b.div,
    Op.MOD: b.mod,
    Op.TDIV: b.tdiv,
    Op.TMOD: b.tmod,
    Op.ALIGN_UP: b.align_up,
    Op.CEIL_DIV: b.ceil_div,
}
SPAN = Span("k.vx", 0, 1, 1, 1)

literals = st.integers(-6, 9).map(term)
symbols = st.sampled_from(NAMES).map(Sym)


def _wider(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: add(*p)),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: mul(*p)),
        st.tuples(st.sampled_from(BINARY), inner, st.one_of(literals, inner)).map(
            lambda t: BUILDERS[t[0]](t[1], t[2])
        ),
        pairs.map(lambda p: b.max_(*p)),
        pairs.map(lambda p: b.min_(*p)),
        inner.map(b.pow2_ceil),
        st.tuples(st.sampled_from(list(Rel)), inner, inner, inner, inner).map(
            lambda t: b.ite(b.compare(t[0], t[1], t[2]), t[3], t[4])
        ),
    )


terms = st.recursive(st.one_of(literals, symbols), _wider, max_leaves=8)
comparisons = st.tuples(st.sampled_from(list(Rel)), terms, terms).map(
    lambda t: b.compare(t[0], t[1], t[2])
)
formulas = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda p: b.conj(*p)),
        st.lists(inner, min_size=1, max_size=3).map(lambda p: b.disj(*p)),
        inner.map(Not),
    ),
    max_leaves=4,
)
ranges = st.tuples(st.integers(-5, 8), st.integers(0, 4)).map(lambda t: (t[0], t[0] + t[1]))


@st.composite
def declarations(draw: st.DrawFn) -> tuple[Symbol, ...]:
    return tuple(Symbol(name, *draw(ranges), Origin.GENERIC) for name in NAMES)


@st.composite
def obligations(draw: st.DrawFn) -> Obligation:
    return obligation(
        draw(declarations()),
        tuple(draw(st.lists(formulas, max_size=3))),
        draw(formulas),
    )


def obligation(
    declared: tuple[Symbol, ...], hypotheses: tuple[Formula, ...], goal: Formula
) -> Obligation:
    return Obligation("E6010", "capacity", "h", SPAN, declared, hypotheses, goal)


def points(declared: tuple[Symbol, ...]) -> list[dict[str, int]]:
    """Every point, in lexicographic order of the declaration."""
    spans = []
    for symbol in declared:
        assert symbol.lo is not None
        assert symbol.hi is not None
        spans.append(range(symbol.lo, symbol.hi + 1))
    return [dict(zip((s.name for s in declared), p, strict=True)) for p in product(*spans)]


def truth(formula: Formula, env: dict[str, int]) -> bool | None:
    """True, false, or None where it has no value."""
    try:
        return holds(formula, env)
    except Undefined:
        return None


def comparison(rel: Rel, left: Term, right: Term) -> Formula:
    return Cmp(rel, left, right)


def application(op: Op, *args: Term) -> Term:
    return App(op, args)
