"""The arms of the branches of a timeline: what lies ahead of a point, and what does not."""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.ir.ops import For, If, Operation, Spawn
from vxproof.plan.timeline import Timeline

Interval = tuple[int, int]


class Arms:
    """The two arms of each branch, as intervals of points; the first never leads to the second."""

    def __init__(self, line: Timeline) -> None:
        self.pairs: list[tuple[Interval, Interval]] = []
        for step in line.steps:
            if isinstance(step.op, If) and not step.end:
                then, orelse = map(_points, (step.op.then, step.op.orelse))
                middle = step.point + then
                self.pairs.append(((step.point + 1, middle), (middle + 1, middle + orelse)))

    def ahead(self, point: int, uses: Iterable[int]) -> bool:
        """Whether some way from a point leads to one of the uses."""
        return any(point < use and not self._apart(point, use) for use in uses)

    def edges(self, points: set[int]) -> list[int]:
        """Return the points in order, with the first points of all arms between them."""
        low, high = min(points), max(points)
        starts = {p for (a, b), (c, d) in self.pairs for p in (a, c, d + 1) if low < p < high}
        return sorted(points | starts)

    def _apart(self, point: int, use: int) -> bool:
        return any(a <= point <= b and c <= use <= d for (a, b), (c, d) in self.pairs)


def _points(block: Iterable[Operation]) -> int:
    """Points that a block takes: one an operation, and one more for the end of control."""
    count = 0
    for op in block:
        match op:
            case For(body=body) | Spawn(body=body):
                count += 2 + _points(body)
            case If(then=then, orelse=orelse):
                count += 2 + _points(then) + _points(orelse)
            case _:
                count += 1
    return count
