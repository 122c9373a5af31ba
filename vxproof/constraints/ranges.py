"""Interval arithmetic over terms: exact integer ends, open where nothing is known.

It decides which form a term takes (truncating or floor division), which obligations may be
gathered into one, and how wide the declared range of a symbol is. It proves no obligation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from vxproof.logic.build import pow2_ceil_int, trunc_div
from vxproof.logic.terms import And, App, Cmp, Const, Formula, Ite, Op, Or, Rel, Sym, Term
from vxproof.records import dataclass

Interval = tuple[int | None, int | None]
OPEN: Interval = (None, None)
_ROUNDS = 3
_MOST_CHOICES = 8


def join(a: Interval, b: Interval) -> Interval:
    """Smallest interval that holds both."""
    lo = None if a[0] is None or b[0] is None else min(a[0], b[0])
    hi = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return lo, hi


def meet(a: Interval, b: Interval) -> Interval:
    """What two intervals share; the lower end is above the upper one where that is nothing."""
    lo = a[0] if b[0] is None else b[0] if a[0] is None else max(a[0], b[0])
    hi = a[1] if b[1] is None else b[1] if a[1] is None else min(a[1], b[1])
    return lo, hi


def is_empty(a: Interval) -> bool:
    """Whether an interval holds no number."""
    return a[0] is not None and a[1] is not None and a[0] > a[1]


def _sum(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _negate(a: Interval) -> Interval:
    return (None if a[1] is None else -a[1], None if a[0] is None else -a[0])


def _product(a: Interval, b: Interval) -> Interval:
    if (0, 0) in (a, b):
        return 0, 0
    if a[1] is not None and a[1] <= 0:
        return _negate(_product(_negate(a), b))
    if b[1] is not None and b[1] <= 0:
        return _negate(_product(a, _negate(b)))
    if None not in (*a, *b):
        corners = [x * y for x in a for y in b if x is not None and y is not None]
        return min(corners), max(corners)
    a_low, b_low = a[0], b[0]
    if a_low is None or b_low is None:
        return OPEN
    if a_low >= 0 and b_low >= 0:
        high = None if a[1] is None or b[1] is None else a[1] * b[1]
        return a_low * b_low, high
    return OPEN


def _floor_quotient(a: Interval, b: Interval) -> Interval:
    least, most = b
    if least is None or least < 1:
        return OPEN
    lo: int | None = None
    hi: int | None = None
    if a[0] is not None:
        lo = a[0] // least if a[0] < 0 else 0 if most is None else a[0] // most
    if a[1] is not None:
        hi = a[1] // least if a[1] >= 0 else -1 if most is None else a[1] // most
    return lo, hi


def _floor_remainder(a: Interval, b: Interval) -> Interval:
    least, most = b
    if least is None or least < 1:
        return OPEN
    if a[0] is not None and a[0] >= 0 and a[1] is not None and a[1] < least:
        return a
    hi = None if most is None else most - 1
    if a[0] is not None and a[0] >= 0:
        return 0, meet((None, hi), (None, a[1]))[1]
    return 0, hi


def _trunc_quotient(a: Interval, b: Interval) -> Interval:
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 1:
        return _floor_quotient(a, b)
    if a[0] is None or a[1] is None:
        return OPEN
    most = max(abs(a[0]), abs(a[1]))
    if b[0] is not None and b[0] >= 1:
        return trunc_div(a[0], b[0]) if a[0] < 0 else 0, trunc_div(max(a[1], 0), b[0])
    return -most, most


def _trunc_remainder(a: Interval, b: Interval) -> Interval:
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 1:
        return _floor_remainder(a, b)
    bound: int | None = None
    if b[0] is not None and b[1] is not None:
        bound = max(abs(b[0]), abs(b[1]), 1) - 1
    lo = 0 if a[0] is not None and a[0] >= 0 else None if bound is None else -bound
    hi = 0 if a[1] is not None and a[1] <= 0 else bound
    return meet((lo, hi), (None if a[0] is None else min(a[0], 0), _at_least_zero(a[1])))


def _at_least_zero(end: int | None) -> int | None:
    return None if end is None else max(end, 0)


def _round_up(a: Interval, k: Interval) -> Interval:
    if k[0] is None or k[0] < 1:
        return OPEN
    hi = None if a[1] is None or k[1] is None else a[1] + k[1] - 1
    if k[0] == k[1]:
        unit = k[0]
        return (
            None if a[0] is None else -(-a[0] // unit) * unit,
            None if a[1] is None else -(-a[1] // unit) * unit,
        )
    return a[0], hi


@dataclass(slots=True)
class Ranges:
    """Ranges of symbols in a scope; an inner scope only narrows those of the outer one."""

    outer: Ranges | None = None
    own: dict[str, Interval] = field(default_factory=dict)
    _memo: dict[Term, Interval] = field(default_factory=dict)

    def symbol(self, name: str) -> Interval:
        """Range of a symbol, open where it is not known."""
        scope: Ranges | None = self
        while scope is not None:
            found = scope.own.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return OPEN

    def declare(self, name: str, interval: Interval) -> None:
        """Set the range of a new symbol."""
        self.own[name] = interval

    def bounds(self, term: Term) -> Interval:
        """Return an interval that holds every value of the term."""
        if isinstance(term, Const):
            return term.value, term.value
        if isinstance(term, Sym):
            return self.symbol(term.name)
        found = self._memo.get(term)
        if found is None:
            found = self._compute(term)
            self._memo[term] = found
        return found

    def _compute(self, term: Term) -> Interval:
        if isinstance(term, Ite):
            return join(self.bounds(term.then), self.bounds(term.orelse))
        if not isinstance(term, App):
            return OPEN
        args = [self.bounds(arg) for arg in term.args]
        return OPEN if any(map(is_empty, args)) else _apply(term.op, args)

    def at_least(self, term: Term, least: int) -> bool:
        """Whether the ranges show that the term is at least a number."""
        low = self.bounds(term)[0]
        return low is not None and low >= least

    def at_most(self, term: Term, most: int) -> bool:
        """Whether the ranges show that the term is at most a number."""
        high = self.bounds(term)[1]
        return high is not None and high <= most

    def assume(self, formulas: Iterable[Formula]) -> None:
        """Narrow the ranges of symbols by comparisons that hold in this scope, or one of a few.

        An empty range shows that the comparisons contradict each other.
        """
        given = tuple(formulas)
        atoms = [atom for formula in given for atom in _atoms(formula)]
        choices = [choice for formula in given for choice in _choices(formula)]
        for _ in range(_ROUNDS):
            learned = [self._learn(atom) for atom in atoms]
            learned += [self._either(choice) for choice in choices]
            if True not in learned:
                return
            self._memo.clear()

    def _either(self, choice: Or) -> bool:
        """Learn of a symbol what every part that can hold says of it."""
        ways: list[Ranges] = []
        for part in choice.parts:
            way = Ranges(self)
            way.assume((part,))
            if not any(_is_empty(interval) for interval in way.own.values()):
                ways.append(way)
        if not ways:
            return False
        changed = False
        for name in ways[0].own:
            hull = ways[0].symbol(name)
            for way in ways[1:]:
                hull = join(hull, way.symbol(name))
            changed = self._narrow(name, hull) or changed
        return changed

    def _learn(self, atom: Cmp) -> bool:
        match atom.rel:
            case Rel.LE:
                return self._below(atom.left, atom.right, 0)
            case Rel.LT:
                return self._below(atom.left, atom.right, 1)
            case Rel.EQ:
                first = self._below(atom.left, atom.right, 0)
                return self._below(atom.right, atom.left, 0) or first
            case _:
                return False

    def _below(self, left: Term, right: Term, gap: int) -> bool:
        """Learn from left + gap <= right."""
        changed = False
        high = self.bounds(right)[1]
        if high is not None:
            changed = self._cap(left, high - gap)
        low = self.bounds(left)[0]
        if low is not None:
            changed = self._raise(right, low + gap) or changed
        return changed

    def _cap(self, term: Term, high: int) -> bool:
        match term:
            case Sym(name=name):
                return self._narrow(name, (None, high))
            case App(op=Op.ADD, args=args):
                return self._each_summand(args, high, upper=True)
            case App(op=Op.MUL, args=args):
                lows = [self.bounds(arg)[0] for arg in args]
                if any(low is None or low < 1 for low in lows) or high < 1:
                    return False
                changed = False
                for index, arg in enumerate(args):
                    others = 1
                    for position, low in enumerate(lows):
                        others *= 1 if low is None or position == index else low
                    changed = self._cap(arg, high // others) or changed
                return changed
            case App(op=Op.MAX, args=args):
                return True in [self._cap(arg, high) for arg in args]
            case _:
                return False

    def _raise(self, term: Term, low: int) -> bool:
        match term:
            case Sym(name=name):
                return self._narrow(name, (low, None))
            case App(op=Op.ADD, args=args):
                return self._each_summand(args, low, upper=False)
            case App(op=Op.MIN, args=args):
                return True in [self._raise(arg, low) for arg in args]
            case App(op=Op.DIV, args=(value, unit)) if low >= 1 and self.at_least(unit, 1):
                least = self.bounds(unit)[0] or 1
                return self._raise(value, low * least)
            case _:
                return False

    def _each_summand(self, args: tuple[Term, ...], end: int, *, upper: bool) -> bool:
        side = 0 if upper else 1
        ends = [self.bounds(arg)[side] for arg in args]
        if sum(one is None for one in ends) > 1:
            return False
        changed = False
        for index, arg in enumerate(args):
            rest = 0
            for position, one in enumerate(ends):
                if position != index:
                    if one is None:
                        break
                    rest += one
            else:
                left = end - rest
                changed = (self._cap(arg, left) if upper else self._raise(arg, left)) or changed
        return changed

    def _narrow(self, name: str, interval: Interval) -> bool:
        before = self.symbol(name)
        after = meet(before, interval)
        if after == before:
            return False
        self.own[name] = after
        return True


def _atoms(formula: Formula) -> Iterable[Cmp]:
    if isinstance(formula, Cmp):
        yield formula
    elif isinstance(formula, And):
        for part in formula.parts:
            yield from _atoms(part)


def _choices(formula: Formula) -> Iterable[Or]:
    if isinstance(formula, Or) and len(formula.parts) <= _MOST_CHOICES:
        yield formula
    elif isinstance(formula, And):
        for part in formula.parts:
            yield from _choices(part)


def _is_empty(interval: Interval) -> bool:
    lo, hi = interval
    return lo is not None and hi is not None and lo > hi


def _apply(op: Op, args: list[Interval]) -> Interval:
    first = args[0]
    match op:
        case Op.ADD:
            for arg in args[1:]:
                first = _sum(first, arg)
        case Op.MUL:
            for arg in args[1:]:
                first = _product(first, arg)
        case Op.DIV:
            return _floor_quotient(first, args[1])
        case Op.MOD:
            return _floor_remainder(first, args[1])
        case Op.TDIV:
            return _trunc_quotient(first, args[1])
        case Op.TMOD:
            return _trunc_remainder(first, args[1])
        case Op.ALIGN_UP:
            return _round_up(first, args[1])
        case Op.CEIL_DIV:
            return _negate(_floor_quotient(_negate(first), args[1]))
        case Op.MAX:
            return _extreme(args, largest=True)
        case Op.MIN:
            return _extreme(args, largest=False)
        case Op.POW2_CEIL:
            return (
                1 if first[0] is None else pow2_ceil_int(first[0]),
                None if first[1] is None else pow2_ceil_int(first[1]),
            )
    return first


def _extreme(args: list[Interval], *, largest: bool) -> Interval:
    pick = max if largest else min
    lows = [low for low, _ in args if low is not None]
    highs = [high for _, high in args if high is not None]
    lo = pick(lows) if len(lows) == len(args) or (largest and lows) else None
    hi = pick(highs) if len(highs) == len(args) or (not largest and highs) else None
    return lo, hi


def from_mapping(ranges: Mapping[str, Interval]) -> Ranges:
    """Return the ranges of a scope without an outer one."""
    return Ranges(None, dict(ranges))
