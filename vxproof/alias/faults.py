"""What the alias analyses find: a code, a place, and the path that leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.alias.naming import Step
    from vxproof.diagnostics import Label, Span, Table
    from vxproof.ir.values import Variable


@dataclass(frozen=True, slots=True)
class Fault:
    """A promise of residence that the program breaks.

    `path` is the witness: the steps from the resident to the fault, in order. Where two names meet,
    `parties` has a column for each.
    """

    code: str
    variable: Variable
    headline: str
    span: Span
    labels: tuple[Label, ...]
    path: tuple[Step, ...]
    help: str
    parties: Table | None = None
