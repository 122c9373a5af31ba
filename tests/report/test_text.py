"""A run as text: what is wrong, what is claimed and on what grounds, the verdict last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.report.builders import REFUTED, SOURCE, run
from vxproof.diagnostics import Diagnostic, Label
from vxproof.logic.verdict import Proved, Unknown, Waived
from vxproof.report.model import Outcome, TargetReport, worst
from vxproof.report.text import report_text
from vxproof.target import KNOWN_TARGETS

BY_Z3 = Proved("z3")
EXACTLY = Proved("interval")


def test_last_line_is_the_verdict() -> None:
    last = report_text(run(EXACTLY)).splitlines()[-1]
    assert last == ("k.vx: proved on sm_86, for every value that `requires` admits (1 obligation)")


def test_what_only_z3_proved_has_no_certificate_yet() -> None:
    shown = report_text(run(BY_Z3, EXACTLY))
    assert "1 by z3, no certificate yet" in shown
    assert "by z3, no certificate" not in report_text(run(EXACTLY))


def test_registers_are_due_at_build_and_not_claimed() -> None:
    assert "due at build" in report_text(run(EXACTLY))
    assert "`acc` (E6106)" in report_text(run(EXACTLY))


def test_hypotheses_and_the_trusted_base_are_printed() -> None:
    shown = report_text(run(EXACTLY))
    assert "extents are at least 1: shapes" in shown
    assert "trusted: frontend, ir, alias, plan, constraints, logic, target facts" in shown


def test_engines_without_a_certificate_are_trusted_and_named() -> None:
    lines = report_text(run(EXACTLY, BY_Z3, Proved("bounds", "model"))).splitlines()
    trusted = next(line for line in lines if line.startswith("trusted:"))
    assert trusted.endswith("target facts, smt (interval, z3: no certificate yet)")


def test_a_certificate_takes_the_engine_out_of_the_trusted() -> None:
    lines = report_text(run(Proved("interval", "corner"))).splitlines()
    trusted = next(line for line in lines if line.startswith("trusted:"))
    assert trusted.endswith("target facts")


def test_need_and_limit_of_a_space() -> None:
    shown = report_text(run(EXACTLY, spaces=True))
    assert "at most 98,304 B = 4*BN*D  101,376 B  opt-in" in shown


def test_refuted_is_shown_before_the_summary() -> None:
    lines = report_text(run(REFUTED)).splitlines()
    assert lines[0].startswith("E6010 refuted")
    assert lines[-1] == "k.vx: refuted on sm_86 (1 of 1 obligation: E6010)"


def test_several_targets_are_a_table_of_families() -> None:
    lines = report_text(run(BY_Z3, targets=("sm_80", "sm_90a"))).splitlines()
    start = next(at for at, line in enumerate(lines) if line.split() == ["sm_80", "sm_90a"])
    rows = [line.split() for line in lines[start + 1 : start + 5]]
    assert rows == [
        ["verdict", "proved", "proved"],
        ["capacity", "proved*", "proved*"],
        ["grid", "-", "-"],
        ["registers", "due", "due"],
    ]
    assert "* in part by z3, no certificate yet" in lines
    assert "- nothing to show: nothing in it could fail in this way" in lines
    assert "due at build: whether the assembler spills under `acc` (E6106)" in lines


def test_targets_that_need_the_same_share_a_row() -> None:
    shown = report_text(run(EXACTLY, spaces=True, targets=("sm_86", "sm_89")))
    assert "SMEM   at most 98,304 B = 4*BN*D  101,376 B  sm_86, sm_89" in shown


def test_every_known_target_fits_100_columns() -> None:
    shown = report_text(run(EXACTLY, targets=KNOWN_TARGETS))
    tables = [line for line in shown.splitlines() if line.startswith(("verdict", "capacity"))]
    assert max(map(len, tables)) <= 100
    assert sum(line.split().count("proved") for line in tables) == 2 * len(KNOWN_TARGETS)


def test_targets_that_agree_are_told_once() -> None:
    shown = report_text(run(REFUTED, targets=("sm_86", "sm_89")))
    assert shown.count("E6010 refuted") == 1
    assert "on sm_86, sm_89" in shown


def test_waived_says_so() -> None:
    shown = report_text(run(Waived("W1028", REFUTED)))
    assert "warning[W1028]" in shown
    assert shown.splitlines()[-1] == "k.vx: waived on sm_86 (1 of 1 obligation: E6010)"


def test_without_a_target() -> None:
    assert "without a target: proved" in report_text(run(EXACTLY, targets=(None,)))


def test_many_findings_are_counted_not_printed() -> None:
    labels = [Label(SOURCE.span(i, i + 1), str(i)) for i in range(20)]
    found = tuple(Diagnostic("E1002", f"unknown name {i}", at) for i, at in enumerate(labels))
    report = replace(run(), targets=(TargetReport("sm_86", found, ()),))
    shown = report_text(report)
    assert shown.count("error[E1002]") == 12
    assert "8 more; --verbose prints all of them" in shown
    assert report_text(report, verbose=True).count("error[E1002]") == 20


def test_verbose_lists_every_obligation() -> None:
    shown = report_text(run(EXACTLY, BY_Z3), verbose=True)
    assert shown.count("capacity  E6010  2:5") == 2


def test_equal_runs_give_equal_text() -> None:
    assert report_text(run(REFUTED, BY_Z3)) == report_text(run(REFUTED, BY_Z3))


@pytest.mark.parametrize(
    ("outcomes", "expected", "status"),
    [
        ((Outcome.PROVED, Outcome.WAIVED), Outcome.WAIVED, 0),
        ((Outcome.PROVED, Outcome.UNKNOWN), Outcome.UNKNOWN, 2),
        ((Outcome.UNKNOWN, Outcome.REFUTED), Outcome.REFUTED, 1),
        ((Outcome.REFUTED, Outcome.ERROR, Outcome.UNKNOWN), Outcome.ERROR, 3),
    ],
)
def test_worst_in_the_order_3_1_2_0(
    outcomes: tuple[Outcome, ...], expected: Outcome, status: int
) -> None:
    assert worst(outcomes) is expected
    assert expected.exit_status == status


def test_an_unknown_among_proofs_is_status_2() -> None:
    report = run(EXACTLY, Unknown("budget"))
    assert report.exit_status == 2
    assert "capacity (1 of 2)" in report_text(report)


def test_kernels_beyond_the_first_are_counted() -> None:
    (target,) = run(EXACTLY).targets
    units = tuple(replace(target.units[0], kernel=k) for k in range(20))
    shown = report_text(replace(run(), targets=(replace(target, units=units),)))
    assert shown.count("of `flash`") == 12
    assert "8 more functions and kernels, at worst proved; --verbose prints all of them" in shown
