"""Widths of copies, from what is known of base, strides, offsets and row lengths."""

from __future__ import annotations

import math

from vxproof.ir.ops import Transpose, View
from vxproof.ir.types import Strided, TensorType, stored_shape
from vxproof.ir.values import Value
from vxproof.logic.build import conj, eq, mod, pow2_ceil
from vxproof.logic.terms import FALSE, TRUE, Const, Formula, Term, mul
from vxproof.plan.nodes import Case
from vxproof.plan.objects import tensor_of
from vxproof.plan.ranges import Ranges
from vxproof.plan.scalars import Scalars
from vxproof.plan.uses import Uses
from vxproof.records import dataclass

WIDEST = 16
"""Bytes of the widest vector access; the base of every tensor is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """A view of a tensor as strides in elements: the terms whose divisors bound an access's width.

    Two `aligned` views of equal `key` and shape can only coincide at equal positions. `extent` is
    the base's last extent where elements beyond it are padded.
    """

    steps: tuple[Term, ...]
    factors: tuple[tuple[Term, Term], ...]
    key: str
    aligned: bool
    extent: Term | None


def footprint(value: Value, uses: Uses, scalars: Scalars) -> Footprint | None:
    """Return the footprint of a view, None where its tensor has no known shape."""
    chain: list[View] = []
    at = uses.origin(value)
    while isinstance(op := uses.maker(at), View | Transpose):
        if isinstance(op, Transpose):
            return None
        chain.append(op)
        at = uses.origin(op.base)
    tensor = tensor_of(at.type)
    if tensor is None or tensor.shape is None or uses.is_part(at):
        return None
    strides = _strides(tensor)
    factors: list[tuple[Term, Term]] = []
    keys: list[str] = []
    aligned = True
    extent: Term | None = None
    for view in reversed(chain):
        kept: list[Term] = []
        for axis, stride in zip(view.axes, strides, strict=True):
            if axis.index is not None:
                index = scalars.of(axis.index)
                factors.append((mul(axis.scale, stride), index))
                if axis.scale != axis.size:
                    aligned = aligned and isinstance(index, Const)
                    keys.append(f"@{index.value if isinstance(index, Const) else '?'}")
                else:
                    keys.append("#")
            else:
                keys.append("-")
            if axis.keep:
                kept.append(stride)
        strides = tuple(kept)
        whole = tensor_of(view.base.type)
        if view.pad is not None and whole is not None and whole.shape:
            extent = whole.shape[-1]
    return Footprint(strides, tuple(factors), ".".join(keys), aligned, extent)


def _strides(tensor: TensorType) -> tuple[Term, ...]:
    if isinstance(tensor.layout, Strided):
        return tensor.layout.strides
    shape = stored_shape(tensor)
    found: list[Term] = []
    step: Term = Const(1)
    for size in reversed(shape):
        found.append(step)
        step = mul(size, step)
    return tuple(reversed(found))


def widths(view: Footprint | None, row: Term, bits: int, ranges: Ranges) -> tuple[Case, ...]:
    """Return the widths in bytes that a copy of rows of `row` elements takes, widest first.

    The last case holds always and is the width that is proved; those before it hold under their
    guards.
    """
    element = max(bits // 8, 1)
    if view is None or not view.steps or view.steps[-1] != Const(1):
        return (Case(TRUE, str(element)),)
    products = [mul(scale, index) for scale, index in view.factors]
    terms = [row, *view.steps[:-1], *([] if view.extent is None else [view.extent])]
    known = WIDEST
    for one in (*products, *terms):
        known = math.gcd(known, ranges.divisor(one) * bits // 8)
    proved = max(known & -known, element) if known else WIDEST
    cases = []
    statics = [*terms, *(scale for scale, _ in view.factors)]
    for width in (16, 8, 4):
        if width <= proved or width <= element:
            continue
        guard = conj(*(_divides(width, one, bits, ranges) for one in statics))
        if guard not in {TRUE, FALSE}:
            cases.append(Case(guard, str(width)))
    return (*cases, Case(TRUE, str(proved)))


def _divides(width: int, value: Term, bits: int, ranges: Ranges) -> Formula:
    if (ranges.divisor(value) * bits // 8) % width == 0:
        return TRUE
    return eq(mod(mul(value, Const(max(bits // 8, 1))), width), 0)


def shared_cases(tensor: TensorType, asked: str, ranges: Ranges) -> tuple[Case, ...]:
    """Return how a tile's rows lie in shared memory.

    Rows of 2^k 16-byte chunks, n of them, take the XOR swizzle: chunk ^ ((row / max(1, 8/n)) mod
    min(n, 8)), without padding and free of bank conflicts. Other rows lie one after the other.
    """
    if asked:
        return (Case(TRUE, asked),)
    if tensor.shape is None or len(tensor.shape) != 2 or tensor.dtype.bits < 8:
        return (Case(TRUE, "plain"),)
    row = mul(tensor.shape[-1], Const(tensor.dtype.bits // 8))
    low, high = ranges.bounds(row)
    if low is not None and low == high:
        fits = low >= WIDEST and low & (low - 1) == 0
        return (Case(TRUE, "xor swizzle" if fits else "plain"),)
    guard = conj(
        eq(pow2_ceil(row), row), TRUE if ranges.divides(WIDEST, row) else eq(mod(row, WIDEST), 0)
    )
    return (Case(guard, "xor swizzle"), Case(TRUE, "plain"))
