"""`verify x.plan`: the obligations of a plan in its text form, decided like any others."""

from __future__ import annotations

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Source
from vxproof.driver.options import Options
from vxproof.driver.stages import Prover, Stages
from vxproof.report.model import TargetReport


def verify_plan(source: Source, options: Options, stages: Stages, prover: Prover) -> TargetReport:
    """Return the verdict of a plan.

    Raises:
        DiagnosticError: the text is no plan, or an option is given that a plan does not take.
    """
    del stages, prover
    text = "--set and --target do not apply to a plan"
    if options.settings or options.targets:
        raise DiagnosticError((Diagnostic("E0004", text, Label(source.span(0, 0))),))
    raise DiagnosticError((Diagnostic("E0004", "plans cannot be read yet", None),))
