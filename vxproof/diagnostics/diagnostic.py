"""A diagnostic as data: what is wrong, where, why, and what to do. Renderers are separate."""

from __future__ import annotations

from vxproof.diagnostics.codes import CodeInfo, lookup
from vxproof.diagnostics.span import Span
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Label:
    """A span and the few words that stand beside its underline."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text with a header, printed under a diagnostic (contributions, parties, steps)."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Reject rows whose width differs from the header's."""
        if any(len(row) != len(self.header) for row in self.rows):
            raise ValueError("every row of a table needs as many cells as its header")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: a key of the registry, such as `E6010`.
        headline: one phrase, in source names, without a full stop.
        primary: where; None only where no file is concerned (a usage error).
        secondary: the other places that matter, each labelled.
        tables: contributions of a capacity sum, steps of a trace.
        notes: further sentences.
        help: one fix, as a sentence.
    """

    code: str
    headline: str
    primary: Label | None
    secondary: tuple[Label, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None

    def __post_init__(self) -> None:
        """Reject codes that the registry does not know."""
        lookup(self.code)

    @property
    def info(self) -> CodeInfo:
        """The registry's entry of this code."""
        return lookup(self.code)


class DiagnosticError(Exception):
    """Carries diagnostics of a stage that cannot go on; caught at the command's door."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Keep at least one diagnostic."""
        if not diagnostics:
            raise ValueError("a DiagnosticError needs a diagnostic")
        super().__init__("; ".join(f"{d.code}: {d.headline}" for d in diagnostics))
        self.diagnostics = diagnostics
