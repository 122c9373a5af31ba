"""A decision as a diagnostic: the values, the summands, the limit, and what would be legal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from vxproof.diagnostics import Diagnostic, Label, Table
from vxproof.logic.obligation import Obligation, Origin
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Waived
from vxproof.report.advice import fix, next_step
from vxproof.report.amounts import (
    MOST_LABELS,
    PARAMETERS,
    contributions,
    exceeded,
    largest_notes,
    need_note,
    peak_note,
    primary_label,
    with_amounts,
)
from vxproof.report.parties import element_text, party_tables, told_in_columns
from vxproof.report.phrases import amount
from vxproof.report.reach import reach

_GROUPS: tuple[tuple[str, frozenset[Origin]], ...] = (
    ("counterexample", PARAMETERS),
    ("grid point", frozenset({Origin.GRID})),
    ("iteration", frozenset({Origin.LOOP})),
    ("with", frozenset({Origin.VALUE})),
    ("element", frozenset({Origin.ELEMENT})),
)


def decision_diagnostic(decision: Decision) -> Diagnostic | None:
    """Return what a decision has to say; None for what is proved."""
    obligation = decision.obligation
    match decision.verdict:
        case Proved():
            return None
        case Refuted() as refuted:
            return _refutation(obligation, refuted)
        case Waived(code=code, refuted=refuted):
            shown = _refutation(obligation, refuted)
            headline = f"waived by `overcommit`, does not hold: {shown.headline}"
            return replace(shown, code=code, headline=headline)
        case Unknown() as unknown:
            return _unknown(obligation, unknown)
        case _:
            assert_never(decision.verdict)


def _unknown(obligation: Obligation, unknown: Unknown) -> Diagnostic:
    notes = []
    if unknown.effort:
        notes.append(f"effort spent: {unknown.effort}")
    notes += [f"approximation: {text}" for text in obligation.approximations]
    if obligation.code != "E6180":
        notes.append(f"a refutation would be {obligation.code}: {obligation.headline}")
    told = unknown.reason.startswith(obligation.family)
    headline = unknown.reason if told else f"{obligation.family}: {unknown.reason}"
    return Diagnostic(
        "E6180",
        headline,
        Label(obligation.span, "asked here"),
        tuple(label for label in obligation.labels if label.span != obligation.span),
        notes=tuple(notes),
        help=next_step(obligation, unknown),
    )


def _refutation(obligation: Obligation, refuted: Refuted) -> Diagnostic:
    env = dict(refuted.witness)
    headline, secondary = obligation.headline, with_amounts(obligation, env)
    found = exceeded(obligation, env)
    tables = [
        *obligation.tables,
        *contributions(obligation, env, None if found is None else found[1]),
    ]
    tables += _meeting(obligation, env)
    notes = _witness_notes(obligation, refuted)
    outside = reach(obligation, env)
    if found is not None:
        measure, need, limit = found
        headline += f": need {amount(need, measure.unit)}, limit {amount(limit, measure.unit)}"
        notes.append(need_note(measure, need, limit, obligation.headline))
    element = element_text(obligation, env)
    if element:
        headline += f": {element}"
    if outside is not None:
        headline += f": {outside[0]}"
        notes.append(outside[1])
    notes += [*largest_notes(obligation, refuted), *peak_note(obligation, refuted), *refuted.notes]
    return Diagnostic(
        obligation.code,
        headline,
        primary_label(obligation, env),
        tuple(secondary[:MOST_LABELS]),
        tuple(tables),
        tuple(notes),
        fix(obligation, refuted),
    )


def _meeting(obligation: Obligation, env: Mapping[str, int]) -> list[Table]:
    """The two accesses of a fault between two parties, or the element alone."""
    tables = party_tables(obligation, env)
    element = element_text(obligation, env)
    if tables or not element:
        return tables
    return [Table("", ("", ""), (("both touch", element),))]


def _witness_notes(obligation: Obligation, refuted: Refuted) -> list[str]:
    """The values, parameters first; what the source has no name for is left to the JSON form."""
    env = dict(refuted.witness)
    told = told_in_columns(obligation.symbols)
    notes: list[str] = []
    for title, origins in _GROUPS:
        shown = [
            f"{symbol.display or symbol.name} = {env[symbol.name]:,}"
            for symbol in obligation.symbols
            if symbol.origin in origins and symbol.name in env and symbol.name not in told
        ]
        if shown:
            notes.append(f"{title}: {', '.join(dict.fromkeys(shown))}")
    if refuted.replayed and notes:
        notes[-1] += f" (checked again: {refuted.replayed})"
    return notes
