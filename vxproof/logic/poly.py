"""Polynomials over numbered atoms: a product is a sorted tuple, a sum maps products to factors."""

from __future__ import annotations

from vxproof.logic import build
from vxproof.logic.terms import Op

Monomial = tuple[int, ...]
Poly = dict[Monomial, int]

ONE: Monomial = ()

FOLD = {
    Op.DIV: build.div,
    Op.MOD: build.mod,
    Op.TDIV: build.tdiv,
    Op.TMOD: build.tmod,
    Op.ALIGN_UP: build.align_up,
    Op.CEIL_DIV: build.ceil_div,
}


def constant(poly: Poly) -> int | None:
    """The value of a polynomial without atoms, else None."""
    if not poly:
        return 0
    return poly.get(ONE) if len(poly) == 1 else None


def split(poly: Poly, divisor: int) -> tuple[Poly, Poly]:
    """`whole` and `rest` with poly == divisor * whole + rest, coefficients of rest reduced."""
    whole: Poly = {}
    rest: Poly = {}
    for monomial, value in poly.items():
        quotient, remainder = divmod(value, divisor)
        if quotient:
            whole[monomial] = quotient
        if remainder:
            rest[monomial] = remainder
    return whole, rest


def divides(part: Monomial, whole: Monomial) -> bool:
    """Whether a product of atoms is a factor of another."""
    return all(part.count(atom) <= whole.count(atom) for atom in part)


def substitute(poly: Poly, atom: int, value: int) -> Poly:
    """The polynomial with a number for an atom; summands that cancel are dropped."""
    result: Poly = {}
    for monomial, factor in poly.items():
        power = monomial.count(atom)
        rest = tuple(a for a in monomial if a != atom) if power else monomial
        total = result.get(rest, 0) + factor * value**power
        if total:
            result[rest] = total
        else:
            result.pop(rest, None)
    return result
