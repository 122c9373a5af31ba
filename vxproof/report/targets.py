"""The limits of targets as text and as JSON, each number with its source.

The text fits a terminal: what every target shares and what comes with a feature, a row a limit;
then what differs, a column a target, in as many tables as the width asks for. The tag of a source
tells the grade as well: `M` is measured, `mem` from memory, every other one published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vxproof.diagnostics import Table
from vxproof.diagnostics.cells import cells
from vxproof.diagnostics.render_json import Json
from vxproof.diagnostics.render_text import table_lines
from vxproof.target import Fact, load, sources, table

SCHEMA = "vxproof-targets"
VERSION = 1
WIDTH = 100
"""Columns of the text where nothing else is asked for."""

_GAP = 2
_POWER = 32
_ABSENT = frozenset({"-", "no"})
_Row = tuple[str, ...]
"""The limit, its value on each target, the unit, the grade, the source tags."""


def targets_text(names: Iterable[str], width: int = WIDTH) -> str:
    """Return a row a limit, then what disagrees and what the sources are."""
    chosen = tuple(names)
    shown = table(load(name) for name in chosen)
    rows = [tuple(map(_grouped, row)) for row in shown.rows]
    same = [row for row in rows if len(set(_values(row))) == 1]
    feature = [row for row in rows if row not in same and len(_present(row)) == 1]
    differ = [row for row in rows if row not in same and row not in feature]
    lines = ["limits:" if len(chosen) == 1 else "the same on every target:"]
    lines += _alike(same)
    if feature:
        lines += ["", *_featured(feature, chosen)]
    if differ:
        lines += ["", "by target:", *_differing(differ, chosen, width)]
    cited = {tag.strip() for row in rows for tag in row[-1].replace(";", ",").split(",")}
    if shown.notes:
        lines += ["", "publications that disagree:", *(f"  {note}" for note in shown.notes)]
    lines += ["", "sources (M is measured, mem from memory, the others are published):"]
    lines += [f"  {source.tag}: {source.text}" for source in sources() if source.tag in cited]
    return "\n".join(lines)


def _values(row: _Row) -> _Row:
    return row[1:-3]


def _present(row: _Row) -> set[str]:
    return set(_values(row)) - _ABSENT


def _grouped(cell: str) -> str:
    """A number with thousands separators, a large power of two as one; other cells as they are."""
    if not cell.isdigit():
        return cell
    number = int(cell)
    power = number.bit_length() - 1
    return f"2^{power}" if power >= _POWER and number == 1 << power else f"{number:,}"


def _alike(rows: Sequence[_Row]) -> Iterator[str]:
    body = tuple((row[0], row[1], row[-3], row[-1]) for row in rows)
    yield from table_lines(Table("", ("limit", "value", "unit", "source"), body))


def _featured(rows: Sequence[_Row], names: Sequence[str]) -> Iterator[str]:
    """A table for each set of targets that have the same features."""
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        having = [
            name for name, value in zip(names, _values(row), strict=True) if value not in _ABSENT
        ]
        groups.setdefault(_where(having, names), []).append(row)
    for where, members in groups.items():
        body = tuple((row[0], *_present(row), row[-3], row[-1]) for row in members)
        yield f"{where}:"
        yield from table_lines(Table("", ("",) * 4, body))


def _where(having: Sequence[str], names: Sequence[str]) -> str:
    """Targets in words: a range at the end of the list, or their names."""
    if len(having) > 2 and list(names[-len(having) :]) == list(having):
        return f"from {having[0]} on"
    return ", ".join(having)


def _differing(rows: Sequence[_Row], names: Sequence[str], width: int) -> Iterator[str]:
    """The values by target, in parts that fit the width, then where they come from."""
    left = _GAP + _width(["limit", *(row[0] for row in rows)])
    widths = [
        _GAP + _width([name, *(_values(row)[at] for row in rows)]) for at, name in enumerate(names)
    ]
    room = max(width - left, *widths)
    count = max(1, room // max(widths))
    parts = -(-len(names) // count)
    count = -(-len(names) // parts)
    for start in range(0, len(names), count):
        part = slice(start, start + count)
        body = tuple((row[0], *_values(row)[part]) for row in rows)
        yield from table_lines(Table("", ("limit", *names[part]), body))
        yield ""
    body = tuple((row[0], row[-3], row[-1]) for row in rows)
    yield from table_lines(Table("", ("limit", "unit", "source"), body))


def _width(column: Sequence[str]) -> int:
    return max(map(cells, column), default=0)


def targets_json(names: Iterable[str]) -> dict[str, Json]:
    """Return every fact of each target."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "sources": {source.tag: source.text for source in sources()},
        "targets": {name: [_fact(fact) for fact in load(name).facts] for name in names},
    }


def _fact(fact: Fact) -> dict[str, Json]:
    value: Json = list(fact.value) if isinstance(fact.value, tuple) else fact.value
    return {
        "name": fact.name,
        "value": value,
        "unit": fact.unit,
        "source": fact.source,
        "grade": fact.grade.value,
    }
