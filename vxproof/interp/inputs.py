"""Elements of inputs: what nobody writes has one value, whoever reads it and however often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from vxproof.interp.places import Access, Data
from vxproof.ir.module import Function
from vxproof.ir.types import RefType
from vxproof.records import dataclass


@dataclass(slots=True)
class Inputs:
    """Values that have been read, by the key of the storage and the coordinates in it."""

    values: dict[tuple[tuple[str, int], tuple[int, ...]], int | bool] = field(default_factory=dict)

    def first(self, function: Function, accesses: Sequence[Access], value: Data) -> Data:
        """Return the first value of the element that the last access has read.

        Where it is read for the first time, or may be written, that is `value`.
        """
        place = accesses[-1].place if accesses else None
        if place is None or place.ranges is None:
            return value
        key = place.storage.key
        if key is None or _is_written(function, accesses, key):
            return value
        element = (key, tuple(one.start for one in place.ranges))
        if isinstance(value, int):
            return self.values.setdefault(element, value)
        return self.values.get(element, value)


def _is_written(function: Function, accesses: Sequence[Access], key: tuple[str, int]) -> bool:
    kind, identity = key
    given = {one.id: one.type for one in function.params}.get(identity)
    if kind != "parameter" or (isinstance(given, RefType) and given.mutable):
        return True
    return any(one.write and one.place.storage.key == key for one in accesses)
