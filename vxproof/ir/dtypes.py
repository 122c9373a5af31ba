"""The table of element types: width, class, surface name, MLIR name, packing."""

from __future__ import annotations

from enum import Enum

from vxproof.records import dataclass


class Kind(Enum):
    """What arithmetic a type has."""

    BOOL = "bool"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    FLOAT = "float"
    STORAGE = "storage format"


@dataclass(frozen=True, slots=True)
class DType:
    """An element type.

    `bits` is the width of one element in memory; a type below 8 bits is packed densely over the
    tile, and the tile rounds up to a byte. bool takes one byte. Storage formats can be placed,
    counted and fed to a matrix unit, and have no scalar arithmetic.
    """

    name: str
    bits: int
    kind: Kind
    mlir: str

    @property
    def is_integer(self) -> bool:
        """Whether the type is a signed or unsigned integer."""
        return self.kind in {Kind.SIGNED, Kind.UNSIGNED}

    @property
    def is_float(self) -> bool:
        """Whether the type is a float with arithmetic."""
        return self.kind is Kind.FLOAT

    @property
    def is_numeric(self) -> bool:
        """Whether scalar arithmetic is defined."""
        return self.is_integer or self.is_float

    @property
    def int_range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        if self.kind is Kind.SIGNED:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        if self.kind is Kind.UNSIGNED:
            return 0, (1 << self.bits) - 1
        raise ValueError(f"{self.name} is not an integer type")


BOOL = DType("bool", 8, Kind.BOOL, "i1")
I8 = DType("i8", 8, Kind.SIGNED, "i8")
I16 = DType("i16", 16, Kind.SIGNED, "i16")
I32 = DType("i32", 32, Kind.SIGNED, "i32")
I64 = DType("i64", 64, Kind.SIGNED, "i64")
U8 = DType("u8", 8, Kind.UNSIGNED, "i8")
U16 = DType("u16", 16, Kind.UNSIGNED, "i16")
U32 = DType("u32", 32, Kind.UNSIGNED, "i32")
U64 = DType("u64", 64, Kind.UNSIGNED, "i64")
F16 = DType("f16", 16, Kind.FLOAT, "f16")
BF16 = DType("bf16", 16, Kind.FLOAT, "bf16")
F32 = DType("f32", 32, Kind.FLOAT, "f32")
F64 = DType("f64", 64, Kind.FLOAT, "f64")
F8E4M3 = DType("f8e4m3", 8, Kind.STORAGE, "f8E4M3FN")
F8E5M2 = DType("f8e5m2", 8, Kind.STORAGE, "f8E5M2")
F6E3M2 = DType("f6e3m2", 6, Kind.STORAGE, "f6E3M2FN")
F6E2M3 = DType("f6e2m3", 6, Kind.STORAGE, "f6E2M3FN")
F4E2M1 = DType("f4e2m1", 4, Kind.STORAGE, "f4E2M1FN")
F8E8M0 = DType("f8e8m0", 8, Kind.STORAGE, "f8E8M0FNU")

DTYPES: dict[str, DType] = {
    t.name: t
    for t in (
        BOOL,
        I8,
        I16,
        I32,
        I64,
        U8,
        U16,
        U32,
        U64,
        F16,
        BF16,
        F32,
        F64,
        F8E4M3,
        F8E5M2,
        F6E3M2,
        F6E2M3,
        F4E2M1,
        F8E8M0,
    )
}
