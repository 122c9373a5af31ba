"""The families of obligations, in the order of a report, and which of them a unit is asked.

A family that is expected and not built would be a silent gap, so it is an obligation without a
decision: the verdict of the unit is then unknown.
"""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.diagnostics import Span
from vxproof.ir.module import Kernel, walk
from vxproof.ir.ops import For, TransferAsync, Wait
from vxproof.logic.obligation import Gap, Obligation
from vxproof.logic.terms import FALSE

ORDER: tuple[str, ...] = (
    "contracts",
    "arithmetic",
    "bounds",
    "placement",
    "capacity",
    "residency",
    "alignment",
    "ordering",
    "asynchrony",
    "grid",
    "launch",
)
"""Every family."""

BUILT: frozenset[str] = frozenset(ORDER) - {"asynchrony"}
"""The families that this version can decide."""

OF_A_MACHINE: frozenset[str] = frozenset({"ordering"})
"""Families about the code for one target: not asked without one."""

REGISTER_SPACES: frozenset[str] = frozenset({"RF"})
"""Names of the register file."""

_REASON = "needs a --target"
_CODES = {"asynchrony": "E6130", "ordering": "E6134", "capacity": "E6010", "residency": "E6102"}


def asynchronous(kernel: Kernel) -> bool:
    """Tell whether a kernel has asynchronous copies or a pipelined loop."""
    return any(
        isinstance(op, TransferAsync | Wait) or (isinstance(op, For) and op.stages is not None)
        for op in walk(kernel.spawn.body)
    )


def asked(kernel: Kernel, target: str | None) -> tuple[str, ...]:
    """Return the families that a kernel is asked, in order."""
    skipped = set() if target is not None else set(OF_A_MACHINE)
    if not asynchronous(kernel):
        skipped.add("asynchrony")
    return tuple(family for family in ORDER if family not in skipped)


def not_asked(target: str | None) -> tuple[tuple[str, str], ...]:
    """Return the families that a kernel is not asked although it has them, with the reason."""
    if target is not None:
        return ()
    return tuple((family, _REASON) for family in ORDER if family in OF_A_MACHINE)


def no_plan(present: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the families that a kernel without a plan is not asked, with the reason."""
    asked_of = set(present)
    return tuple((family, "there is no plan") for family in ORDER if family not in asked_of)


def in_registers(space: str) -> bool:
    """Tell whether a place is the register file."""
    return space in REGISTER_SPACES


def gaps(
    families: Iterable[str],
    obligations: Iterable[Obligation],
    span: Span,
    built: frozenset[str] = BUILT,
) -> tuple[Obligation, ...]:
    """Return an undecidable obligation for each family that is asked and that nothing decides."""
    present = {obligation.family for obligation in obligations}
    return tuple(
        Obligation(
            _CODES.get(family, "E6180"),
            family,
            f"{family} may fail",
            span,
            (),
            (),
            FALSE,
            reason_unknown=f"{family} is not decided yet",
            gap=Gap.NOT_BUILT,
        )
        for family in families
        if family not in built and family not in present
    )
