"""The command `vxproof`: options in, the report on stdout, usage errors on stderr, an exit status.

Everything heavy is imported by the command that needs it, so that `--help` and `explain` start at
once. Status 0: all proved or waived; 1: refuted; 2: unknown; 3: error; 130: interrupted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

import click

from vxproof.diagnostics import Diagnostic, DiagnosticError
from vxproof.diagnostics.render_text import Paint, plain, render

INTERRUPTED = 130
BROKEN_PIPE = 141
ERROR = 3
_SETTING = re.compile(r"([A-Za-z_]\w*)=(-?[0-9]+)")
_I64 = range(-(2**63), 2**63)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave the process with its status."""
    status = run(sys.argv[1:] if arguments is None else arguments)
    if status == INTERRUPTED:
        # The run's own thread may still be at work, in the solver for one: it is not waited for.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        status: int | None = vxproof.main(
            args=list(arguments), prog_name="vxproof", standalone_mode=False
        )
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as fault:
        click.echo(fault.format_message(), err=True)
        return ERROR
    except click.ClickException as fault:
        return _complain(_usage(fault.format_message().removesuffix(".")))
    except DiagnosticError as fault:
        return _complain(*fault.diagnostics)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Exception as fault:  # noqa: BLE001 - the door: whatever went wrong claims nothing
        from vxproof.driver.guard import internal

        return _complain(internal(fault))
    return 0 if status is None else status


def _usage(headline: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic("E0004", headline, None, help=hint)


def _complain(*diagnostics: Diagnostic) -> int:
    for diagnostic in diagnostics:
        click.echo(render(diagnostic, {}), err=True)
    return ERROR


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="vxproof", prog_name="vxproof")
def vxproof() -> None:
    """Prove placement promises of GPU tile kernels before they are compiled."""


@vxproof.command()
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option("--target", "-t", "targets", multiple=True, metavar="T", help="GPU, or `all`.")
@click.option("--set", "settings", multiple=True, metavar="N=V", help="Fix a generic or extent.")
@click.option("--budget", type=click.IntRange(min=1), help="Solver steps an obligation.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@click.option(
    "--counterexamples",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write one JSON file a refutation.",
)
@click.option("--emit", type=click.Choice(["plan"]), help="Print the plan; the report on stderr.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, help="Files at a time.")
@click.option("--isolate-solver", is_flag=True, help="Run the solver in a process of its own.")
@click.option("--verbose", "-v", is_flag=True, help="Print every obligation.")
@click.option("--debug", is_flag=True, help="Print the traceback of an internal error.")
def verify(  # noqa: PLR0913, PLR0917 - one parameter an option
    files: tuple[Path, ...],
    targets: tuple[str, ...],
    settings: tuple[str, ...],
    budget: int | None,
    form: str,
    folder: Path | None,
    emit: str | None,
    jobs: int,
    isolate_solver: bool,
    verbose: bool,
    debug: bool,
) -> int:
    """Prove or refute every obligation of programs and plans."""
    fixed = _settings(settings)
    from vxproof.driver import Options, resolve_targets
    from vxproof.driver.batch import View, verify_batch
    from vxproof.driver.run import verify_files
    from vxproof.report.files import OutputFolder
    from vxproof.report.json_report import document_json
    from vxproof.report.model import worst
    from vxproof.report.progress import Progress

    options = Options(
        resolve_targets(targets), fixed, budget, isolate_solver, emit is not None, debug
    )
    output = None if folder is None else OutputFolder.open(folder)
    view = View(form == "json", verbose, _paint(sys.stderr if emit else sys.stdout))
    total = len(files) * max(len(options.targets), 1)
    progress = Progress(sys.stderr, total) if sys.stderr.isatty() and jobs == 1 else None
    try:
        work = partial(verify_files, begun=progress)
        runs = verify_batch(files, options, view, jobs=jobs, verify=work)
    finally:
        if progress is not None:
            progress.close()
    outcome = worst(run.outcome for run in runs)
    if form == "json":
        report = document_json((run.document for run in runs), outcome) + "\n"
    else:
        report = "\n".join(run.report for run in runs)
    click.echo(report, nl=False, err=emit is not None)
    if emit is not None:
        click.echo("".join(plan for run in runs for plan in run.plans), nl=False)
    if output is not None:
        output.write([item for run in runs for item in run.counterexamples])
    return outcome.exit_status


def _paint(stream: TextIO) -> Paint:
    if not stream.isatty():
        return plain
    from vxproof.report.colour import painter

    return painter(stream)


def _columns() -> int:
    """Columns of the terminal; what the report takes by itself where there is none."""
    from vxproof.report.targets import WIDTH

    return (
        max(shutil.get_terminal_size((WIDTH, 24)).columns, WIDTH) if sys.stdout.isatty() else WIDTH
    )


def _settings(texts: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        for part in text.split(","):
            match = _SETTING.fullmatch(part.strip())
            if match is None:
                raise DiagnosticError(
                    (_usage(f"--set {text}: not NAME=INTEGER", "write it as in --set BM=64"),)
                )
            name, value = match[1], int(match[2])
            if value not in _I64:
                raise DiagnosticError((_usage(f"--set {text}: the value is no i64"),))
            if found.setdefault(name, value) != value:
                raise DiagnosticError((_usage(f"--set {name}: given twice, with two values"),))
    return found


@vxproof.command()
@click.argument("code")
def explain(code: str) -> int:
    """Say what a diagnostic code means and what to do about it."""
    from vxproof.diagnostics.explain import close_codes
    from vxproof.diagnostics.explain import explain as page

    try:
        click.echo(page(code.upper()))
    except KeyError:
        near = ", ".join(close_codes(code))
        hint = f"did you mean {near}?" if near else "codes look like E6010"
        raise DiagnosticError((_usage(f"unknown code `{code}`", hint),)) from None
    return 0


@vxproof.command()
@click.argument("names", nargs=-1, metavar="[TARGET]...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def targets(names: tuple[str, ...], form: str) -> int:
    """Print the limits of targets, and where each number comes from."""
    from vxproof.driver import resolve_targets
    from vxproof.report.targets import targets_json, targets_text

    chosen = resolve_targets(names or ("all",))
    if form == "json":
        click.echo(json.dumps(targets_json(chosen), indent=2, ensure_ascii=False))
    else:
        click.echo(targets_text(chosen, _columns()))
    return 0
