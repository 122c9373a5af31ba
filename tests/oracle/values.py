"""Values of the oracle: scalars that remember overflows, and parts of tensors."""

from __future__ import annotations

from dataclasses import dataclass

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "u8": 8, "u16": 16, "u32": 32, "u64": 64}


@dataclass(frozen=True)
class Scalar:
    """A number or truth value; `dtype` None is a literal without a type yet.

    `overflows` are the lines of signed operations whose result did not fit and that this value
    depends on. `value` None is a float that is not computed.
    """

    value: int | bool | float | None
    dtype: str | None
    overflows: frozenset[int] = frozenset()


@dataclass(eq=False)
class Storage:
    """A tensor; `outside` where every grid point sees the same one."""

    name: str
    shape: tuple[int, ...] | None
    dtype: str
    outside: bool
    written: bool = False


@dataclass(frozen=True)
class Part:
    """A box of a storage: start, size and whether the axis is kept; `clips` cut elements off."""

    storage: Storage
    axes: tuple[tuple[int, int, bool], ...]
    clips: tuple[tuple[tuple[int, int], ...], ...] = ()

    def elements(self) -> list[tuple[int, ...]]:
        """Coordinates of the elements that are touched."""
        found: list[tuple[int, ...]] = [()]
        for axis, (start, size, _) in enumerate(self.axes):
            inside = [
                at
                for at in range(start, start + size)
                if all(clip[axis][0] <= at < clip[axis][1] for clip in self.clips)
            ]
            found = [(*before, at) for before in found for at in inside]
        return found


@dataclass(frozen=True)
class Tile:
    """A tile whose elements are not tracked."""


Value = Scalar | Part | Tile


def int_range(dtype: str) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    bits = BITS[dtype]
    return (0, (1 << bits) - 1) if dtype[0] == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def wrap(value: int, dtype: str) -> int:
    """The low bits of a number as a value of the type."""
    low, high = int_range(dtype)
    return (value - low) % (high - low + 1) + low


def truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient rounded towards zero, and its remainder."""
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return quotient, a - b * quotient
