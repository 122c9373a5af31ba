"""Registers: what a thread certainly has to hold (E6104), and the size of a block (E6142).

The need is a lower bound: residents in scope and results that cannot be recomputed, live at once,
in 32-bit registers of the thread that holds most, after the plan's split over warps. Addresses,
fragments in flight and temporaries are not counted; what the assembler makes of the kernel is
measured when it is built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vxproof.constraints.capacity import Setting, source_name, spoken
from vxproof.diagnostics import Label
from vxproof.logic.build import conj, disj, ge, ite, le, lt, max_
from vxproof.logic.obligation import Contribution, Measure, Obligation
from vxproof.logic.terms import Const, Term
from vxproof.logic.text import show
from vxproof.plan.arena import peaks
from vxproof.plan.nodes import Buffer, BufferKind, Plan, RegisterTile
from vxproof.target import Target

DUE_AT_BUILD = "registers and spills are measured on each build (E6106)"
"""What `verify` never claims about registers."""


def launch_obligations(plan: Plan, target: Target, setting: Setting) -> Iterator[Obligation]:
    """Yield the launch's limit on threads; nothing is asked of one thread."""
    if plan.warps != Const(0):
        yield _threads(plan, target, setting)


def register_obligations(plan: Plan, target: Target, setting: Setting) -> Iterator[Obligation]:
    """Yield the lower bound of registers, for a block that has a warp."""
    held = [tile for tile in plan.registers if tile.life is not None]
    if held:
        yield _pressure(plan, target, setting, held)


def _threads(plan: Plan, target: Target, setting: Setting) -> Obligation:
    threads = plan.warps * target.warp_size
    limit = Const(target.max_threads_per_block)
    source = target.fact("max_threads_per_block").source
    return Obligation(
        code="E6142",
        family="launch",
        headline="the block has more threads than the target allows, or none",
        span=setting.span,
        symbols=setting.symbols,
        hypotheses=setting.hypotheses,
        goal=conj(ge(plan.warps, 1), le(threads, limit)),
        measure=Measure(
            "threads of a block",
            threads,
            limit,
            "threads",
            f"{target.name}, threads per block ({source})",
        ),
        subject=("threads",),
        help=f"give the spawn at most {target.max_warps_per_block} warps",
    )


def register_limit(plan: Plan, target: Target) -> Term:
    """Return the most registers a thread may have at the plan's number of warps."""
    if isinstance(plan.warps, Const):
        return Const(_cap(target, plan.warps.value))
    most = target.max_warps_per_block
    limit: Term = Const(_cap(target, most))
    for warps in range(most - 1, 0, -1):
        cap = _cap(target, warps)
        if cap != _cap(target, warps + 1):
            limit = ite(le(plan.warps, warps), cap, limit)
    return limit


def _cap(target: Target, warps: int) -> int:
    warps = min(max(warps, 1), target.max_warps_per_block)
    return target.register_cap(target.warp_size * warps)


def _as_buffer(tile: RegisterTile, index: int) -> Buffer:
    assert tile.life is not None
    return Buffer(
        f"{tile.name}#{index}", BufferKind.TILE, tile.per_thread, "", 1, tile.life, span=tile.span
    )


def _pressure(
    plan: Plan, target: Target, setting: Setting, held: Sequence[RegisterTile]
) -> Obligation:
    found = peaks([_as_buffer(tile, i) for i, tile in enumerate(held)], setting.ranges)
    limit = register_limit(plan, target)
    needs = [need.term for need, _ in found]
    members = [[held[i] for i in indices] for _, indices in found]
    full = max(members, key=lambda one: _corner(one, setting))
    last = max(full, key=lambda one: 0 if one.life is None else one.life.birth)
    text = f"at {show(plan.warps)} warps" if isinstance(plan.warps, Const) else "by warps"
    return Obligation(
        code="E6104",
        family="residency",
        headline="a thread needs more registers than the launch leaves it",
        span=last.span or setting.span,
        symbols=setting.symbols,
        hypotheses=setting.hypotheses,
        goal=conj(*(le(need, limit) for need in needs)),
        measure=Measure(
            "registers of a thread",
            max_(*needs),
            limit,
            "registers",
            f"{target.name}, registers per thread {text}",
        ),
        contributions=_rows(held, members, needs, full, setting),
        labels=tuple(
            Label(one.span, f"{spoken(one.name)} is held here")
            for one in full
            if one is not last and one.span is not None
        )[:6],
        subject=("registers",),
        help="use more warps, or smaller tiles",
    )


def _corner(members: Sequence[RegisterTile], setting: Setting) -> int:
    highs = [setting.ranges.bounds(one.per_thread)[1] for one in members]
    return sum(1 << 40 if high is None else high for high in highs)


def _rows(
    held: Sequence[RegisterTile],
    members: Sequence[Sequence[RegisterTile]],
    needs: Sequence[Term],
    full: Sequence[RegisterTile],
    setting: Setting,
) -> tuple[Contribution, ...]:
    if len(members) == 1 or len(members) > 8:
        return tuple(_row(one, one.per_thread, setting) for one in full)
    largest = [
        conj(
            *(lt(other, needs[k]) for other in needs[:k]),
            *(le(other, needs[k]) for other in needs[k + 1 :]),
        )
        for k in range(len(needs))
    ]
    rows = []
    for tile in held:
        where = [largest[k] for k, one in enumerate(members) if tile in one]
        if len(where) == len(members):
            rows.append(_row(tile, tile.per_thread, setting))
        elif where:
            rows.append(_row(tile, ite(disj(*where), tile.per_thread, 0), setting))
    return tuple(rows)


def _row(tile: RegisterTile, amount: Term, setting: Setting) -> Contribution:
    assert tile.life is not None
    names = {symbol.name: symbol.display or symbol.name for symbol in setting.symbols}
    return Contribution(
        source_name(tile.name),
        show(tile.per_thread, names),
        amount,
        tile.life.lines,
        tile.span or setting.span,
    )
