"""Where a block has to meet: the fewest barriers that a walk in program order finds.

A barrier is put before the first event that touches bytes which another thread has touched since
the last one, where either of the two writes. A loop is walked again with what its own end leaves
behind, until nothing new is left. What is inserted is checked elsewhere, by other means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from vxproof.logic.terms import Term
from vxproof.plan.nodes import (
    Access,
    Act,
    Arena,
    Await,
    Barrier,
    Branch,
    Commit,
    Event,
    Life,
    Loop,
    WaitGroup,
)
from vxproof.plan.ranges import Ranges
from vxproof.records import dataclass

ALL, ONE, UNIT = "all", "one", "unit"
Pending = dict[str, dict[Access, str]]
"""Accesses since the last barrier, by object, each with the verb of its act.

The accesses of one object are never changed in place, so that copies of the whole share them.
"""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a buffer may lie: its life, and where it starts and ends in each layout."""

    space: str
    life: Life
    bounds: tuple[tuple[Term, Term], ...]


def insert_barriers(
    events: Sequence[Event], arenas: Iterable[Arena], ranges: Ranges
) -> tuple[Event, ...]:
    """Return the events with the barriers that they need."""
    places = {
        buffer.name: _Place(
            arena.space,
            buffer.life,
            tuple((one.offsets[i], one.offsets[i] + buffer.size) for one in arena.layouts),
        )
        for arena in arenas
        for i, buffer in enumerate(arena.buffers)
    }
    return tuple(_Inserter(places, ranges).walk(events, {})[0])


class _Inserter:
    def __init__(self, places: dict[str, _Place], ranges: Ranges) -> None:
        self.places = places
        self.ranges = ranges
        self.known: dict[tuple[str, str], bool] = {}
        self.reused = frozenset(_reused(places))

    def walk(self, events: Sequence[Event], pending: Pending) -> tuple[list[Event], Pending]:
        done: list[Event] = []
        pending = dict(pending)
        for event in events:
            match event:
                case Act():
                    reason = self.clash(event, pending)
                    if reason is not None:
                        done.append(Barrier(reason))
                        pending = {}
                    for access in event.accesses:
                        known = pending.get(access.object, {})
                        if access not in known:
                            pending[access.object] = {**known, access: event.verb}
                    done.append(event)
                case Barrier():
                    pending = {}
                    done.append(event)
                case Await():
                    pending = {
                        name: {a: v for a, v in known.items() if a.map != UNIT}
                        for name, known in pending.items()
                    }
                    done.append(event)
                case Loop():
                    body, pending = self.loop(event, pending)
                    done.append(replace(event, body=tuple(body)))
                case Branch():
                    then, after_then = self.walk(event.then, pending)
                    orelse, after_else = self.walk(event.orelse, pending)
                    pending = _union(after_then, after_else)
                    done.append(replace(event, then=tuple(then), orelse=tuple(orelse)))
                case Commit() | WaitGroup():
                    done.append(event)
                case _:
                    assert_never(event)
        return done, pending

    def loop(self, loop: Loop, pending: Pending) -> tuple[list[Event], Pending]:
        entry = pending
        while True:
            body, after = self.walk(loop.body, entry)
            if all(known.keys() <= entry.get(name, {}).keys() for name, known in after.items()):
                return body, _union(pending, after)
            entry = _union(entry, after)

    def clash(self, act: Act, pending: Pending) -> str | None:
        """Say which pair needs a barrier before an act, None where none does."""
        if not pending:
            return None
        for access in act.accesses:
            for earlier, verb in self.rivals(access, pending):
                if access.write or earlier.write:
                    return f"{verb} {earlier.object}, then {act.verb} {access.object}"
        return None

    def rivals(self, access: Access, pending: Pending) -> Iterator[tuple[Access, str]]:
        """Yield earlier accesses that may touch the same bytes from another thread."""
        for earlier, verb in pending.get(access.object, {}).items():
            if not _same_thread(earlier, access):
                yield earlier, verb
        if access.object not in self.reused:
            return
        for name, known in pending.items():
            if name != access.object and self.may_share(name, access.object):
                yield from known.items()

    def may_share(self, a: str, b: str) -> bool:
        """Whether two buffers may lie on the same bytes: one space, lives and bytes not apart."""
        if a not in self.places or b not in self.places:
            return False
        one, other = self.places[a], self.places[b]
        if one.space != other.space or one.life.meets(other.life):
            return False
        if (a, b) not in self.known:
            pairs = zip(one.bounds, other.bounds, strict=True)
            self.known[a, b] = not one.bounds or not all(
                self.ranges.le(end, at) or self.ranges.le(until, start)
                for (start, end), (at, until) in pairs
            )
        return self.known[a, b]


def _union(a: Pending, b: Pending) -> Pending:
    both = dict(a)
    for name, known in b.items():
        mine = a.get(name)
        both[name] = known if mine is None or mine is known else mine | known
    return both


def _reused(places: dict[str, _Place]) -> Iterator[str]:
    """Yield the buffers whose lives some other buffer of their space does not meet."""
    last_birth: dict[str, int] = {}
    first_death: dict[str, int] = {}
    for one in places.values():
        space, life = one.space, one.life
        last_birth[space] = max(last_birth.get(space, life.birth), life.birth)
        first_death[space] = min(first_death.get(space, life.death), life.death)
    for name, one in places.items():
        space, life = one.space, one.life
        if life.death < last_birth[space] or life.birth > first_death[space]:
            yield name


def _same_thread(a: Access, b: Access) -> bool:
    return a.map == b.map and a.map != ALL
