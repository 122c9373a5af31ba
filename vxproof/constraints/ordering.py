"""Ordering: accesses of the same bytes by different threads have a barrier between them (E6134).

A forward dataflow over the plan's structured events. What is kept at a point is every access that
some path reaches without a barrier in between, with the condition on trip counts under which that
path exists: none in a straight line, no trip for a way past a loop, two trips for a back edge. It
knows nothing of how the plan placed its barriers. Different tensors outside do not overlap, by
hypothesis; two buffers of one space whose lives do not meet may share bytes, where the layout that
is taken lets them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vxproof.constraints.capacity import Setting, spoken
from vxproof.constraints.sharing import Sharing
from vxproof.diagnostics import Label, Span, Table
from vxproof.logic.build import conj, disj, ge, le, neg
from vxproof.logic.obligation import Obligation, Replay
from vxproof.logic.substitute import symbols_of
from vxproof.logic.terms import FALSE, TRUE, Formula, Term
from vxproof.plan.nodes import (
    Access,
    Act,
    Await,
    Barrier,
    Branch,
    Commit,
    Event,
    Life,
    Loop,
    Plan,
    WaitGroup,
)
from vxproof.plan.ranges import Ranges
from vxproof.records import dataclass

EVERY, MATRIX_UNIT = "all", "unit"
SHOWN = 8
"""Pairs of one kernel that get an obligation of their own."""


@dataclass(frozen=True, slots=True)
class Site:
    """An access at its place in the plan."""

    access: Access
    verb: str
    line: int
    span: Span | None


Reaching = dict[str, dict[Access, tuple[Site, Formula]]]
"""Accesses that some path brings here, by object, each with a place and the path's condition."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Two accesses without a barrier between them, under a condition on trip counts."""

    earlier: Site
    later: Site
    condition: Formula


@dataclass(frozen=True, slots=True)
class Divergent:
    """A barrier that not every thread of the block reaches."""

    condition: str
    line: int


def ordering_obligations(plan: Plan, setting: Setting) -> Iterator[Obligation]:
    """Yield an obligation for each pair without a barrier, or one that says that there is none."""
    flow = _Flow(plan, setting.ranges)
    flow.walk(plan.events, {}, uniform=True)
    faults = list(flow.faults.values())
    for fault in faults[:SHOWN]:
        yield _pair(fault, setting)
    for one in flow.divergent[:SHOWN]:
        yield _divergent(one, setting)
    if not faults and not flow.divergent:
        yield _obligation(setting, "accesses of one block are ordered", setting.span, TRUE, ())


class _Flow:
    def __init__(self, plan: Plan, ranges: Ranges) -> None:
        self.shared = Sharing(plan.arenas, ranges)
        self.places: dict[str, tuple[str, Life]] = {
            buffer.name: (arena.space, buffer.life)
            for arena in plan.arenas
            for buffer in arena.buffers
        }
        self.ranges = ranges
        births = [life.birth for _, life in self.places.values()]
        deaths = [life.death for _, life in self.places.values()]
        self.reused = {
            name
            for name, (_, life) in self.places.items()
            if life.death < max(births) or life.birth > min(deaths)
        }
        self.known = {symbol.name for symbol in plan.symbols}
        self.faults: dict[tuple[str, str, str, str], Fault] = {}
        self.divergent: list[Divergent] = []

    def walk(
        self, events: Sequence[Event], reaching: Reaching, *, uniform: bool, where: str = ""
    ) -> Reaching:
        reaching = dict(reaching)
        for event in events:
            match event:
                case Act():
                    reaching = self.act(event, reaching)
                case Barrier():
                    if not uniform and all(one.condition != where for one in self.divergent):
                        self.divergent.append(Divergent(where, 0))
                    reaching = {}
                case Await():
                    reaching = {
                        name: {a: one for a, one in known.items() if a.map != MATRIX_UNIT}
                        for name, known in reaching.items()
                    }
                case Loop():
                    reaching = self.loop(event, reaching, uniform=uniform, where=where)
                case Branch(then=then, orelse=orelse):
                    inner = uniform and event.uniform
                    name = where if event.uniform else event.condition
                    left = self.walk(then, reaching, uniform=inner, where=name)
                    right = self.walk(orelse, reaching, uniform=inner, where=name)
                    reaching = _either(left, right)
                case Commit() | WaitGroup():
                    pass
        return reaching

    def loop(self, loop: Loop, reaching: Reaching, *, uniform: bool, where: str) -> Reaching:
        """Past the loop comes what skips it, and what leaves its last iteration."""
        low, high = self.ranges.bounds(loop.trips)
        again = self.condition(ge(loop.trips, 2), loop.trips, low is not None and low >= 2)
        some = self.condition(ge(loop.trips, 1), loop.trips, low is not None and low >= 1)
        none = self.condition(le(loop.trips, 0), loop.trips, high is not None and high <= 0)
        if low is not None and low >= 1:
            none = FALSE
        entry = _under(some, reaching)
        after = self.walk(loop.body, entry, uniform=uniform, where=where)
        while again != FALSE:
            back = {
                name: {a: one for a, one in known.items() if a not in entry.get(name, {})}
                for name, known in after.items()
            }
            if not any(back.values()):
                break
            entry = _either(entry, _under(again, back))
            after = self.walk(loop.body, entry, uniform=uniform, where=where)
        return _either(_under(none, reaching), after)

    def condition(self, formula: Formula, trips: Term, always: bool) -> Formula:
        """Return a condition on a trip count; one on values of the run is taken to be possible."""
        return formula if not always and symbols_of(trips) <= self.known else TRUE

    def act(self, act: Act, reaching: Reaching) -> Reaching:
        for access in act.accesses:
            site = Site(access, act.verb, act.line, act.span)
            for name in reaching if access.object in self.reused else (access.object,):
                for earlier, condition in reaching.get(name, {}).values():
                    if self.clash(earlier.access, access):
                        bytes_met = self.shared.condition(name, access.object)
                        self.note(earlier, site, conj(condition, bytes_met))
        for access in act.accesses:
            known = dict(reaching.get(access.object, {}))
            known[access] = (Site(access, act.verb, act.line, act.span), TRUE)
            reaching[access.object] = known
        return reaching

    def note(self, earlier: Site, later: Site, condition: Formula) -> None:
        if condition == FALSE:
            return
        key = (earlier.access.object, earlier.verb, later.access.object, later.verb)
        known = self.faults.get(key)
        if known is None:
            self.faults[key] = Fault(earlier, later, condition)
        elif known.condition != condition:
            self.faults[key] = Fault(known.earlier, known.later, disj(known.condition, condition))

    def clash(self, a: Access, b: Access) -> bool:
        """Whether two accesses may touch one byte from different threads, one of them writing."""
        if not (a.write or b.write):
            return False
        if a.object == b.object:
            return a.map != b.map or a.map == EVERY
        if a.object not in self.places or b.object not in self.places:
            return False
        (space, life), (other_space, other_life) = self.places[a.object], self.places[b.object]
        return space == other_space and not life.meets(other_life)


