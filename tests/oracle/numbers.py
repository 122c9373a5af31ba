"""Operators on numbers, and the mathematical integers of contracts and sizes."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.values import BITS, Scalar, Value, truncated
from tests.oracle.world import SkipError
from vxproof.frontend import ast

Lookup = Callable[[str], Value]


def exact(node: ast.Expr, lookup: Lookup) -> int:
    """The value of a contract or size, in mathematical integers.

    Raises:
        SkipError: it is about something else.
        ZeroDivisionError: a divisor is 0.
    """
    match node:
        case ast.IntLit(value=value):
            return value
        case ast.BoolLit(value=flag):
            return int(flag)
        case ast.Var(name=name):
            found = lookup(name)
            if isinstance(found, Scalar) and isinstance(found.value, int):
                return int(found.value)
            raise SkipError(name)
        case ast.Unary(op=ast.UnaryOp.NEG, operand=operand):
            return -exact(operand, lookup)
        case ast.Unary(op=ast.UnaryOp.NOT, operand=operand):
            return int(not exact(operand, lookup))
        case ast.Cast(operand=operand):
            return exact(operand, lookup)
        case ast.Call(callee=callee, args=args) if callee.text in {"max", "min"}:
            values = [exact(arg, lookup) for arg in args]
            return max(values) if callee.text == "max" else min(values)
        case ast.Binary(op=op, left=left, right=right):
            a = exact(left, lookup)
            if op is ast.BinaryOp.AND:
                return int(bool(a) and bool(exact(right, lookup)))
            if op is ast.BinaryOp.OR:
                return int(bool(a) or bool(exact(right, lookup)))
            return int(exact_binary(op, a, exact(right, lookup)))
        case _:
            raise SkipError(type(node).__name__)


def common(one: str | None, two: str | None) -> str | None:
    """The type of an operation on two scalars."""
    if one is None or two is None:
        return one or two
    if one in BITS and two in BITS:
        return one if BITS[one] >= BITS[two] else two
    return one if one not in BITS else two


def compare(op: ast.BinaryOp, a: float, b: float) -> bool:
    """The truth of a comparison."""
    outcomes = {
        "==": a == b,
        "!=": a != b,
        "<": a < b,
        "<=": a <= b,
        ">": a > b,
        ">=": a >= b,
    }
    return outcomes[op.value]


def exact_binary(op: ast.BinaryOp, a: int, b: int) -> int | bool:
    """The result of an operator on mathematical integers."""
    match op.value:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" | "%":
            if b == 0:
                raise ZeroDivisionError
            return truncated(a, b)[0 if op.value == "/" else 1]
        case "==" | "!=" | "<" | "<=" | ">" | ">=":
            return compare(op, a, b)
        case _:
            raise SkipError(op.value)
