"""Reading the inputs of a run: programs, and files that only describe a machine.

A file without a function describes places for the other files of the same command; a place that
two inputs declare is E6012.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vxproof.diagnostics import Diagnostic, Label, Source
from vxproof.driver.guard import guarded
from vxproof.driver.stages import Stages
from vxproof.driver.verify import Input
from vxproof.frontend import ast
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Failed:
    """A file that is no program, with what is wrong; its text where there is one."""

    name: str
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, Source]


def read_inputs(paths: Sequence[Path], stages: Stages, debug: bool) -> tuple[Input | Failed, ...]:
    """Return an entry for each path that holds a program or cannot be read as one."""
    parsed = [_parse(path, stages, debug) for path in paths]
    machines = [one for one in parsed if isinstance(one, Input) and not one.program.functions]
    programs = [one for one in parsed if one not in machines]
    if machines and not programs:
        return tuple(_nothing(one) for one in machines)
    return tuple(_join(one, machines) if isinstance(one, Input) else one for one in programs)


def describes_machine(path: Path, stages: Stages) -> bool:
    """Tell whether a file is readable, and holds places and no function."""
    given = _parse(path, stages, debug=False)
    return isinstance(given, Input) and not given.program.functions


def _parse(path: Path, stages: Stages, debug: bool) -> Input | Failed:
    sources: dict[str, Source] = {}

    def parsed() -> Input | Failed:
        source = stages.read(path)
        sources[source.name] = source
        return Input(source, stages.parse(source), sources)

    return guarded(parsed, lambda faults: Failed(str(path), faults, sources), debug=debug)


def _join(given: Input, machines: Sequence[Input]) -> Input:
    if not machines:
        return given
    items: tuple[ast.Item, ...] = tuple(item for one in machines for item in one.program.items)
    sources = {name: source for one in (*machines, given) for name, source in one.sources.items()}
    program = replace(given.program, items=(*items, *given.program.items))
    return Input(given.source, program, sources)


def _nothing(given: Input) -> Failed:
    span = given.source.span(0, 0)
    fault = Diagnostic(
        "E1001",
        "no function to verify",
        Label(span),
        help="a file of `Memory` and `Topology` items describes the machine for other files",
    )
    return Failed(given.source.name, (fault,), dict(given.sources))
