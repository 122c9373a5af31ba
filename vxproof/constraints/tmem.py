"""What tensor memory can address (E6111): lanes, element types, and the shapes of products.

A warp reaches 32 of the 128 lanes, by its place in its warpgroup; a tile of more than 128 rows lies
side by side, 128 rows at a time. Shapes are those of `tcgen05.mma` for one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vxproof.constraints.capacity import Setting, spoken
from vxproof.diagnostics import DiagnosticError, Label, Source
from vxproof.ir.dtypes import DTYPES
from vxproof.logic.build import conj, disj, eq, ge, mod
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import FALSE, TRUE, Const, Formula, Term, mul
from vxproof.plan.lexer import Cursor
from vxproof.plan.nodes import Act, Arena, Branch, Buffer, Event, Loop, Plan
from vxproof.plan.parse_terms import Terms
from vxproof.plan.tensor_products import DEPTH, STEP
from vxproof.target import Target, Tcgen05Shapes, TmemLimits


def tensor_memory_obligations(plan: Plan, target: Target, setting: Setting) -> Iterator[Obligation]:
    """Yield what each tile in tensor memory and each product into it has to satisfy."""
    if target.tmem is None or target.tcgen05 is None:
        return
    arena = next((one for one in plan.arenas if one.unit == "columns"), None)
    if arena is None:
        return
    for buffer in arena.buffers:
        if buffer.dtype:
            yield _tile(buffer, plan.warps, target.tmem, setting)
    products: dict[str, list[Act]] = {}
    for act in _acts(plan.events):
        if act.verb == "mma" and dict(act.details).get("family") == "tcgen05":
            products.setdefault(act.result, []).append(act)
    for buffer in arena.buffers:
        for act in products.get(buffer.name, ()):
            yield _product(buffer, act, arena, target.tcgen05, setting)
            if DEPTH in dict(act.details):
                yield _depth(buffer, act, setting)


def _acts(events: tuple[Event, ...]) -> Iterator[Act]:
    for event in events:
        match event:
            case Act():
                yield event
            case Loop(body=body):
                yield from _acts(body)
            case Branch(then=then, orelse=orelse):
                yield from _acts(then)
                yield from _acts(orelse)
            case _:
                pass


def _extent(buffer: Buffer) -> tuple[Term, Term]:
    return mul(Const(1), *buffer.shape[:-1]), buffer.shape[-1] if buffer.shape else Const(1)


def _tile(buffer: Buffer, warps: Term, limits: TmemLimits, setting: Setting) -> Obligation:
    rows, width = _extent(buffer)
    bits = DTYPES[buffer.dtype].bits
    whole_lanes = eq(mod(rows, limits.lanes_per_warp), 0)
    reach = disj(
        *(
            conj(ge(warps, k), ge(k * limits.lanes_per_warp, rows))
            for k in range(1, limits.lanes // limits.lanes_per_warp)
        ),
        conj(ge(warps, 4), eq(mod(warps, 4), 0)),
    )
    packed: Formula = TRUE
    if bits not in {8, 16, 32}:
        packed = FALSE
    elif bits < limits.column_bits:
        packed = eq(mod(mul(width, Const(bits)), limits.column_bits), 0)
    rank = TRUE if len(buffer.shape) == 2 else FALSE
    return _obligation(
        setting,
        buffer,
        f"tile {spoken(buffer.name)} of {buffer.dtype} cannot be addressed in tensor memory",
        conj(rank, whole_lanes, reach, packed),
        "use a two-dimensional tile of whole 32-lane groups, 32-bit columns, and enough warps",
    )


def _product(
    buffer: Buffer, act: Act, arena: Arena, shapes: Tcgen05Shapes, setting: Setting
) -> Obligation:
    rows, width = _extent(buffer)
    small, large = min(shapes.m_one), max(shapes.m_one)
    held = {one.name for one in arena.buffers}
    a_in_tmem = dict(act.details).get("a", "") in held
    multiple = shapes.n_multiple_one_m128_a_tmem if a_in_tmem else shapes.n_multiple_one
    least = shapes.n_min_one_m128_a_tmem if a_in_tmem else shapes.n_min_one
    goal = conj(
        disj(eq(rows, small), eq(mod(rows, large), 0)),
        eq(mod(width, multiple), 0),
        ge(width, least),
    )
    labels = () if act.span is None else (Label(act.span, "the product"),)
    return _obligation(
        setting,
        buffer,
        f"no instruction makes a product of the shape of {spoken(buffer.name)} in tensor memory",
        goal,
        f"use {small} rows or a multiple of {large}, and columns in multiples of {multiple}",
        labels,
    )


def _depth(buffer: Buffer, act: Act, setting: Setting) -> Obligation:
    """The matrix unit reads whole steps along K from shared memory: nothing pads them."""
    details = dict(act.details)
    text, step = details[DEPTH], details.get(STEP, "")
    labels = () if act.span is None else (Label(act.span, "the product"),)
    found = _obligation(
        setting,
        buffer,
        f"no instruction makes a product of this depth into {spoken(buffer.name)}",
        FALSE,
        f"use a depth in multiples of {step}",
        labels,
    )
    try:
        depth = Terms(Cursor(Source("", text))).term()
        return replace(found, goal=eq(mod(depth, int(step)), 0))
    except (DiagnosticError, ValueError):
        return replace(found, reason_unknown=f"`{DEPTH}` and `{STEP}` of a product are no numbers")


def _obligation(
    setting: Setting,
    buffer: Buffer,
    headline: str,
    goal: Formula,
    fix: str,
    labels: tuple[Label, ...] = (),
) -> Obligation:
    return Obligation(
        code="E6111",
        family="residency",
        headline=headline,
        span=buffer.span or setting.span,
        symbols=setting.symbols,
        hypotheses=setting.hypotheses,
        goal=goal,
        labels=labels,
        subject=(buffer.name,),
        help=fix,
    )
