"""Every obligation that speaks about a plan: capacity, registers, ordering, tensor memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vxproof.constraints.capacity import Setting, arena_obligations, unbounded_symbols
from vxproof.constraints.entangled import entangled
from vxproof.constraints.hypotheses import function_hypotheses
from vxproof.constraints.ordering import ordering_obligations
from vxproof.constraints.registers import launch_obligations, register_obligations
from vxproof.constraints.tmem import tensor_memory_obligations
from vxproof.diagnostics import Source
from vxproof.ir.module import Kernel, Module, Space
from vxproof.logic.build import ge
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import TRUE, Const
from vxproof.plan.nodes import Arena, Plan
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
    if target is not None:
        plan = replace(plan, arenas=tuple(_within(arena, target) for arena in plan.arenas))
    where = source.span(0, min(len(source.text), 4))
    ranges = ranges_of(plan.symbols, plan.requires)
    setting = Setting((plan.kernel, plan.index), where, plan.symbols, plan.requires, ranges)
    return tuple(_of_plan(plan, {}, target, setting))


def _within(arena: Arena, target: Target) -> Arena:
    """Give an arena of the target's own space no more than a block can have of it there."""
    match arena.space, arena.unit:
        case "SMEM", "bytes":
            most = target.smem_optin_per_block
            bound = f"{target.name}, opt-in shared memory per block"
        case "TMEM", "columns" if target.tmem is not None:
            most, bound = target.tmem.columns, f"{target.name}, columns of tensor memory"
        case _:
            return arena
    if arena.capacity is not None and arena.capacity <= most:
        return arena
    return replace(arena, capacity=most, bound=bound)


def _of_plan(
    plan: Plan, spaces: Mapping[str, Space], target: Target | None, setting: Setting
) -> Iterator[Obligation]:
    """All but the launch's limit is asked of a block that has a warp."""
    if target is not None:
        yield from launch_obligations(plan, target, setting)
    if plan.warps != Const(0):
        some = ge(plan.warps, 1)
        hypotheses = setting.hypotheses if some == TRUE else (*setting.hypotheses, some)
        setting = replace(setting, hypotheses=hypotheses)
    setting = replace(setting, apart=entangled(plan))
    for arena in plan.arenas:
        yield from arena_obligations(arena, spaces.get(arena.space), setting)
    if target is not None:
        yield from register_obligations(plan, target, setting)
        yield from tensor_memory_obligations(plan, target, setting)
    if plan.warps != Const(0):
        yield from ordering_obligations(plan, setting)


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
        unbounded_symbols(plan.symbols, plan.requires),
    )
    yield from _of_plan(plan, module.machine.spaces, target, setting)
