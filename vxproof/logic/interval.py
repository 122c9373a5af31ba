"""Intervals of integers with open ends, and what the operators make of them.

An interval is `(lo, hi)`; `None` is an open end. Each function returns an interval that contains
every value; those of one operand, of monotone operators and of literal divisors are exact.
"""

from __future__ import annotations

from vxproof.logic.build import pow2_ceil_int
from vxproof.logic.terms import Op

Interval = tuple[int | None, int | None]
EVERYTHING: Interval = (None, None)


def meet(a: Interval, b: Interval) -> Interval:
    """The common part; its ends cross where there is none."""
    lo = a[0] if b[0] is None else b[0] if a[0] is None else max(a[0], b[0])
    hi = a[1] if b[1] is None else b[1] if a[1] is None else min(a[1], b[1])
    return lo, hi


def join(a: Interval, b: Interval) -> Interval:
    """The least interval around both."""
    lo = None if a[0] is None or b[0] is None else min(a[0], b[0])
    hi = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return lo, hi


def negate(a: Interval) -> Interval:
    """Of `-x`."""
    return (None if a[1] is None else -a[1], None if a[0] is None else -a[0])


def scale(a: Interval, factor: int) -> Interval:
    """Of `factor * x`."""
    if factor == 0:
        return 0, 0
    lo = None if a[0] is None else a[0] * factor
    hi = None if a[1] is None else a[1] * factor
    return (lo, hi) if factor > 0 else (hi, lo)


def multiply(a: Interval, b: Interval) -> Interval:
    """Of `x * y`."""
    al, ah = a
    bl, bh = b
    if al is not None and bl is not None and al >= 0 and bl >= 0:
        if ah is None or bh is None:
            return al * bl, (0 if ah == 0 or bh == 0 else None)
        return al * bl, ah * bh
    corners = [_corner(x, y) for x in ((al, -1), (ah, 1)) for y in ((bl, -1), (bh, 1))]
    low = [c for c, sign in corners if sign <= 0]
    high = [c for c, sign in corners if sign >= 0]
    finite_low = [c for c in low if c is not None]
    finite_high = [c for c in high if c is not None]
    lo = None if len(finite_low) < len(low) else min(finite_low)
    hi = None if len(finite_high) < len(high) else max(finite_high)
    return lo, hi


def _corner(x: tuple[int | None, int], y: tuple[int | None, int]) -> tuple[int | None, int]:
    """Product of two ends; the sign says to which side an infinite one goes, 0 if finite."""
    (a, side_a), (b, side_b) = x, y
    if a is not None and b is not None:
        return a * b, 0
    if a == 0 or b == 0:
        return 0, 0
    sign_a = side_a if a is None else (1 if a > 0 else -1)
    sign_b = side_b if b is None else (1 if b > 0 else -1)
    return None, sign_a * sign_b


def floor_divide(a: Interval, b: Interval) -> Interval | None:
    """Of `x div y`, None where 0 may divide."""
    (al, ah), (bl, bh) = a, b
    if bh is not None and bh < 0:
        return floor_divide(negate(a), negate(b))
    if bl is None or bl < 1:
        return None
    lo = None if al is None else _toward(al, bl, bh) if al >= 0 else al // bl
    hi = None if ah is None else ah // bl if ah >= 0 else _toward(ah, bl, bh)
    return lo, hi


def _toward(x: int, least: int, most: int | None) -> int:
    """`x // y` for the greatest divisor."""
    return x // most if most is not None else (0 if x >= 0 else -1)


def remainder(a: Interval, b: Interval) -> Interval | None:
    """Of `x mod y`, None where 0 may divide."""
    (al, ah), (bl, bh) = a, b
    if bh is not None and bh < 0:
        flipped = remainder(negate(a), negate(b))
        return None if flipped is None else negate(flipped)
    if bl is None or bl < 1:
        return None
    if al is not None and ah is not None:
        if al >= 0 and ah < bl:
            return al, ah
        if bl == bh and al // bl == ah // bl:
            return al % bl, ah % bl
    hi = None if bh is None else bh - 1
    if al is not None and al >= 0 and ah is not None:
        hi = ah if hi is None else min(hi, ah)
    return 0, hi


def _by_sign(op: Op, a: Interval, b: Interval) -> Interval | None:
    """Truncating division: as flooring on each sign of the operands, with the sign put back."""
    part = floor_divide if op is Op.TDIV else remainder
    if b[1] is not None and b[1] < 0:  # x tdiv -y == -(x tdiv y), x tmod -y == x tmod y
        flipped = _by_sign(op, a, negate(b))
        return flipped if op is Op.TMOD or flipped is None else negate(flipped)
    if b[0] is None or b[0] < 1:
        return None
    if a[0] is not None and a[0] >= 0:
        return part(a, b)
    below = part(negate((a[0], -1 if a[1] is None else min(a[1], -1))), b)
    below = None if below is None else negate(below)
    if a[1] is not None and a[1] < 0:
        return below
    above = part((0, a[1]), b)
    return None if above is None or below is None else join(below, above)


def _empty(a: Interval) -> bool:
    return a[0] is not None and a[1] is not None and a[0] > a[1]


def quotient(op: Op, a: Interval, b: Interval) -> Interval | None:
    """Of a division or a rounding; None where it may be undefined, or an operand has no value."""
    if _empty(a) or _empty(b):
        return None
    match op:
        case Op.DIV:
            return floor_divide(a, b)
        case Op.MOD:
            return remainder(a, b)
        case Op.TDIV | Op.TMOD:
            return _by_sign(op, a, b)
        case Op.CEIL_DIV | Op.ALIGN_UP:
            return _round_up(op, a, b)
        case _:
            raise ValueError(f"not a division: {op}")


def _round_up(op: Op, a: Interval, b: Interval) -> Interval | None:
    least, most = b
    if least is None or least < 1:
        return None
    down = floor_divide(negate(a), b)
    if down is None:
        return None
    count = negate(down)
    if op is Op.CEIL_DIV:
        return count
    if least == most:
        return scale(count, least)
    hi = None if a[1] is None or most is None else a[1] + most - 1
    return a[0], hi


def extreme(op: Op, parts: list[Interval]) -> Interval:
    """Of `max` or `min`."""
    lows = [lo for lo, _ in parts]
    highs = [hi for _, hi in parts]
    if op is Op.MAX:
        finite = [lo for lo in lows if lo is not None]
        ends = [hi for hi in highs if hi is not None]
        return (max(finite, default=None), max(ends) if len(ends) == len(parts) else None)
    finite = [lo for lo in lows if lo is not None]
    ends = [hi for hi in highs if hi is not None]
    return (min(finite) if len(finite) == len(parts) else None, min(ends, default=None))


def power_of_two(a: Interval) -> Interval:
    """Of `pow2_ceil(x)`."""
    lo, hi = a
    return (1 if lo is None else pow2_ceil_int(lo), None if hi is None else pow2_ceil_int(hi))
