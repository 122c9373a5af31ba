"""From a kernel of the typed IR to its plan, or the reason why the target cannot take it."""

from __future__ import annotations

from vxproof.diagnostics import DiagnosticError
from vxproof.ir.module import Kernel, Module
from vxproof.plan.barriers import insert_barriers
from vxproof.plan.bodies import Bodies, draft_body
from vxproof.plan.context import Context
from vxproof.plan.nodes import Plan, PlanRefusal
from vxproof.plan.pressure import Pressure
from vxproof.plan.products import Family, Product
from vxproof.plan.ranges import ranges_of
from vxproof.plan.register_spaces import register_arenas
from vxproof.target import Target


def build_plan(kernel: Kernel, module: Module, target: Target | None) -> Plan | PlanRefusal:
    """Plan a kernel for a target, or for the program's own machine where there is none.

    `module.machine` has to be the machine of the same target.
    """
    function = kernel.function
    requires = tuple(clause.formula for clause in function.requires)
    ranges = ranges_of(function.symbols, requires)
    context = Context(kernel, module, target, function.symbols, requires, ranges)
    try:
        body = draft_body(context, Bodies(module, target, context.warps, ranges))
    except DiagnosticError as refusal:
        return PlanRefusal(refusal.diagnostics[0])
    pressure = Pressure(context, body.tracker, body.uses, body.products, body.spreads)
    spread = register_arenas(context, body.line, body.facts, body.spreads)
    return Plan(
        kernel=function.name,
        index=kernel.index,
        target=None if target is None else target.name,
        warps=context.warps,
        family=_family(body.products),
        symbols=function.symbols,
        requires=requires,
        arenas=(*body.arenas, *spread),
        registers=tuple(pressure.tiles()),
        events=insert_barriers(body.events, body.arenas, ranges),
    )


def _family(made: dict[int, Product]) -> str:
    names = dict.fromkeys(one.family.value for one in made.values())
    return "+".join(names) or Family.NONE.value
