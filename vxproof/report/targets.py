"""The limits of targets as text and as JSON, each number with its source."""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.diagnostics import Table
from vxproof.diagnostics.render_json import Json
from vxproof.diagnostics.render_text import table_lines
from vxproof.target import Fact, load, sources, table

SCHEMA = "vxproof-targets"
VERSION = 1


def targets_text(names: Iterable[str]) -> str:
    """Return a row a limit, a column a target, then what disagrees and what the sources are."""
    shown = table(load(name) for name in names)
    cited = {tag.strip() for row in shown.rows for tag in row[-1].replace(";", ",").split(",")}
    lines = list(table_lines(Table("", shown.header, shown.rows)))
    if shown.notes:
        lines += ["", "publications that disagree:", *(f"  {note}" for note in shown.notes)]
    lines += ["", "sources:"]
    lines += [f"  {source.tag}: {source.text}" for source in sources() if source.tag in cited]
    return "\n".join(lines)


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
