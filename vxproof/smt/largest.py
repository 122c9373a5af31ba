"""Largest legal values: how far a parameter may go with the others where a refutation has them."""

from __future__ import annotations

from vxproof.logic.obligation import Obligation, Origin
from vxproof.smt.question import Settings
from vxproof.smt.search import Axis, Exhausted, Found, search

_BOXES = 600
_SHOWN = frozenset({Origin.GENERIC, Origin.PARAMETER, Origin.EXTENT})
_CHOSEN = frozenset({Origin.GENERIC, Origin.PARAMETER})


def largest_legal(
    settings: Settings, obligation: Obligation, witness: dict[str, int]
) -> tuple[tuple[str, int | None], ...]:
    """For each parameter of the goal: its largest value that is admitted and makes the goal true.

    Parameters and what else the goal names stay at the witness; other symbols, such as an extent
    that only has to be a multiple of a tile, may be chosen anew. None where no value is legal;
    a parameter is left out where the search ended before it was known.
    """
    named = settings.free(obligation.goal)
    found: list[tuple[str, int | None]] = []
    for symbol in obligation.symbols:
        if symbol.origin in _SHOWN and symbol.name in named:
            fixed = {
                other.name
                for other in obligation.symbols
                if other is not symbol and (other.origin in _CHOSEN or other.name in named)
            }
            known, value = _largest(settings, obligation, symbol.name, fixed, witness)
            if known:
                found.append((symbol.name, value))
    return tuple(found)


def _largest(
    settings: Settings,
    obligation: Obligation,
    name: str,
    fixed: set[str],
    witness: dict[str, int],
) -> tuple[bool, int | None]:
    setting = settings.of(obligation.symbols, obligation.hypotheses)
    box = setting.box.copy()
    for axis in setting.axes:
        if axis.name in fixed:
            box.set_range(axis.atom, (witness[axis.name], witness[axis.name]))
    first = [Axis(a.name, a.atom, descending=True) for a in setting.axes if a.name == name]
    axes = [*first, *(a for a in setting.axes if a.name != name)]
    formulas = (*obligation.hypotheses, obligation.goal)
    outcome = search(box, axes, settings.reader, formulas, None, _BOXES)
    match outcome:
        case Found(values=values):
            return True, dict(values)[name]
        case Exhausted(clear=True):
            return True, None
        case _:
            return False, None
