"""Scalar integer arithmetic of the language, in numpy's own fixed-width integers.

Signed and unsigned integers wrap; division and remainder truncate towards zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vxproof.ir.dtypes import DType, Kind
from vxproof.ir.ops import Fn

_COMPARISONS = frozenset({Fn.EQ, Fn.NE, Fn.LT, Fn.LE, Fn.GT, Fn.GE})
_Array = np.ndarray[tuple[int, ...], np.dtype[Any]]


class TrapError(ArithmeticError):
    """The operation has no result: division by zero."""


def _name(dtype: DType) -> str:
    return f"{'uint' if dtype.kind is Kind.UNSIGNED else 'int'}{dtype.bits}"


def _array(value: int, dtype: DType) -> _Array:
    return np.array([value], dtype=_name(dtype))


def wrapped(value: int, dtype: DType) -> int:
    """Return a value's low bits as an integer of the type."""
    low = value & ((1 << dtype.bits) - 1)
    return int(np.array([low], dtype=f"uint{dtype.bits}").view(_name(dtype))[0])


def compared(fn: Fn, a: int, b: int, dtype: DType) -> bool:
    """Return the truth of a comparison of two integers of one type."""
    x, y = _array(a, dtype), _array(b, dtype)
    outcomes = {
        Fn.EQ: x == y,
        Fn.NE: x != y,
        Fn.LT: x < y,
        Fn.LE: x <= y,
        Fn.GT: x > y,
        Fn.GE: x >= y,
    }
    return bool(outcomes[fn][0])


def combined(fn: Fn, args: tuple[int, ...], dtype: DType) -> int:
    """Return the result of an integer operation.

    Raises:
        TrapError: the divisor is zero.
    """
    if fn in {Fn.DIV, Fn.REM}:
        return _divided(fn, args[0], args[1], dtype)
    arrays = [_array(arg, dtype) for arg in args]
    with np.errstate(over="ignore"):
        return int(_combined(fn, arrays)[0])


def _combined(fn: Fn, arrays: list[_Array]) -> _Array:
    match fn:
        case Fn.ADD:
            return arrays[0] + arrays[1]
        case Fn.SUB:
            return arrays[0] - arrays[1]
        case Fn.MUL:
            return arrays[0] * arrays[1]
        case Fn.NEG:
            return -arrays[0]
        case Fn.ABS:
            return np.abs(arrays[0])
        case Fn.MAX:
            return np.maximum(arrays[0], arrays[1])
        case Fn.MIN:
            return np.minimum(arrays[0], arrays[1])
        case _:
            raise ValueError(f"{fn.value} is no integer operation")


def _divided(fn: Fn, a: int, b: int, dtype: DType) -> int:
    if b == 0:
        raise TrapError("division by zero")
    sign = 1 if (a < 0) == (b < 0) else -1
    quotient = sign * (abs(a) // abs(b))
    return wrapped(quotient if fn is Fn.DIV else a - b * quotient, dtype)


def scalar(fn: Fn, numbers: tuple[int, ...], dtype: DType) -> int | bool | None:
    """Return the result of an operation on integers or conditions; None for anything else."""
    if dtype.kind is Kind.BOOL:
        flags = [bool(number) for number in numbers]
        match fn:
            case Fn.NOT:
                return not flags[0]
            case Fn.AND:
                return flags[0] and flags[1]
            case Fn.OR:
                return flags[0] or flags[1]
            case Fn.EQ:
                return flags[0] == flags[1]
            case Fn.NE:
                return flags[0] != flags[1]
            case _:
                return None
    if not dtype.is_integer:
        return None
    if fn in _COMPARISONS:
        return compared(fn, numbers[0], numbers[1], dtype)
    return combined(fn, numbers, dtype)
