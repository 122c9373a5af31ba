"""Shared and long terms cost about as much as they have nodes: walked as trees, none would end."""

from __future__ import annotations

from tests.logic.generators import obligation
from vxproof.logic import build as b
from vxproof.logic.canonical import obligation_id
from vxproof.logic.evaluate import evaluate
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Sym, Term, add
from vxproof.logic.tighten import full_box
from vxproof.logic.verdict import Proved
from vxproof.smt.ladder import Prover

X, Y = Sym("x"), Sym("y")
SYMBOLS = (Symbol("x", 0, 9, Origin.GENERIC), Symbol("y", 1, 9, Origin.GENERIC))


def shared(levels: int) -> Term:
    """A term of a few nodes a level whose tree has 2**levels leaves."""
    value: Term = X
    for level in range(levels):
        value = b.max_(b.div(value + Y, 2), b.mod(value * 3 + level, 7 + level))
    return value


def test_shared_terms() -> None:
    value = shared(60)
    box = full_box(SYMBOLS, Normaliser())
    bounds = box.interval(value)
    found = evaluate(value, {"x": 5, "y": 3})
    assert bounds is not None
    assert bounds[0] is not None
    assert bounds[1] is not None
    assert bounds[0] <= found <= bounds[1]
    assert len(obligation_id(obligation(SYMBOLS, (), b.le(value, 1000)))) == 64
    assert isinstance(Prover().decide(obligation(SYMBOLS, (), b.le(value, 10**6))), Proved)


def test_long_sums() -> None:
    names = [f"a{i}" for i in range(1000)]
    need = add(*(b.align_up(Sym(name) * 2, 16) for name in names))
    declared = tuple(Symbol(name, 1, 64, Origin.GENERIC) for name in names)
    assert isinstance(Prover().decide(obligation(declared, (), b.le(need, 128_000))), Proved)


def test_products_of_sums_are_not_multiplied_out_without_end() -> None:
    value: Term = Y
    for i in range(60):
        value = value * (X + Y + i)
    assert Normaliser().normalise(value) is not None
