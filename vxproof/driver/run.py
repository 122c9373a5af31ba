"""Files to reports: the door through which the command, the tests and the benchmark come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vxproof.diagnostics import Diagnostic, DiagnosticError, Source
from vxproof.driver.guard import guarded
from vxproof.driver.inputs import Failed, describes_machine, read_inputs
from vxproof.driver.options import Options
from vxproof.driver.plans import verify_plan
from vxproof.driver.room import with_room
from vxproof.driver.stages import Prover, Stages
from vxproof.driver.verify import Input, verify_target
from vxproof.driver.wiring import real_stages
from vxproof.records import dataclass
from vxproof.report.model import RunReport, TargetReport
from vxproof.target import ALL_TARGETS, KNOWN_TARGETS, UnknownTarget, load

PLAN_SUFFIX = ".plan"


def resolve_targets(names: Sequence[str]) -> tuple[str, ...]:
    """Return target strings in the order given, each once; `all` stands for every one of the list.

    Raises:
        DiagnosticError: E0004, a target is not known.
    """
    found: dict[str, None] = {}
    for name in names:
        if name == "all":
            found.update(dict.fromkeys(ALL_TARGETS))
            continue
        try:
            load(name)
        except UnknownTarget as fault:
            close = f"did you mean `{fault.close[0]}`? " if fault.close else ""
            known = ", ".join(KNOWN_TARGETS)
            raise DiagnosticError(
                (
                    Diagnostic(
                        "E0004",
                        f"unknown target `{name}`",
                        None,
                        help=f"{close}known: {known}, or `all`",
                    ),
                )
            ) from None
        found[name] = None
    return tuple(found)


def verify_file(
    path: Path | str,
    *,
    targets: Sequence[str] = (),
    settings: Mapping[str, int] | None = None,
    budget: int | None = None,
    isolate_solver: bool = False,
    stages: Stages | None = None,
) -> RunReport:
    """Return the report of one file; without targets, of its run without one."""
    options = Options(
        targets=tuple(targets),
        settings=dict(settings or {}),
        budget=budget,
        isolate_solver=isolate_solver,
    )
    (report,) = verify_files((Path(path),), options, stages)
    return report


def verify_files(
    paths: Sequence[Path],
    options: Options,
    stages: Stages | None = None,
    begun: Callable[[str, str | None], None] | None = None,
) -> tuple[RunReport, ...]:
    """Return a report for each file that holds a program, a plan, or something that is neither.

    `begun` is told each file and target as their turn comes.
    """
    used = real_stages() if stages is None else stages
    prover = used.prover(options)
    run = _Run(options, used, prover, begun or _unsaid)
    programs = [path for path in paths if path.suffix != PLAN_SUFFIX]
    plans = [path for path in paths if path.suffix == PLAN_SUFFIX]

    def reports() -> tuple[RunReport, ...]:
        given = read_inputs(programs, used, options.debug)
        return (*map(run.program, given), *map(run.plan, plans))

    try:
        return with_room(reports)
    finally:
        prover.close()


def machine_files(paths: Sequence[Path], stages: Stages | None = None) -> tuple[Path, ...]:
    """Return the files that only describe a machine, in the order given."""
    used = real_stages() if stages is None else stages
    programs = [path for path in paths if path.suffix != PLAN_SUFFIX]
    return tuple(path for path in programs if describes_machine(path, used))


def _unsaid(file: str, target: str | None) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What every file of a command shares."""

    options: Options
    stages: Stages
    prover: Prover
    begun: Callable[[str, str | None], None]

    def program(self, given: Input | Failed) -> RunReport:
        """The report of one program."""
        if isinstance(given, Failed):
            failed = TargetReport(None, given.diagnostics, ())
            return self._report(given.name, given.sources, (failed,))
        wanted: tuple[str | None, ...] = self.options.targets or (None,)
        reports = tuple(self._target(given, target) for target in wanted)
        return self._report(given.source.name, given.sources, reports)

    def _target(self, given: Input, target: str | None) -> TargetReport:
        self.begun(given.source.name, target)
        return guarded(
            lambda: verify_target(given, target, self.options, self.stages, self.prover),
            lambda faults: TargetReport(target, faults, ()),
            debug=self.options.debug,
        )

    def plan(self, path: Path) -> RunReport:
        """The report of one plan, which names its own target."""
        self.begun(str(path), None)
        sources: dict[str, Source] = {}

        def verified() -> TargetReport:
            source = self.stages.read(path)
            sources[source.name] = source
            return verify_plan(source, self.options, self.stages, self.prover)

        report = guarded(
            verified, lambda faults: TargetReport(None, faults, ()), debug=self.options.debug
        )
        return self._report(str(path), sources, (report,))

    def _report(
        self, name: str, sources: Mapping[str, Source], reports: tuple[TargetReport, ...]
    ) -> RunReport:
        settings = tuple(sorted(self.options.settings.items()))
        return RunReport(name, sources, settings, reports)
