"""Facts: hypotheses as polynomials that are at least 0, equal to 0 or other than 0.

A fact may be used only where its hypothesis has a value, so it lists the atoms that must be
defined: its own and those of the parts that stand before it in the same conjunction.
"""

from __future__ import annotations

from enum import Enum

from vxproof.logic.box import Box
from vxproof.logic.build import neg
from vxproof.logic.normal import Normaliser
from vxproof.logic.poly import Monomial, Poly
from vxproof.logic.terms import And, Cmp, Formula, Not, Or, Rel, Sym
from vxproof.records import dataclass


class Sign(Enum):
    """How a fact's polynomial relates to 0."""

    AT_LEAST = ">="
    EQUAL = "=="
    OTHER = "!="


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """`poly sign 0`, where every atom of `needs` is defined.

    `monomials` are those of `poly`; `reads` are all atoms on whose ranges its use depends.
    """

    poly: Poly
    sign: Sign
    needs: tuple[int, ...]
    monomials: tuple[tuple[Monomial, int], ...]
    reads: frozenset[int]

    def usable(self, box: Box) -> bool:
        """Whether the fact holds wherever its hypothesis is not false."""
        return all(box.range(atom) is not None for atom in self.needs)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The facts of a formula; `whole` where they say all that it says."""

    facts: tuple[Fact, ...]
    whole: bool


class Reader:
    """Reads formulas as facts over one normaliser, each formula once."""

    def __init__(self, normaliser: Normaliser) -> None:
        self.normaliser = normaliser
        self._memo: dict[Formula, Reading] = {}

    def read(self, formula: Formula) -> Reading:
        """The facts that follow from a formula."""
        known = self._memo.get(formula)
        if known is None:
            facts: list[Fact] = []
            whole = self._read(formula, facts, set())
            known = self._memo[formula] = Reading(tuple(facts), whole)
        return known

    def _read(self, formula: Formula, facts: list[Fact], needs: set[int]) -> bool:
        match formula:
            case Cmp(rel=rel, left=left, right=right):
                facts.append(self.fact(rel, self.normaliser.difference(left, right), needs))
                return True
            case And(parts=parts):
                return all(self._read(part, facts, needs) for part in parts)
            case Not(part=Or(parts=parts)):
                return all(self._read(neg(part), facts, needs) for part in parts)
            case _:
                return False

    def fact(self, rel: Rel, poly: Poly, needs: set[int] | None = None) -> Fact:
        """The fact `poly rel 0`; atoms of `needs` must be defined, and its own are added to it."""
        needed = set() if needs is None else needs
        atoms = self.normaliser.atoms
        needed.update(a for m in poly for a in m if not isinstance(atoms[a], Sym))
        sign = {Rel.EQ: Sign.EQUAL, Rel.NE: Sign.OTHER}.get(rel, Sign.AT_LEAST)
        if sign is Sign.AT_LEAST:
            poly = {m: -c for m, c in poly.items() if c}
            if rel is Rel.LT:
                poly = self.normaliser.sum(poly, {(): -1})
        else:
            poly = {m: c for m, c in poly.items() if c}
        used = {a for m in poly for a in m} | needed
        reads = frozenset(part for a in used for part in self.normaliser.parts(a))
        return Fact(poly, sign, tuple(sorted(needed)), tuple(poly.items()), reads)
