"""Capacity of a space: each tile (E6009), those that live together (E6010), a layout (E6113).

The need of E6010 is the plain sum of granule-rounded tiles at the fullest program point; E6113 is
about the offsets of the plan's layouts, alignment included, where the sums fit. Of one space the
driver shows the first that is refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vxproof.constraints.disjoint import disjoint
from vxproof.constraints.ranges import Ranges as StatedRanges
from vxproof.diagnostics import Label, Span, Table
from vxproof.ir.module import Space
from vxproof.logic.build import conj, disj, ge, ite, le, lt, max_
from vxproof.logic.obligation import Contribution, Measure, Obligation, Origin, Symbol
from vxproof.logic.substitute import symbols_of
from vxproof.logic.terms import FALSE, TRUE, Const, Formula, Sym, Term, add
from vxproof.logic.text import show
from vxproof.plan.arena import peaks
from vxproof.plan.nodes import Arena, Buffer, BufferKind
from vxproof.plan.poly import poly
from vxproof.plan.ranges import Ranges
from vxproof.records import dataclass

TABLE_ROWS = 24
"""Rows of the table of offsets."""

TABLE_LAYOUTS = 3
"""Layouts of the table of offsets."""

_OVERHEAD = frozenset({BufferKind.SCRATCH, BufferKind.BARRIER})
"""What no statement asks for: it has no one-tile verdict."""

_NUMBERED = re.compile(r"#[0-9]+$")

DISTINCT_SETS = 8
"""Sets of tiles up to which each has its own rows of contributions."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all obligations of one kernel or function share.

    `unit` is its name and index; `unbounded` are the symbols that `requires` leaves without an
    upper end, whatever other hypotheses say of them. `apart` are pairs of buffers that must not
    share bytes, though their lives do not meet.
    """

    unit: tuple[str, int]
    span: Span
    symbols: tuple[Symbol, ...]
    hypotheses: tuple[Formula, ...]
    ranges: Ranges
    unbounded: frozenset[str] = frozenset()
    apart: frozenset[frozenset[str]] = frozenset()


def unbounded_symbols(symbols: Sequence[Symbol], requires: Sequence[Formula]) -> frozenset[str]:
    """Return the extents, strides and const generics that `requires` does not bound from above."""
    free = {Origin.GENERIC, Origin.EXTENT, Origin.STRIDE}
    stated = StatedRanges(
        None, {one.name: (one.lo, None if one.origin in free else one.hi) for one in symbols}
    )
    stated.assume(requires)
    return frozenset(one.name for one in symbols if stated.symbol(one.name)[1] is None)


def arena_obligations(arena: Arena, space: Space | None, setting: Setting) -> Iterator[Obligation]:
    """Yield the obligations of one arena; none where the space has no bound.

    `space` is None for a plan that was written by hand.
    """
    if not arena.buffers:
        return
    if arena.capacity is None:
        if not arena.spread and not _apart_by_construction(arena, setting):
            yield _some_layout(arena, space, setting)
        return
    buffers = tuple(one for one in arena.buffers if one.kind is not BufferKind.FRAME)
    for group in _alike(buffers):
        yield _one_tile(arena, space, setting, group)
    if len(buffers) > 1 or any(one.kind in _OVERHEAD for one in buffers):
        yield _together(arena, space, setting, buffers)
    if not arena.spread and not _is_trivial(arena):
        yield _some_layout(arena, space, setting)


def _is_trivial(arena: Arena) -> bool:
    """Whether there is one tile, at the start: E6009 says everything about it."""
    return len(arena.buffers) == 1 and any(
        arena.buffers[0].kind is not BufferKind.FRAME
        and one.offsets == (Const(0),)
        and poly(one.total) == poly(arena.buffers[0].size)
        for one in arena.layouts
    )


def _apart_by_construction(arena: Arena, setting: Setting) -> bool:
    """Whether nothing has to be shown of the layouts of a space without a bound."""
    return any(
        not disjoint(arena, layout, setting.ranges, setting.apart) for layout in arena.layouts
    )


def _alike(buffers: Sequence[Buffer]) -> list[list[Buffer]]:
    """Group buffers of equal size, so that each size is asked about once."""
    groups: dict[Term, list[Buffer]] = {}
    for buffer in buffers:
        if buffer.kind not in _OVERHEAD:
            groups.setdefault(buffer.size, []).append(buffer)
    return list(groups.values())


def source_name(name: str) -> str:
    """Return what the source calls an object of the plan; empty where it has no name there.

    The plan tells objects of one name apart by a number, and numbers those without a name.
    """
    if name.startswith("@"):
        return ""
    base, _, line = name.partition("@")
    return f"{base} (line {line})" if line else _NUMBERED.sub("", name)


def spoken(name: str) -> str:
    """Return the source's name of an object in quotes, or words where it has none."""
    name = source_name(name)
    return f"`{name}`" if name else "without a name"


