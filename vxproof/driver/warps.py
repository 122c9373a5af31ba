"""How many warps would do: a kernel that needs too many registers is planned for other counts.

More warps share a tile among more threads, and leave each of them fewer registers, so the answer is
neither the most nor the least: each power of two is planned and decided like the kernel itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from vxproof.driver.stages import Prover, Stages
from vxproof.ir.module import Kernel, Module
from vxproof.logic.terms import Const
from vxproof.logic.verdict import Decision, Proved, Refuted
from vxproof.target import load

REGISTERS = "E6104"
_CONCERNED = frozenset({"capacity", "launch", "residency"})
"""Families of a plan that depend on the number of warps."""


def with_warps(
    decisions: tuple[Decision, ...],
    unproved: Set[str],
    kernel: Kernel | None,
    module: Module,
    target: str | None,
    stages: Stages,
    prover: Prover,
) -> tuple[Decision, ...]:
    """Return the decisions; a refutation of registers says which number of warps fits, if any.

    `unproved` are the codes of the kernel that do not hold as it is: they need not hold then.
    """
    refuted = [
        one
        for one in decisions
        if one.obligation.code == REGISTERS and isinstance(one.verdict, Refuted)
    ]
    if not refuted or kernel is None or target is None:
        return decisions
    if not isinstance(kernel.spawn.warps, Const):
        return decisions
    tried = _tried(kernel, kernel.spawn.warps.value, module, target, stages, prover)
    count = next(
        (
            count
            for count, codes in tried
            if codes - {REGISTERS} <= unproved and REGISTERS not in codes
        ),
        None,
    )
    advice = (
        f"make the tiles smaller: no power of two up to {load(target).max_warps_per_block} warps "
        "brings this lower bound within the limit"
        if count is None
        else f"launch it with `warps({count})`, where this lower bound is within the limit"
    )
    return tuple(
        Decision(replace(one.obligation, help=advice), one.verdict) if one in refuted else one
        for one in decisions
    )


def _tried(
    kernel: Kernel, now: int, module: Module, target: str, stages: Stages, prover: Prover
) -> Iterator[tuple[int, set[str]]]:
    """Yield numbers of warps, the best first, each with the codes that are not proved with it."""
    for count in _counts(now, load(target).max_warps_per_block):
        spawn = replace(kernel.spawn, warps=Const(count))
        asked = stages.kernel_obligations(replace(kernel, spawn=spawn), module, target)
        concerned = [one for one in asked.obligations if one.family in _CONCERNED]
        if asked.refusals or not concerned:
            continue
        decided = prover.decide_all(concerned)
        yield count, {d.obligation.code for d in decided if not isinstance(d.verdict, Proved)}


def _counts(now: int, most: int) -> Iterator[int]:
    """Powers of two: those above the present number, the least first, then those below it."""
    powers = [1 << k for k in range(most.bit_length()) if 1 << k <= most]
    yield from (count for count in powers if count > now)
    yield from (count for count in reversed(powers) if count < now)
