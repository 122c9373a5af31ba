"""Which refutations are shown where one implies another.

Within one space, a tile that is too large by itself (E6009) hides the sum (E6010), the sum along a
path of calls (E6027) and the layout (E6113), and each of these hides what stands after it. Of two
refutations of one launch limit the target's own is shown, of two about the same accesses the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Proved, Refuted

_HIDES: dict[str, tuple[str, ...]] = {
    "E6009": ("E6010", "E6027", "E6113"),
    "E6010": ("E6027", "E6113"),
    "E6027": ("E6113",),
}


def visible(decisions: Iterable[Decision]) -> tuple[tuple[Decision, ...], int]:
    """Return the decisions to show, in their order, and how many others they imply."""
    decided = tuple(decisions)
    hidden = set(_hidden(decided))
    kept = tuple(d for index, d in enumerate(decided) if index not in hidden)
    return kept, len(decided) - len(kept)


def subject(obligation: Obligation) -> str:
    """Return what an obligation measures, such as a space; empty where it measures nothing."""
    return "" if obligation.measure is None else obligation.measure.subject


def _hidden(decided: tuple[Decision, ...]) -> Iterator[int]:
    spaces = {
        (code, subject(decision.obligation))
        for decision in decided
        if isinstance(decision.verdict, Refuted)
        for code in _HIDES.get(decision.obligation.code, ())
    }
    seen: dict[object, int] = {}
    for index, decision in enumerate(decided):
        obligation = decision.obligation
        if isinstance(decision.verdict, Proved):
            continue
        if (obligation.code, subject(obligation)) in spaces:
            yield index
            continue
        if not isinstance(decision.verdict, Refuted):
            continue
        match obligation.family:
            case "launch":
                key: object = (obligation.code, obligation.span, subject(obligation))
                if key in seen:
                    yield seen[key]
                seen[key] = index
            case "grid":
                key = (obligation.code, obligation.span, obligation.labels)
                if key in seen:
                    yield index
                seen.setdefault(key, index)
            case _:
                pass
