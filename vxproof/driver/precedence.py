"""Which refutations are shown where one implies another.

Within one space, a tile that is too large by itself (E6009) hides the sum (E6010) and the layout
(E6113), and a sum that is too large hides the layout.
"""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Proved, Refuted

_HIDES: dict[str, tuple[str, ...]] = {
    "E6009": ("E6010", "E6113"),
    "E6010": ("E6113",),
}


def visible(decisions: Iterable[Decision]) -> tuple[tuple[Decision, ...], int]:
    """Return the decisions to show, in their order, and how many others they imply."""
    decided = tuple(decisions)
    hidden = {
        (code, subject(decision.obligation))
        for decision in decided
        if isinstance(decision.verdict, Refuted)
        for code in _HIDES.get(decision.obligation.code, ())
    }
    kept = tuple(d for d in decided if not _is_hidden(d, hidden))
    return kept, len(decided) - len(kept)


def subject(obligation: Obligation) -> str:
    """Return the space that a capacity obligation is about, empty for any other obligation."""
    return "" if obligation.measure is None else obligation.measure.subject


def _is_hidden(decision: Decision, hidden: set[tuple[str, str]]) -> bool:
    key = (decision.obligation.code, subject(decision.obligation))
    return not isinstance(decision.verdict, Proved) and key in hidden