def contribution(buffer: Buffer, span: Span, amount: Term | None = None) -> Contribution:
    """Return a buffer as a row of the table of contributions."""
    return Contribution(
        source_name(buffer.name),
        buffer.expression,
        buffer.size if amount is None else amount,
        buffer.life.lines,
        buffer.span or span,
    )


def _extents(buffers: Sequence[Buffer]) -> tuple[Formula, ...]:
    """Extents of tiles are at least 1: a hypothesis of every kernel."""
    found = (ge(size, 1) for buffer in buffers for size in buffer.shape if isinstance(size, Sym))
    return tuple(dict.fromkeys(found))


def _one_tile(
    arena: Arena, space: Space | None, setting: Setting, group: Sequence[Buffer]
) -> Obligation:
    buffer = group[0]
    assert arena.capacity is not None
    bounded = not symbols_of(buffer.size) & setting.unbounded
    what = "ring" if buffer.kind is BufferKind.RING else "tile"
    return Obligation(
        code="E6009",
        family="capacity",
        headline=f"{what} {spoken(buffer.name)} is larger than `{arena.space}`",
        span=buffer.span or setting.span,
        symbols=setting.symbols,
        hypotheses=(*setting.hypotheses, *_extents(group)),
        goal=le(buffer.size, arena.capacity),
        measure=Measure(arena.space, buffer.size, Const(arena.capacity), arena.unit, arena.bound),
        contributions=(contribution(buffer, setting.span),),
        subject=(arena.space,),
        help=("make it smaller" if bounded else "bound its extents in `requires`"),
        waivable=None if bounded else waiver(space, "W1029"),
    )


def waiver(space: Space | None, code: str) -> str | None:
    """Return the warning of an `overcommit` space; a limit of the target is never waived."""
    if space is None or not space.overcommit or space.native is not None:
        return None
    return code


def _together(
    arena: Arena, space: Space | None, setting: Setting, buffers: tuple[Buffer, ...]
) -> Obligation:
    assert arena.capacity is not None
    found = peaks(buffers, setting.ranges)
    needs = [need.term for need, _ in found]
    need = max_(*needs)
    members = [tuple(buffers[i] for i in indices) for _, indices in found]
    full = members[0] if len(members) == 1 else max(members, key=lambda one: _corner(one, setting))
    rows = _rows(buffers, members, needs, full, setting)
    last = max(full, key=lambda one: (one.life.birth, one.life.first_line))
    return Obligation(
        code="E6010",
        family="capacity",
        headline=f"tiles that live together exceed `{arena.space}`",
        span=last.span or setting.span,
        symbols=setting.symbols,
        hypotheses=(*setting.hypotheses, *_extents(buffers)),
        goal=conj(*(le(one, arena.capacity) for one in needs)),
        measure=Measure(arena.space, need, Const(arena.capacity), arena.unit, arena.bound),
        contributions=rows,
        labels=tuple(
            Label(one.span, f"tile {spoken(one.name)} lives here")
            for one in full
            if one is not last and one.span is not None
        )[:6],
        subject=(arena.space,),
        help="make one of these tiles smaller, or end one before another begins",
        waivable=waiver(space, "W1028"),
    )


