"""The largest and the smallest of several terms, some of them equal."""

from __future__ import annotations

from itertools import product

from vxproof.logic.evaluate import evaluate
from vxproof.logic.normal import Normaliser
from vxproof.logic.terms import App, Op, Sym, Term


def test_equal_arguments_are_dropped_down_to_one() -> None:
    a, b = Sym("a"), Sym("b")
    for op, args in product((Op.MAX, Op.MIN), product((a, a + 1, b), repeat=4)):
        whole: Term = App(op, args)
        env = {"a": 3, "b": 5}
        assert evaluate(Normaliser().normalise(whole), env) == evaluate(whole, env)
