"""Lower bounds of polynomials over a box, sharp where they are monotone in each atom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.logic.poly import Poly, substitute

if TYPE_CHECKING:
    from vxproof.logic.box import Box

_LONGEST = 48


def least(box: Box, poly: Poly) -> int | None:
    """A lower bound of a polynomial, sharp at a monotone corner; None for none."""
    bounds = box.bounds(poly)
    if bounds is None or len(poly) > _LONGEST:
        return None if bounds is None else bounds[0]
    rest = poly
    while True:
        step = _to_corner(box, rest)
        if step is None:
            break
        rest = step
    if rest is poly:
        return bounds[0]
    sharper = box.bounds(rest)
    low = None if sharper is None else sharper[0]
    if bounds[0] is None or low is None:
        return low if bounds[0] is None else bounds[0]
    return max(low, bounds[0])


def _to_corner(box: Box, poly: Poly) -> Poly | None:
    """The polynomial with one atom at the end where it is least."""
    tried: set[int] = set()
    for monomial in poly:
        for atom in monomial:
            if atom in tried:
                continue
            tried.add(atom)
            sign = _slope(box, poly, atom)
            if sign == 0:
                continue
            bounds = box.range(atom)
            end = None if bounds is None else bounds[0 if sign > 0 else 1]
            if end is not None:
                return substitute(poly, atom, end)
    return None


def _slope(box: Box, poly: Poly, atom: int) -> int:
    """1 where the polynomial grows with the atom, -1 where it falls, 0 where not known."""
    by_power: dict[int, Poly] = {}
    for monomial, factor in poly.items():
        power = monomial.count(atom)
        if power:
            rest = tuple(a for a in monomial if a != atom)
            by_power.setdefault(power, {})[rest] = factor
    if max(by_power) > 1:
        bounds = box.range(atom)
        if bounds is None or bounds[0] is None or bounds[0] < 0:
            return 0
    signs = set()
    for rest_poly in by_power.values():
        bounds = box.bounds(rest_poly)
        if bounds is None:
            return 0
        if bounds[0] is not None and bounds[0] >= 0:
            signs.add(1)
        elif bounds[1] is not None and bounds[1] <= 0:
            signs.add(-1)
        else:
            return 0
    return signs.pop() if len(signs) == 1 else 0
