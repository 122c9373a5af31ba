"""Which of several ways a disjunction follows: found by subtracting facts from a difference.

It only picks the way that is asked for; that the way holds is proved by the prover. Products count
as unknowns, so that a fact about the same product cancels it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from vxproof.constraints.ranges import Ranges
from vxproof.logic.normal import Normaliser
from vxproof.logic.terms import And, Cmp, Formula, Rel, mul
from vxproof.records import dataclass

_DEPTH = 4
Poly = dict[tuple[int, ...], int]


@dataclass(slots=True)
class Picker:
    """Facts as differences that are at least 0."""

    ranges: Ranges
    normaliser: Normaliser = field(default_factory=Normaliser)

    def pick(
        self, ways: Iterable[Formula], facts: Iterable[Formula]
    ) -> tuple[Formula, tuple[Formula, ...]] | None:
        """Return the first way that follows from the facts, and which of them, or None."""
        known = [(one, fact) for fact in facts for one in self._differences(fact)]
        for way in ways:
            used: list[Formula] = []
            asked = self._differences(way)
            if asked and all(self._follows(one, known, used, _DEPTH) for one in asked):
                return way, tuple(dict.fromkeys(used))
        return None

    def _differences(self, formula: Formula) -> list[Poly]:
        found: list[Poly] = []
        for atom in formula.parts if isinstance(formula, And) else (formula,):
            if not isinstance(atom, Cmp) or atom.rel is Rel.NE:
                continue
            gap = dict(self.normaliser.difference(atom.right, atom.left))
            if atom.rel is Rel.LT:
                gap[()] = gap.get((), 0) - 1
            found.append(gap)
            if atom.rel is Rel.EQ:
                found.append({monomial: -factor for monomial, factor in gap.items()})
        return found

    def _least(self, poly: Poly) -> int | None:
        total = 0
        for monomial, factor in poly.items():
            if not monomial:
                total += factor
                continue
            value = mul(*(self.normaliser.atoms[atom] for atom in monomial))
            low, high = self.ranges.bounds(value)
            end = low if factor > 0 else high
            if end is None:
                return None
            total += factor * end
        return total

    def _follows(
        self, asked: Poly, known: list[tuple[Poly, Formula]], used: list[Formula], depth: int
    ) -> bool:
        least = self._least(asked)
        if least is not None and least >= 0:
            return True
        if depth == 0:
            return False
        worst = [m for m, factor in asked.items() if m and factor < 0]
        for index, (fact, source) in enumerate(known):
            if any(fact.get(m, 0) < 0 for m in worst):
                rest = self._minus(asked, fact)
                others = known[:index] + known[index + 1 :]
                if len(rest) <= len(asked) + 1 and self._follows(rest, others, used, depth - 1):
                    used.append(source)
                    return True
        return False

    @staticmethod
    def _minus(left: Poly, right: Poly) -> Poly:
        found = dict(left)
        for monomial, factor in right.items():
            value = found.get(monomial, 0) - factor
            if value:
                found[monomial] = value
            else:
                found.pop(monomial, None)
        return found
