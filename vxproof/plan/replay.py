"""Witnesses of ordering faults, re-executed on the plan machine."""

from __future__ import annotations

from collections.abc import Callable

from vxproof.ir.module import Module, kernels
from vxproof.logic.obligation import Obligation
from vxproof.plan.build import build_plan
from vxproof.plan.machine import Race, Stuck, UnrunnableError, run_plan
from vxproof.plan.nodes import Plan
from vxproof.target import load

Witness = tuple[tuple[str, int], ...]
Replayer = Callable[[Module | None, Obligation, Witness], str | None]


def replay_on(plan: Plan, obligation: Obligation, witness: Witness) -> str | None:
    """Run a plan at a witness; say what was seen, None where the fault does not show.

    The obligation's subject is (kernel, index, object, object), or (kernel, index, "barrier",
    condition).
    """
    _, _, *what = obligation.subject
    if len(what) != 2:
        return None
    stuck = what[0] == "barrier"
    objects = frozenset[str]() if stuck else frozenset(str(name) for name in what)
    try:
        faults = run_plan(plan, dict(witness), objects)
    except UnrunnableError:
        return None
    for fault in faults:
        match fault:
            case Race(first=first, second=second) if not stuck:
                if {first.object, second.object} == objects:
                    return f"plan machine: {first.text}, {second.text}, byte {fault.byte}"
            case Stuck(condition=condition) if stuck and condition == what[1]:
                return f"plan machine: not every thread reaches the barrier under `{condition}`"
            case _:
                pass
    return None


def replayer_for(plan: Plan) -> Replayer:
    """Return a replayer of one plan's obligations."""

    def replay(module: Module | None, obligation: Obligation, witness: Witness) -> str | None:
        del module
        return replay_on(plan, obligation, witness)

    return replay


def replay_kernel(module: Module, obligation: Obligation, witness: Witness) -> str | None:
    """Build the plan that an obligation is about once more, and run it at a witness."""
    name, index, *_ = obligation.subject
    target = None if module.machine.target is None else load(module.machine.target)
    for kernel in kernels(module.function(str(name))):
        if kernel.index == index:
            plan = build_plan(kernel, module, target)
            return replay_on(plan, obligation, witness) if isinstance(plan, Plan) else None
    return None
