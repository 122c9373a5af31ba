"""The real stages, put together from the packages that do the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from vxproof.alias.moves import move_findings
from vxproof.alias.naming import module_graphs
from vxproof.constraints.from_plan import plan_obligations
from vxproof.constraints.placement import module_findings
from vxproof.constraints.program import assumptions, function_obligations, vacuity
from vxproof.constraints.residency import residency_obligations
from vxproof.driver.options import Options
from vxproof.driver.replays import Witness
from vxproof.driver.stages import Finding, KernelObligations, Stages
from vxproof.frontend import elaborate, parse
from vxproof.frontend.source_input import read_source
from vxproof.ir.module import Kernel, Module
from vxproof.logic.obligation import Obligation, Replay
from vxproof.plan.build import build_plan
from vxproof.plan.nodes import PlanRefusal
from vxproof.plan.text import show_plan
from vxproof.smt.ladder import Prover
from vxproof.target import load


def real_stages() -> Stages:
    """Return the stages that this version has."""
    return Stages(
        read=read_source,
        parse=parse,
        elaborate=elaborate,
        vacuity=vacuity,
        findings=findings,
        kernel_obligations=kernel_obligations,
        assumptions=assumptions,
        prover=prover,
        replayers={Replay.INTERPRETER: on_interpreter},
    )


def on_interpreter(module: Module, obligation: Obligation, witness: Witness) -> str | None:
    """Re-execute a witness on the reference meaning of the IR, which needs numpy."""
    from vxproof.interp.replay import replay

    return replay(module, obligation, witness)


def prover(options: Options) -> Prover:
    """Return the prover of a run."""
    return Prover(options.budget, isolate=options.isolate_solver)


def findings(module: Module) -> Mapping[str, Sequence[Finding]]:
    """Return what is ill-formed or asked of each function, whatever its kernels' plans say."""
    placement = module_findings(module)
    graphs = module_graphs(module)
    return {
        function.name: (
            *move_findings(function),
            *placement[function.name],
            *function_obligations(function, module),
            *residency_obligations(function, module, graphs),
        )
        for function in module.functions
    }


def kernel_obligations(kernel: Kernel, module: Module, target: str | None) -> KernelObligations:
    """Return what a kernel's plan has to satisfy."""
    machine = None if target is None else load(target)
    plan = build_plan(kernel, module, machine)
    if isinstance(plan, PlanRefusal):
        return KernelObligations((), refusals=(plan.diagnostic,))
    asked = plan_obligations(kernel, module, machine, plan)
    return KernelObligations(asked, partial(show_plan, plan))
