"""The stages that a run goes through, as one value: the real ones, or a test's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from vxproof.diagnostics import Diagnostic, Source
from vxproof.driver.options import Options
from vxproof.driver.replays import Replayer
from vxproof.frontend import ast
from vxproof.ir.module import Function, Kernel, Module
from vxproof.logic.obligation import Obligation, Replay, Symbol
from vxproof.logic.terms import Formula
from vxproof.logic.verdict import Decision
from vxproof.records import dataclass

Finding = Diagnostic | Obligation


class Prover(Protocol):
    """Decides obligations; what it has decided once it may remember."""

    def decide_all(self, obligations: Sequence[Obligation]) -> Sequence[Decision]:
        """Return a decision for each obligation, in their order."""

    def explained(self, decision: Decision) -> Decision:
        """Return a refutation with its peak and remedies; other decisions as they are."""

    def close(self) -> None:
        """Release what the prover holds, such as the solver's process."""


@dataclass(frozen=True, slots=True)
class KernelObligations:
    """What is asked of one kernel.

    `refusals` say why no plan exists; `plan` writes the plan's text, None without one.
    """

    obligations: tuple[Obligation, ...]
    plan: Callable[[], str] | None = None
    refusals: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanFile:
    """What is asked of a plan that was read from its text, and who re-executes its witnesses.

    `asynchronous` says whether it has copies that are under way while the block goes on.
    """

    kernel: str
    index: int
    target: str | None
    symbols: tuple[Symbol, ...]
    requires: tuple[Formula, ...]
    obligations: tuple[Obligation, ...]
    replayer: Replayer
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class Stages:
    """Every stage, in the order in which `verify` calls them.

    Attributes:
        read: reads a file; DiagnosticError E0001, E0002.
        parse: text to AST; DiagnosticError E0003, E1001, E6190.
        elaborate: AST to typed IR for a target; DiagnosticError of every finding.
        vacuity: the claim that a function's hypotheses admit no value.
        findings: what is ill-formed or asked of each function as a whole, by its name.
        kernel_obligations: what is asked of a kernel on a target.
        assumptions: hypotheses about the host as (sentence, check).
        prover: makes the prover of a run.
        replayers: re-execution of counterexamples, by the way that an obligation asks for.
        plan_file: text of a plan to what is asked of it; DiagnosticError E1001, E0004.
    """

    read: Callable[[Path], Source]
    parse: Callable[[Source], ast.Program]
    elaborate: Callable[[ast.Program, Source, str | None], Module]
    vacuity: Callable[[Function, Module], Obligation]
    findings: Callable[[Module], Mapping[str, Sequence[Finding]]]
    kernel_obligations: Callable[[Kernel, Module, str | None], KernelObligations]
    assumptions: Callable[[Function], tuple[tuple[str, str], ...]]
    prover: Callable[[Options], Prover]
    replayers: Mapping[Replay, Replayer]
    plan_file: Callable[[Source], PlanFile]
