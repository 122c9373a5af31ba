"""Rules about types that several parts of the elaborator share: widening, broadcasting, naming."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from vxproof.ir.dtypes import F32, F64, I32, I64, DType, Kind
from vxproof.ir.types import (
    Layout,
    RefType,
    ScalarType,
    Strided,
    Swizzled,
    TensorType,
    Tiled,
    TokenType,
    Type,
    UnitType,
)
from vxproof.logic.normal import Normaliser
from vxproof.logic.terms import Const, Term
from vxproof.logic.text import show

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORT_FLOATS = frozenset({"f16", "bf16"})


def same_size(a: Term, b: Term) -> bool:
    """Whether two sizes are equal by normal form, for every value of their symbols."""
    return a == b or not Normaliser().poly(a - b)


def same_shape(a: Sequence[Term], b: Sequence[Term]) -> bool:
    """Whether two shapes have equal rank and sizes."""
    return len(a) == len(b) and all(map(same_size, a, b))


def broadcast(a: Sequence[Term], b: Sequence[Term]) -> tuple[Term, ...] | None:
    """Return the shape of an elementwise result; None unless axes are equal or literally 1."""
    if len(a) != len(b):
        return None
    out: list[Term] = []
    for x, y in zip(a, b, strict=True):
        if same_size(x, y) or y == Const(1):
            out.append(x)
        elif x == Const(1):
            out.append(y)
        else:
            return None
    return tuple(out)


def widened(a: DType, b: DType) -> DType | None:
    """Return the integer type that both widen to without loss, None where none of the two does."""
    if a == b:
        return a
    if not (a.is_integer and b.is_integer):
        return None
    for narrow, wide in ((a, b), (b, a)):
        low, high = narrow.int_range
        wide_low, wide_high = wide.int_range
        if wide_low <= low and high <= wide_high:
            return wide
    return None


def product_dtype(a: DType, b: DType) -> DType | None:
    """Return the element type of `a @ b`, None where the operands do not go together.

    16-bit floats and storage formats give f32, i8 gives i32, f32 and f64 stay.
    """
    if a != b:
        return None
    if a.name in SHORT_FLOATS or (a.kind is Kind.STORAGE and a.name != "f8e8m0"):
        return F32
    return {"i8": I32, "u8": I32, "f32": F32, "f64": F64}.get(a.name)


def literal_dtype(*, is_float: bool) -> DType:
    """Return the type of a literal that nothing asks for."""
    return F64 if is_float else I32


def index_dtype() -> DType:
    """Return the type of sizes, grid indices and loop variables."""
    return I64


def _spell_layout(layout: Layout) -> str:
    match layout:
        case Tiled(tile=tile):
            return f"Layout::Tiled<[{', '.join(map(show, tile))}]>"
        case Swizzled(row_bytes=row_bytes):
            return f"Layout::Swizzled<{row_bytes}>"
        case Strided():
            return "Layout::Strided"
        case _:
            assert_never(layout)


def spell(type_: Type) -> str:
    """Return a type as the source would write it."""
    match type_:
        case ScalarType(dtype=dtype):
            return dtype.name
        case TensorType(dtype=dtype, shape=shape, place=place, layout=layout, scale=scale):
            parts = [dtype.name]
            if shape is not None:
                parts.append("[" + ", ".join(show(size) for size in shape) + "]")
            if place is not None:
                parts.append(f"Memory::{place}")
            if layout is not None:
                parts.append(_spell_layout(layout))
            if scale is not None:
                parts.append(f"Scale<{scale.dtype.name}, block: {scale.block}>")
            return f"Tensor<{', '.join(parts)}>"
        case RefType(target=target, mutable=mutable):
            return f"&{'mut ' if mutable else ''}{spell(target)}"
        case TokenType(tensor=tensor):
            return f"token of {spell(tensor)}"
        case UnitType():
            return "nothing"
