"""Buffers that events use in turn although their stated lives do not meet.

Lives and events of a plan are two statements, and a plan may be written by hand. Where the first
says that one buffer is dead before another is born, every access of the one has to come before
every access of the other; a loop that touches a buffer from outside it needs it to its end. What
does not keep to that must not share bytes, whatever the lives say.
"""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.plan.nodes import Act, Branch, Event, Life, Loop, Plan

Pair = frozenset[str]

RELEASE = "tmem.dealloc"
"""Gives a whole space back; what lies in it is not used by that."""


def entangled(plan: Plan) -> frozenset[Pair]:
    """Return the pairs of buffers of one arena whose accesses contradict their lives."""
    order = _Order()
    order.walk(plan.events)
    seen = order.spans()
    found: set[Pair] = set()
    for arena in plan.arenas:
        used = [(one.life.birth, one.life, one.name) for one in arena.buffers if one.name in seen]
        used.sort(key=lambda one: one[0])
        for i, (_, life, name) in enumerate(used):
            for _, earlier, other in used[:i]:
                if earlier.death < life.birth and seen[other].death >= seen[name].birth:
                    found.add(frozenset((name, other)))
    return frozenset(found)


class _Order:
    """Numbers the accesses of a plan in the order of its text."""

    def __init__(self) -> None:
        self.at = 0
        self.points: dict[str, list[int]] = {}
        self.loops: list[tuple[int, int]] = []

    def walk(self, events: Sequence[Event]) -> None:
        for event in events:
            self.at += 1
            match event:
                case Act(verb=verb, accesses=accesses) if verb != RELEASE:
                    for access in accesses:
                        self.points.setdefault(access.object, []).append(self.at)
                case Loop(body=body):
                    start = self.at
                    self.walk(body)
                    self.at += 1
                    self.loops.append((start, self.at))
                case Branch(then=then, orelse=orelse):
                    self.walk(then)
                    self.walk(orelse)
                case _:
                    pass

    def spans(self) -> dict[str, Life]:
        """From the first to the last access of each object, widened over loops from outside."""
        found: dict[str, Life] = {}
        for name, points in self.points.items():
            low, high = points[0], points[-1]
            for start, end in self.loops:
                inside = any(start <= point <= end for point in points)
                if inside and not start <= points[0] <= points[-1] <= end:
                    low, high = min(low, start), max(high, end)
            found[name] = Life(low, high, 0, 0)
        return found
