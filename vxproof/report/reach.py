"""Accesses out of bounds: the index, the extent, and how far outside the access lies."""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.logic.obligation import Obligation
from vxproof.report.amounts import value_at
from vxproof.report.phrases import counted

_PARTS = 3
"""Contributions of an access: its first index, how many elements it takes, the extent."""


def reach(obligation: Obligation, env: Mapping[str, int]) -> tuple[str, str] | None:
    """Return the words of the headline and of the note; None where this is no such access."""
    if obligation.family != "bounds" or len(obligation.contributions) != _PARTS:
        return None
    start, size, extent = (value_at(item.amount, env) for item in obligation.contributions)
    if start is None or size is None or extent is None:
        return None
    last = start + size - 1
    before = min(max(-start, 0), size)
    after = min(max(last - extent + 1, 0), size)
    what = f"index {start:,}" if size == 1 else f"indices {start:,} to {last:,}"
    spelled = [item.expression for item in obligation.contributions]
    sides = [f"{counted(before, 'element')} before the first" if before else ""]
    sides.append(f"{counted(after, 'element')} past the last" if after else "")
    out = " and ".join(filter(None, sides))
    if size == 1:
        at = _also(f"index {start:,}", spelled[0])
    else:
        at = f"{_also(what, spelled[0])}, {_also(f'{size:,} elements', spelled[1])}"
    note = f"{at}; the axis has {_also(counted(extent, 'element'), spelled[2])}: {out or 'inside'}"
    return f"{what}, extent {extent:,}", note


def _also(value: str, spelled: str) -> str:
    """A value with the source's way to write it, where that says more."""
    plain = spelled.removeprefix("-").isdigit() or not spelled
    return value if plain else f"{value} (`{spelled}`)"
