"""Storage and places at concrete parameters: which elements a view names."""

from __future__ import annotations

import numpy as np

from vxproof.diagnostics import Span
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Storage:
    """Elements of one tensor.

    `key` is equal for two runs that see the same tensor, None where each run has its own.
    `shape` is None where the program gives none.
    """

    name: str
    key: tuple[str, int] | None
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Range:
    """Elements `[start, start + size)` of one axis of a storage; `kept` axes are the view's own."""

    start: int
    size: int
    kept: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A box of a storage's elements; `clipped` where out-of-range elements are not touched.

    `clips` are the boxes, as start and end on each axis, outside of which nothing is touched.
    """

    storage: Storage
    ranges: tuple[Range, ...] | None
    clipped: bool = False
    clips: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def kept(self) -> tuple[int, ...]:
        """The storage axes that the view still has, in order."""
        return tuple(axis for axis, one in enumerate(self.ranges or ()) if one.kept)


class Opaque:
    """A float, a tile's contents, or anything that a run does not compute."""


OPAQUE = Opaque()
Data = int | bool | Place | Opaque


@dataclass(frozen=True, slots=True)
class Access:
    """One touch of a box of elements, and the statement that makes it."""

    place: Place
    write: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Position:
    """Where an access lies on one axis of its base: `[start, start + size)` of `extent`."""

    start: int
    size: int
    extent: int

    @property
    def outside(self) -> bool:
        """Whether some element of it does not exist."""
        ends = np.array([self.start, self.start + self.size - 1], dtype=object)
        return bool(np.any(ends < 0) or np.any(ends >= self.extent))


@dataclass(frozen=True, slots=True)
class Check:
    """The positions of one unpadded access or view, axis by axis of its base."""

    span: Span
    positions: tuple[Position, ...]


def whole(storage: Storage) -> Place:
    """Return the place of every element."""
    if storage.shape is None:
        return Place(storage, None)
    return Place(storage, tuple(Range(0, size, True) for size in storage.shape))


def common_element(first: Access, second: Access) -> tuple[int, ...] | None:
    """Return an element that both accesses touch, None where there is none.

    Only existing elements count where a place is clipped.
    """
    one, two = first.place, second.place
    if one.storage.key is None or one.storage.key != two.storage.key:
        return None
    if one.ranges is None or two.ranges is None:
        return None
    element: list[int] = []
    shape = one.storage.shape
    for axis, (a, b) in enumerate(zip(one.ranges, two.ranges, strict=True)):
        lows = [a.start, b.start]
        highs = [a.start + a.size, b.start + b.size]
        if one.clipped or two.clipped:
            lows.append(0)
            if shape is not None:
                highs.append(shape[axis])
        for clip in (*one.clips, *two.clips):
            lows.append(clip[axis][0])
            highs.append(clip[axis][1])
        low, high = sorted(lows)[-1], sorted(highs)[0]
        if low >= high:
            return None
        element.append(low)
    return tuple(element)
