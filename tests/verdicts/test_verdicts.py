"""Every program of the examples, the cases and the small programs gets the verdict it expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verdicts.expectations import Expectation, expectations
from vxproof.diagnostics import Diagnostic, Severity
from vxproof.driver import Options, verify_files
from vxproof.logic.evaluate import evaluate
from vxproof.logic.verdict import Decision, Refuted, Waived
from vxproof.report.model import RunReport

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("examples", "counterexamples", "tests/cases", "tests/programs")


def _files() -> list[Path]:
    files = [path for folder in _FOLDERS for path in sorted((_ROOT / folder).rglob("*.vx"))]
    return [path for path in files if "=>" in path.read_text(encoding="utf-8")]


_ALL = [one for path in _files() for one in expectations(path)]


def _run(expected: Expectation) -> RunReport:
    targets = () if expected.target is None else (expected.target,)
    options = Options(targets=targets, settings=dict(expected.settings))
    paths = (expected.path, *expected.also)
    return next(
        report for report in verify_files(paths, options) if report.file == str(expected.path)
    )


def _refuted(report: RunReport) -> list[tuple[Decision, Refuted]]:
    out: list[tuple[Decision, Refuted]] = []
    for target in report.targets:
        for unit in target.units:
            for decision in unit.decisions:
                match decision.verdict:
                    case Refuted() as refuted:
                        out.append((decision, refuted))
                    case Waived(refuted=refuted):
                        out.append((decision, refuted))
                    case _:
                        pass
    return out


def _reported(report: RunReport) -> list[tuple[int, str, str]]:
    """Lines, codes and headlines of everything that is an error, refuted or waived."""
    out: list[tuple[int, str, str]] = []
    for target in report.targets:
        out.extend(_place(d) for d in target.diagnostics if d.info.severity is not Severity.WARNING)
    for decision, _ in _refuted(report):
        obligation = decision.obligation
        code = decision.verdict.code if isinstance(decision.verdict, Waived) else obligation.code
        out.append((obligation.span.line, code, obligation.headline))
    return out


def _place(diagnostic: Diagnostic) -> tuple[int, str, str]:
    line = 0 if diagnostic.primary is None else diagnostic.primary.span.line
    return line, diagnostic.code, diagnostic.headline


def _summary(report: RunReport) -> str:
    lines = [f"{report.file}: {report.outcome.value}"]
    lines += [f"  line {line}: {code} {headline}" for line, code, headline in _reported(report)]
    for target in report.targets:
        for unit in target.units:
            lines += [
                f"  {d.obligation.code} {d.obligation.headline}: {d.verdict}"
                for d in unit.decisions
                if type(d.verdict).__name__ in {"Unknown", "Refuted"}
            ]
    return "\n".join(lines)[:6000]


@pytest.mark.parametrize("expected", _ALL, ids=lambda one: one.name)
def test_a_program_gets_the_verdict_that_it_expects(expected: Expectation) -> None:
    """Verdict, codes on their lines, and the numbers of the refutation."""
    report = _run(expected)
    summary = _summary(report)
    assert report.outcome.value == expected.verdict, summary
    reported = _reported(report)
    if expected.code is not None:
        assert any(code == expected.code for _, code, _ in reported), summary
    marked = sorted((m.line, m.code) for m in expected.markers)
    if marked:
        assert sorted({(line, code) for line, code, _ in reported}) == marked, summary
    for marker in expected.markers:
        assert any(
            marker.text in headline
            for line, code, headline in reported
            if (line, code) == (marker.line, marker.code)
        ), summary
    _check_numbers(expected, report, summary)


def _check_numbers(expected: Expectation, report: RunReport, summary: str) -> None:
    if expected.need is None and expected.limit is None and not expected.largest:
        return
    measured = [
        (decision.obligation.measure, refuted)
        for decision, refuted in _refuted(report)
        if decision.obligation.code == expected.code or isinstance(decision.verdict, Waived)
    ]
    found = [
        (evaluate(m.need, dict(r.witness)), evaluate(m.limit, dict(r.witness)), dict(r.largest))
        for m, r in measured
        if m is not None
    ]
    assert any(
        expected.need in {None, need}
        and expected.limit in {None, limit}
        and all(name in largest and largest[name] == value for name, value in expected.largest)
        for need, limit, largest in found
    ), f"{found}\n{summary}"
