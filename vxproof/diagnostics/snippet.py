"""Source lines with the spans of a diagnostic underlined, as plain lines of text.

A primary span is underlined with `^`, a secondary one with `-`; of a span over several lines the
first is underlined, with the number of the last. A long line is cut around what is underlined.
"""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.diagnostics.cells import cells, shown
from vxproof.diagnostics.diagnostic import Label
from vxproof.diagnostics.span import Source
from vxproof.records import dataclass

WIDTH = 100
"""Cells of a source line before it is cut."""

_MARGIN = 30
"""Characters kept before an underline when a line is cut."""


@dataclass(frozen=True, slots=True)
class Row:
    """One output line: the text left of the bar, then what stands right of it.

    `kind` is `source`, `primary`, `secondary` or `gap`, for a renderer that colours.
    """

    gutter: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Mark:
    """An underline on one line: characters `[start, end)` of that line, both from 0."""

    line: int
    start: int
    end: int
    text: str
    primary: bool


def rows(source: Source, labels: tuple[tuple[Label, bool], ...]) -> Iterator[Row]:
    """Yield the lines for labels of one file; the flag says whether a label is the primary one."""
    marks: dict[int, list[_Mark]] = {}
    for label, primary in labels:
        for mark in _marks(source, label, primary):
            marks.setdefault(mark.line, []).append(mark)
    previous: int | None = None
    for line in sorted(marks):
        if previous is not None and line > previous + 1:
            if line == previous + 2:
                yield _source_row(source, previous + 1)
            else:
                yield Row("...", "", "gap")
        yield from _line_rows(source, line, marks[line])
        previous = line


def _marks(source: Source, label: Label, primary: bool) -> Iterator[_Mark]:
    size = len(source.text)
    start, end = min(label.span.start, size), min(label.span.end, size)
    line, column = source.position(start)
    last, _ = source.position(max(start, end - 1))
    text = source.line_text(line)
    first = min(column - 1, len(text))
    if last == line:
        stop = min(first + max(end - start, 1), max(len(text), first + 1))
        yield _Mark(line, first, stop, label.text, primary)
        return
    words = f"{label.text} (to line {last})".lstrip()
    yield _Mark(line, first, max(len(text), first + 1), words, primary)


def _line_rows(source: Source, line: int, marks: list[_Mark]) -> Iterator[Row]:
    text = source.line_text(line)
    ordered = sorted(marks, key=lambda m: (not m.primary, m.start, m.end))
    left, right = _window(text, ordered[0])
    yield Row(str(line), _cut(text, left, right), "source")
    for mark in ordered:
        start = min(max(mark.start, left), right)
        stop = min(max(mark.end, start + 1), max(right, start + 1))
        before = cells("".join(map(shown, text[left:start]))) + (left > 0)
        under = max(cells("".join(map(shown, text[start:stop]))), 1)
        sign = "^" if mark.primary else "-"
        tail = f" {mark.text}" if mark.text else ""
        kind = "primary" if mark.primary else "secondary"
        yield Row("", " " * before + sign * under + tail, kind)


def _source_row(source: Source, line: int) -> Row:
    text = source.line_text(line)
    return Row(str(line), _cut(text, 0, min(len(text), WIDTH)), "source")


def _window(text: str, mark: _Mark) -> tuple[int, int]:
    """Return the range of characters of a line that is shown."""
    if len(text) <= WIDTH:
        return 0, len(text)
    left = max(0, min(mark.start - _MARGIN, len(text) - WIDTH))
    return (0 if mark.end <= WIDTH else left), min(
        len(text), (0 if mark.end <= WIDTH else left) + WIDTH
    )


def _cut(text: str, left: int, right: int) -> str:
    body = "".join(map(shown, text[left:right]))
    return ("…" if left > 0 else "") + body + ("…" if right < len(text) else "")
