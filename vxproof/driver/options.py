"""What a run of `verify` is asked to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run.

    Attributes:
        targets: target strings; empty for a run without one.
        settings: value of a const generic or extent, by its name.
        budget: solver steps an obligation, None for the default.
        isolate_solver: run the solver in a process of its own.
        emit_plan: keep the text of each plan in the report.
        debug: let an internal fault through instead of reporting E0009.
    """

    targets: tuple[str, ...] = ()
    settings: Mapping[str, int] = field(default_factory=dict)
    budget: int | None = None
    isolate_solver: bool = False
    emit_plan: bool = False
    debug: bool = False
