"""A box: a range and a residue class for each atom, and what follows for terms and formulas.

A claim is made only where every term involved is defined at every point of the box; `None`
stands for "no claim". Bounds of a polynomial are exact at a corner where it is monotone in each
atom and the atoms are symbols.
"""

from __future__ import annotations

from math import gcd

from vxproof.logic import congruence, interval
from vxproof.logic.congruence import Congruence
from vxproof.logic.interval import EVERYTHING, Interval
from vxproof.logic.monotone import least
from vxproof.logic.normal import Normaliser
from vxproof.logic.poly import Monomial, Poly, constant, divides
from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Rel,
    Sym,
    Term,
    Truth,
)


class Box:
    """Ranges over the atoms of one normaliser; terms outside it are added as they are met."""

    __slots__ = ("_classes", "_ranges", "classes", "normaliser", "ranges")

    def __init__(
        self,
        normaliser: Normaliser,
        ranges: dict[int, Interval],
        classes: dict[int, Congruence],
    ) -> None:
        self.normaliser = normaliser
        self.ranges = ranges
        self.classes = classes
        self._ranges: dict[int, Interval | None] = {}
        self._classes: dict[int, Congruence] = {}

    def copy(self) -> Box:
        """A box that can be narrowed on its own."""
        twin = Box(self.normaliser, dict(self.ranges), dict(self.classes))
        twin._ranges = dict(self._ranges)
        twin._classes = dict(self._classes)
        return twin

    def set_range(self, atom: int, bounds: Interval) -> None:
        """Narrow the range of an atom."""
        self.ranges[atom] = bounds
        self._forget(atom)

    def set_class(self, atom: int, new: Congruence) -> None:
        """Narrow the residue class of an atom."""
        self.classes[atom] = new
        self._forget(atom)

    def _forget(self, atom: int) -> None:
        """Drop what was derived from an atom."""
        parts = self.normaliser.parts
        for derived in (self._ranges, self._classes):
            for other in [other for other in derived if atom in parts(other)]:
                del derived[other]

    # -- terms ---------------------------------------------------------------------------------

    def interval(self, term: Term) -> Interval | None:
        """Range of a term, None where it may be undefined."""
        return self.bounds(self.normaliser.poly(term))

    def bounds(self, poly: Poly) -> Interval | None:
        """Range of a polynomial, None where it may be undefined; summand by summand."""
        lo: int | None = 0
        hi: int | None = 0
        for monomial, factor in poly.items():
            part = self.monomial(monomial)
            if part is None:
                return None
            if factor < 0:
                part = part[1], part[0]
            lo = None if lo is None or part[0] is None else lo + factor * part[0]
            hi = None if hi is None or part[1] is None else hi + factor * part[1]
        return lo, hi

    def monomial(self, monomial: Monomial) -> Interval | None:
        """Range of a product of atoms."""
        product: Interval = (1, 1)
        for atom in monomial:
            part = self.range(atom)
            if part is None:
                return None
            product = interval.multiply(product, part) if product != (1, 1) else part
        return product

    def range(self, atom: int) -> Interval | None:
        """Range of an atom, None where it may be undefined."""
        if atom in self._ranges:
            return self._ranges[atom]
        node = self.normaliser.atoms[atom]
        known = self.ranges.get(atom, EVERYTHING)
        found: Interval | None = known
        if not isinstance(node, Sym):
            found = self._structural(node)
            if found is not None:
                found = interval.meet(found, known)
        self._ranges[atom] = found
        return found

    def defined(self, poly: Poly) -> bool:
        """Whether every atom of a polynomial is defined everywhere in the box."""
        return all(self.range(atom) is not None for monomial in poly for atom in monomial)

    def _structural(self, node: Term) -> Interval | None:
        match node:
            case Ite(cond=cond, then=then, orelse=orelse):
                return self._choice(cond, then, orelse)
            case App(op=op, args=args):
                parts = [self.interval(arg) for arg in args]
                if any(part is None for part in parts):
                    return None
                return self._apply(op, args, [part for part in parts if part is not None])
            case _:
                return EVERYTHING

    def _apply(self, op: Op, args: tuple[Term, ...], parts: list[Interval]) -> Interval | None:
        match op:
            case Op.MAX | Op.MIN:
                return interval.extreme(op, parts)
            case Op.POW2_CEIL:
                return interval.power_of_two(parts[0])
            case Op.ADD:
                total: Interval = (0, 0)
                for lo, hi in parts:
                    total = (
                        None if total[0] is None or lo is None else total[0] + lo,
                        None if total[1] is None or hi is None else total[1] + hi,
                    )
                return total
            case Op.MUL:
                product: Interval = (1, 1)
                for part in parts:
                    product = interval.multiply(product, part)
                return product
            case _:
                found = interval.quotient(op, parts[0], parts[1])
                if found is not None and op in {Op.MOD, Op.TMOD}:
                    found = self._known_remainder(op, args, parts, found)
                return found

    def _known_remainder(
        self, op: Op, args: tuple[Term, ...], parts: list[Interval], found: Interval
    ) -> Interval:
        left, right = (self.normaliser.poly(arg) for arg in args)
        modulus = constant(right)
        if modulus:
            m, r = self.congruence(left)
            if m % modulus == 0 and (op is Op.MOD or r % modulus == 0):
                return (r % modulus,) * 2
            low = parts[0][0]
            if m % modulus == 0 and low is not None and low >= 0 and modulus > 0:
                return (r % modulus,) * 2
        elif len(right) == 1:
            ((monomial, factor),) = right.items()
            if all(not c % factor and divides(monomial, m) for m, c in left.items()):
                return 0, 0
            if factor == 1 and all(self._is_multiple(m, args[1]) for m in left):
                return 0, 0
        return found

    def _is_multiple(self, monomial: Monomial, divisor: Term) -> bool:
        """Whether a factor of a product is known to leave no remainder."""
        number = self.normaliser.known_number
        for atom in monomial:
            node = self.normaliser.atoms[atom]
            known = number(App(Op.MOD, (node, divisor)))
            if node == divisor or (known is not None and self.ranges.get(known) == (0, 0)):
                return True
        return False

    def _choice(self, cond: Formula, then: Term, orelse: Term) -> Interval | None:
        if not self.total(cond):
            return None
        truth = self.truth(cond)
        if truth is not None:
            return self.interval(then if truth else orelse)
        a, b = self.interval(then), self.interval(orelse)
        return None if a is None or b is None else interval.join(a, b)

    # -- residue classes -----------------------------------------------------------------------

    def congruence(self, poly: Poly) -> Congruence:
        """Residue class of a polynomial whose atoms are defined."""
        total = congruence.exactly(0)
        for monomial, factor in poly.items():
            product = congruence.exactly(factor)
            for atom in monomial:
                product = congruence.times(product, self.class_of(atom))
            total = congruence.plus(total, product)
        return total

    def class_of(self, atom: int) -> Congruence:
        """Residue class of an atom."""
        known = self._classes.get(atom)
        if known is None:
            known = self._classes[atom] = self._class_of(atom)
        return known

    def _class_of(self, atom: int) -> Congruence:
        own = self.classes.get(atom, congruence.ANY)
        bounds = self.range(atom)
        if bounds is not None and bounds[0] is not None and bounds[0] == bounds[1]:
            return congruence.exactly(bounds[0])
        match self.normaliser.atoms[atom]:
            case App(op=Op.ALIGN_UP, args=(_, Const(value=unit))):
                found: Congruence = (unit, 0)
            case App(op=Op.ALIGN_UP | Op.MUL as op, args=args):
                found = self.congruence(self.normaliser.poly(args[1]))
                if op is Op.MUL:
                    for arg in (args[0], *args[2:]):
                        found = congruence.times(found, self.congruence(self.normaliser.poly(arg)))
                else:
                    found = congruence.reduced(congruence.divisor(found), 0)
            case App(op=Op.MAX | Op.MIN, args=(first, *rest)):
                found = self.congruence(self.normaliser.poly(first))
                for arg in rest:
                    found = congruence.either(found, self.congruence(self.normaliser.poly(arg)))
            case App(op=Op.MOD | Op.TMOD, args=(left, right)):
                whole = (self.congruence(self.normaliser.poly(arg)) for arg in (left, right))
                divisors = [congruence.divisor(part) for part in whole]
                found = congruence.reduced(gcd(*divisors), 0)
            case Ite(then=then, orelse=orelse):
                found = congruence.either(
                    self.congruence(self.normaliser.poly(then)),
                    self.congruence(self.normaliser.poly(orelse)),
                )
            case _:
                return own
        return congruence.both(found, own) or own

    # -- formulas ------------------------------------------------------------------------------

    def truth(self, formula: Formula) -> bool | None:
        """Truth over the whole box: true, false, or None for no claim."""
        match formula:
            case Truth(value=value):
                return value
            case Cmp(rel=rel, left=left, right=right):
                poly = self.normaliser.difference(left, right)
                return self.compare(rel, poly) if self.defined(poly) else None
            case And(parts=parts):
                return self._connective(parts, absorbing=False)
            case Or(parts=parts):
                return self._connective(parts, absorbing=True)
            case Not(part=part):
                inner = self.truth(part)
                return None if inner is None else not inner
            case _:
                raise TypeError(f"not a formula: {formula!r}")

    def _connective(self, parts: tuple[Formula, ...], *, absorbing: bool) -> bool | None:
        result: bool | None = not absorbing
        for part in parts:
            value = self.truth(part)
            if value is absorbing:
                return absorbing
            if value is None:
                if not self.total(part):
                    return None
                result = None
        return result

    def compare(self, rel: Rel, poly: Poly) -> bool | None:
        """Truth of `poly rel 0` for a polynomial whose atoms are defined."""
        if rel is Rel.LE or rel is Rel.LT:
            edge = 0 if rel is Rel.LE else 1
            high = least(self, {m: -c for m, c in poly.items()})
            if high is not None and high >= edge:
                return True
            low = least(self, poly)
            return False if low is not None and low > -edge else None
        equal = self._equals_zero(poly)
        return equal if equal is None or rel is Rel.EQ else not equal

    def _equals_zero(self, poly: Poly) -> bool | None:
        low = least(self, poly)
        if low is not None and low > 0:
            return False
        high = least(self, {m: -c for m, c in poly.items()})
        if high is not None and high > 0:
            return False
        if low == 0 and high == 0:
            return True
        m, r = self.congruence(poly)
        return False if (r % m if m else r) else None

    def total(self, formula: Formula) -> bool:
        """Whether every term of a formula is defined everywhere in the box."""
        match formula:
            case Cmp(left=left, right=right):
                poly = self.normaliser.poly
                return self.defined(poly(left)) and self.defined(poly(right))
            case And(parts=parts) | Or(parts=parts):
                return all(self.total(part) for part in parts)
            case Not(part=part):
                return self.total(part)
            case _:
                return True
