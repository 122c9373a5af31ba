"""A run as text: what is wrong first, then what is claimed, and the verdict on the last line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vxproof.diagnostics import Diagnostic, Severity, Table
from vxproof.diagnostics.render_text import Paint, plain, render, table_lines
from vxproof.report.matrix import matrix_lines, space_lines
from vxproof.report.model import Outcome, RunReport, TargetReport, UnitReport, worst
from vxproof.report.phrases import counted
from vxproof.report.refutation import decision_diagnostic
from vxproof.report.summary import (
    assumptions_of,
    family_lines,
    obligation_rows,
    space_table,
    trusted_line,
    unit_name,
)
from vxproof.report.verdicts import verdict_lines

_SHOWN = 12
"""Diagnostics in full before the rest is counted; `--verbose` shows all."""


def report_text(run: RunReport, *, verbose: bool = False, paint: Paint = plain) -> str:
    """Return the text of a run, with a line end after its last line."""
    blocks = [block for block in _blocks(run, verbose, paint) if block]
    return "\n\n".join(blocks) + "\n"


def _blocks(run: RunReport, verbose: bool, paint: Paint) -> Iterator[str]:
    found = _grouped(run)
    shown = found if verbose else found[:_SHOWN]
    for diagnostic, targets in shown:
        told = len(run.targets) == 1 or targets == [t for t in targets if t in diagnostic.headline]
        note = () if told else (f"on {', '.join(targets)}",)
        noted = replace(diagnostic, notes=(*diagnostic.notes, *note))
        yield render(noted, run.sources, paint)
    if len(found) > len(shown):
        yield f"{len(found) - len(shown):,} more; --verbose prints all of them"
    if len(run.targets) == 1:
        yield from _one_target(run, run.targets[0], verbose)
    else:
        yield from _many_targets(run, verbose)
    yield _foundations(run)
    yield "\n".join(verdict_lines(run, paint))


def _grouped(run: RunReport) -> list[tuple[Diagnostic, list[str]]]:
    """Diagnostics with the targets that they hold on; the worst kind first, else as they came."""
    groups: dict[Diagnostic, tuple[Diagnostic, list[str]]] = {}
    for target in run.targets:
        name = target.target or "no target"
        for diagnostic in target_diagnostics(target):
            key = _without_target(diagnostic, name)
            _, names = groups.setdefault(key, (diagnostic, []))
            if name not in names:
                names.append(name)
    order = (Severity.ERROR, Severity.REFUTED, Severity.UNKNOWN, Severity.WARNING)
    return sorted(groups.values(), key=lambda item: order.index(item[0].info.severity))


def _without_target(diagnostic: Diagnostic, target: str) -> Diagnostic:
    """What two targets share: the notes that name a target differ, the numbers do not."""
    notes = tuple(note for note in diagnostic.notes if target not in note)
    return replace(diagnostic, notes=notes)


def target_diagnostics(target: TargetReport) -> Iterator[Diagnostic]:
    """Yield what the early stages said, then what the decisions say."""
    yield from target.diagnostics
    for unit in target.units:
        for decision in unit.decisions:
            diagnostic = decision_diagnostic(decision)
            if diagnostic is not None:
                yield diagnostic


def _one_target(run: RunReport, target: TargetReport, verbose: bool) -> Iterator[str]:
    where = "without a target" if target.target is None else f"on {target.target}"
    units = target.units
    first = [i for i, unit in enumerate(units) if verbose or _interesting(unit, units)]
    first = first if verbose else first[:_SHOWN]
    for unit in (units[i] for i in first):
        heading = f"{unit_name(unit)} {where}: {unit.outcome.value}"
        if unit.implied:
            heading += (
                f" ({counted(unit.implied, 'refutation')} that the shown ones imply left out)"
            )
        lines = [heading]
        lines += family_lines(unit)
        spaces = space_table((unit,))
        if spaces is not None:
            lines += table_lines(spaces)
        if verbose:
            lines += ["", *_obligations(unit)]
        yield "\n".join(lines)
    rest = [unit.outcome for i, unit in enumerate(units) if i not in set(first)]
    if rest:
        noun = "function or kernel" if len(rest) == 1 else "functions and kernels"
        more = f"{len(rest):,} more" if first else f"{len(rest):,}"
        yield f"{more} {noun}, at worst {worst(rest).value}; --verbose prints all of them"


def _interesting(unit: UnitReport, units: tuple[UnitReport, ...]) -> bool:
    return len(units) == 1 or unit.kernel is not None or unit.outcome is not Outcome.PROVED


def _obligations(unit: UnitReport) -> Iterator[str]:
    header = ("verdict", "family", "code", "place", "would say", "decided by")
    yield from table_lines(Table("", header, tuple(obligation_rows(unit))))


def _many_targets(run: RunReport, verbose: bool) -> Iterator[str]:
    yield "\n".join(matrix_lines(run))
    yield "\n".join(space_lines(run))
    for target in run.targets:
        for unit in target.units:
            if verbose:
                heading = f"{unit_name(unit)} on {target.target}: {unit.outcome.value}"
                yield "\n".join((heading, *_obligations(unit)))


def _foundations(run: RunReport) -> str:
    """What a claim rests on; empty where nothing is claimed: a counterexample rests on nothing."""
    units = [unit for target in run.targets for unit in target.units]
    if all(unit.outcome is Outcome.REFUTED for unit in units):
        return ""
    lines = []
    assumed = assumptions_of(run)
    if assumed:
        lines.append("assumed of the host, and what the launcher checks:")
        lines += [f"  {item.sentence}: {item.check}" for item in assumed]
    lines.append(trusted_line(run))
    return "\n".join(lines)
