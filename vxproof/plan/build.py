"""From a kernel of the typed IR to its plan, or the reason why the target cannot take it."""

from __future__ import annotations

from vxproof.diagnostics import DiagnosticError
from vxproof.ir.module import Kernel, Module
from vxproof.plan.barriers import insert_barriers
from vxproof.plan.buffers import Calls, Facts, add_frames, arenas_of
from vxproof.plan.context import Context
from vxproof.plan.copies import shared_cases
from vxproof.plan.events import EventBuilder
from vxproof.plan.nodes import Plan, PlanRefusal
from vxproof.plan.objects import Tracker
from vxproof.plan.outer import outer_names
from vxproof.plan.pressure import Pressure
from vxproof.plan.products import Family, Product, products
from vxproof.plan.ranges import ranges_of
from vxproof.plan.register_spaces import register_arenas
from vxproof.plan.sizes import in_space, shared_layout
from vxproof.plan.spreads import Spreads
from vxproof.plan.timeline import kernel_timeline
from vxproof.plan.uses import Uses
from vxproof.target import Target


def build_plan(kernel: Kernel, module: Module, target: Target | None) -> Plan | PlanRefusal:
    """Plan a kernel for a target, or for the program's own machine where there is none.

    `module.machine` has to be the machine of the same target.
    """
    function = kernel.function
    requires = tuple(clause.formula for clause in function.requires)
    ranges = ranges_of(function.symbols, requires)
    context = Context(kernel, module, target, function.symbols, requires, ranges)
    line = kernel_timeline(kernel)
    outer = outer_names(function)
    tracker = Tracker(module.machine, line, outer)
    tracker.run()
    add_frames(tracker, line, Calls(module))
    uses = Uses(line, outer)
    try:
        made = products(context, tracker, uses)
    except DiagnosticError as refusal:
        return PlanRefusal(refusal.diagnostics[0])
    spreads = Spreads(context, tracker, made)
    events = EventBuilder(context, tracker, uses, made, spreads).build()
    _choose_layouts(context, tracker)
    facts = Facts(module, ranges, context.names)
    arenas = arenas_of(tracker, line, facts)
    return Plan(
        kernel=function.name,
        index=kernel.index,
        target=None if target is None else target.name,
        warps=context.warps,
        family=_family(made),
        symbols=function.symbols,
        requires=requires,
        arenas=(*arenas, *register_arenas(context, line, facts, spreads)),
        registers=tuple(Pressure(context, tracker, uses, made, spreads).tiles()),
        events=insert_barriers(events, arenas, ranges),
    )


def _choose_layouts(context: Context, tracker: Tracker) -> None:
    """Give each tile in shared memory the layout of its rows."""
    for draft in tracker.drafts:
        space = context.space(draft.space)
        if space.native == "SMEM" and draft.amount is None:
            tensor = in_space(draft.type, space)
            draft.layout = shared_cases(tensor, shared_layout(tensor), context.ranges)


def _family(made: dict[int, Product]) -> str:
    names = dict.fromkeys(one.family.value for one in made.values())
    return "+".join(names) or Family.NONE.value
