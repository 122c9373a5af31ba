"""Source files and the places in them that diagnostics point at."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from functools import cached_property

from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters `[start, end)` of one file.

    `line` and `column` (both from 1, columns count characters) locate `start`, so that a span can
    be printed without its file at hand.
    """

    file: str
    start: int
    end: int
    line: int
    column: int

    def __post_init__(self) -> None:
        """Reject a range that runs backwards."""
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span must run forwards, got [{self.start}, {self.end})")

    def to(self, other: Span) -> Span:
        """Return the smallest span that holds this one and a later one of the same file."""
        return Span(self.file, self.start, max(self.end, other.end), self.line, self.column)


@dataclasses.dataclass(frozen=True)
class Source:
    """The text of one file, named as the user named it."""

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        starts = [0]
        starts.extend(i + 1 for i, ch in enumerate(self.text) if ch == "\n")
        return tuple(starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Return (line, column), both from 1, of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters `[start, end)`."""
        line, column = self.position(start)
        return Span(self.name, start, end, line, column)

    def line_text(self, line: int) -> str:
        """Return one line (from 1) without its line end."""
        start = self._line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end].rstrip("\r")

    def slice(self, span: Span) -> str:
        """Return the characters of a span."""
        return self.text[span.start : span.end]
