"""Normal forms, intervals and residue classes against evaluation at every point."""

from __future__ import annotations

from hypothesis import given

from tests.logic.generators import (
    NAMES,
    declarations,
    formulas,
    obligation,
    obligations,
    points,
    terms,
    truth,
)
from vxproof.logic import congruence
from vxproof.logic.canonical import canonical_json, obligation_id, question_json, read_question
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.monotone import least
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Obligation, Symbol
from vxproof.logic.terms import App, Formula, Op, Sym, Term, term
from vxproof.logic.tighten import full_box, tighten


def value(term: Term, env: dict[str, int]) -> int | None:
    try:
        return evaluate(term, env)
    except Undefined:
        return None


@given(declarations(), terms)
def test_normal_form_keeps_values_and_undefinedness(
    declared: tuple[Symbol, ...], term: Term
) -> None:
    normal = Normaliser().normalise(term)
    for env in points(declared)[::3]:
        assert value(normal, env) == value(term, env)


def test_a_remainder_by_one_keeps_what_may_be_undefined() -> None:
    quotient = App(Op.DIV, (Sym("x"), Sym("y")))
    for op in (Op.MOD, Op.TMOD):
        normal = Normaliser().normalise(App(op, (quotient, term(1))))
        assert value(normal, {"x": 5, "y": 0}) is None
        assert value(normal, {"x": 5, "y": 2}) == 0


@given(declarations(), formulas)
def test_normal_form_keeps_truth(declared: tuple[Symbol, ...], formula: Formula) -> None:
    normal = Normaliser().formula(formula)
    for env in points(declared)[::3]:
        assert truth(normal, env) == truth(formula, env)


@given(terms)
def test_normal_form_is_stable(term: Term) -> None:
    once = Normaliser().normalise(term)
    assert Normaliser().normalise(once) == once


@given(declarations(), terms)
def test_interval_and_class_hold_every_value(declared: tuple[Symbol, ...], term: Term) -> None:
    box = full_box(declared, Normaliser())
    bounds = box.interval(term)
    if bounds is None:
        return
    poly = box.normaliser.poly(term)
    low, member = least(box, poly), box.congruence(poly)
    for env in points(declared):
        found = evaluate(term, env)
        assert bounds[0] is None or bounds[0] <= found
        assert bounds[1] is None or found <= bounds[1]
        assert low is None or low <= found
        assert congruence.contains(member, found)


@given(declarations(), formulas)
def test_truth_over_a_box_is_truth_at_its_points(
    declared: tuple[Symbol, ...], formula: Formula
) -> None:
    claim = full_box(declared, Normaliser()).truth(formula)
    if claim is not None:
        assert all(truth(formula, env) is claim for env in points(declared))


@given(obligations())
def test_tightening_loses_no_point(asked: Obligation) -> None:
    box = tighten(asked.symbols, asked.hypotheses)
    for env in points(asked.symbols):
        if any(truth(h, env) is False for h in asked.hypotheses):
            continue
        assert box is not None
        for name in NAMES:
            atom = box.normaliser.number(Sym(name))
            lo, hi = box.range(atom) or (None, None)
            assert lo is None or lo <= env[name]
            assert hi is None or env[name] <= hi
            assert congruence.contains(box.class_of(atom), env[name])


@given(obligations())
def test_canonical_text_reads_back(asked: Obligation) -> None:
    text = question_json(asked.symbols, asked.hypotheses, asked.goal)
    symbols, hypotheses, goal = read_question(text)
    again = obligation(asked.symbols, hypotheses, goal)
    assert symbols == tuple((s.name, s.lo, s.hi) for s in asked.symbols)
    assert question_json(asked.symbols, hypotheses, goal) == text
    assert obligation_id(again) == obligation_id(asked)
    assert canonical_json(again, Normaliser()) == canonical_json(asked)
