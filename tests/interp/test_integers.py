"""Scalar integers of the reference interpreter against Python's own arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vxproof.interp.integers import TrapError, combined, compared, wrapped
from vxproof.ir.dtypes import DTYPES, DType
from vxproof.ir.ops import Fn

_INTEGERS = [dtype for dtype in DTYPES.values() if dtype.is_integer]
_DTYPE = st.sampled_from(_INTEGERS)


def _low_bits(value: int, dtype: DType) -> int:
    low, high = dtype.int_range
    return (value - low) % (high - low + 1) + low


@given(_DTYPE, st.data())
def test_sums_and_products_wrap(dtype: DType, data: st.DataObject) -> None:
    low, high = dtype.int_range
    a, b = data.draw(st.integers(low, high)), data.draw(st.integers(low, high))
    assert combined(Fn.ADD, (a, b), dtype) == _low_bits(a + b, dtype)
    assert combined(Fn.SUB, (a, b), dtype) == _low_bits(a - b, dtype)
    assert combined(Fn.MUL, (a, b), dtype) == _low_bits(a * b, dtype)
    assert combined(Fn.MAX, (a, b), dtype) == max(a, b)
    assert compared(Fn.LT, a, b, dtype) == (a < b)


@given(_DTYPE, st.data())
def test_division_truncates_towards_zero(dtype: DType, data: st.DataObject) -> None:
    low, high = dtype.int_range
    a = data.draw(st.integers(low, high))
    b = data.draw(st.integers(low, high).filter(bool))
    exact = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    assert combined(Fn.DIV, (a, b), dtype) == _low_bits(exact, dtype)
    assert combined(Fn.REM, (a, b), dtype) == _low_bits(a - b * exact, dtype)


@pytest.mark.parametrize("fn", [Fn.DIV, Fn.REM])
def test_division_by_zero_has_no_result(fn: Fn) -> None:
    with pytest.raises(TrapError):
        combined(fn, (1, 0), DTYPES["i64"])


@given(_DTYPE, st.integers(-(1 << 70), 1 << 70))
def test_a_cast_keeps_the_low_bits(dtype: DType, value: int) -> None:
    assert wrapped(value, dtype) == _low_bits(value, dtype)
