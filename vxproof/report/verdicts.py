"""The last lines of a report: what was found, on which targets, over which values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vxproof.diagnostics import Severity
from vxproof.diagnostics.render_text import Paint, Role
from vxproof.report.model import Outcome, RunReport, TargetReport, UnitReport, outcome_of
from vxproof.report.phrases import counted
from vxproof.report.summary import NO_CERTIFICATE, uncertified

_ROLES = {
    Outcome.PROVED: Role.HELP,
    Outcome.WAIVED: Role.WARNING,
    Outcome.UNKNOWN: Role.UNKNOWN,
    Outcome.REFUTED: Role.REFUTED,
    Outcome.ERROR: Role.ERROR,
}


def verdict_lines(run: RunReport, paint: Paint) -> Iterator[str]:
    """Yield a line a verdict, the best first, so that the last line is the worst."""
    by_outcome: dict[Outcome, list[TargetReport]] = {}
    for target in run.targets:
        by_outcome.setdefault(target.outcome, []).append(target)
    for outcome in sorted(by_outcome, key=list(Outcome).index):
        targets = by_outcome[outcome]
        names = ", ".join(one.target for one in targets if one.target is not None)
        text = f"{run.file}: {outcome.value}" + (f" on {names}" if names else "")
        yield paint(_ROLES[outcome], text) + _scope(run, outcome, targets)


def _scope(run: RunReport, outcome: Outcome, targets: Sequence[TargetReport]) -> str:
    units = [unit for target in targets for unit in target.units]
    count = sum(len(unit.decisions) for unit in units)
    if outcome is Outcome.PROVED:
        fixed = "".join(f", {name} = {value}" for name, value in run.settings)
        text = f", for every value that `requires` admits{fixed} ({counted(count, 'obligation')}"
        bare = sum(map(uncertified, units))
        return text + (f"; {bare:,} by z3, {NO_CERTIFICATE})" if bare else ")")
    if outcome is Outcome.ERROR:
        found = _errors(targets)
        return f" ({', '.join(found)})" if found else ""
    concerned, named = _concerned(units, outcome)
    if not concerned:
        return ""
    return f" ({concerned:,} of {counted(count, 'obligation')}: {', '.join(named)})"


def _errors(targets: Sequence[TargetReport]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            one.code
            for target in targets
            for one in target.diagnostics
            if one.info.severity is Severity.ERROR
        )
    )


def _concerned(units: Sequence[UnitReport], outcome: Outcome) -> tuple[int, tuple[str, ...]]:
    """How many obligations have the verdict, and which codes or, of the unknown, families."""
    found = [
        decision.obligation
        for unit in units
        for decision in unit.decisions
        if outcome_of(decision.verdict) is outcome
    ]
    if outcome is Outcome.UNKNOWN:
        return len(found), tuple(dict.fromkeys(one.family for one in found))
    return len(found), tuple(dict.fromkeys(one.code for one in found))
