"""Every obligation that speaks about a plan: capacity, registers, ordering, tensor memory."""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.constraints.capacity import Setting, arena_obligations
from vxproof.constraints.hypotheses import function_hypotheses
from vxproof.constraints.ordering import ordering_obligations
from vxproof.constraints.registers import register_obligations
from vxproof.constraints.tmem import tensor_memory_obligations
from vxproof.diagnostics import Source
from vxproof.ir.module import Kernel, Module
from vxproof.logic.obligation import Obligation
from vxproof.plan.nodes import Plan
from vxproof.plan.ranges import ranges_of
from vxproof.target import Target, load


def plan_obligations(
    kernel: Kernel, module: Module, target: Target | None, plan: Plan
) -> tuple[Obligation, ...]:
    """Return the obligations of a kernel's plan, in the order of a report."""
    return tuple(_obligations(kernel, module, target, plan))


def from_plan_text(plan: Plan, source: Source) -> tuple[Obligation, ...]:
    """Return the obligations of a plan that was read from its text.

    Raises:
        UnknownTarget: the plan is for a target that has no data.
    """
    target = None if plan.target is None else load(plan.target)
    where = source.span(0, min(len(source.text), 4))
    ranges = ranges_of(plan.symbols, plan.requires)
    setting = Setting((plan.kernel, plan.index), where, plan.symbols, plan.requires, ranges)
    found: list[Obligation] = []
    for arena in plan.arenas:
        found.extend(arena_obligations(arena, None, setting))
    if target is not None:
        found.extend(register_obligations(plan, target, setting))
        found.extend(tensor_memory_obligations(plan, target, setting))
    found.extend(ordering_obligations(plan, setting))
    return tuple(found)


def _obligations(
    kernel: Kernel, module: Module, target: Target | None, plan: Plan
) -> Iterator[Obligation]:
    symbols, hypotheses = function_hypotheses(kernel.function, module)
    setting = Setting(
        (kernel.function.name, kernel.index),
        kernel.spawn.span,
        symbols,
        hypotheses,
        ranges_of(symbols, hypotheses),
    )
    for arena in plan.arenas:
        yield from arena_obligations(arena, module.machine.spaces.get(arena.space), setting)
    if target is not None:
        yield from register_obligations(plan, target, setting)
        yield from tensor_memory_obligations(plan, target, setting)
    if kernel.spawn.tiled:
        yield from ordering_obligations(plan, setting)
