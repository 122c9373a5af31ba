"""What `requires` says about each symbol alone: least and largest value, and a known divisor.

Used to fold choices of the plan that are the same for every admitted value, and to compare sizes.
Everything that is answered here holds for all values that satisfy the hypotheses; what cannot be
told is answered by None, False or the divisor 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import field

from vxproof.logic.build import align_up, ceil_div, div, max_, min_
from vxproof.logic.obligation import Symbol
from vxproof.logic.terms import And, App, Cmp, Const, Formula, Ite, Op, Rel, Sym, Term, term
from vxproof.plan.poly import Poly, poly
from vxproof.records import dataclass

Bound = int | None
Interval = tuple[Bound, Bound]


@dataclass(frozen=True, slots=True)
class Ranges:
    """Intervals and divisors of symbols."""

    intervals: dict[str, Interval]
    divisors: dict[str, int]
    _compared: dict[tuple[Term, Term], bool] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def bounds(self, value: Term) -> Interval:
        """Return the least and largest value of a term, None for an end that is not known."""
        match value:
            case Const(value=number):
                return number, number
            case Sym(name=name):
                return self.intervals.get(name, (None, None))
            case Ite(then=then, orelse=orelse):
                (a, b), (c, d) = self.bounds(then), self.bounds(orelse)
                return _least(a, c, absorb=True), _most(b, d, absorb=True)
            case App(op=op, args=args):
                return _apply(op, [self.bounds(arg) for arg in args])
            case _:
                raise TypeError(f"not a term: {value!r}")

    def divisor(self, value: Term) -> int:
        """Return a number that divides the term for every admitted value; 0 for the literal 0."""
        match value:
            case Const(value=number):
                return abs(number)
            case Sym(name=name):
                return self.divisors.get(name, 1)
            case App(op=Op.ADD, args=args):
                return math.gcd(*(self.divisor(arg) for arg in args))
            case App(op=Op.MUL, args=args):
                return math.prod(self.divisor(arg) for arg in args)
            case App(op=Op.MAX | Op.MIN, args=args):
                return math.gcd(*(self.divisor(arg) for arg in args))
            case App(op=Op.ALIGN_UP, args=(_, k)):
                return max(self.divisor(k), 1)
            case App(op=Op.DIV | Op.TDIV | Op.CEIL_DIV, args=(a, Const(value=k))) if k > 0:
                of = self.divisor(a)
                return of // k if of % k == 0 else 1
            case Ite(then=then, orelse=orelse):
                return math.gcd(self.divisor(then), self.divisor(orelse))
            case _:
                return 1

    def divides(self, k: int, value: Term) -> bool:
        """Whether k divides the term for every admitted value."""
        return self.divisor(value) % k == 0

    def least(self, value: Poly) -> Bound:
        """Return a lower bound of a polynomial, None where none is known."""
        total = 0
        for monomial, factor in value.parts:
            low, high = _apply(Op.MUL, [self.bounds(atom) for atom in monomial] or [(1, 1)])
            end = low if factor > 0 else high
            if end is None:
                return None
            total += factor * end
        return total

    def le(self, a: Term | int, b: Term | int) -> bool:
        """Whether a <= b for every admitted value, as far as intervals and structure can tell."""
        pair = term(a), term(b)
        known = self._compared.get(pair)
        if known is None:
            known = self._compared[pair] = self._le(*pair, 4)
        return known

    def _le(self, a: Term, b: Term, depth: int) -> bool:
        if a == b:
            return True
        if isinstance(a, App) and a.op is Op.MAX:
            return all(self._le(arg, b, depth) for arg in a.args)
        gap = poly(b) - poly(a)
        least = self.least(gap)
        if least is not None:
            if least >= 0:
                return True
            if not gap.parts or gap.parts[0][0] == ():
                return False
        return depth > 0 and any(self._le(a, lower, depth - 1) for lower in _lower(poly(b)))

    def min(self, a: Term, b: Term) -> Term:
        """The smaller of two terms, folded where it is always the same one."""
        if self.le(a, b):
            return a
        return b if self.le(b, a) else min_(a, b)

    def max(self, a: Term, b: Term) -> Term:
        """The larger of two terms, folded where it is always the same one."""
        if self.le(b, a):
            return a
        return b if self.le(a, b) else max_(a, b)

    def align_up(self, value: Term, k: int) -> Term:
        """Round up to a multiple of k, folded where the term is one."""
        return value if k == 1 or self.divides(k, value) else align_up(value, k)

    def ceil_div(self, value: Term, k: Term | int) -> Term:
        """Divide and round up, folded where the quotient is 1 or the division has no remainder."""
        unit = Const(k) if isinstance(k, int) else k
        low, _ = self.bounds(value)
        if low is not None and low >= 1 and self.le(value, unit):
            return Const(1)
        return ceil_div(value, unit)

    def div(self, value: Term, k: Term) -> Term:
        """Divide and round down, folded where the quotient is always the same."""
        low, high = self.bounds(value)
        unit_low, unit_high = self.bounds(k)
        if None not in (low, high, unit_low, unit_high):
            assert low is not None
            assert high is not None
            assert unit_low is not None
            assert unit_high is not None
            if unit_low > 0 and low >= 0 and low // unit_high == high // unit_low:
                return Const(low // unit_high)
        return div(value, k)


def _least(a: Bound, b: Bound, *, absorb: bool) -> Bound:
    if a is None or b is None:
        return None if absorb else (b if a is None else a)
    return min(a, b)


def _most(a: Bound, b: Bound, *, absorb: bool) -> Bound:
    if a is None or b is None:
        return None if absorb else (b if a is None else a)
    return max(a, b)


def _times(a: Interval, b: Interval) -> Interval:
    if None not in a and None not in b:
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    if a[0] is not None and b[0] is not None and a[0] >= 0 and b[0] >= 0:
        high = None if a[1] is None or b[1] is None else a[1] * b[1]
        return a[0] * b[0], high
    return None, None


def _apply(op: Op, args: list[Interval]) -> Interval:
    first = args[0]
    match op:
        case Op.ADD:
            lows, highs = [low for low, _ in args], [high for _, high in args]
            return _total(lows), _total(highs)
        case Op.MUL:
            for other in args[1:]:
                first = _times(first, other)
            return first
        case Op.MAX:
            return _fold_max(args)
        case Op.MIN:
            low, high = _fold_max([_negated(arg) for arg in args])
            return _negated((low, high))
        case Op.CEIL_DIV | Op.DIV | Op.TDIV:
            return _quotient(op, first, args[1])
        case Op.ALIGN_UP:
            k_high = args[1][1]
            top = None if first[1] is None or k_high is None else first[1] + k_high - 1
            return first[0], top
        case Op.MOD | Op.TMOD:
            k_high = args[1][1]
            if first[0] is None or first[0] < 0 or k_high is None or (args[1][0] or 0) < 1:
                return None, None
            return 0, k_high - 1
        case Op.POW2_CEIL:
            return 1, None if first[1] is None else max(1, 2 * first[1])


def _negated(value: Interval) -> Interval:
    low, high = value
    return None if high is None else -high, None if low is None else -low


def _total(ends: list[Bound]) -> Bound:
    known = [end for end in ends if end is not None]
    return sum(known) if len(known) == len(ends) else None


def _fold_max(args: list[Interval]) -> Interval:
    low, high = args[0]
    for a, b in args[1:]:
        low = _most(low, a, absorb=False)
        high = _most(high, b, absorb=True)
    return low, high


def _quotient(op: Op, value: Interval, unit: Interval) -> Interval:
    if value[0] is None or value[0] < 0 or unit[0] is None or unit[0] < 1:
        return None, None

    def quotient(a: int, b: int) -> int:
        return -(-a // b) if op is Op.CEIL_DIV else a // b

    low = quotient(value[0], unit[1]) if unit[1] is not None else 0
    return low, None if value[1] is None else quotient(value[1], unit[0])


def ranges_of(symbols: Iterable[Symbol], hypotheses: Iterable[Formula]) -> Ranges:
    """Read intervals and divisors off declarations and hypotheses."""
    intervals: dict[str, Interval] = {s.name: (s.lo, s.hi) for s in symbols}
    divisors: dict[str, int] = {}
    multiples: list[tuple[str, str]] = []
    for part in _conjuncts(hypotheses):
        _note(part, intervals, divisors, multiples)
    for _ in range(3):
        for name, unit in multiples:
            divisors[name] = math.lcm(divisors.get(name, 1), divisors.get(unit, 1))
    for name, (low, high) in intervals.items():
        if low is not None and low == high and low > 0:
            divisors[name] = low
        if low is not None and name in divisors:
            intervals[name] = (-(-low // divisors[name]) * divisors[name], high)
    return Ranges(intervals, divisors)


def _conjuncts(formulas: Iterable[Formula]) -> Iterable[Formula]:
    for formula in formulas:
        if isinstance(formula, And):
            yield from _conjuncts(formula.parts)
        else:
            yield formula


def _note(
    part: Formula,
    intervals: dict[str, Interval],
    divisors: dict[str, int],
    multiples: list[tuple[str, str]],
) -> None:
    match part:
        case Cmp(rel=Rel.LE | Rel.LT as rel, left=Const(value=c), right=Sym(name=name)):
            _narrow(intervals, name, c + (rel is Rel.LT), None)
        case Cmp(rel=Rel.LE | Rel.LT as rel, left=Sym(name=name), right=Const(value=c)):
            _narrow(intervals, name, None, c - (rel is Rel.LT))
        case (
            Cmp(rel=Rel.EQ, left=Sym(name=name), right=Const(value=c))
            | Cmp(rel=Rel.EQ, left=Const(value=c), right=Sym(name=name))
        ):
            _narrow(intervals, name, c, c)
        case Cmp(
            rel=Rel.EQ,
            left=App(op=Op.MOD | Op.TMOD, args=(Sym(name=name), unit)),
            right=Const(value=0),
        ):
            match unit:
                case Const(value=k) if k > 0:
                    divisors[name] = math.lcm(divisors.get(name, 1), k)
                case Sym(name=other):
                    multiples.append((name, other))
                case _:
                    pass
        case _:
            pass


def _narrow(intervals: dict[str, Interval], name: str, low: Bound, high: Bound) -> None:
    old_low, old_high = intervals.get(name, (None, None))
    new_low = _most(old_low, low, absorb=False)
    new_high = old_high if high is None else high if old_high is None else min(old_high, high)
    if new_low is not None and new_high is not None and new_low > new_high:
        return
    intervals[name] = (new_low, new_high)


def _lower(value: Poly) -> Iterator[Term]:
    """Lower bounds of a sum: one `max` or `align_up` in it replaced by what it is not below."""
    for i, (monomial, factor) in enumerate(value.parts):
        if len(monomial) != 1 or factor < 0:
            continue
        rest = Poly(value.parts[:i] + value.parts[i + 1 :]).term
        match monomial[0]:
            case App(op=Op.MAX, args=args):
                yield from (rest + arg * factor for arg in args)
            case App(op=Op.ALIGN_UP, args=(base, _)):
                yield rest + base * factor
            case _:
                pass
