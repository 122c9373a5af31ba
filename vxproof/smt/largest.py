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
    named = _named(settings, obligation)
    found: list[tuple[str, int | None]] = []
    for symbol in obligation.symbols:
        if symbol.origin in _SHOWN and symbol.name in named:
            fixed = _fixed(obligation, symbol.name, named)
            known, value = _legal(settings, obligation, symbol.name, fixed, witness)
            if known:
                found.append((symbol.name, value))
    return tuple(found)


def least_above(
    settings: Settings, obligation: Obligation, witness: dict[str, int], name: str
) -> int | None:
    """The least legal value of a parameter above the witness's; None where none is known."""
    fixed = _fixed(obligation, name, _named(settings, obligation))
    return _legal(settings, obligation, name, fixed, witness, witness[name] + 1)[1]


def _named(settings: Settings, obligation: Obligation) -> frozenset[str]:
    """What the need and its limit depend on; of an access, the index alone, not the extent."""
    measure = obligation.measure
    if measure is None:
        return settings.free(obligation.goal)
    need = settings.free(measure.need)
    return need if obligation.family == "bounds" else need | settings.free(measure.limit)


def _fixed(obligation: Obligation, name: str, named: frozenset[str]) -> set[str]:
    """What stays at the witness while one parameter moves."""
    return {
        other.name
        for other in obligation.symbols
        if other.name != name and (other.origin in _CHOSEN or other.name in named)
    }


def _legal(
    settings: Settings,
    obligation: Obligation,
    name: str,
    fixed: set[str],
    witness: dict[str, int],
    at_least: int | None = None,
) -> tuple[bool, int | None]:
    """The largest legal value, or the least that is not below `at_least`; whether it is known."""
    setting = settings.of(obligation.symbols, obligation.hypotheses)
    box = setting.box.copy()
    for axis in setting.axes:
        if axis.name in fixed:
            box.set_range(axis.atom, (witness[axis.name], witness[axis.name]))
        elif at_least is not None and axis.name == name:
            low, high = box.range(axis.atom) or (None, None)
            box.set_range(axis.atom, (at_least if low is None else max(low, at_least), high))
    up = at_least is not None
    first = [Axis(a.name, a.atom, descending=not up) for a in setting.axes if a.name == name]
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
