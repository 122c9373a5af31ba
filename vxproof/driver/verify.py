"""One program on its targets: settings, vacuity, obligations, decisions, replays, precedence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from vxproof.diagnostics import Diagnostic, DiagnosticError, Severity, Source, Span
from vxproof.driver.devices import device_kernels, plan_only
from vxproof.driver.excluded import together
from vxproof.driver.families import ORDER, asked, gaps, in_registers, no_plan, not_asked
from vxproof.driver.options import Options
from vxproof.driver.precedence import visible
from vxproof.driver.replays import replayed
from vxproof.driver.settings import apply_settings, set_symbols, shown
from vxproof.driver.spaces import space_uses
from vxproof.driver.stages import KernelObligations, Prover, Stages
from vxproof.driver.vacuity import satisfiable
from vxproof.driver.warps import with_warps
from vxproof.frontend import ast
from vxproof.ir.module import Function, Kernel, Module, kernels, walk
from vxproof.ir.ops import Declare
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Proved, Refuted
from vxproof.records import dataclass
from vxproof.report.model import Assumption, TargetReport, UnitReport


@dataclass(frozen=True, slots=True)
class Input:
    """A parsed program: its own file, and the files that only describe the machine."""

    source: Source
    program: ast.Program
    sources: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A function or kernel with what is asked of it, before anything is decided."""

    function: Function
    kernel: Kernel | None
    obligations: tuple[Obligation, ...]
    plan: Callable[[], str] | None = None
    refused: bool = False

    @property
    def span(self) -> Span:
        """Where the unit is written."""
        return self.function.span if self.kernel is None else self.kernel.spawn.span


@dataclass(frozen=True, slots=True)
class _Findings:
    """Units to decide, and what has been said already."""

    units: tuple[_Unit, ...]
    diagnostics: tuple[Diagnostic, ...]


def verify_target(
    given: Input, target: str | None, options: Options, stages: Stages, prover: Prover
) -> TargetReport:
    """Return the verdict of a program on one target.

    Raises:
        DiagnosticError: the program is not well formed, or the settings do not fit it.
    """
    base = stages.elaborate(given.program, given.source, target)
    module = apply_settings(base, options.settings)
    admitted = _vacuity(base, module, options, stages, prover)
    found = _findings(module, target, admitted, stages)
    said = (*module.warnings, *found.diagnostics)
    if any(d.info.severity is Severity.ERROR for d in found.diagnostics):
        return TargetReport(target, said, ())
    decided = _decide(found.units, module, stages, prover)
    reports = []
    first = set(admitted)
    for unit, decisions in zip(found.units, decided, strict=True):
        name = unit.function.name
        lead = (admitted[name],) if name in first else ()
        first.discard(name)
        reports.append(_report(unit, (*lead, *decisions), module, target, options, stages, prover))
    return TargetReport(target, said, tuple(reports))


def _vacuity(
    base: Module, module: Module, options: Options, stages: Stages, prover: Prover
) -> dict[str, Decision]:
    """Whether each function's hypotheses admit a value.

    Raises:
        DiagnosticError: E0004, only the settings leave none.
    """
    asked_of = [stages.vacuity(function, module) for function in module.functions]
    decided = prover.decide_all(asked_of)
    found: dict[str, Decision] = {}

    def admits(function: Function) -> bool:
        (answer,) = prover.decide_all([stages.vacuity(function, module)])
        return not isinstance(answer.verdict, Proved)

    for before, function, decision in zip(base.functions, module.functions, decided, strict=True):
        verdict = satisfiable(decision, function.requires)
        if isinstance(verdict.verdict, Refuted) and set_symbols(function, options.settings):
            (free,) = prover.decide_all([stages.vacuity(before, base)])
            if isinstance(free.verdict, Refuted):
                raise together(function, _values(function, options.settings), admits)
        found[function.name] = verdict
    return found


def _values(function: Function, settings: Mapping[str, int]) -> dict[str, int]:
    return {one.name: settings[shown(one)] for one in set_symbols(function, settings)}


