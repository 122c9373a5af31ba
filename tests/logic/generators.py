"""Random terms, formulas and obligations over a few small symbols, from seeds.

Seeds rather than structured strategies: draws that shrink well are mostly trivial, and these
are meant to meet every rule of the engines.
"""

from __future__ import annotations

from itertools import product
from random import Random

from hypothesis import strategies as st

from vxproof.diagnostics import Span
from vxproof.logic import build as b
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.obligation import Obligation, Origin, Symbol
from vxproof.logic.terms import App, Formula, Not, Op, Rel, Sym, Term, add, mul, term

NAMES = ("x", "y", "z")
BUILDERS = {
    Op.DIV: b.div,
    Op.MOD: b.mod,
    Op.TDIV: b.tdiv,
    Op.TMOD: b.tmod,
    Op.ALIGN_UP: b.align_up,
    Op.CEIL_DIV: b.ceil_div,
}
SPAN = Span("k.vx", 0, 1, 1, 1)


def _leaf(draw: Random) -> Term:
    return Sym(draw.choice(NAMES)) if draw.random() < 0.75 else term(draw.randint(-6, 9))


def _term(draw: Random, depth: int) -> Term:
    if depth == 0 or draw.random() < 0.25:
        return _leaf(draw)
    left, right = _term(draw, depth - 1), _term(draw, depth - 1)
    kind = draw.randrange(12)
    if kind < 4:
        return add(left, mul(term(draw.choice((-3, -2, -1, 1, 2, 4))), right))
    if kind < 6:
        return mul(left, right) if draw.random() < 0.8 else App(Op.MUL, (left, right))
    if kind < 9:
        divisor = term(draw.randint(-4, 8)) if draw.random() < 0.6 else right
        return BUILDERS[draw.choice(list(BUILDERS))](left, divisor)
    if kind == 9:
        return b.max_(left, right) if draw.random() < 0.5 else b.min_(left, right)
    if kind == 10:
        return b.pow2_ceil(left)
    return b.ite(_comparison(draw, 1), left, right)


def _comparison(draw: Random, depth: int) -> Formula:
    rel = draw.choice(list(Rel))
    kind = draw.randrange(6)
    if kind == 0:
        return b.compare(rel, _leaf(draw), _leaf(draw))
    if kind == 1:
        step = draw.randint(2, 6)
        return b.eq(b.mod(_term(draw, 1), step), draw.randrange(step))
    if kind == 2:
        return b.compare(rel, mul(_leaf(draw), _leaf(draw)), _leaf(draw) + draw.randint(-9, 20))
    return b.compare(rel, _term(draw, depth), _term(draw, max(depth - 1, 0)))


def _formula(draw: Random, depth: int = 2) -> Formula:
    kind = draw.randrange(8)
    parts = [_comparison(draw, depth) for _ in range(draw.randint(2, 3))]
    if kind == 0:
        return b.conj(*parts)
    if kind == 1:
        return b.disj(*parts)
    if kind == 2:
        return Not(b.disj(*parts) if draw.random() < 0.5 else b.conj(*parts))
    return parts[0]


def _symbols(draw: Random) -> tuple[Symbol, ...]:
    def one(name: str) -> Symbol:
        lo = draw.choice((-4, -1, 0, 1, 1, 2))
        return Symbol(name, lo, lo + draw.randint(0, 6), Origin.GENERIC)

    return tuple(map(one, NAMES))


def _obligation(seed: int) -> Obligation:
    draw = Random(seed)
    hypotheses = tuple(_formula(draw) for _ in range(draw.randint(0, 3)))
    return obligation(_symbols(draw), hypotheses, _formula(draw))


seeds = st.integers(0, 2**32)
terms = seeds.map(lambda seed: _term(Random(seed), 3))
formulas = seeds.map(lambda seed: _formula(Random(seed), 3))


def declarations() -> st.SearchStrategy[tuple[Symbol, ...]]:
    return seeds.map(lambda seed: _symbols(Random(seed)))


def obligations() -> st.SearchStrategy[Obligation]:
    return seeds.map(_obligation)


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
