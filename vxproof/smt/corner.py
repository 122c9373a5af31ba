"""Proof of inequalities by symbolic bounds: `goal = sum of multiplier * fact + rest`, rest >= 0.

To show p >= 0, a summand of p is cancelled against a hypothesis f >= 0 times a product m of
atoms that are not negative: p - m*f >= 0 is then enough. After a few such steps the lower bound
of what is left over the box decides. Quotients, remainders, roundings, `max` and `min` bring the
inequalities that define them. Everything is exact integer arithmetic; case analysis over the
hypotheses is left to the solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import gcd, inf

from vxproof.logic.box import Box
from vxproof.logic.build import neg
from vxproof.logic.facts import Fact, Reader, Sign
from vxproof.logic.monotone import least
from vxproof.logic.poly import Monomial, Poly, divides
from vxproof.logic.terms import And, App, Cmp, Formula, Op, Or, Rel, Term, Truth
from vxproof.logic.tighten import narrow

_MOST_NODES = 60
_MOST_SUMMANDS = 2
_FAR = 1 << 1000
_MOST_DISJUNCTS = 4
_MOST_CASES = 8


def proves(box: Box, facts: Sequence[Fact], reader: Reader, goal: Formula) -> bool:
    """Whether the goal, every term of which is defined in the box, follows from box and facts."""
    match goal:
        case Truth(value=value):
            return value
        case And(parts=parts):
            return all(proves(box, facts, reader, part) for part in parts)
        case Or(parts=parts):
            return _some_part(box, facts, reader, parts)
        case Cmp(rel=rel, left=left, right=right):
            return _Prover(box, facts).compare(rel, box.normaliser.difference(left, right))
        case _:
            return False


def _some_part(box: Box, facts: Sequence[Fact], reader: Reader, parts: tuple[Formula, ...]) -> bool:
    """A disjunction holds if one part follows where all others are false."""
    if len(parts) > _MOST_DISJUNCTS:
        return False
    for index, part in enumerate(parts):
        others = parts[:index] + parts[index + 1 :]
        denied = [fact for other in others for fact in reader.read(neg(other)).facts]
        inner = box.copy()
        if denied and not narrow(inner, denied):
            return True
        if inner.truth(part) or proves(inner, [*facts, *denied], reader, part):
            return True
    return False


class _Prover:
    """Searches combinations of facts, breadth first."""

    def __init__(self, box: Box, facts: Iterable[Fact]) -> None:
        self._box = box
        self._norm = box.normaliser
        self._facts: list[Poly] = []
        for fact in facts:
            # one that bounds a single atom is in the box
            if sum(map(len, fact.poly)) > 1 and fact.usable(box):
                self._add(fact.poly, equal=fact.sign is Sign.EQUAL, other=fact.sign is Sign.OTHER)
        self._defined: set[int] = set()

    def _add(self, poly: Poly, *, equal: bool = False, other: bool = False) -> None:
        if other:
            return
        self._facts.append(poly)
        if equal:
            self._facts.append({m: -c for m, c in poly.items()})

    def compare(self, rel: Rel, poly: Poly) -> bool:
        """Whether `poly rel 0`."""
        minus = {m: -c for m, c in poly.items()}
        one: Poly = {(): -1}
        match rel:
            case Rel.LE:
                return self._at_least(minus)
            case Rel.LT:
                return self._at_least(self._norm.sum(minus, one))
            case Rel.EQ:
                return self._at_least(minus) and self._at_least(poly)
            case Rel.NE:
                above = self._at_least(self._norm.sum(poly, one))
                return above or self._at_least(self._norm.sum(minus, one))

    def _at_least(self, poly: Poly) -> bool:
        """Whether `poly >= 0`, by cases over the `max` and `min` in it."""
        cases = [poly]
        while True:
            split = next(((p, found) for p in cases if (found := self._extreme(p))), None)
            if split is None:
                return all(self._search(p) for p in cases)
            cases.remove(split[0])
            cases.extend(split[1])
            if len(cases) > _MOST_CASES:
                return False

    def _extreme(self, poly: Poly) -> list[Poly] | None:
        """The polynomial with each argument in the place of its first `max` or `min`."""
        for monomial in poly:
            for atom in monomial:
                node = self._norm.atoms[atom]
                if isinstance(node, App) and node.op in {Op.MAX, Op.MIN}:
                    return [self._replace(poly, atom, self._norm.poly(a)) for a in node.args]
        return None

    def _replace(self, poly: Poly, atom: int, value: Poly) -> Poly:
        result: Poly = {}
        for monomial, factor in poly.items():
            part: Poly = {tuple(a for a in monomial if a != atom): factor}
            for _ in range(monomial.count(atom)):
                part = self._norm.times(part, value)
            result = self._norm.sum(result, part)
        return result

    def _search(self, goal: Poly) -> bool:
        """Best first: the polynomial whose lower bound is highest, then the one met earliest."""
        degree = max(map(len, goal), default=0) + 1
        queue: list[tuple[float, int, Poly]] = []
        seen: set[frozenset[tuple[Monomial, int]]] = set()
        expand: Iterator[Poly] = iter((goal, *self._multiplied(goal)))
        while True:
            for poly in expand:
                key = frozenset(poly.items())
                if key in seen:
                    continue
                low = least(self._box, poly)
                if low is not None and low >= 0:
                    return True
                if len(seen) > _MOST_NODES:
                    return False
                seen.add(key)
                heappush(queue, (_gap(low), len(seen), poly))
            if not queue:
                return False
            _, _, poly = heappop(queue)
            self._define(poly)
            expand = self._steps(poly, degree)

    def _multiplied(self, goal: Poly) -> Iterator[Poly]:
        """For each quotient by some b >= 1 in the goal: `b*goal + b - 1`, which is >= 0 if goal is.

        The converse holds as well: an integer above -1 is at least 0.
        """
        for atom in {atom: None for monomial in goal for atom in monomial}:
            node = self._norm.atoms[atom]
            if isinstance(node, App) and node.op in {Op.DIV, Op.TDIV, Op.CEIL_DIV}:
                divisor = self._norm.poly(node.args[1])
                low = least(self._box, divisor)
                if low is not None and low >= 1:
                    slack = self._norm.sum(divisor, {(): -1})
                    yield self._norm.sum(self._norm.times(divisor, goal), slack)

    def _steps(self, poly: Poly, degree: int) -> Iterator[Poly]:
        """Ways to cancel one of the worst summands against a multiple of a fact."""
        tried = 0
        for summand in sorted(filter(None, poly), key=lambda m: self._share(m, poly[m])):
            found = list(self._cancelled(poly, summand, degree))
            yield from found
            tried += bool(found)
            if tried == _MOST_SUMMANDS:
                return

    def _share(self, monomial: Monomial, factor: int) -> float:
        """The least that a summand adds."""
        low, high = self._box.monomial(monomial) or (None, None)
        end = low if factor > 0 else high
        return -_gap(None if end is None else end * factor)

    def _cancelled(self, poly: Poly, summand: Monomial, degree: int) -> Iterator[Poly]:
        """Each way to cancel a summand; what is left must be >= 0."""
        factor = poly[summand]
        for fact in self._facts:
            for part, own in fact.items():
                if not part or own * factor <= 0 or not divides(part, summand):
                    continue
                rest = _quotient(summand, part)
                if len(rest) + max(map(len, fact)) <= degree and self._not_negative(rest):
                    yield _cancel(poly, abs(own), fact, rest, abs(factor))

    def _not_negative(self, monomial: Monomial) -> bool:
        for atom in monomial:
            bounds = self._box.range(atom)
            if bounds is None or bounds[0] is None or bounds[0] < 0:
                return False
        return True

    def _define(self, poly: Poly) -> None:
        """Add the inequalities that define the quotients and remainders of a polynomial."""
        for monomial in poly:
            for atom in monomial:
                node = self._norm.atoms[atom]
                if atom not in self._defined and isinstance(node, App):
                    self._defined.add(atom)
                    self._define_atom(atom, node)

    def _define_atom(self, atom: int, node: App) -> None:
        norm = self._norm
        own: Poly = {(atom,): 1}
        if node.op in {Op.MAX, Op.MIN}:
            for arg in node.args:
                gap = norm.sum(own, norm.poly(arg), -1)
                self._add(gap if node.op is Op.MAX else {m: -c for m, c in gap.items()})
            return
        if len(node.args) != 2 or node.op in {Op.ADD, Op.MUL}:
            return
        left, right = norm.poly(node.args[0]), norm.poly(node.args[1])
        bounds = self._box.bounds(right)
        if bounds is None or bounds[0] is None or bounds[0] < 1:
            return
        below = norm.sum(right, {(): -1})  # the greatest remainder
        match node.op:
            case Op.MOD | Op.TMOD if node.op is Op.MOD or self._not_below_zero(left):
                self._add(norm.sum(below, own, -1))
                quotient = norm.poly(_divided(node))
                exact = norm.sum(left, norm.times(right, quotient), -1)
                self._add(norm.sum(exact, own, -1), equal=True)
            case Op.DIV | Op.TDIV if node.op is Op.DIV or self._not_below_zero(left):
                remainder = norm.sum(left, norm.times(right, own), -1)
                known = self._box.bounds(norm.poly(_remainder(node)))
                if known == (0, 0):
                    self._add(remainder, equal=True)
                else:
                    self._add(remainder)
                    self._add(norm.sum(below, remainder, -1))
            case Op.ALIGN_UP:
                self._add(norm.sum(own, left, -1))
                self._add(norm.sum(norm.sum(left, below), own, -1))
            case Op.CEIL_DIV:
                rounded = norm.times(right, own)
                self._add(norm.sum(rounded, left, -1))
                self._add(norm.sum(norm.sum(left, below), rounded, -1))
            case _:
                pass

    def _not_below_zero(self, poly: Poly) -> bool:
        bounds = self._box.bounds(poly)
        return bounds is not None and bounds[0] is not None and bounds[0] >= 0


def _gap(low: int | None) -> float:
    """How far a lower bound is from 0."""
    return inf if low is None or abs(low) > _FAR else float(-low)


def _divided(node: App) -> Term:
    return App(Op.DIV if node.op is Op.MOD else Op.TDIV, node.args)


def _remainder(node: App) -> Term:
    return App(Op.MOD if node.op is Op.DIV else Op.TMOD, node.args)


def _quotient(whole: Monomial, part: Monomial) -> Monomial:
    left = list(whole)
    for atom in part:
        left.remove(atom)
    return tuple(left)


def _cancel(poly: Poly, scale: int, fact: Poly, by: Monomial, factor: int) -> Poly:
    """`scale * poly - factor * by * fact`, divided by what its coefficients share."""
    result = {m: c * scale for m, c in poly.items()}
    for monomial, own in fact.items():
        product = tuple(sorted(by + monomial)) if by else monomial
        total = result.get(product, 0) - factor * own
        if total:
            result[product] = total
        else:
            result.pop(product, None)
    common = gcd(*result.values()) if result else 1
    return {m: c // common for m, c in result.items()} if common > 1 else result
