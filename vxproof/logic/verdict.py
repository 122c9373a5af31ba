"""Verdicts: a sum type with reasons. There is no boolean to mistake one for."""

from __future__ import annotations

from vxproof.logic.obligation import Gap, Obligation
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Proved:
    """Holds for every admitted value; `engine` says which step of the ladder decided.

    `certificate` names the kind of certificate that re-checks it, None where there is none yet.
    """

    engine: str
    certificate: str | None = None


@dataclass(frozen=True, slots=True)
class Peak:
    """The greatest need of a refuted obligation over all admitted values, and where it occurs.

    Where it is not `exact`, some admitted value may need still more. `largest` is as in `Refuted`,
    with the others at this witness.
    """

    need: int
    exact: bool
    witness: tuple[tuple[str, int], ...]
    largest: tuple[tuple[str, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Refuted:
    """False at `witness` (symbol name to value, in declared order), re-executed before it is shown.

    `replayed` says what re-executed it. `largest` gives for a parameter the largest legal value
    with the others at the witness, None where no value is legal. `peak` is the worst of what is
    admitted, where need and limit are compared and the need has a bound. Each of `remedies` is a
    clause in source names that, added to `requires`, is proved to make the obligation hold; the one
    that takes least comes first. `notes` says what else was found out.
    """

    witness: tuple[tuple[str, int], ...]
    engine: str
    replayed: str
    largest: tuple[tuple[str, int | None], ...] = ()
    peak: Peak | None = None
    remedies: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not decided: why, how much effort was spent (solver steps, points), what kind of gap."""

    reason: str
    effort: str = ""
    gap: Gap = Gap.NOT_STATED


@dataclass(frozen=True, slots=True)
class Waived:
    """False, but the source says `overcommit`; `code` is the warning that says so."""

    code: str
    refuted: Refuted


Verdict = Proved | Refuted | Unknown | Waived


@dataclass(frozen=True, slots=True)
class Decision:
    """An obligation with its verdict."""

    obligation: Obligation
    verdict: Verdict

    def __bool__(self) -> bool:
        """Refuse to be used as a truth value."""
        raise TypeError("a decision is not a boolean: match on its verdict")