def _under(condition: Formula, reaching: Reaching) -> Reaching:
    """What reaches a place under a further condition."""
    if condition == FALSE:
        return {}
    if condition == TRUE:
        return reaching
    return {
        name: {a: (site, conj(condition, c)) for a, (site, c) in known.items()}
        for name, known in reaching.items()
    }


def _either(a: Reaching, b: Reaching) -> Reaching:
    """What reaches a place on one of two ways."""
    merged = dict(a)
    for name, known in b.items():
        other = merged.get(name)
        if other is None or other is known:
            merged[name] = known
            continue
        both = dict(other)
        for access, (site, condition) in known.items():
            before = both.get(access)
            both[access] = (site, condition if before is None else disj(before[1], condition))
        merged[name] = both
    return merged


_SHARES = {
    EVERY: "any thread, any byte",
    "one": "one thread of the block",
    "warp leaders": "one thread of each warp",
    MATRIX_UNIT: "the matrix unit",
}


def _does(site: Site) -> str:
    return "writes" if site.access.write else "reads"


def _heading(name: str, site: Site) -> str:
    return f"{name}, line {site.line}" if site.line else name


def _kind(earlier: Access, later: Access) -> str:
    if earlier.write and later.write:
        return "written twice"
    return "read after a write" if earlier.write else "written after a read"


def _pair(fault: Fault, setting: Setting) -> Obligation:
    earlier, later = fault.earlier, fault.later
    kind = _kind(earlier.access, later.access)
    same = earlier.access.object == later.access.object
    subject = f"tile {spoken(later.access.object)}"
    what = f"{subject} is {kind}"
    if not same:
        what = f"{subject} may share bytes with {spoken(earlier.access.object)} and is {kind}"
    sides = (earlier, later)
    header = (
        "",
        *(_heading(name, one) for name, one in zip(("first", "second"), sides, strict=True)),
    )
    rows = (
        ("act", *(one.verb for one in sides)),
        ("does", *(f"{_does(one)} {spoken(one.access.object)}" for one in sides)),
        ("by", *(_SHARES.get(one.access.map, "each thread its own bytes") for one in sides)),
    )
    labels = tuple(
        Label(site.span, f"{name}: {site.verb} {_does(site)} {spoken(site.access.object)}")
        for name, site in (("first access", earlier), ("second access", later))
        if site.span is not None
    )
    return _obligation(
        setting,
        f"{what} by another thread without a barrier in between",
        later.span or setting.span,
        neg(fault.condition),
        labels,
        Table("the two accesses", header, rows),
        (earlier.access.object, later.access.object),
    )


def _divergent(one: Divergent, setting: Setting) -> Obligation:
    return _obligation(
        setting,
        f"a barrier stands under `{one.condition}`, which threads of one block decide differently",
        setting.span,
        FALSE,
        (),
        subject=("barrier", one.condition),
    )


def _obligation(
    setting: Setting,
    headline: str,
    span: Span,
    goal: Formula,
    labels: tuple[Label, ...],
    table: Table | None = None,
    subject: tuple[str, ...] = (),
) -> Obligation:
    return Obligation(
        code="E6134",
        family="ordering",
        headline=headline,
        span=span,
        symbols=setting.symbols,
        hypotheses=setting.hypotheses,
        goal=goal,
        labels=labels,
        tables=() if table is None else (table,),
        replay=Replay.PLAN_MACHINE,
        subject=(*setting.unit, *subject),
        help=None if goal == TRUE else "put a barrier between the two, on every path",
    )
