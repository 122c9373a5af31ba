"""What a function takes of each space while it runs, its own calls included.

A call folds: what is live at it, and the peak of the callee. A call that closes a cycle counts
nothing here; the cycle is refuted by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vxproof.ir.module import Function, Module
from vxproof.ir.ops import Call
from vxproof.logic.build import max_
from vxproof.logic.substitute import substitute
from vxproof.logic.terms import Const, Term, add
from vxproof.plan.arena import peaks
from vxproof.plan.buffers import Facts, buffer_of
from vxproof.plan.nodes import Buffer
from vxproof.plan.objects import Tracker
from vxproof.plan.ranges import Ranges, ranges_of
from vxproof.plan.timeline import Region, Step, Timeline, timeline
from vxproof.plan.uses import lines_of
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Placed:
    """A function's tiles in one space, each with the scope that it was made in."""

    buffers: tuple[Buffer, ...]
    scopes: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class Peak:
    """The most that a function takes of a space, and the calls that lead there."""

    need: Term
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call, what is live at it in a space, and what the callee takes there at most."""

    op: Call
    space: str
    live: tuple[Buffer, ...]
    callee: Peak

    @property
    def need(self) -> Term:
        """The sum."""
        return add(*(one.size for one in self.live), self.callee.need)


@dataclass(frozen=True, slots=True)
class _Laid:
    line: Timeline
    placed: Mapping[str, Placed]
    calls: tuple[Step, ...]
    ranges: Ranges


class CallPeaks:
    """Peaks of the functions of a module, each computed once."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions = {one.name: one for one in module.functions}
        self.laid: dict[str, _Laid] = {}
        self.known: dict[str, Mapping[str, Peak]] = {}
        self.active: list[str] = []

    def lay(self, function: Function) -> _Laid:
        """Return a function's timeline, tiles and calls."""
        if function.name not in self.laid:
            self.laid[function.name] = self._lay(function)
        return self.laid[function.name]

    def _lay(self, function: Function) -> _Laid:
        line = timeline(function.body)
        tracker = Tracker(self.module.machine, line)
        tracker.run()
        requires = tuple(clause.formula for clause in function.requires)
        names = {one.name: one.display or one.name for one in function.symbols}
        facts = Facts(self.module, ranges_of(function.symbols, requires), names)
        found: dict[str, list[tuple[Buffer, Region]]] = {}
        for draft in tracker.drafts:
            buffer = buffer_of(draft, facts, lines_of(draft, line, self.module.source))
            if buffer is not None:
                found.setdefault(draft.space, []).append((buffer, draft.scope))
        calls = tuple(s for s in line.steps if isinstance(s.op, Call) and not s.end)
        placed = {
            space: Placed(tuple(b for b, _ in pairs), tuple(r for _, r in pairs))
            for space, pairs in found.items()
        }
        return _Laid(line, placed, calls, facts.ranges)

    def of(self, name: str) -> Mapping[str, Peak]:
        """Return the peak of a function in each space that it uses."""
        if name in self.known or name not in self.functions:
            return self.known.get(name, {})
        if name in self.active:
            return {}
        self.active.append(name)
        function = self.functions[name]
        own: dict[str, list[Peak]] = {}
        laid = self.lay(function)
        for space, placed in laid.placed.items():
            own.setdefault(space, []).extend(
                Peak(n.term, (name,)) for n, _ in peaks(placed.buffers, laid.ranges)
            )
        for site in self.sites(function):
            own.setdefault(site.space, []).append(Peak(site.need, (name, *site.callee.path)))
        self.active.pop()
        found = {
            space: Peak(max_(*(one.need for one in all_)), max((p.path for p in all_), key=len))
            for space, all_ in own.items()
        }
        self.known[name] = found
        return found

    def sites(self, function: Function) -> Iterator[CallSite]:
        """Yield each call with what is live at it, for each space that the callee uses."""
        laid = self.lay(function)
        for step in laid.calls:
            assert isinstance(step.op, Call)
            names = dict(step.op.generics)
            for space, peak in self.of(step.op.function).items():
                placed = laid.placed.get(space)
                live = (
                    ()
                    if placed is None
                    else tuple(
                        one
                        for one in placed.buffers
                        if one.life.birth <= step.point <= one.life.death
                    )
                )
                need = substitute(peak.need, names)
                if need != Const(0):
                    yield CallSite(step.op, space, live, Peak(need, peak.path))
