"""Sizes of tiles in a space: bytes, or columns of tensor memory, with the author's spelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vxproof.ir.module import Space
from vxproof.ir.types import Swizzled, TensorType, Tiled, stored_shape, tile_bytes
from vxproof.logic.build import ceil_div
from vxproof.logic.terms import Const, Term, mul
from vxproof.plan.ranges import Ranges
from vxproof.plan.term_text import show_product, show_term


def in_space(tensor: TensorType, space: Space) -> TensorType:
    """Return a tile's type with the tiling that its space asks for."""
    if space.tile is None or tensor.layout is not None or tensor.shape is None:
        return tensor
    if len(space.tile) > len(tensor.shape):
        return tensor
    return replace(tensor, layout=Tiled(tuple(Const(n) for n in space.tile)))


def amount(tensor: TensorType, space: Space, depth: Term | None, ranges: Ranges) -> Term:
    """Return what a tile (or a ring of `depth` of them) takes, in the unit of its space.

    Bytes are rounded up to the space's granule once a tile; a ring is one tile of its depth times
    the bytes. A tile [M, N] of b-bit values in tensor memory takes ceil(M / 128) * N * b / 32
    columns, rows beyond 128 side by side.
    """
    tensor = in_space(tensor, space)
    one = columns(tensor, ranges) if space.columns is not None else tile_bytes(tensor)
    whole = one if depth is None else mul(depth, one)
    return whole if space.columns is not None else ranges.align_up(whole, space.granule)


def columns(tensor: TensorType, ranges: Ranges) -> Term:
    """Return the columns of tensor memory that a tile takes: 128 lanes of 32 bits each."""
    shape = tensor.shape or (Const(1),)
    *rows, width = shape
    height = mul(Const(1), *rows)
    bits = mul(width, Const(tensor.dtype.bits))
    across = mul(width, Const(tensor.dtype.bits // 32)) if not tensor.dtype.bits % 32 else None
    return mul(ranges.ceil_div(height, 128), across or ceil_div(bits, 32))


def expression(
    tensor: TensorType, space: Space, depth: Term | None, names: Mapping[str, str], ranges: Ranges
) -> str:
    """Return a tile's size in source names, such as `BN*D*2`."""
    tensor = in_space(tensor, space)
    lead: tuple[Term, ...] = () if depth is None else (depth,)
    if space.columns is not None:
        return show_product((*lead, columns(tensor, ranges)), names)
    shape = stored_shape(tensor)
    bits = tensor.dtype.bits
    if isinstance(tensor.layout, Swizzled) and tensor.layout.row_bytes * 8 % bits:
        text = show_product((*lead, tile_bytes(replace(tensor, scale=None))), names)
    elif bits % 8 == 0:
        text = show_product((*lead, *shape, bits // 8), names)
    else:
        text = f"ceil({show_product((*shape, bits), names)} / 8)"
        text = f"{show_product(lead, names)}*{text}" if lead else text
    if tensor.scale is not None:
        *rows, last = shape
        scales: tuple[Term | int, ...] = (
            *lead,
            *rows,
            ceil_div(last, tensor.scale.block),
            tensor.scale.dtype.bits // 8,
        )
        text = f"{text} + {show_product(scales, names)}"
    if space.granule > 1:
        return f"{text} rounded up to {space.granule}"
    return text


def shared_layout(tensor: TensorType) -> str:
    """Return the layout that the source asks for, empty where the plan may choose."""
    match tensor.layout:
        case Tiled(tile=tile):
            return "tiled " + " x ".join(show_term(size) for size in tile)
        case Swizzled(row_bytes=row_bytes):
            return f"swizzled {row_bytes}"
        case _:
            return ""
