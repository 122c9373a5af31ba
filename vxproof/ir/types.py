"""Types of the typed IR; sizes are terms over const generics, run-time extents and strides."""

from __future__ import annotations

from vxproof.ir.dtypes import DType
from vxproof.logic.build import align_up, ceil_div
from vxproof.logic.terms import Const, Term, mul
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Tiled:
    """Axes round up to multiples of a tile, which is stored contiguously."""

    tile: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Swizzled:
    """Rows round up to `row_bytes`, the number of rows to 8."""

    row_bytes: int


@dataclass(frozen=True, slots=True)
class Strided:
    """Run-time strides, one term an axis, in elements."""

    strides: tuple[Term, ...]


Layout = Tiled | Swizzled | Strided


@dataclass(frozen=True, slots=True)
class Scale:
    """A plane of scale factors: one of type `dtype` for each `block` elements of the last axis."""

    dtype: DType
    block: int


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One element."""

    dtype: DType


@dataclass(frozen=True, slots=True)
class TensorType:
    """A tensor or tile.

    `shape` is None where the program gives none (a bare `Tensor<f32>`). `place` names the memory
    space that holds it, None for a value that no statement has placed.
    """

    dtype: DType
    shape: tuple[Term, ...] | None
    place: str | None = None
    layout: Layout | None = None
    scale: Scale | None = None


@dataclass(frozen=True, slots=True)
class RefType:
    """A shared or mutable reference to a tensor or scalar."""

    target: TensorType | ScalarType
    mutable: bool


@dataclass(frozen=True, slots=True)
class TokenType:
    """The pending arrival of a tile; linear."""

    tensor: TensorType


@dataclass(frozen=True, slots=True)
class UnitType:
    """No value."""


Type = ScalarType | TensorType | RefType | TokenType | UnitType
UNIT = UnitType()


def stored_shape(tensor: TensorType) -> tuple[Term, ...]:
    """Return the extents in memory, after the layout's rounding; the shape must be known."""
    if tensor.shape is None:
        raise ValueError("a tensor without a shape has no stored extents")
    match tensor.layout:
        case Tiled(tile=tile):
            lead = len(tensor.shape) - len(tile)
            rounded = (
                align_up(size, unit) for size, unit in zip(tensor.shape[lead:], tile, strict=True)
            )
            return (*tensor.shape[:lead], *rounded)
        case Swizzled(row_bytes=row_bytes):
            *lead_axes, last = tensor.shape
            per_row = row_bytes * 8 // tensor.dtype.bits
            if lead_axes:
                lead_axes[-1] = align_up(lead_axes[-1], 8)
            if row_bytes * 8 % tensor.dtype.bits:  # no whole number of elements fills a row
                return (*lead_axes, last)
            return (*lead_axes, align_up(last, per_row))
        case _:
            return tensor.shape


def elements(shape: tuple[Term, ...]) -> Term:
    """Number of elements."""
    return mul(Const(1), *shape)


def tile_bytes(tensor: TensorType) -> Term:
    """Bytes of a tile in memory: layout rounding, dense packing, the scale plane included."""
    shape = stored_shape(tensor)
    count = elements(shape)
    bits = tensor.dtype.bits
    if isinstance(tensor.layout, Swizzled) and tensor.layout.row_bytes * 8 % bits:
        *rows, last = shape
        size = mul(*rows, align_up(ceil_div(mul(last, Const(bits)), 8), tensor.layout.row_bytes))
    else:
        size = _packed(count, bits)
    if tensor.scale is None:
        return size
    *rows, last = shape
    scales = (
        mul(*rows, ceil_div(last, tensor.scale.block))
        if rows
        else ceil_div(last, tensor.scale.block)
    )
    return size + mul(scales, Const(tensor.scale.dtype.bits // 8))


def _packed(count: Term, bits: int) -> Term:
    return mul(count, Const(bits // 8)) if bits % 8 == 0 else ceil_div(mul(count, Const(bits)), 8)
