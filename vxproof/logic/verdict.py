"""Verdicts: a sum type with reasons. There is no boolean to mistake one for."""

from __future__ import annotations

from dataclasses import dataclass

from vxproof.logic.obligation import Obligation


@dataclass(frozen=True, slots=True)
class Proved:
    """Holds for every admitted value; `engine` says which step of the ladder decided.

    `certificate` names the kind of certificate that re-checks it, None where there is none yet.
    """

    engine: str
    certificate: str | None = None


@dataclass(frozen=True, slots=True)
class Refuted:
    """False at `witness` (symbol name to value, in declared order), re-executed before it is shown.

    `replayed` says what re-executed it. `largest` gives for a parameter the largest legal value
    with the others at the witness, None where no value is legal.
    """

    witness: tuple[tuple[str, int], ...]
    engine: str
    replayed: str
    largest: tuple[tuple[str, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not decided: why, and how much effort was spent (solver steps, points)."""

    reason: str
    effort: str = ""


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