def _corner(members: Sequence[Buffer], setting: Setting) -> int:
    high = setting.ranges.bounds(add(*(one.size for one in members)))[1]
    return 1 << 62 if high is None else high


def _rows(
    buffers: tuple[Buffer, ...],
    members: list[tuple[Buffer, ...]],
    needs: list[Term],
    full: tuple[Buffer, ...],
    setting: Setting,
) -> tuple[Contribution, ...]:
    """Contributions of the set that is largest; a buffer outside it there contributes 0."""
    if len(members) == 1 or len(members) > DISTINCT_SETS:
        return tuple(contribution(one, setting.span) for one in full)
    largest = [
        conj(
            *(lt(other, needs[k]) for other in needs[:k]),
            *(le(other, needs[k]) for other in needs[k + 1 :]),
        )
        for k in range(len(needs))
    ]
    rows = []
    for buffer in buffers:
        where = [largest[k] for k, one in enumerate(members) if buffer in one]
        if len(where) == len(members):
            rows.append(contribution(buffer, setting.span))
        elif where:
            rows.append(contribution(buffer, setting.span, ite(disj(*where), buffer.size, 0)))
    return tuple(rows)


def _some_layout(arena: Arena, space: Space | None, setting: Setting) -> Obligation:
    guards = [
        conj(*disjoint(arena, layout, setting.ranges, setting.apart)) for layout in arena.layouts
    ]
    totals = [layout.total for layout in arena.layouts]
    sums: tuple[Formula, ...] = ()
    fits = guards
    measure: Measure | None = None
    headline = f"no layout of the arena of `{arena.space}` keeps its buffers aligned and apart"
    if arena.capacity is not None:
        plain = [one for one in arena.buffers if one.kind is not BufferKind.FRAME]
        sums = tuple(le(need.term, arena.capacity) for need, _ in peaks(plain, setting.ranges))
        pairs = zip(totals, guards, strict=True)
        fits = [conj(le(total, arena.capacity), guard) for total, guard in pairs]
    if arena.capacity is not None and any(guard == TRUE for guard in guards):
        need = _least(totals, guards)
        measure = Measure(arena.space, need, Const(arena.capacity), arena.unit, arena.bound)
        headline = f"no layout of the arena of `{arena.space}` fits, though the tiles do as a sum"
    last = arena.buffers[-1]
    return Obligation(
        code="E6113",
        family="capacity",
        headline=headline,
        span=last.span or setting.span,
        symbols=setting.symbols,
        hypotheses=(*setting.hypotheses, *_extents(arena.buffers), *sums),
        goal=disj(*fits) if fits else FALSE,
        measure=measure,
        contributions=tuple(contribution(one, setting.span) for one in arena.buffers),
        tables=(_offsets(arena, setting),),
        subject=(arena.space,),
        help="make tiles multiples of the alignment, or shorten the life of one",
        waivable=waiver(space, "W1028"),
        reason_unknown=None if fits else f"no layout of `{arena.space}` is given",
    )


def _least(totals: list[Term], guards: list[Formula]) -> Term:
    """The least total of a layout that is valid; one of them is for every admitted value."""
    pairs = list(zip(totals, guards, strict=True))
    need = [total for total, guard in pairs if guard == TRUE][-1]
    for total, guard in reversed(pairs):
        if total != need:
            need = ite(conj(guard, le(total, need)), total, need)
    return need


def _offset(offset: Term, names: dict[str, str]) -> str:
    return f"{offset.value:,}" if isinstance(offset, Const) else show(offset, names)


def _offsets(arena: Arena, setting: Setting) -> Table:
    names = {symbol.name: symbol.display or symbol.name for symbol in setting.symbols}
    shown = arena.layouts[:TABLE_LAYOUTS]
    header = ("buffer", *(f"offset, {layout.rule} first" for layout in shown))
    rows = tuple(
        (
            source_name(buffer.name) or "unnamed",
            *(_offset(layout.offsets[i], names) for layout in shown),
        )
        for i, buffer in enumerate(arena.buffers[:TABLE_ROWS])
    )
    return Table("layouts that were tried", header, rows)
