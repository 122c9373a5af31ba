"""Decides what a program's plans and functions are asked."""

from __future__ import annotations

from vxproof.constraints.from_plan import from_plan_text, plan_obligations
from vxproof.constraints.placed import placed_obligations
from vxproof.diagnostics import Source
from vxproof.frontend import load_module
from vxproof.ir.module import kernels
from vxproof.logic.evaluate import evaluate
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Proved, Refuted, Waived
from vxproof.plan.build import build_plan
from vxproof.plan.call_peaks import CallPeaks
from vxproof.plan.nodes import PlanRefusal
from vxproof.plan.parse import parse_plan
from vxproof.smt.ladder import Prover
from vxproof.target import load


def obligations(text: str, target: str | None) -> list[Obligation]:
    """Return what the plans of a program's kernels, and its functions, are asked."""
    module = load_module(Source("k.vx", text), target)
    machine = None if target is None else load(target)
    peaks = CallPeaks(module)
    found: list[Obligation] = []
    for function in module.functions:
        found.extend(placed_obligations(function, module, peaks))
        for kernel in kernels(function):
            plan = build_plan(kernel, module, machine)
            assert not isinstance(plan, PlanRefusal), plan
            found.extend(plan_obligations(kernel, module, machine, plan))
    return found


def decide(text: str, target: str | None) -> list[Decision]:
    """Decide every obligation of a program."""
    return list(Prover().decide_all(obligations(text, target)))


def decide_plan(text: str) -> list[Decision]:
    """Decide every obligation of a plan's text."""
    source = Source("x.plan", text)
    return list(Prover().decide_all(from_plan_text(parse_plan(source), source)))


def refuted(decisions: list[Decision]) -> dict[str, Decision]:
    """Return the first refutation of each code; everything else has to be proved."""
    found: dict[str, Decision] = {}
    for one in decisions:
        match one.verdict:
            case Refuted():
                found.setdefault(one.obligation.code, one)
            case Waived(code=code):
                found.setdefault(code, one)
            case Proved():
                pass
            case other:
                raise AssertionError(f"{one.obligation.code}: {other}")
    return found


def need(decision: Decision) -> int:
    """Return the need at the witness."""
    verdict, measure = decision.verdict, decision.obligation.measure
    refutation = verdict.refuted if isinstance(verdict, Waived) else verdict
    assert isinstance(refutation, Refuted)
    assert measure is not None
    return evaluate(measure.need, dict(refutation.witness))
