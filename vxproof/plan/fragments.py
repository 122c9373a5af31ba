"""How a tile is spread over the registers of a block, and what each thread holds of it.

`mma`: the accumulator of m16n8 products, 16 x 8 pieces of 4 values a thread; warps split the rows
first, then the columns, by ceiling division. `lanes`: a row a thread, as tensor memory is read.
`blocked`: 16-byte vectors along the last axis, lanes along a row, then warps over rows; a tile of
rank 1 is held by every warp. `even`: no machine is known, values spread evenly over the warps.
"""

from __future__ import annotations

from enum import Enum

from vxproof.logic.build import ceil_div, pow2_ceil
from vxproof.logic.terms import Const, Term, mul
from vxproof.plan.ranges import Ranges
from vxproof.records import dataclass

VECTOR_BITS = 128
"""Bits of the widest vector that a thread loads."""


class Spread(Enum):
    """A family of register layouts."""

    MMA = "mma"
    LANES = "lanes"
    BLOCKED = "blocked"
    EVEN = "even"


@dataclass(frozen=True, slots=True)
class Split:
    """Warps along the rows and along the columns of a tile."""

    rows: Term
    columns: Term


def split(spread: Spread, height: Term, width: Term, warps: Term, ranges: Ranges) -> Split:
    """Return how warps divide a tile of `height` rows."""
    del width
    if warps == Const(0):
        return Split(Const(1), Const(1))
    match spread:
        case Spread.MMA:
            rows = ranges.min(warps, ranges.ceil_div(height, 16))
            return Split(rows, ranges.max(Const(1), ranges.div(warps, rows)))
        case Spread.LANES:
            rows = ranges.min(warps, Const(4))
            return Split(rows, ranges.max(Const(1), ranges.div(warps, Const(4))))
        case Spread.BLOCKED | Spread.EVEN:
            return Split(warps, Const(1))


def values_per_thread(
    spread: Spread,
    shape: tuple[Term, ...],
    group: Split,
    companion: Term | None,
    ranges: Ranges,
    vector: int = 4,
) -> Term:
    """Return how many values of a tile the fullest thread holds, replicas included.

    `companion` is the width of the widest tile that shares the layout, in vectors of `vector`
    values: it says over how many lanes a column [M, 1] of statistics is replicated.
    """
    if len(shape) < 2:
        width = shape[0] if shape else Const(1)
        return ranges.ceil_div(width, 32)
    height, width = mul(Const(1), *shape[:-1]), shape[-1]
    match spread:
        case Spread.MMA:
            down = ranges.ceil_div(ranges.ceil_div(height, 16), group.rows)
            across = ranges.ceil_div(ranges.ceil_div(width, 8), group.columns)
            if height == Const(1):
                return mul(across, Const(2))
            return mul(down, Const(2)) if width == Const(1) else mul(down, across, Const(4))
        case Spread.LANES:
            down = ranges.ceil_div(height, 128)
            return down if width == Const(1) else mul(down, ranges.ceil_div(width, group.columns))
        case Spread.BLOCKED:
            rows = ranges.ceil_div(height, group.rows)
            if width != Const(1):
                return ranges.ceil_div(mul(rows, width), 32)
            return _statistics(rows, companion, ranges, vector)
        case Spread.EVEN:
            return ranges.ceil_div(mul(height, width), mul(Const(32), group.rows))


def _statistics(rows: Term, companion: Term | None, ranges: Ranges, vector: int) -> Term:
    """Values of a column of row statistics that a thread holds beside a blocked tile."""
    if companion is None:
        return ranges.ceil_div(rows, 32)
    lanes = ranges.min(Const(32), pow2_ceil(ranges.ceil_div(companion, vector)))
    return ranges.ceil_div(mul(rows, lanes), 32) if lanes != Const(32) else rows


def registers(values: Term, bits: int, ranges: Ranges) -> Term:
    """Return the 32-bit registers that hold so many values of one thread."""
    if bits % 32 == 0:
        return mul(values, Const(bits // 32))
    per = 32 // bits if 32 % bits == 0 else 0
    return ranges.ceil_div(values, per) if per else ceil_div(mul(values, Const(bits)), 32)
