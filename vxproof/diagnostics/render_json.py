"""A diagnostic as a value that `json.dumps` takes, with every field under a stable name."""

from __future__ import annotations

from vxproof.diagnostics.diagnostic import Diagnostic, Label, Table
from vxproof.diagnostics.span import Span

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Json]:
    """Return the fields of a diagnostic; absent ones are null or empty, never left out."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.info.severity.value,
        "headline": diagnostic.headline,
        "primary": None if diagnostic.primary is None else label_json(diagnostic.primary),
        "secondary": [label_json(label) for label in diagnostic.secondary],
        "tables": [table_json(table) for table in diagnostic.tables],
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def span_json(span: Span) -> dict[str, Json]:
    """Return a span: offsets in characters from 0, line and column from 1."""
    return {
        "file": span.file,
        "start": span.start,
        "end": span.end,
        "line": span.line,
        "column": span.column,
    }


def label_json(label: Label) -> dict[str, Json]:
    """Return a span with its words."""
    return {"span": span_json(label.span), "text": label.text}


def table_json(table: Table) -> dict[str, Json]:
    """Return a table."""
    return {
        "title": table.title,
        "header": list(table.header),
        "rows": [list(row) for row in table.rows],
    }
