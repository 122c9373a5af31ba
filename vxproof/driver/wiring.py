"""The real stages, put together from the packages that do the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import assert_never

from vxproof.alias.borrows import borrow_findings
from vxproof.alias.moves import move_findings
from vxproof.alias.naming import module_graphs
from vxproof.alias.writes import Writes
from vxproof.constraints.from_plan import from_plan_text, plan_obligations
from vxproof.constraints.placed import placed_obligations
from vxproof.constraints.placement import module_findings
from vxproof.constraints.program import assumptions, function_obligations, vacuity
from vxproof.constraints.residency import residency_obligations
from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Source
from vxproof.driver.devices import nested_kernels
from vxproof.driver.options import Options
from vxproof.driver.replays import Witness
from vxproof.driver.stages import Finding, KernelObligations, PlanFile, Stages
from vxproof.frontend import elaborate, parse
from vxproof.frontend.source_input import read_source
from vxproof.ir.module import Kernel, Module
from vxproof.logic.obligation import Obligation, Replay
from vxproof.plan.build import build_plan
from vxproof.plan.call_peaks import CallPeaks
from vxproof.plan.nodes import (
    Act,
    Await,
    Barrier,
    Branch,
    Commit,
    Event,
    Loop,
    PlanRefusal,
    WaitGroup,
)
from vxproof.plan.text import show_plan
from vxproof.smt.ladder import Prover
from vxproof.target import UnknownTarget, load


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
        replayers={Replay.INTERPRETER: on_interpreter, Replay.PLAN_MACHINE: on_machine},
        plan_file=plan_file,
    )


def on_interpreter(module: Module | None, obligation: Obligation, witness: Witness) -> str | None:
    """Re-execute a witness on the reference meaning of the IR, which needs numpy."""
    from vxproof.interp.replay import replay

    return None if module is None else replay(module, obligation, witness)


def on_machine(module: Module | None, obligation: Obligation, witness: Witness) -> str | None:
    """Re-execute a witness on the machine that runs plans."""
    from vxproof.plan.replay import replay_kernel

    return None if module is None else replay_kernel(module, obligation, witness)


def plan_file(source: Source) -> PlanFile:
    """Return what is asked of a plan in its text form.

    Raises:
        DiagnosticError: E1001, the text is no plan; E0004, its target is not known.
    """
    from vxproof.plan.parse import parse_plan
    from vxproof.plan.replay import replayer_for

    plan = parse_plan(source)
    try:
        obligations = from_plan_text(plan, source)
    except UnknownTarget as fault:
        raise DiagnosticError(
            (Diagnostic("E0004", str(fault), Label(source.span(0, 4))),)
        ) from None
    return PlanFile(
        plan.kernel,
        plan.index,
        plan.target,
        plan.symbols,
        plan.requires,
        obligations,
        replayer_for(plan),
        any(map(_is_asynchronous, plan.events)),
    )


def _is_asynchronous(event: Event) -> bool:
    match event:
        case Commit() | WaitGroup():
            return True
        case Act(verb=verb):
            return "async" in verb
        case Loop(stages=stages, body=body):
            return stages is not None or any(map(_is_asynchronous, body))
        case Branch(then=then, orelse=orelse):
            return any(map(_is_asynchronous, (*then, *orelse)))
        case Barrier() | Await():
            return False
        case _:
            assert_never(event)


def prover(options: Options) -> Prover:
    """Return the prover of a run."""
    return Prover(options.budget, isolate=options.isolate_solver)


def findings(module: Module) -> Mapping[str, Sequence[Finding]]:
    """Return what is ill-formed or asked of each function, whatever its kernels' plans say."""
    placement = module_findings(module)
    graphs = module_graphs(module)
    writes = Writes({function.name: function for function in module.functions})
    peaks = CallPeaks(module)
    nested = nested_kernels(module)
    return {
        function.name: (
            *nested[function.name],
            *move_findings(function),
            *borrow_findings(function, graphs[function.name], writes),
            *placement[function.name],
            *function_obligations(function, module),
            *placed_obligations(function, module, peaks),
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
