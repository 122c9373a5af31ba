"""`verify x.plan`: the obligations of a plan in its text form, decided like any others."""

from __future__ import annotations

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Source
from vxproof.driver.families import ORDER, gaps
from vxproof.driver.options import Options
from vxproof.driver.precedence import visible
from vxproof.driver.replays import replayed
from vxproof.driver.spaces import space_uses
from vxproof.driver.stages import PlanFile, Prover, Stages
from vxproof.driver.vacuity import satisfiable
from vxproof.logic.obligation import Obligation, Replay
from vxproof.logic.terms import FALSE
from vxproof.logic.verdict import Decision, Refuted
from vxproof.report.model import TargetReport, UnitReport


def verify_plan(source: Source, options: Options, stages: Stages, prover: Prover) -> TargetReport:
    """Return the verdict of a plan on the target that it names.

    Raises:
        DiagnosticError: the text is no plan, or an option is given that it does not take.
    """
    if options.settings:
        raise _usage("--set does not apply to a plan: its values stand in it", source)
    found = stages.plan_file(source)
    if options.targets and found.target not in options.targets:
        own = "no target" if found.target is None else f"`{found.target}`"
        raise _usage(f"the plan is for {own}, which --target does not name", source)
    decisions = _decided(found, source, prover)
    kept, implied = visible(decisions)
    shown = tuple(map(prover.explained, kept))
    present = {decision.obligation.family for decision in shown}
    unit = UnitReport(
        found.kernel,
        found.index,
        source.span(0, 0),
        shown,
        tuple(family for family in ORDER if family in present),
        spaces=space_uses(shown, prover),
        implied=implied,
    )
    return TargetReport(found.target, (), (unit,))


def _decided(found: PlanFile, source: Source, prover: Prover) -> tuple[Decision, ...]:
    """Whether the plan's requirements admit a value, then, if they do, everything else."""
    vacuous = Obligation(
        "E6152",
        "contracts",
        "the plan's requirements admit no value",
        source.span(0, min(len(source.text), 4)),
        found.symbols,
        found.requires,
        FALSE,
    )
    (answer,) = prover.decide_all([vacuous])
    admitted = satisfiable(answer, ())
    if isinstance(admitted.verdict, Refuted):
        return (admitted,)
    families = ("asynchrony",) if found.asynchronous else ()
    missing = gaps(families, found.obligations, vacuous.span)
    others = prover.decide_all((*found.obligations, *missing))
    machine = {Replay.PLAN_MACHINE: found.replayer}
    return (admitted, *(replayed(one, None, machine) for one in others))


def _usage(headline: str, source: Source) -> DiagnosticError:
    return DiagnosticError((Diagnostic("E0004", headline, Label(source.span(0, 0))),))
