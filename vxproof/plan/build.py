"""From a kernel of the typed IR to its plan, or the reason why the target cannot take it."""

from __future__ import annotations

from vxproof.ir.module import Kernel, Module
from vxproof.plan.buffers import Calls, Facts, add_frames, arenas_of
from vxproof.plan.context import Context
from vxproof.plan.nodes import Plan, PlanRefusal
from vxproof.plan.objects import Tracker
from vxproof.plan.ranges import ranges_of
from vxproof.plan.timeline import kernel_timeline
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
    tracker = Tracker(module.machine, line)
    tracker.run()
    add_frames(tracker, line, Calls(module))
    facts = Facts(module, ranges, context.names)
    return Plan(
        kernel=function.name,
        index=kernel.index,
        target=None if target is None else target.name,
        warps=context.warps,
        family="none",
        symbols=function.symbols,
        requires=requires,
        arenas=arenas_of(tracker, line, facts),
        registers=(),
        events=(),
    )
