"""Exact evaluation of terms and formulas in Python integers.

This is what re-evaluates every counterexample before it is shown; it is part of the trusted base.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from vxproof.logic.build import pow2_ceil_int, trunc_div, trunc_mod
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


class Undefined(ArithmeticError):  # noqa: N818 - a state of a term, not a fault of the program
    """A term has no value here: a divisor is zero, or a rounding unit is below one."""


def evaluate(value: Term, env: Mapping[str, int]) -> int:
    """Return the value of a term.

    Raises:
        Undefined: a divisor is zero, or a rounding unit below one.
        KeyError: a symbol has no value in `env`.
    """
    return _Point(env).value(value)


def holds(formula: Formula, env: Mapping[str, int]) -> bool:
    """Return whether a formula is true; connectives evaluate from the left and stop early.

    Raises:
        Undefined, KeyError: as for `evaluate`.
    """
    return _Point(env).truth(formula)


class _Point:
    """One point; a shared subterm is evaluated once."""

    def __init__(self, env: Mapping[str, int]) -> None:
        self._env = env
        self._memo: dict[Term, int] = {}

    def value(self, value: Term) -> int:
        match value:
            case Const(value=number):
                return number
            case Sym(name=name):
                return self._env[name]
            case Ite(cond=cond, then=then, orelse=orelse):
                return self.value(then if self.truth(cond) else orelse)
            case App(op=op, args=args):
                known = self._memo.get(value)
                if known is None:
                    known = self._memo[value] = _apply(op, [self.value(arg) for arg in args])
                return known
            case _:
                raise TypeError(f"not a term: {value!r}")

    def truth(self, formula: Formula) -> bool:
        match formula:
            case Truth(value=value):
                return value
            case Cmp(rel=rel, left=left, right=right):
                return _compare(rel, self.value(left), self.value(right))
            case And(parts=parts):
                return all(self.truth(part) for part in parts)
            case Or(parts=parts):
                return any(self.truth(part) for part in parts)
            case Not(part=part):
                return not self.truth(part)
            case _:
                raise TypeError(f"not a formula: {formula!r}")


def _apply(op: Op, args: list[int]) -> int:
    match op:
        case Op.ADD:
            return sum(args)
        case Op.MUL:
            product = 1
            for arg in args:
                product *= arg
            return product
        case Op.MAX:
            return max(args)
        case Op.MIN:
            return min(args)
        case Op.POW2_CEIL:
            return pow2_ceil_int(args[0])
        case Op.DIV | Op.MOD | Op.TDIV | Op.TMOD:
            return _divide(op, args[0], args[1])
        case Op.ALIGN_UP | Op.CEIL_DIV:
            x, k = args
            if k < 1:
                raise Undefined(f"{op.value} by {k}")
            quotient = -(-x // k)
            return quotient * k if op is Op.ALIGN_UP else quotient
        case _:
            assert_never(op)


def _divide(op: Op, a: int, b: int) -> int:
    if b == 0:
        raise Undefined(f"{op.value} by zero")
    if op is Op.DIV:
        return a // b
    if op is Op.MOD:
        return a % b
    return trunc_div(a, b) if op is Op.TDIV else trunc_mod(a, b)


def _compare(rel: Rel, a: int, b: int) -> bool:
    match rel:
        case Rel.LE:
            return a <= b
        case Rel.LT:
            return a < b
        case Rel.EQ:
            return a == b
        case Rel.NE:
            return a != b
        case _:
            assert_never(rel)
