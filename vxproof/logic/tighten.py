"""Narrowing the ranges of symbols by hypotheses, to a fixpoint or for a few rounds.

Each fact bounds each of its atoms by what the other summands leave; `x % k == c` gives a residue
class, to whose members the ends of the range are moved. Only what holds wherever no hypothesis
is false is used, so a box without points means that the hypotheses exclude everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vxproof.logic import congruence
from vxproof.logic.box import Box
from vxproof.logic.congruence import Congruence
from vxproof.logic.facts import Fact, Reader, Sign
from vxproof.logic.interval import Interval
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Symbol
from vxproof.logic.poly import Monomial, Poly
from vxproof.logic.terms import App, Const, Formula, Op, Sym

_ROUNDS = 8


def tighten(
    symbols: Iterable[Symbol], hypotheses: Sequence[Formula], reader: Reader | None = None
) -> Box | None:
    """The narrowed box of the symbols, None where the hypotheses leave no point."""
    reader = reader or Reader(Normaliser())
    box = full_box(symbols, reader.normaliser)
    facts = [fact for h in hypotheses for fact in reader.read(h).facts]
    return box if narrow(box, facts) else None


def full_box(symbols: Iterable[Symbol], normaliser: Normaliser) -> Box:
    """The declared ranges."""
    ranges = {normaliser.number(Sym(s.name)): (s.lo, s.hi) for s in symbols}
    return Box(normaliser, ranges, {})


def narrow(
    box: Box,
    facts: Sequence[Fact],
    changed: frozenset[int] | None = None,
    fresh: Sequence[Fact] = (),
) -> bool:
    """Narrow a box in place by facts; false where no point is left.

    `changed` are the atoms whose ranges are new since the box was last narrowed, None for all;
    `fresh` are facts that it was never narrowed by.
    """
    for _ in range(_ROUNDS):
        narrowing = _Narrowing(box)
        todo = fresh or facts
        for fact in todo:
            if changed is not None and not fresh and changed.isdisjoint(fact.reads):
                continue
            if fact.usable(box) and not narrowing.apply(fact):
                return False
        if not narrowing.changed:
            return True
        changed, fresh = frozenset(narrowing.changed), ()
    return True


class _Narrowing:
    """One round over the facts."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self.changed: set[int] = set()

    def apply(self, fact: Fact) -> bool:
        """Use one fact; false where it leaves no point."""
        if fact.sign is Sign.OTHER:
            return self._exclude(fact.poly)
        if fact.sign is Sign.EQUAL and not self._residue(fact.poly):
            return False
        return self._bound(fact.monomials, both=fact.sign is Sign.EQUAL)

    def _bound(self, monomials: Sequence[tuple[Monomial, int]], *, both: bool) -> bool:
        """Bound each atom of `sum >= 0`, or of `sum == 0`, by the other summands."""
        parts: list[tuple[Monomial, int, int | None, int | None]] = []
        high: _Total = _Total()
        low: _Total = _Total()
        for monomial, factor in monomials:
            bounds = self._box.monomial(monomial)
            if bounds is None:
                return True
            lo, hi = bounds if factor > 0 else (bounds[1], bounds[0])
            lo = None if lo is None else lo * factor
            hi = None if hi is None else hi * factor
            parts.append((monomial, factor, lo, hi))
            high.add(hi)
            low.add(lo)
        if high.total is not None and high.total < 0:
            return False
        if both and low.total is not None and low.total > 0:
            return False
        if not both and low.total is not None and low.total >= 0:
            return True  # it holds all over the box: there is no point to cut off
        for monomial, factor, lo, hi in parts:
            if not monomial:
                continue
            others = high.without(hi)  # factor * monomial >= -others
            if others is not None and not self._at_least(monomial, factor, -others):
                return False
            others = low.without(lo) if both else None  # factor * monomial <= -others
            if others is not None and not self._at_least(monomial, -factor, others):
                return False
        return True

    def _at_least(self, monomial: Monomial, factor: int, bound: int) -> bool:
        """Use `factor * monomial >= bound` on each atom of the monomial."""
        for index, atom in enumerate(monomial):
            rest = monomial[:index] + monomial[index + 1 :]
            bounds = self._box.monomial(rest)
            if bounds is None or bounds[0] is None or bounds[0] < 1:
                continue
            new = _ray(factor, bound, bounds[0], bounds[1])
            if not self._meet(atom, new):
                return False
        return True

    def _meet(self, atom: int, new: Interval) -> bool:
        box = self._box
        old = box.range(atom)
        if old is None:
            return True
        lo, hi = old
        own = box.classes.get(atom)
        if new[0] is not None and (lo is None or new[0] > lo):
            lo = new[0] if own is None else congruence.up(own, new[0])
        if new[1] is not None and (hi is None or new[1] < hi):
            hi = new[1] if own is None else congruence.down(own, new[1])
        if (lo, hi) != old:
            box.set_range(atom, (lo, hi))
            self.changed.add(atom)
        return lo is None or hi is None or lo <= hi

    def _exclude(self, poly: Poly) -> bool:
        """Use `factor * x + c != 0` at the ends of the range of x."""
        variable = [m for m in poly if m]
        if not variable:
            return bool(poly.get((), 0))
        if len(variable) > 1 or len(variable[0]) != 1:
            return True
        factor, offset = poly[variable[0]], poly.get((), 0)
        if offset % factor:
            return True
        hole, atom = -offset // factor, variable[0][0]
        bounds = self._box.range(atom)
        if bounds is None:
            return True
        if bounds[0] == hole and not self._meet(atom, (hole + 1, None)):
            return False
        return bounds[1] != hole or self._meet(atom, (None, hole - 1))

    def _residue(self, poly: Poly) -> bool:
        """Use `x % k == c`, of either division, and `x % y == 0` for what is known to divide y."""
        variable = [m for m in poly if m]
        if len(variable) != 1 or len(variable[0]) != 1 or abs(poly[variable[0]]) != 1:
            return True
        node = self._box.normaliser.atoms[variable[0][0]]
        rest = -poly.get((), 0) * poly[variable[0]]
        if not isinstance(node, App) or node.op not in {Op.MOD, Op.TMOD}:
            return True
        left, right = (self._box.normaliser.poly(arg) for arg in node.args)
        if isinstance(node.args[1], Const):
            modulus = abs(node.args[1].value)
        else:
            known = self._box.congruence(right)
            modulus = known[1] if known[0] == 0 else 0 if rest else congruence.divisor(known)
        symbols = [m for m in left if m]
        if modulus == 0 or len(symbols) != 1 or len(symbols[0]) != 1:
            return True
        factor, offset = left[symbols[0]], left.get((), 0)
        found = congruence.solve(factor, rest - offset, modulus)
        return found is not None and self._join_class(symbols[0][0], found)

    def _join_class(self, atom: int, new: Congruence) -> bool:
        box = self._box
        old = box.classes.get(atom, congruence.ANY)
        met = congruence.both(old, new)
        if met is None:
            return False
        if met == old:
            return True
        bounds = box.range(atom)
        if bounds is None:
            return True
        lo, hi = bounds
        lo = None if lo is None else congruence.up(met, lo)
        hi = None if hi is None else congruence.down(met, hi)
        box.set_class(atom, met)
        box.set_range(atom, (lo, hi))
        self.changed.add(atom)
        return lo is None or hi is None or lo <= hi


def _ray(factor: int, bound: int, least: int, most: int | None) -> Interval:
    """Where x lies if `factor * x * rest >= bound` and rest is in `[least, most]`, least >= 1."""
    if factor > 0:
        limit = -(-bound // factor)  # x * rest >= limit
        if limit <= 0:
            return -(-limit // least), None
        return (1 if most is None else -(-limit // most)), None
    limit = bound // factor  # x * rest <= limit
    if limit >= 0:
        return None, limit // least
    return None, (-1 if most is None else limit // most)


class _Total:
    """A sum whose summands may be infinite."""

    def __init__(self) -> None:
        self._finite = 0
        self._infinite = 0

    def add(self, value: int | None) -> None:
        """Add one summand."""
        if value is None:
            self._infinite += 1
        else:
            self._finite += value

    @property
    def total(self) -> int | None:
        """The sum, None where it is infinite."""
        return None if self._infinite else self._finite

    def without(self, value: int | None) -> int | None:
        """The sum of all others, None where it is infinite."""
        if value is None:
            return self._finite if self._infinite == 1 else None
        return None if self._infinite else self._finite - value
