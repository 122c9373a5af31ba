"""Several files of one command, each verified and rendered by itself, side by side if asked.

What crosses between processes is text: terms keep hashes that hold in one process only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from vxproof.diagnostics.render_json import Json
from vxproof.diagnostics.render_text import Paint, plain
from vxproof.driver.options import Options
from vxproof.driver.run import machine_files, verify_files
from vxproof.records import dataclass
from vxproof.report.counterexamples import counterexamples
from vxproof.report.json_report import run_json
from vxproof.report.model import Outcome, RunReport
from vxproof.report.text import report_text


@dataclass(frozen=True, slots=True)
class View:
    """What a command wants to see of a run."""

    json: bool = False
    verbose: bool = False
    paint: Paint = plain


@dataclass(frozen=True, slots=True)
class Rendered:
    """A run as text or as JSON values, its plans, and its counterexamples by file name."""

    report: str
    document: dict[str, Json]
    outcome: Outcome
    plans: tuple[str, ...]
    counterexamples: tuple[tuple[str, str], ...]


def verify_batch(
    paths: Sequence[Path],
    options: Options,
    view: View,
    *,
    jobs: int = 1,
    verify: Callable[[Sequence[Path], Options], Sequence[RunReport]] = verify_files,
) -> tuple[Rendered, ...]:
    """Return the rendered run of each program or plan among the paths, in their order.

    A worker process that dies is an error of the whole command, never a missing report.
    """
    if jobs == 1 or len(paths) == 1:
        return render_runs(paths, options, view, verify)
    machines = machine_files(paths)
    groups = [(path, *machines) for path in paths if path not in machines] or [tuple(paths)]
    work = partial(render_runs, options=options, view=view, verify=verify)
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(min(jobs, len(groups))) as pool:
        return tuple(run for runs in pool.map(work, groups) for run in runs)


def render_runs(
    paths: Sequence[Path],
    options: Options,
    view: View,
    verify: Callable[[Sequence[Path], Options], Sequence[RunReport]],
) -> tuple[Rendered, ...]:
    """Verify and render in this process."""
    return tuple(_render(run, view) for run in verify(paths, options))


def _render(run: RunReport, view: View) -> Rendered:
    report = "" if view.json else report_text(run, verbose=view.verbose, paint=view.paint)
    document = run_json(run) if view.json else {}
    plans = tuple(
        unit.plan for target in run.targets for unit in target.units if unit.plan is not None
    )
    return Rendered(report, document, run.outcome, plans, tuple(counterexamples(run)))
