"""A decision as a diagnostic: the values, the summands, the limit, and what would be legal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from vxproof.diagnostics import Diagnostic, Label, Table
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.obligation import Measure, Obligation, Origin, Symbol
from vxproof.logic.terms import Term
from vxproof.logic.text import show
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Waived
from vxproof.report.phrases import amount, names_of

_PARAMETERS = frozenset({Origin.GENERIC, Origin.EXTENT, Origin.STRIDE, Origin.PARAMETER})
_GROUPS: tuple[tuple[str, frozenset[Origin]], ...] = (
    ("counterexample", _PARAMETERS),
    ("grid point", frozenset({Origin.GRID})),
    ("iteration", frozenset({Origin.LOOP})),
    ("with", frozenset({Origin.VALUE})),
    ("element", frozenset({Origin.ELEMENT})),
)
_MAX_LABELS = 6
_MAX_ROWS = 40


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
    notes = [f"not proved and not refuted: {unknown.reason}"]
    if unknown.effort:
        notes.append(f"effort spent: {unknown.effort}")
    notes += [f"approximation: {text}" for text in obligation.approximations]
    notes.append(f"a refutation would be {obligation.code}: {obligation.headline}")
    return Diagnostic(
        "E6180",
        f"{obligation.family} is not decided: {unknown.reason}",
        Label(obligation.span, "asked here"),
        obligation.labels,
        notes=tuple(notes[1:]),
    )


def _refutation(obligation: Obligation, refuted: Refuted) -> Diagnostic:
    env = dict(refuted.witness)
    tables = list(obligation.tables)
    secondary = list(obligation.labels)
    headline, primary = obligation.headline, Label(obligation.span)
    notes: list[str] = []
    measure = obligation.measure
    if measure is not None:
        need, limit = _value(measure.need, env), _value(measure.limit, env)
        tables += _contributions(obligation, env, need)
        secondary += _contribution_labels(obligation, env, measure.unit)
        if need is not None and limit is not None and need > limit:
            headline += f": need {amount(need, measure.unit)}, limit {amount(limit, measure.unit)}"
            notes.append(_need_note(measure, need, limit))
    tables += _parties(obligation.symbols, env)
    notes = [*_witness_notes(obligation.symbols, refuted), *notes]
    notes += _largest_notes(obligation.symbols, refuted)
    return Diagnostic(
        obligation.code,
        headline,
        primary,
        tuple(secondary),
        tuple(tables),
        tuple(notes),
        obligation.help or _fix(obligation, refuted),
    )


def _value(term: Term, env: Mapping[str, int]) -> int | None:
    try:
        return evaluate(term, env)
    except (Undefined, KeyError):
        return None


def _need_note(measure: Measure, need: int, limit: int) -> str:
    return (
        f"{measure.subject}: need {amount(need, measure.unit)}, limit "
        f"{amount(limit, measure.unit)} ({measure.source}), over by "
        f"{amount(need - limit, measure.unit)}"
    )


def _contributions(obligation: Obligation, env: Mapping[str, int], need: int | None) -> list[Table]:
    """The summands at the witness; what placing them adds is a row of its own."""
    measure = obligation.measure
    if measure is None or not obligation.contributions:
        return []
    rows: list[tuple[str, ...]] = []
    total = 0
    for item in obligation.contributions:
        value = _value(item.amount, env)
        total += value or 0
        shown = "?" if value is None else amount(value, measure.unit)
        rows.append((item.name, item.expression, shown, item.lifetime))
    if len(rows) > _MAX_ROWS:
        rest = len(rows) - _MAX_ROWS
        rows = [*rows[:_MAX_ROWS], (f"… {rest:,} more", "", "", "")]
    if need is not None and need > total:
        rows.append(("", "gaps and rounding", amount(need - total, measure.unit), ""))
    if need is not None and len(obligation.contributions) > 1:
        rows.append(("together", "", amount(max(need, total), measure.unit), ""))
    header = ("buffer", "size", measure.unit, "lives")
    return [Table(f"what {measure.subject} holds", header, tuple(rows))]


def _contribution_labels(
    obligation: Obligation, env: Mapping[str, int], unit: str
) -> tuple[Label, ...]:
    taken = {obligation.span, *(label.span for label in obligation.labels)}
    found: list[Label] = []
    for item in obligation.contributions:
        value = _value(item.amount, env)
        if item.span in taken or value is None:
            continue
        taken.add(item.span)
        found.append(Label(item.span, f"{item.name}: {amount(value, unit)}"))
    return tuple(found[:_MAX_LABELS])


def split_party(symbol: Symbol) -> tuple[str, int] | None:
    """Return (name, party) of a symbol that belongs to one of two accesses, else None.

    The parties are told apart by a suffix of the unique name: `@1` and `@2`.
    """
    base, mark, party = symbol.name.rpartition("@")
    if mark and party in {"1", "2"}:
        return (symbol.display or base).removesuffix(f"@{party}"), int(party)
    return None


def _parties(symbols: tuple[Symbol, ...], env: Mapping[str, int]) -> list[Table]:
    """A column a party, for faults of two accesses."""
    cells: dict[tuple[str, str], dict[int, int]] = {}
    for symbol in symbols:
        found = split_party(symbol)
        if found is not None and symbol.name in env:
            name, party = found
            cells.setdefault((symbol.origin.value, name), {})[party] = env[symbol.name]
    rows = tuple(
        (f"{origin} {name}", *(f"{row[p]:,}" if p in row else "-" for p in (1, 2)))
        for (origin, name), row in cells.items()
    )
    return [Table("the two accesses", ("", "first", "second"), rows)] if rows else []


def _witness_notes(symbols: tuple[Symbol, ...], refuted: Refuted) -> list[str]:
    """The values, parameters first; unused auxiliary values are left to the JSON form."""
    env = dict(refuted.witness)
    notes: list[str] = []
    for title, origins in _GROUPS:
        shown = [
            f"{symbol.display or symbol.name} = {env[symbol.name]:,}"
            for symbol in symbols
            if symbol.origin in origins and symbol.name in env and split_party(symbol) is None
        ]
        if shown:
            notes.append(f"{title}: {', '.join(dict.fromkeys(shown))}")
    if refuted.replayed:
        text = f"checked again by {refuted.replayed}"
        if notes:
            notes[-1] += f" ({text})"
        else:
            notes.append(text)
    return notes


def _largest_notes(symbols: tuple[Symbol, ...], refuted: Refuted) -> list[str]:
    names = names_of(symbols)
    legal = [(names.get(n, n), value) for n, value in refuted.largest]
    parts = [f"the largest legal {name} is {value:,}" for name, value in legal if value is not None]
    none = [name for name, value in legal if value is None]
    if none:
        parts.append(f"no value of {', '.join(none)} is legal")
    return [f"with the other values as above, {'; '.join(parts)}"] if parts else []


def _fix(obligation: Obligation, refuted: Refuted) -> str | None:
    """A bound on the parameter whose largest legal value is closest to the refuted one."""
    env = dict(refuted.witness)
    names = names_of(obligation.symbols)
    generics = {s.name for s in obligation.symbols if s.origin in _PARAMETERS}
    options = [
        (value / env[name], name, value)
        for name, value in refuted.largest
        if value is not None and name in generics and 0 < value < env.get(name, 0)
    ]
    if not options:
        return None
    _, name, value = max(options, key=lambda option: option[0])
    where = "" if obligation.measure is None else f" in {obligation.measure.subject}"
    return f"`{names[name]} <= {value}` in `requires` makes this fit{where} at these values"


def formula_line(obligation: Obligation) -> str:
    """Need and limit of an obligation as formulas, empty where it compares no amounts."""
    if obligation.measure is None:
        return ""
    names = names_of(obligation.symbols)
    measure = obligation.measure
    return f"{show(measure.need, names)} <= {show(measure.limit, names)}"
