"""Branch and prune: the least point, in a given order of the symbols, where formulas hold.

Boxes are split at the first symbol that is not fixed yet, the lower half first, and dropped
where the narrowed box leaves no point, some formula is false, or the denied one is true. The
first point that survives exact evaluation is thus the lexicographically least. An exhausted
search is a proof that there is none, unless a point without a value was met.
"""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.logic.box import Box
from vxproof.logic.build import neg
from vxproof.logic.congruence import down, up
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.facts import Reader
from vxproof.logic.interval import Interval
from vxproof.logic.terms import Formula
from vxproof.logic.tighten import narrow
from vxproof.records import dataclass

_FEW = 8


@dataclass(frozen=True, slots=True)
class Found:
    """The least point; values stand in the order of the search."""

    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Exhausted:
    """There is no point; `clear` where no formula was undefined at any point that was met."""

    clear: bool


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The limit of boxes was reached, or a symbol has no lower end."""

    boxes: int


Outcome = Found | Exhausted | GaveUp


@dataclass(frozen=True, slots=True)
class Axis:
    """A symbol of the search: its atom, and whether its greatest value comes first."""

    name: str
    atom: int
    descending: bool = False


def search(
    box: Box,
    axes: Sequence[Axis],
    reader: Reader,
    formulas: Sequence[Formula],
    denied: Formula | None,
    limit: int,
) -> Outcome:
    """Find the least point where all formulas are true and `denied` is false."""
    readings = [reader.read(f) for f in formulas]
    facts = [fact for reading in readings for fact in reading.facts]
    checks = [f for f, reading in zip(formulas, readings, strict=True) if not reading.whole]
    if denied is not None:
        facts.extend(reader.read(neg(denied)).facts)
    stack: list[tuple[Box, frozenset[int] | None]] = [(box, None)]
    boxes, clear = 0, True
    while stack:
        current, changed = stack.pop()
        current = current.copy() if changed is None else current
        boxes += 1
        if boxes > limit:
            return GaveUp(boxes - 1)
        if not narrow(current, facts, changed) or _excluded(current, checks, denied):
            continue
        axis = _first_open(current, axes)
        if axis is None:
            env = {a.name: _value(current, a) for a in axes}
            solution = _is_solution(env, formulas, denied)
            if solution:
                return Found(tuple((a.name, env[a.name]) for a in axes))
            clear = clear and solution is not None
            continue
        children = _split(current, axis)
        if children is None:
            return GaveUp(boxes)
        narrowed = frozenset((axis.atom,))
        stack.extend((child, narrowed) for child in reversed(children))
    return Exhausted(clear)


def _excluded(box: Box, checks: Sequence[Formula], denied: Formula | None) -> bool:
    if denied is not None and box.truth(denied) is True:
        return True
    return any(box.truth(check) is False for check in checks)


def _first_open(box: Box, axes: Sequence[Axis]) -> Axis | None:
    for axis in axes:
        lo, hi = box.range(axis.atom) or (None, None)
        if lo is None or lo != hi:
            return axis
    return None


def _value(box: Box, axis: Axis) -> int:
    bounds = box.range(axis.atom)
    if bounds is None or bounds[0] is None:
        raise ValueError(f"{axis.name} is not fixed")
    return bounds[0]


def _is_solution(
    env: dict[str, int], formulas: Sequence[Formula], denied: Formula | None
) -> bool | None:
    """True at a solution, False where a formula excludes the point, None where it is undefined."""
    defined = True
    for formula in formulas:
        try:
            if not holds(formula, env):
                return False
        except Undefined:
            defined = False
    try:
        if denied is not None and holds(denied, env):
            return False
    except Undefined:
        return None
    return True if defined else None


def _split(box: Box, axis: Axis) -> list[Box] | None:
    """Parts of the box along one axis, in the order of the search; None where no end is known."""
    lo, hi = box.range(axis.atom) or (None, None)
    first = hi if axis.descending else lo
    if first is None:
        return None
    own = box.classes.get(axis.atom)
    step = own[0] if own is not None else 1
    parts: list[Interval]
    if lo is not None and hi is not None and (hi - lo) // step < _FEW:
        parts = [(v, v) for v in range(lo, hi + 1, step)]
        if axis.descending:
            parts.reverse()
    elif axis.descending:
        middle = min(first - _FEW * step, 2 * first) if lo is None else (lo + first) // 2
        parts = [(first, first), (middle, first - 1), (lo, middle - 1)]
    else:
        middle = max(first + _FEW * step, 2 * first) if hi is None else (first + hi) // 2
        parts = [(first, first), (first + 1, middle), (middle + 1, hi)]
    found: list[Box] = []
    for low, high in parts:
        child = box.copy()
        bounds = (
            low if own is None or low is None else up(own, low),
            high if own is None or high is None else down(own, high),
        )
        child.set_range(axis.atom, bounds)
        found.append(child)
    return found
