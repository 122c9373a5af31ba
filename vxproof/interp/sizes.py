"""Sizes of types at concrete parameters, computed here from the text of the terms' structure.

Evaluation goes through numpy's integers with an explicit check for overflow of 64 bits, and so
shares no arithmetic with the prover's exact evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

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

_LIMIT = 1 << 63


class Unsized(Exception):  # noqa: N818
    """A size has no value: a symbol is not fixed, a divisor is zero, or 64 bits overflow."""


def _checked(value: int) -> int:
    if not -_LIMIT <= value < _LIMIT:
        raise Unsized(f"{value} does not fit 64 bits")
    return value


def _truncated(a: int, b: int) -> int:
    quotient = int(np.abs(np.int64(a)) // np.abs(np.int64(b)))
    return quotient if (a >= 0) == (b >= 0) else -quotient


def _positive(b: int) -> int:
    if b < 1:
        raise Unsized("a rounding unit below one")
    return b


def _divisor(b: int) -> int:
    if b == 0:
        raise Unsized("a divisor is zero")
    return b


def _power(x: int) -> int:
    power = 1
    while power < x:
        power += power
    return power


_TWO: dict[Op, Callable[[int, int], int]] = {
    Op.DIV: lambda a, b: int(np.floor_divide(np.int64(a), np.int64(_divisor(b)))),
    Op.MOD: lambda a, b: int(np.mod(np.int64(a), np.int64(_divisor(b)))),
    Op.TDIV: lambda a, b: _truncated(a, _divisor(b)),
    Op.TMOD: lambda a, b: a - b * _truncated(a, _divisor(b)),
    Op.ALIGN_UP: lambda a, b: a + int(np.mod(np.int64(-a), np.int64(_positive(b)))),
    Op.CEIL_DIV: lambda a, b: (a + int(np.mod(np.int64(-a), np.int64(_positive(b))))) // b,
}


def size(term: Term, at: Mapping[str, int]) -> int:
    """Return the value of a size.

    Raises:
        Unsized: it has none.
    """
    match term:
        case Const(value=value):
            return value
        case Sym(name=name):
            if name not in at:
                raise Unsized(f"{name} is not fixed")
            return at[name]
        case Ite(cond=cond, then=then, orelse=orelse):
            return size(then, at) if truth(cond, at) else size(orelse, at)
        case App(op=op, args=args):
            values = [_checked(size(arg, at)) for arg in args]
            return _checked(_applied(op, values))
        case _:
            raise TypeError(f"not a term: {term!r}")


def _applied(op: Op, values: list[int]) -> int:
    match op:
        case Op.ADD:
            total = 0
            for value in values:
                total += value
            return total
        case Op.MUL:
            product = 1
            for value in values:
                product *= value
            return product
        case Op.MAX:
            return sorted(values)[-1]
        case Op.MIN:
            return sorted(values)[0]
        case Op.POW2_CEIL:
            return _power(values[0])
        case _:
            return _TWO[op](values[0], values[1])


def truth(formula: Formula, at: Mapping[str, int]) -> bool:
    """Return whether a condition over sizes holds.

    Raises:
        Unsized: a size in it has no value.
    """
    match formula:
        case Truth(value=value):
            return value
        case Cmp(rel=rel, left=left, right=right):
            gap = size(left, at) - size(right, at)
            return {
                Rel.LE: gap <= 0,
                Rel.LT: gap < 0,
                Rel.EQ: gap == 0,
                Rel.NE: gap != 0,
            }[rel]
        case And(parts=parts):
            return all(truth(part, at) for part in parts)
        case Or(parts=parts):
            return any(truth(part, at) for part in parts)
        case Not(part=part):
            return not truth(part, at)
        case _:
            raise TypeError(f"not a formula: {formula!r}")
