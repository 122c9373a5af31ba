"""Buffers that events use in turn although their stated lives do not meet.

Lives and events of a plan are two statements, and a plan may be written by hand. Where the first
says that one buffer is dead before another is born, every access of the one has to come before
every access of the other; a loop that touches a buffer from outside it needs it to its end. What
does not keep to that must not share bytes, whatever the lives say.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from itertools import takewhile

from vxproof.plan.nodes import Act, Branch, Event, Life, Loop, Plan

Pair = frozenset[str]
Span = tuple[int, int]
Loops = tuple[int, ...]
Use = tuple[int, Loops]
"""When an access is made, and the loops around it by their numbers, outermost first."""

RELEASE = "tmem.dealloc"
"""Gives a whole space back; what lies in it is not used by that."""


def entangled(plan: Plan) -> frozenset[Pair]:
    """Return the pairs of buffers of one arena whose accesses contradict their lives."""
    order = _Order()
    order.walk(plan.events)
    found: set[Pair] = set()
    for arena in plan.arenas:
        used = [(one.life, order.span(one.name), one.name) for one in arena.buffers]
        found.update(_contradictions([(a, b, name) for a, b, name in used if b is not None]))
    return frozenset(found)


def _contradictions(used: Sequence[tuple[Life, Span, str]]) -> Iterator[Pair]:
    """Yield a buffer that is dead when another is born, and used at its first use or later.

    Buffers are taken by birth; those that are dead by then wait in the order of their last use.
    """
    by_death = sorted(used, key=lambda one: one[0].death)
    dead: list[tuple[int, str]] = []
    buried = 0
    for life, (first, _), name in sorted(used, key=lambda one: one[0].birth):
        while by_death[buried][0].death < life.birth:
            _, (_, last), other = by_death[buried]
            insort(dead, (last, other))
            buried += 1
        for _, other in dead[bisect_left(dead, (first, "")) :]:
            yield frozenset((name, other))


class _Order:
    """Numbers the accesses of a plan in the order of its text."""

    def __init__(self) -> None:
        self.at = 0
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.uses: dict[str, tuple[Use, Use]] = {}

    def walk(self, events: Sequence[Event], inside: Loops = ()) -> None:
        """Number what stands in the given loops, outermost first."""
        for event in events:
            self.at += 1
            match event:
                case Act(verb=verb, accesses=accesses) if verb != RELEASE:
                    use = self.at, inside
                    for access in accesses:
                        first, _ = self.uses.get(access.object, (use, use))
                        self.uses[access.object] = first, use
                case Loop(body=body):
                    loop = len(self.starts)
                    self.starts.append(self.at)
                    self.ends.append(self.at)
                    self.walk(body, (*inside, loop))
                    self.at += 1
                    self.ends[loop] = self.at
                case Branch(then=then, orelse=orelse):
                    self.walk(then, inside)
                    self.walk(orelse, inside)
                case _:
                    pass

    def span(self, name: str) -> Span | None:
        """From the first to the last access of an object, widened over loops from outside.

        Such a loop holds one of the two and not the other; None without an access.
        """
        if name not in self.uses:
            return None
        (low, before), (high, after) = self.uses[name]
        common = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        shared = sum(1 for _ in common)
        if len(before) > shared:
            low = self.starts[before[shared]]
        if len(after) > shared:
            high = self.ends[after[shared]]
        return low, high
