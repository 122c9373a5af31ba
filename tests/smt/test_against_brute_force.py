"""Every engine against all points of small random obligations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.logic.generators import declarations, obligation, obligations, points, truth
from vxproof.logic import build as b
from vxproof.logic.obligation import Obligation, Symbol
from vxproof.logic.terms import FALSE, Sym
from vxproof.logic.verdict import Proved, Refuted, Unknown, Verdict
from vxproof.smt import corner, counterexample, enumeration
from vxproof.smt.counterexample import Counterexample
from vxproof.smt.ladder import Prover, Sat, Unsat
from vxproof.smt.question import Settings
from vxproof.smt.search import Exhausted, Found, GaveUp, search

Point = tuple[tuple[str, int], ...]


def least_counterexample(asked: Obligation) -> Point | None:
    for env in points(asked.symbols):
        if all(truth(h, env) for h in asked.hypotheses) and truth(asked.goal, env) is False:
            return tuple(env.items())
    return None


def holds_throughout(asked: Obligation) -> bool:
    """The goal is true, and has a value, wherever no hypothesis is false."""
    return all(
        truth(asked.goal, env)
        for env in points(asked.symbols)
        if all(truth(h, env) is not False for h in asked.hypotheses)
    )


def check(asked: Obligation, verdict: Verdict) -> None:
    least = least_counterexample(asked)
    match verdict:
        case Proved():
            assert holds_throughout(asked)
        case Refuted(witness=witness):
            assert witness == least
        case Unknown():
            assert least is None
            assert not holds_throughout(asked)
        case _:
            raise AssertionError(verdict)


@given(obligations())
def test_ladder(asked: Obligation) -> None:
    check(asked, Prover().decide(asked))


@given(obligations(), declarations())
def test_one_prover_for_many(asked: Obligation, declared: tuple[Symbol, ...]) -> None:
    prover = Prover()
    other = replace(asked, symbols=declared)
    longer = replace(asked, hypotheses=(*asked.hypotheses, b.le(Sym("x"), Sym("y"))))
    shorter = replace(asked, hypotheses=asked.hypotheses[:-1])
    for one in (asked, other, longer, shorter, replace(longer, symbols=declared)):
        check(one, prover.decide(one))


@given(obligations(), st.booleans())
def test_solver_alone(asked: Obligation, searches: bool) -> None:
    prover = Prover()
    setting = prover._settings.of(asked.symbols, asked.hypotheses)
    if setting.empty:
        assert holds_throughout(asked)
        return
    with pytest.MonkeyPatch.context() as patch:
        if not searches:
            patch.setattr(prover, "_search", lambda *_: GaveUp(0))
            patch.setattr(counterexample, "search", lambda *_: GaveUp(0))
        answer = prover._solve(setting, asked.goal)
    match answer:
        case Counterexample(values=values):
            assert values == least_counterexample(asked)
        case Proved():
            assert holds_throughout(asked)
        case Unknown():
            assert least_counterexample(asked) is None


@given(obligations())
def test_symbolic_bounds(asked: Obligation) -> None:
    shared = Settings()
    setting = shared.of(asked.symbols, asked.hypotheses)
    if setting.empty or not setting.box.total(asked.goal):
        return
    if corner.proves(setting.box, setting.facts, shared.reader, asked.goal):
        assert holds_throughout(asked)


@given(obligations())
def test_branch_and_prune(asked: Obligation) -> None:
    shared = Settings()
    setting = shared.of(asked.symbols, asked.hypotheses)
    found = search(
        setting.box, setting.axes, shared.reader, asked.hypotheses, asked.goal, limit=5000
    )
    least = least_counterexample(asked)
    match found:
        case Found(values=values):
            assert values == least
        case Exhausted(clear=clear):
            assert least is None
            assert holds_throughout(asked) or not clear
        case _:
            raise AssertionError(found)


@given(obligations())
def test_all_points_at_once(asked: Obligation) -> None:
    setting = Settings().of(asked.symbols, asked.hypotheses)
    formulas = (*asked.hypotheses, asked.goal)
    if setting.empty or not all(setting.box.total(f) for f in formulas):
        return
    everywhere = enumeration.holds_everywhere(
        setting.box, setting.axes, asked.hypotheses, asked.goal
    )
    assert everywhere is holds_throughout(asked)


@given(obligations(), st.booleans())
def test_satisfiable(asked: Obligation, use_z3: bool) -> None:
    answer = Prover(use_z3=use_z3).satisfiable(asked.symbols, asked.hypotheses)
    least = least_counterexample(obligation(asked.symbols, asked.hypotheses, FALSE))
    match answer:
        case Sat(model=model):
            assert model == least
        case Unsat():
            assert least is None
        case Unknown():
            assert least is None