def _findings(
    module: Module, target: str | None, admitted: Mapping[str, Decision], stages: Stages
) -> _Findings:
    """What is asked of each function and kernel; of a function that admits no value, nothing."""
    units: list[_Unit] = []
    diagnostics: list[Diagnostic] = []
    by_function = stages.findings(module)
    bodies = device_kernels(module)
    for function in module.functions:
        own = by_function[function.name]
        diagnostics += [one for one in own if isinstance(one, Diagnostic)]
        if isinstance(admitted[function.name].verdict, Refuted):
            units.append(_Unit(function, None, ()))
            continue
        kernel_units: list[_Unit] = []
        for kernel in kernels(function):
            found = _kernel(kernel, module, target, stages)
            diagnostics += found.refusals
            kernel_units.append(
                _Unit(function, kernel, found.obligations, found.plan, bool(found.refusals))
            )
        obligations = [one for one in own if isinstance(one, Obligation)]
        for body in bodies.get(function.name, ()):
            found = _kernel(body.kernel, module, target, stages)
            diagnostics += found.refusals
            obligations += plan_only(found.obligations, body.note)
        units += _distributed(function, obligations, kernel_units, target)
    return _Findings(tuple(units), tuple(dict.fromkeys(diagnostics)))


def _kernel(
    kernel: Kernel, module: Module, target: str | None, stages: Stages
) -> KernelObligations:
    """What is asked of a kernel; a kernel that has no plan still keeps the others' verdicts.

    What refuses a plan has to count against the verdict, else nothing would be asked of the plan.
    """
    try:
        found = stages.kernel_obligations(kernel, module, target)
    except DiagnosticError as fault:
        found = KernelObligations((), refusals=fault.diagnostics)
        if not fault.diagnostics:
            raise RuntimeError("a kernel is refused without a reason") from fault
    if found.refusals and all(one.info.severity is Severity.WARNING for one in found.refusals):
        raise RuntimeError("a warning refuses a kernel")
    return found


def _distributed(
    function: Function, own: list[Obligation], units: list[_Unit], target: str | None
) -> list[_Unit]:
    """Give what is asked of a function to the kernel in which it stands, the rest to the function.

    A function with one kernel is reported as that kernel. Each family that a kernel is asked and
    that nothing decides becomes an obligation without an answer.
    """
    single = len(units) == 1
    rest = own
    made: list[_Unit] = []
    for unit in units:
        inside = [one for one in rest if single or _within(one, unit.span)]
        rest = [one for one in rest if not (single or _within(one, unit.span))]
        every = (*inside, *unit.obligations)
        if unit.kernel is not None and not unit.refused:
            every += gaps(asked(unit.kernel, target), every, unit.span)
        made.append(replace(unit, obligations=every))
    return made if single else [_Unit(function, None, tuple(rest)), *made]


def _within(obligation: Obligation, span: Span) -> bool:
    own = obligation.span
    return own.file == span.file and span.start <= own.start and own.end <= span.end


def _decide(
    units: Sequence[_Unit], module: Module, stages: Stages, prover: Prover
) -> Iterator[tuple[Decision, ...]]:
    decisions = iter(prover.decide_all([one for unit in units for one in unit.obligations]))
    for unit in units:
        own = islice(decisions, len(unit.obligations))
        yield tuple(replayed(one, module, stages.replayers) for one in own)


def _report(
    unit: _Unit,
    decisions: tuple[Decision, ...],
    module: Module,
    target: str | None,
    options: Options,
    stages: Stages,
    prover: Prover,
) -> UnitReport:
    kept, implied = visible(decisions)
    kernel = unit.kernel
    explained = tuple(map(prover.explained, kept))
    unproved = {d.obligation.code for d in decisions if not isinstance(d.verdict, Proved)}
    shown = with_warps(explained, unproved, kernel, module, target, stages, prover)
    present = tuple(
        sorted({d.obligation.family for d in shown}, key=lambda f: (*ORDER, f).index(f))
    )
    skipped: tuple[tuple[str, str], ...] = ()
    families = present
    if kernel is not None and unit.refused:
        skipped = no_plan(present)
    elif kernel is not None:
        wanted = {*asked(kernel, target), *present}
        families = tuple(family for family in ORDER if family in wanted)
        skipped = tuple(row for row in not_asked(target) if row[0] not in wanted)
    return UnitReport(
        unit.function.name,
        None if kernel is None else kernel.index,
        unit.span,
        shown,
        families,
        skipped,
        () if kernel is None else space_uses(shown, prover),
        due_at_build(kernel, target),
        tuple(Assumption(*row) for row in stages.assumptions(unit.function)),
        implied,
        unit.plan() if options.emit_plan and unit.plan is not None else None,
    )


def due_at_build(kernel: Kernel | None, target: str | None) -> tuple[str, ...]:
    """Return the residents in registers, which only the assembler's report can vouch for."""
    if kernel is None or target is None:
        return ()
    declared = [op for op in walk(kernel.spawn.body) if isinstance(op, Declare)]
    names = [
        op.variable.name
        for op in (*kernel.residents, *declared)
        if op.variable.resident is not None and in_registers(op.variable.resident)
    ]
    return tuple(dict.fromkeys(names))
