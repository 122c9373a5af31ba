"""Residue classes: `(m, r)` says that a value is r modulo m, and exactly r where m is 0."""

from __future__ import annotations

from math import gcd

Congruence = tuple[int, int]
ANY: Congruence = (1, 0)


def exactly(value: int) -> Congruence:
    """One value."""
    return 0, value


def reduced(modulus: int, residue: int) -> Congruence:
    """The class with its residue in `[0, modulus)`."""
    modulus = abs(modulus)
    return (modulus, residue % modulus) if modulus else (0, residue)


def plus(a: Congruence, b: Congruence) -> Congruence:
    """Of `x + y`."""
    return reduced(gcd(a[0], b[0]), a[1] + b[1])


def times(a: Congruence, b: Congruence) -> Congruence:
    """Of `x * y`."""
    (m, r), (n, s) = a, b
    return reduced(gcd(m * n, m * s, n * r), r * s)


def either(a: Congruence, b: Congruence) -> Congruence:
    """A class that holds both."""
    return reduced(gcd(a[0], b[0], a[1] - b[1]), a[1])


def both(a: Congruence, b: Congruence) -> Congruence | None:
    """The values in both classes (Chinese remainders), None where there are none."""
    (m, r), (n, s) = a, b
    if m == 0 or n == 0:
        value, other = (r, b) if m == 0 else (s, a)
        return exactly(value) if contains(other, value) else None
    common = gcd(m, n)
    if (s - r) % common:
        return None
    step = n // common
    lift = (s - r) // common * pow(m // common, -1, step) % step if step > 1 else 0
    return reduced(m // common * n, r + m * lift)


def solve(factor: int, residue: int, modulus: int) -> Congruence | None:
    """The x with `factor * x == residue` modulo a number but 0; None where there are none."""
    modulus = abs(modulus)
    common = gcd(factor, modulus)
    if residue % common:
        return None
    step = modulus // common
    inverse = pow(factor // common, -1, step) if step > 1 else 0
    return reduced(step, residue // common * inverse)


def contains(a: Congruence, value: int) -> bool:
    """Whether a value is in the class."""
    return value == a[1] if a[0] == 0 else (value - a[1]) % a[0] == 0


def divisor(a: Congruence) -> int:
    """The greatest number that divides every value; 0 where every value is 0."""
    return gcd(a[0], a[1])


def up(a: Congruence, value: int) -> int:
    """Least member that is at least `value`; of a single value, that value."""
    return value + (a[1] - value) % a[0] if a[0] else a[1]


def down(a: Congruence, value: int) -> int:
    """Greatest member that is at most `value`; of a single value, that value."""
    return value - (value - a[1]) % a[0] if a[0] else a[1]
