"""Normal form of terms as sums of products, so that equal sizes are seen to be equal.

A polynomial maps monomials (sorted tuples of atoms) to non-zero integer factors; an atom is a
symbol or a term that is no sum or product. The order of atoms is that of their text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from vxproof.logic.terms import App, Const, Op, Term, add, mul
from vxproof.plan.term_text import show_term
from vxproof.records import dataclass

Monomial = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Poly:
    """A sum of products, in a canonical order; equal polynomials are equal objects."""

    parts: tuple[tuple[Monomial, int], ...]

    def __add__(self, other: Poly) -> Poly:
        """Sum."""
        return _collect((*self.parts, *other.parts))

    def __sub__(self, other: Poly) -> Poly:
        """Difference."""
        return _collect((*self.parts, *((m, -c) for m, c in other.parts)))

    @property
    def term(self) -> Term:
        """The polynomial as a term, in its canonical order."""
        return add(*(mul(Const(c), *m) for m, c in self.parts))

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 everywhere."""
        return not self.parts

    @property
    def non_negative_factors(self) -> bool:
        """Whether no factor is below 0."""
        return all(c >= 0 for _, c in self.parts)


ZERO = Poly(())


@lru_cache(maxsize=8192)
def _key(monomial: Monomial) -> tuple[int, tuple[str, ...]]:
    return -len(monomial), tuple(show_term(atom) for atom in monomial)


def _collect(parts: Iterable[tuple[Monomial, int]]) -> Poly:
    found: dict[Monomial, int] = {}
    for monomial, factor in parts:
        found[monomial] = found.get(monomial, 0) + factor
    kept = [(m, c) for m, c in found.items() if c]
    return Poly(tuple(sorted(kept, key=lambda part: _key(part[0]))))


@lru_cache(maxsize=8192)
def poly(value: Term) -> Poly:
    """Return the normal form of a term."""
    match value:
        case Const(value=number):
            return Poly((((), number),)) if number else ZERO
        case App(op=Op.ADD, args=args):
            return _collect(part for arg in args for part in poly(arg).parts)
        case App(op=Op.MUL, args=args):
            product = Poly((((), 1),))
            for arg in args:
                product = _product(product, poly(arg))
            return product
        case _:
            return Poly((((value,), 1),))


def _product(a: Poly, b: Poly) -> Poly:
    return _collect(
        (tuple(sorted((*m, *n), key=show_term)), c * d) for m, c in a.parts for n, d in b.parts
    )
