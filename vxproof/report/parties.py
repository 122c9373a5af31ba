"""Faults of two accesses: a column a party, and the element in which they meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vxproof.diagnostics import Table
from vxproof.logic.obligation import Obligation, Origin, Symbol
from vxproof.report.amounts import value_at

SECOND = "@2"
"""Ends the name of a symbol that belongs to the second of two accesses."""

_TITLES = (
    (Origin.GRID, "grid point"),
    (Origin.LOOP, "iteration"),
    (Origin.PARAMETER, "parameters"),
    (Origin.VALUE, "values"),
)


def of_second(name: str) -> bool:
    """Tell whether a symbol belongs to the second party alone."""
    return name.endswith(SECOND)


def told_in_columns(symbols: tuple[Symbol, ...]) -> frozenset[str]:
    """Names of the symbols that the columns show: what a party has of its own, and grid indices."""
    names = {symbol.name for symbol in symbols}
    if not any(map(of_second, names)):
        return frozenset()
    own = {name for name in names if of_second(name) or f"{name}{SECOND}" in names}
    return frozenset(own | {s.name for s in symbols if s.origin is Origin.GRID})


def party_tables(obligation: Obligation, env: Mapping[str, int]) -> list[Table]:
    """The two accesses side by side, in source names; nothing where there is one party."""
    symbols = obligation.symbols
    told = told_in_columns(symbols)
    if not told:
        return []
    rows = [row for origin, title in _TITLES if (row := _row(origin, title, symbols, told, env))]
    element = element_text(obligation, env)
    if element:
        rows.append(("touches", element, element))
    first = obligation.span.line
    header = ("", f"first, line {first}", f"second, line {_second_line(obligation)}")
    return [Table("the two accesses", header, tuple(rows))]


def _row(
    origin: Origin,
    title: str,
    symbols: tuple[Symbol, ...],
    told: frozenset[str],
    env: Mapping[str, int],
) -> tuple[str, str, str] | None:
    """One kind of symbol, as `h = 0, i = 0` for each party."""
    ours = [s for s in symbols if s.origin is origin and s.name in told and not of_second(s.name)]
    theirs = {s.name: s for s in symbols if s.origin is origin and of_second(s.name)}
    left = [_equation(s.display, env.get(s.name)) for s in ours]
    right = []
    for symbol in ours:
        theirs.pop(f"{symbol.name}{SECOND}", None)
        right.append(
            _equation(symbol.display, env.get(f"{symbol.name}{SECOND}", env.get(symbol.name)))
        )
    right += [_equation(s.display.rstrip("'"), env.get(name)) for name, s in theirs.items()]
    shown = ", ".join(filter(None, left)), ", ".join(filter(None, right))
    return (title, *shown) if any(shown) else None


def _equation(display: str, value: int | None) -> str:
    return f"{display} = {value:,}" if display and value is not None else ""


def element_text(obligation: Obligation, env: Mapping[str, int]) -> str:
    """The element in which two accesses meet, as `o[0][0][7]`; empty where it is not known."""
    coordinates = list(_coordinates(obligation, env))
    if obligation.family != "grid" or not coordinates or None in coordinates:
        return ""
    name = obligation.contributions[0].name
    return f"`{name}{''.join(f'[{at}]' for at in coordinates)}`"


def _coordinates(obligation: Obligation, env: Mapping[str, int]) -> Iterator[int | None]:
    return (value_at(item.amount, env) for item in obligation.contributions)


def _second_line(obligation: Obligation) -> int:
    """The line of the second access: the one whose start the subject names, else the first's."""
    starts = obligation.subject[3:4]
    lines = [label.span.line for label in obligation.labels if label.span.start in starts]
    return lines[0] if lines else obligation.span.line
