"""One program on several targets: family by target, and the need of each space by target.

A family is a row and a target a column, so that eleven targets fit 100 columns; more are told in
several tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.diagnostics import Table
from vxproof.diagnostics.render_text import table_lines
from vxproof.report.model import Outcome, RunReport, SpaceUse, TargetReport, worst
from vxproof.report.phrases import amount
from vxproof.report.summary import NO_CERTIFICATE, NOTHING_MEANS, need_text, uncertified

WIDTH = 100
REGISTERS = "registers"
"""The row of what a build has to tell."""

_DUE = "due"
_NOTHING = "-"


def families_of(run: RunReport) -> tuple[str, ...]:
    """Every family that some unit of some target is asked, in order."""
    seen: dict[str, None] = {}
    for target in run.targets:
        for unit in target.units:
            seen.update(dict.fromkeys(unit.families))
    return tuple(seen)


def matrix_lines(run: RunReport) -> Iterator[str]:
    """Yield the table of the worst verdicts over all functions and kernels, then its legend."""
    families = families_of(run)
    cells = [_column(target, families) for target in run.targets]
    left = max(map(len, (*families, REGISTERS)))
    widest = max(len(cell) for column in cells for cell in column)
    count = max(1, (WIDTH - left) // (1 + widest))
    names = ("verdict", *families, *([REGISTERS] if _due(run) else []))
    for start in range(0, len(cells), count):
        part = cells[start : start + count]
        header = ("", *(column[0] for column in part))
        rows = tuple((name, *(column[1 + at] for column in part)) for at, name in enumerate(names))
        if start:
            yield ""
        yield from table_lines(Table("", header, rows), indent=0, gap=1)
    yield from _legend(run, cells)


def _due(run: RunReport) -> bool:
    return any(unit.due_at_build for target in run.targets for unit in target.units)


def _column(target: TargetReport, families: tuple[str, ...]) -> tuple[str, ...]:
    cells = (_cell(target, family) for family in families)
    due = _DUE if any(unit.due_at_build for unit in target.units) else _NOTHING
    return (target.target or "none", target.outcome.value, *cells, due)


def _cell(report: TargetReport, family: str) -> str:
    outcomes = [unit.family_outcome(family) for unit in report.units if family in unit.families]
    found = [outcome for outcome in outcomes if outcome is not None]
    if not found:
        return _NOTHING
    shown = worst(found)
    bare = any(uncertified(unit, family) for unit in report.units)
    return f"{shown.value}*" if bare and shown is Outcome.PROVED else shown.value


def _legend(run: RunReport, columns: list[tuple[str, ...]]) -> Iterator[str]:
    """Explain the words of the table that need it and that occur in it."""
    cells = {cell for column in columns for cell in column[1:]}
    if "proved*" in cells:
        yield f"* in part by z3, {NO_CERTIFICATE}"
    if _NOTHING in {cell for column in columns for cell in column[1:-1]}:
        yield f"- nothing to show: {NOTHING_MEANS}"
    if _due(run):
        named = dict.fromkeys(n for t in run.targets for u in t.units for n in u.due_at_build)
        residents = ", ".join(f"`{name}`" for name in named)
        yield f"due at build: whether the assembler spills under {residents} (E6106)"


def space_lines(run: RunReport) -> Iterator[str]:
    """Yield a row for targets that agree: the largest need among the kernels, and the limit."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for target in run.targets:
        largest: dict[str, SpaceUse] = {}
        for unit in target.units:
            for use in unit.spaces:
                kept = largest.get(use.space)
                if kept is None or (use.maximum or 0) > (kept.maximum or 0):
                    largest[use.space] = use
        for use in largest.values():
            key = (use.space, need_text(use), amount(use.limit, use.unit))
            rows.setdefault(key, []).append(target.target or "none")
    if rows:
        body = tuple((*key, ", ".join(targets)) for key, targets in rows.items())
        yield from table_lines(Table("", ("space", "need", "limit", "targets"), body))
