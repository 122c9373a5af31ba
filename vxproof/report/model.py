"""The data of a run of `verify`: per target, per function and kernel, every decision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import Enum
from typing import assert_never

from vxproof.diagnostics import Diagnostic, Severity, Source, Span
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Verdict, Waived
from vxproof.records import dataclass


class Outcome(Enum):
    """The kinds of verdict, the best first; the value is the word for it."""

    PROVED = "proved"
    WAIVED = "waived"
    UNKNOWN = "unknown"
    REFUTED = "refuted"
    ERROR = "error"

    @property
    def exit_status(self) -> int:
        """Status of a process that ends with this outcome."""
        match self:
            case Outcome.PROVED | Outcome.WAIVED:
                return 0
            case Outcome.REFUTED:
                return 1
            case Outcome.UNKNOWN:
                return 2
            case Outcome.ERROR:
                return 3
            case _:
                assert_never(self)


_RANK = {outcome: rank for rank, outcome in enumerate(Outcome)}


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst in the order error, refuted, unknown, waived, proved."""
    return max(outcomes, key=_RANK.__getitem__, default=Outcome.PROVED)


def outcome_of(verdict: Verdict) -> Outcome:
    """Return the kind of a verdict."""
    match verdict:
        case Proved():
            return Outcome.PROVED
        case Refuted():
            return Outcome.REFUTED
        case Unknown():
            return Outcome.UNKNOWN
        case Waived():
            return Outcome.WAIVED
        case _:
            assert_never(verdict)


@dataclass(frozen=True, slots=True)
class SpaceUse:
    """Need and limit of one bounded space.

    `need` is the formula in source names; `maximum` is its greatest value over `requires`, None
    where that is not known; `exact` says that no parameter is free, so that it is the need itself.
    """

    space: str
    need: str
    maximum: int | None
    exact: bool
    limit: int
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """A hypothesis about the host, and the check of the launcher that discharges it."""

    sentence: str
    check: str


@dataclass(frozen=True, slots=True)
class UnitReport:
    """A function, or one kernel of it (`kernel` counts the spawns of the function from 0).

    Attributes:
        families: the families of obligations that are asked of this unit, in a fixed order.
        not_asked: families that are not asked, each with the reason.
        due_at_build: residents in registers, about which only a build can tell (E6106).
        implied: how many refuted obligations are left out because a shown one implies them.
        plan: the text of the kernel's plan, where it was asked for.
    """

    function: str
    kernel: int | None
    span: Span
    decisions: tuple[Decision, ...]
    families: tuple[str, ...] = ()
    not_asked: tuple[tuple[str, str], ...] = ()
    spaces: tuple[SpaceUse, ...] = ()
    due_at_build: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    implied: int = 0
    plan: str | None = None

    @property
    def outcome(self) -> Outcome:
        """The worst verdict of the unit."""
        return worst(outcome_of(d.verdict) for d in self.decisions)

    def family_outcome(self, family: str) -> Outcome | None:
        """The worst verdict of a family; None where the unit has no obligation of it."""
        found = [outcome_of(d.verdict) for d in self.decisions if d.obligation.family == family]
        return worst(found) if found else None


@dataclass(frozen=True, slots=True)
class TargetReport:
    """One file on one target (None: without one).

    `diagnostics` are errors and warnings of the stages before the proof. After an error no unit is
    verified.
    """

    target: str | None
    diagnostics: tuple[Diagnostic, ...]
    units: tuple[UnitReport, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst verdict on this target."""
        severities = {d.info.severity for d in self.diagnostics}
        early = [Outcome.PROVED]
        if Severity.ERROR in severities:
            early.append(Outcome.ERROR)
        if Severity.REFUTED in severities:
            early.append(Outcome.REFUTED)
        if Severity.UNKNOWN in severities:
            early.append(Outcome.UNKNOWN)
        return worst((*early, *(unit.outcome for unit in self.units)))


@dataclass(frozen=True, slots=True)
class RunReport:
    """One file on every target that was asked for."""

    file: str
    sources: Mapping[str, Source] = field(repr=False)
    settings: tuple[tuple[str, int], ...]
    targets: tuple[TargetReport, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst verdict of the run."""
        return worst(target.outcome for target in self.targets)

    @property
    def exit_status(self) -> int:
        """Exit status of a process that ends with this report: 3, 1, 2, 0 from worst to best."""
        return self.outcome.exit_status
