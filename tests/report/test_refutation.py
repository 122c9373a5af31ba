"""What a refutation shows: values, summands, need, limit, overrun, largest values, one fix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.builders import REFUTED, SOURCE, SYMBOLS, too_large
from vxproof.diagnostics import Diagnostic, Label
from vxproof.diagnostics.render_text import render
from vxproof.logic.build import lt
from vxproof.logic.obligation import Contribution, Obligation, Origin, Replay, Symbol
from vxproof.logic.terms import FALSE, Sym
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Waived
from vxproof.report.refutation import decision_diagnostic


def said(decision: Decision) -> Diagnostic:
    diagnostic = decision_diagnostic(decision)
    assert diagnostic is not None
    return diagnostic


def text(decision: Decision) -> str:
    return render(said(decision), {"k.vx": SOURCE})


def test_headline_has_need_and_limit() -> None:
    first = text(Decision(too_large(), REFUTED)).splitlines()[0]
    assert first == ("E6010 refuted: tiles exceed `SMEM`: need 114,688 B, limit 101,376 B")


@pytest.mark.parametrize(
    "fragment",
    [
        "BN = 80, D = 256 (checked again: exact evaluation)",
        "SMEM: need 114,688 B, limit 101,376 B (one block, opt-in), over by 13,312 B",
        "the largest legal BN is 64; the largest legal D is 224",
        "`D <= 224` in `requires` makes this fit in SMEM",
        "so does `BN <= 64`",
        "^ `k`: 81,920 B",
        "- `q`: 32,768 B",
    ],
)
def test_refutation_says(fragment: str) -> None:
    assert fragment in text(Decision(too_large(), REFUTED))


def test_summands_are_a_table_with_their_sum() -> None:
    (table,) = said(Decision(too_large(), REFUTED)).tables
    assert table.rows == (
        ("q", "64*D*2", "32,768 B", "line 1"),
        ("k", "BN*D*4", "81,920 B", "line 2"),
        ("together", "", "114,688 B", ""),
    )


def test_what_placing_the_tiles_adds_is_a_row() -> None:
    obligation = too_large()
    assert obligation.measure is not None
    wider = replace(obligation.measure, need=obligation.measure.need + 1024)
    (table,) = said(Decision(replace(obligation, measure=wider), REFUTED)).tables
    assert ("", "gaps and rounding", "1,024 B", "") in table.rows
    assert table.rows[-1][2] == "115,712 B"


def test_no_name_of_the_solver_is_shown() -> None:
    shown = text(Decision(too_large(), REFUTED))
    assert "g0" not in shown
    assert "g1" not in shown


def test_a_parameter_without_a_legal_value_is_named_unless_it_is_fixed() -> None:
    none = replace(REFUTED, largest=(("g0", None), ("g1", None)), remedies=())
    fixed = replace(too_large(), symbols=(SYMBOLS[0], replace(SYMBOLS[1], lo=256)))
    shown = text(Decision(fixed, none))
    assert "no value of BN is legal" in shown
    assert "no value of D" not in shown


def test_the_obligations_own_help_stands_where_no_value_would_help() -> None:
    assert (
        said(Decision(too_large(), replace(REFUTED, largest=(), remedies=()))).help
        == "make one smaller"
    )


def test_two_parties_have_a_column_each_and_both_are_underlined() -> None:
    first, second = SOURCE.span(0, 10), SOURCE.span(11, 21)
    i, other = Sym("i"), Sym("i@2")
    obligation = Obligation(
        "E6140",
        "grid",
        "two points touch the same element",
        first,
        (
            Symbol("n", 1, None, Origin.EXTENT, "N"),
            Symbol("i", 0, None, Origin.GRID, "i"),
            Symbol("i@2", 0, None, Origin.GRID, "i"),
        ),
        (),
        lt(i, other),
        contributions=(Contribution("o", "axis 0", i * 0 + 7, "", first),),
        labels=(Label(second, "read here"),),
        replay=Replay.INTERPRETER,
        subject=("grid", 0, first.start, second.start, "o"),
    )
    found = Decision(obligation, Refuted((("n", 4), ("i", 1), ("i@2", 0)), "z3", "interpreter"))
    diagnostic = said(found)
    parties = next(t for t in diagnostic.tables if "two accesses" in t.title)
    assert parties.header == ("", "first, line 1", "second, line 2")
    assert parties.rows == (("grid point", "i = 1", "i = 0"), ("touches", "`o[7]`", "`o[7]`"))
    assert diagnostic.headline == "two points touch the same element: `o[7]`"
    shown = text(found)
    assert "^^^^^^^^^^" in shown
    assert "---------- read here" in shown
    assert "N = 4" in shown


def test_unknown_is_its_own_code_with_reason_and_effort() -> None:
    shown = text(Decision(too_large(), Unknown("out of budget", "12 solver steps")))
    assert shown.startswith("E6180 unknown: capacity: out of budget")
    assert "effort spent: 12 solver steps" in shown
    assert "a refutation would be E6010" in shown


def test_approximations_are_named_where_nothing_was_decided() -> None:
    rough = replace(too_large(), approximations=("loads are any value",))
    assert "approximation: loads are any value" in text(Decision(rough, Unknown("rests on it")))


def test_waived_is_a_warning_that_says_it_does_not_hold() -> None:
    diagnostic = said(Decision(too_large(), Waived("W1028", REFUTED)))
    assert diagnostic.code == "W1028"
    assert "does not hold" in diagnostic.headline


def test_proved_says_nothing() -> None:
    assert decision_diagnostic(Decision(too_large(), Proved("interval"))) is None


def test_a_refutation_without_values_is_shown() -> None:
    obligation = Obligation("E6102", "residency", "`acc` escapes", SOURCE.span(0, 3), (), (), FALSE)
    shown = text(Decision(obligation, Refuted((), "normal form", "exact evaluation")))
    assert shown.splitlines()[0] == "E6102 refuted: `acc` escapes"
    assert "counterexample" not in shown


def test_a_decision_is_no_truth_value() -> None:
    with pytest.raises(TypeError):
        bool(Decision(too_large(), REFUTED))
