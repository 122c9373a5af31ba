"""Where a block has to meet: the fewest barriers that a walk in program order finds.

A barrier is put before the first event that touches bytes which another thread has touched since
the last one, where either of the two writes. A loop is walked again with what its own end leaves
behind, until nothing new is left. What is inserted is checked elsewhere, by other means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

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

ALL, ONE, UNIT = "all", "one", "unit"
Pending = dict[Access, str]


def insert_barriers(events: Sequence[Event], arenas: Iterable[Arena]) -> tuple[Event, ...]:
    """Return the events with the barriers that they need."""
    places = {
        buffer.name: (arena.space, buffer.life) for arena in arenas for buffer in arena.buffers
    }
    return tuple(_Inserter(places).walk(events, {})[0])


class _Inserter:
    def __init__(self, places: dict[str, tuple[str, Life]]) -> None:
        self.places = places

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
                        pending.setdefault(access, event.verb)
                    done.append(event)
                case Barrier():
                    pending = {}
                    done.append(event)
                case Await():
                    pending = {a: verb for a, verb in pending.items() if a.map != UNIT}
                    done.append(event)
                case Loop():
                    body, pending = self.loop(event, pending)
                    done.append(replace(event, body=tuple(body)))
                case Branch():
                    then, after_then = self.walk(event.then, pending)
                    orelse, after_else = self.walk(event.orelse, pending)
                    pending = after_then | after_else
                    done.append(replace(event, then=tuple(then), orelse=tuple(orelse)))
                case Commit() | WaitGroup():
                    done.append(event)
                case _:
                    assert_never(event)
        return done, pending

    def loop(self, loop: Loop, pending: Pending) -> tuple[list[Event], Pending]:
        entry = dict(pending)
        while True:
            body, after = self.walk(loop.body, entry)
            if after.keys() <= entry.keys():
                return body, pending | after
            entry = entry | after

    def clash(self, act: Act, pending: Pending) -> str | None:
        """Say which pair needs a barrier before an act, None where none does."""
        if not pending:
            return None
        for access in act.accesses:
            for earlier, verb in pending.items():
                if not (access.write or earlier.write):
                    continue
                if earlier.object == access.object:
                    if _same_thread(earlier, access):
                        continue
                elif not self.may_share(earlier.object, access.object):
                    continue
                return f"{verb} {earlier.object}, then {act.verb} {access.object}"
        return None

    def may_share(self, a: str, b: str) -> bool:
        """Whether two buffers may lie on the same bytes: one space, lives apart."""
        if a not in self.places or b not in self.places:
            return False
        (space, life), (other_space, other_life) = self.places[a], self.places[b]
        return space == other_space and not life.meets(other_life)


def _same_thread(a: Access, b: Access) -> bool:
    return a.map == b.map and a.map != ALL
