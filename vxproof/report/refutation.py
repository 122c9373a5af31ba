"""A decision as a diagnostic: the values, the summands, the limit, and what would be legal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from vxproof.diagnostics import Diagnostic, Label, Span, Table
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
SECOND = "@2"
"""Ends the name of a symbol that belongs to the second of two accesses."""

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
    notes = []
    if unknown.effort:
        notes.append(f"effort spent: {unknown.effort}")
    notes += [f"approximation: {text}" for text in obligation.approximations]
    if obligation.code != "E6180":
        notes.append(f"a refutation would be {obligation.code}: {obligation.headline}")
    told = unknown.reason.startswith(obligation.family)
    headline = unknown.reason if told else f"{obligation.family}: {unknown.reason}"
    primary = Label(obligation.span, "asked here")
    return Diagnostic("E6180", headline, primary, obligation.labels, notes=tuple(notes))


def _refutation(obligation: Obligation, refuted: Refuted) -> Diagnostic:
    env = dict(refuted.witness)
    tables = list(obligation.tables)
    headline, primary = obligation.headline, _primary(obligation, env)
    notes: list[str] = []
    measure = obligation.measure
    secondary = _with_amounts(obligation, env)
    tables += _element(obligation, env)
    if measure is not None:
        need, limit = _value(measure.need, env), _value(measure.limit, env)
        tables += _contributions(obligation, env, need)
        if need is not None and limit is not None and need > limit:
            headline += f": need {amount(need, measure.unit)}, limit {amount(limit, measure.unit)}"
            notes.append(_need_note(measure, need, limit, obligation.headline))
    tables += _parties(obligation, env)
    notes = [*_witness_notes(obligation.symbols, refuted), *notes]
    notes += _largest_notes(obligation.symbols, refuted)
    return Diagnostic(
        obligation.code,
        headline,
        primary,
        tuple(secondary),
        tuple(tables),
        tuple(notes),
        _fix(obligation, refuted) or obligation.help,
    )


def _value(term: Term, env: Mapping[str, int]) -> int | None:
    try:
        return evaluate(term, env)
    except (Undefined, KeyError):
        return None


def _need_note(measure: Measure, need: int, limit: int, headline: str) -> str:
    """Need, limit, its source and the overrun; the subject only where the headline lacks it."""
    subject = "" if headline.startswith(measure.subject) else f"{measure.subject}: "
    return (
        f"{subject}need {amount(need, measure.unit)}, limit {amount(limit, measure.unit)} "
        f"({measure.source}), over by {amount(need - limit, measure.unit)}"
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


def _with_amounts(obligation: Obligation, env: Mapping[str, int]) -> list[Label]:
    """The obligation's labels; where a summand stands, with its amount at the witness."""
    amounts: dict[Span, str] = {}
    if obligation.measure is not None:
        for item in obligation.contributions:
            value = _value(item.amount, env)
            if value is not None and item.span not in amounts:
                text = amount(value, obligation.measure.unit)
                amounts[item.span] = f"`{item.name}`: {text}"
    labels = [
        Label(one.span, amounts.pop(one.span, one.text))
        for one in obligation.labels
        if one.span != obligation.span
    ]
    amounts.pop(obligation.span, None)
    labels += [Label(span, text) for span, text in amounts.items()]
    return labels[:_MAX_LABELS]


def _primary(obligation: Obligation, env: Mapping[str, int]) -> Label:
    """The place of the fault, with its own amount where it is a summand."""
    measure = obligation.measure
    for item in obligation.contributions if measure is not None else ():
        value = _value(item.amount, env)
        if item.span == obligation.span and value is not None and measure is not None:
            return Label(obligation.span, f"`{item.name}`: {amount(value, measure.unit)}")
    words = [label.text for label in obligation.labels if label.span == obligation.span]
    return Label(obligation.span, "; ".join(words))


def _element(obligation: Obligation, env: Mapping[str, int]) -> list[Table]:
    """The coordinates of the element that two accesses share."""
    if obligation.measure is not None:
        return []
    rows = []
    for item in obligation.contributions:
        value = _value(item.amount, env)
        if value is not None:
            rows.append((item.name, f"{value:,}", item.expression))
    return [Table("the element", ("", "", ""), tuple(rows))] if rows else []


def second_parties(symbols: tuple[Symbol, ...]) -> dict[str, str]:
    """Map the name of a first party's symbol to that of the second's: the same with `@2`."""
    names = {symbol.name for symbol in symbols}
    return {name: f"{name}{SECOND}" for name in names if f"{name}{SECOND}" in names}


def _parties(obligation: Obligation, env: Mapping[str, int]) -> list[Table]:
    """A column a party, for faults of two accesses."""
    second = second_parties(obligation.symbols)
    rows = tuple(
        (
            f"{symbol.origin.value} {symbol.display or symbol.name}",
            f"{env[symbol.name]:,}",
            f"{env[second[symbol.name]]:,}",
        )
        for symbol in obligation.symbols
        if symbol.name in second and symbol.name in env and second[symbol.name] in env
    )
    first = obligation.span.line
    header = ("", f"first, line {first}", f"second, line {_second_line(obligation)}")
    return [Table("the two accesses", header, rows)] if rows else []


def _second_line(obligation: Obligation) -> int:
    """The line of the second access: the one whose start the subject names, else the first's."""
    starts = obligation.subject[3:4]
    lines = [label.span.line for label in obligation.labels if label.span.start in starts]
    return lines[0] if lines else obligation.span.line


def _witness_notes(symbols: tuple[Symbol, ...], refuted: Refuted) -> list[str]:
    """The values, parameters first; unused auxiliary values are left to the JSON form."""
    env = dict(refuted.witness)
    second = second_parties(symbols)
    paired = {*second, *second.values()}
    notes: list[str] = []
    for title, origins in _GROUPS:
        shown = [
            f"{symbol.display or symbol.name} = {env[symbol.name]:,}"
            for symbol in symbols
            if symbol.origin in origins and symbol.name in env and symbol.name not in paired
        ]
        if shown:
            notes.append(f"{title}: {', '.join(dict.fromkeys(shown))}")
    if refuted.replayed and notes:
        notes[-1] += f" (checked again: {refuted.replayed})"
    return notes


def _largest_notes(symbols: tuple[Symbol, ...], refuted: Refuted) -> list[str]:
    names = names_of(symbols)
    legal = [(names.get(n, n), value) for n, value in refuted.largest]
    parts = [f"the largest legal {name} is {value:,}" for name, value in legal if value is not None]
    free = {names[symbol.name] for symbol in symbols if symbol.lo is None or symbol.lo != symbol.hi}
    none = [name for name, value in legal if value is None and name in free]
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
    fits = "hold"
    if obligation.family == "capacity" and obligation.measure is not None:
        fits = f"fit in {obligation.measure.subject}"
    return f"`{names[name]} <= {value}` in `requires` makes this {fits} at these values"


def formula_line(obligation: Obligation) -> str:
    """Need and limit of an obligation as formulas, empty where it compares no amounts."""
    if obligation.measure is None:
        return ""
    names = names_of(obligation.symbols)
    measure = obligation.measure
    return f"{show(measure.need, names)} <= {show(measure.limit, names)}"
