"""A diagnostic as text for a reader: headline, source lines with underlines, tables, notes, help.

Deterministic and plain; a caller that writes to a terminal passes `paint`, which gets the role of a
piece of text and the text, and returns what is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from vxproof.diagnostics.cells import cells, safe
from vxproof.diagnostics.codes import Severity
from vxproof.diagnostics.diagnostic import Diagnostic, Label, Table
from vxproof.diagnostics.snippet import rows
from vxproof.diagnostics.span import Source


class Role(Enum):
    """What a piece of text is, for a renderer that colours."""

    ERROR = "error"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    WARNING = "warning"
    HEADLINE = "headline"
    GUTTER = "gutter"
    SECONDARY = "secondary"
    HELP = "help"


Paint = Callable[[Role, str], str]
_NUMERIC = re.compile(r"[-+]?[\d,]+( \S+)?|none|unknown|-|")
_SEVERITY = {
    Severity.ERROR: Role.ERROR,
    Severity.REFUTED: Role.REFUTED,
    Severity.UNKNOWN: Role.UNKNOWN,
    Severity.WARNING: Role.WARNING,
}


def plain(role: Role, text: str) -> str:
    """Paint nothing."""
    return text


def render(diagnostic: Diagnostic, sources: Mapping[str, Source], paint: Paint = plain) -> str:
    """Return the text of a diagnostic, without a line end after its last line.

    `sources` maps the file names of spans to their text; a file that it lacks is located by line
    and column alone.
    """
    return "\n".join(_lines(diagnostic, sources, paint))


def _lines(diagnostic: Diagnostic, sources: Mapping[str, Source], paint: Paint) -> Iterator[str]:
    severity = diagnostic.info.severity
    role = _SEVERITY[severity]
    if severity in {Severity.REFUTED, Severity.UNKNOWN}:
        tag = f"{diagnostic.code} {severity.value}"
    else:
        tag = f"{severity.value}[{diagnostic.code}]"
    yield f"{paint(role, tag)}: {paint(Role.HEADLINE, safe(diagnostic.headline))}"
    labels = _labels(diagnostic)
    pad = " " * _gutter_width(sources, labels)
    yield from _snippets(labels, sources, role, pad, paint)
    bar = paint(Role.GUTTER, f"{pad} = ")
    for table in diagnostic.tables:
        yield from (f"{pad}   {line}" if line else "" for line in table_lines(table))
    for note in diagnostic.notes:
        yield bar + _hanging(f"note: {note}", len(pad) + 9)
    if diagnostic.help is not None:
        yield bar + paint(Role.HELP, "help") + _hanging(f": {diagnostic.help}", len(pad) + 9)


def _labels(diagnostic: Diagnostic) -> tuple[tuple[Label, bool], ...]:
    """The labels in the order of printing, each with whether it is the primary one."""
    secondary = tuple((label, False) for label in diagnostic.secondary)
    return secondary if diagnostic.primary is None else ((diagnostic.primary, True), *secondary)


def _hanging(text: str, indent: int) -> str:
    return safe(text).replace("\n", "\n" + " " * indent)


def _gutter_width(sources: Mapping[str, Source], labels: tuple[tuple[Label, bool], ...]) -> int:
    lines = [1]
    for label, _ in labels:
        source = sources.get(label.span.file)
        if source is not None:
            lines.append(source.position(min(label.span.end, len(source.text)))[0])
    return len(str(max(lines)))


def _snippets(
    labels: tuple[tuple[Label, bool], ...],
    sources: Mapping[str, Source],
    role: Role,
    pad: str,
    paint: Paint,
) -> Iterator[str]:
    by_file: dict[str, list[tuple[Label, bool]]] = {}
    for label, primary in labels:
        by_file.setdefault(label.span.file, []).append((label, primary))
    arrow = "-->"
    for file, group in by_file.items():
        span = group[0][0].span
        place = f"{safe(file)}:{span.line}:{span.column}"
        yield f"{pad}{paint(Role.GUTTER, arrow)} {place}"
        arrow = ":::"
        source = sources.get(file)
        if source is None:
            yield from (f"{pad}    {safe(label.text)}" for label, _ in group if label.text)
            continue
        yield paint(Role.GUTTER, f"{pad} |")
        for row in rows(source, tuple(group)):
            if row.kind == "gap":
                yield paint(Role.GUTTER, "...")
                continue
            gutter = paint(Role.GUTTER, f"{row.gutter:>{len(pad)}} |")
            text = safe(row.text)
            if row.kind != "source":
                text = paint(role if row.kind == "primary" else Role.SECONDARY, text)
            yield f"{gutter} {text}".rstrip() if row.text else gutter


def table_lines(table: Table, *, indent: int = 2, gap: int = 2) -> Iterator[str]:
    """Yield a title, a header and aligned rows; columns of amounts are aligned on the right."""
    between = " " * gap
    if table.title:
        yield safe(table.title)
    body = [tuple(map(safe, row)) for row in table.rows]
    grid = [tuple(map(safe, table.header)), *body] if any(table.header) else body
    widths = [max(map(cells, column), default=0) for column in zip(*grid, strict=True)]
    right = [
        bool(body) and all(_NUMERIC.fullmatch(cell) for cell in column)
        for column in zip(*body, strict=True)
    ] or [False] * len(widths)
    for row in grid:
        parts = [
            " " * (width - cells(cell)) + cell if flush else cell + " " * (width - cells(cell))
            for cell, width, flush in zip(row, widths, right, strict=True)
        ]
        yield (" " * indent + between.join(parts)).rstrip()
