"""Programs and plans for the tests of the plan."""

from __future__ import annotations

from pathlib import Path

from vxproof.diagnostics import DiagnosticError, Source
from vxproof.frontend import load_module
from vxproof.ir.module import Kernel, Module, kernels
from vxproof.plan.build import build_plan
from vxproof.plan.nodes import Plan, PlanRefusal
from vxproof.target import load

ROOT = Path(__file__).parents[2]
EXAMPLES = tuple(sorted((ROOT / "examples").glob("*.vx")))


def planned(text: str, target: str | None, name: str = "k.vx") -> list[tuple[Kernel, Module, Plan]]:
    """Plan every kernel of a program; kernels that the target cannot take are left out."""
    module = load_module(Source(name, text), target)
    machine = None if target is None else load(target)
    found: list[tuple[Kernel, Module, Plan]] = []
    for function in module.functions:
        for kernel in kernels(function):
            plan = build_plan(kernel, module, machine)
            if not isinstance(plan, PlanRefusal):
                found.append((kernel, module, plan))
    return found


def plan_of(text: str, target: str | None = "sm_80") -> Plan:
    """Plan the one kernel of a program."""
    ((_, _, plan),) = planned(text, target)
    return plan


def example_plans(target: str | None) -> list[tuple[str, Plan]]:
    """Plans of the examples that are well formed for a target."""
    found: list[tuple[str, Plan]] = []
    for path in EXAMPLES:
        try:
            plans = planned(path.read_text(encoding="utf-8"), target, path.name)
        except DiagnosticError:
            continue
        found.extend((path.name, plan) for _, _, plan in plans)
    return found


def kernel_text(body: str, params: str = "", requires: str = "", warps: int = 4) -> str:
    """Return a program of one kernel over x and y."""
    where = f"  requires {requires}\n" if requires else ""
    return (
        f"fn k{params}(x: Tensor<f16, [N, 64]>, y: &mut Tensor<f16, [N, 64]>)\n{where}"
        f"{{\n  spawn on(Topology::GPU) warps({warps}) {{\n{body}\n  }}\n}}\n"
    )
