"""The first half of a plan, and what the bodies of called functions take of each space.

A callee is planned like a kernel, for the warps of the kernel that calls it, so that its frame
counts the scratch that its reductions and conversions need.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import override

from vxproof.diagnostics import DiagnosticError
from vxproof.ir.module import Function, Kernel, Module
from vxproof.ir.ops import Spawn
from vxproof.logic.terms import Const, Sym, Term
from vxproof.plan.buffers import Calls, Facts, add_frames, arenas_of
from vxproof.plan.context import Context
from vxproof.plan.copies import shared_cases
from vxproof.plan.events import EventBuilder
from vxproof.plan.nodes import Arena, Event
from vxproof.plan.objects import Tracker
from vxproof.plan.outer import outer_names
from vxproof.plan.products import Product, products
from vxproof.plan.ranges import Ranges, ranges_of
from vxproof.plan.sizes import in_space, shared_layout
from vxproof.plan.spreads import Spreads
from vxproof.plan.timeline import Timeline, kernel_timeline
from vxproof.plan.uses import Uses
from vxproof.records import dataclass
from vxproof.target import Target

WARPS = "$warps"
"""Symbol for the warps of the calling kernel in the sizes of a callee."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body with its tiles followed, its products chosen and its events written out."""

    line: Timeline
    tracker: Tracker
    uses: Uses
    products: dict[int, Product]
    spreads: Spreads
    events: tuple[Event, ...]
    facts: Facts
    arenas: tuple[Arena, ...]


def draft_body(context: Context, calls: Calls) -> Body:
    """Plan a body up to its arenas.

    Raises:
        DiagnosticError: E6160, the target has no instruction for one of its products.
    """
    line = kernel_timeline(context.kernel)
    outer = outer_names(context.kernel.function)
    tracker = Tracker(context.module.machine, line, outer)
    tracker.run()
    add_frames(tracker, line, calls)
    uses = Uses(line, outer)
    made = products(context, tracker, uses)
    spreads = Spreads(context, tracker, made)
    events = EventBuilder(context, tracker, uses, made, spreads).build()
    _choose_layouts(context, tracker)
    facts = Facts(context.module, context.ranges, context.names)
    arenas = arenas_of(tracker, line, facts)
    return Body(line, tracker, uses, made, spreads, events, facts, arenas)


def _choose_layouts(context: Context, tracker: Tracker) -> None:
    """Give each tile in shared memory the layout of its rows."""
    for draft in tracker.drafts:
        space = context.space(draft.space)
        if space.native == "SMEM" and draft.amount is None:
            tensor = in_space(draft.type, space)
            draft.layout = shared_cases(tensor, shared_layout(tensor), context.ranges)


class Bodies(Calls):
    """Frames of callees from their own plans, for one kernel."""

    def __init__(self, module: Module, target: Target | None, warps: Term, ranges: Ranges) -> None:
        super().__init__(module)
        self.target = target
        self.warps = warps
        self.interval = ranges.bounds(warps)

    @property
    @override
    def outer(self) -> dict[str, Term]:
        return {} if isinstance(self.warps, Const) else {WARPS: self.warps}

    @override
    def ranges(self, function: Function) -> Ranges:
        stated = ranges_of(function.symbols, (clause.formula for clause in function.requires))
        return replace(stated, intervals={**stated.intervals, WARPS: self.interval})

    @override
    def arenas(self, function: Function) -> tuple[Arena, ...]:
        warps = self.warps if isinstance(self.warps, Const) else Sym(WARPS)
        spawn = Spawn(
            function.topology or "", warps, (), (), function.body, tiled=True, span=function.span
        )
        context = Context(
            Kernel(function, spawn, (), 0),
            self.module,
            self.target,
            function.symbols,
            tuple(clause.formula for clause in function.requires),
            self.ranges(function),
        )
        try:
            return draft_body(context, self).arenas
        except DiagnosticError:  # the function's own plan reports it
            return super().arenas(function)
