"""Grid independence (E6140): points that differ in a parallel coordinate do not meet in an element.

Two points run the same body, so one access is compared with another under a second copy of every
symbol that belongs to the point. Accesses are boxes of a root's elements: two of them conflict
exactly where they overlap on every axis. The points are split by the first parallel coordinate in
which they differ; those before it are equal, all others are arbitrary.

The names of the second point's symbols end in `@2`. `contributions` holds the coordinates of an
element that both touch, `subject` the spans of the kernel and of the two accesses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from itertools import combinations_with_replacement, islice

from vxproof.constraints.agreement import agreement, read_through
from vxproof.constraints.hints import hints, products
from vxproof.constraints.linear import Picker
from vxproof.constraints.ranges import Ranges
from vxproof.constraints.rewrite import Rewriter
from vxproof.constraints.state import State
from vxproof.constraints.values import Axis, Box, Root, Tile
from vxproof.diagnostics import Label, Span
from vxproof.ir.ops import Semantics, Spawn
from vxproof.logic.build import disj, le, lt, max_
from vxproof.logic.obligation import Contribution, Obligation, Replay, Symbol
from vxproof.logic.terms import FALSE, TRUE, Cmp, Const, Formula, Sym, add, mul
from vxproof.records import dataclass

_MOST_PAIRS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """One statement's access to storage that other grid points see, and when it runs."""

    root: Root
    box: Box | None
    clipped: bool
    clips: tuple[Box, ...]
    write: bool
    span: Span
    when: tuple[Formula, ...]
    names: frozenset[str]
    notes: tuple[str, ...]


@dataclass(slots=True)
class Point:
    """The kernel that is being run: its grid symbols, and what one point accesses.

    `shared` names the symbols that exist before the kernel: every point has the same. `scalars`
    holds the places of the scalars from outside that the kernel assigns.
    """

    spawn: Spawn
    coordinates: tuple[Sym, ...]
    shared: frozenset[str]
    scalars: dict[int, Tile]
    accesses: dict[object, Access] = field(default_factory=dict)
    by_root: dict[int, list[Access]] = field(default_factory=dict)

    @property
    def parallel(self) -> tuple[int, ...]:
        """The parallel axes."""
        return tuple(
            axis for axis, one in enumerate(self.spawn.semantics) if one is Semantics.PARALLEL
        )


def touch(
    state: State, point: Point | None, tile: Tile, span: Span, *, write: bool, note: str | None
) -> None:
    """Record an access to storage that other grid points see."""
    root = tile.root
    if point is None or root.region == state.region or root.private or not point.parallel:
        return
    if root.input and not write:
        return
    box = None if tile.axes is None else tuple((one.start, one.size) for one in tile.axes)
    boxes = tile.clips if box is None else (box, *tile.clips)
    premises = state.premises(*(term for one in boxes for pair in one for term in pair))
    key = (id(root), box, tile.clipped, tile.clips, write, premises.hypotheses, note)
    if key in point.accesses:
        return
    notes = premises.notes if note is None else (*premises.notes, note)
    when, names = premises.hypotheses, premises.names
    access = Access(root, box, tile.clipped, tile.clips, write, span, when, names, notes)
    point.accesses[key] = access
    point.by_root.setdefault(id(root), []).append(access)


def independence(state: State, point: Point) -> None:
    """Ask for each pair of accesses, one a write, that no two points meet in them."""
    for accesses in point.by_root.values():
        pairs = list(islice(_pairs(accesses), _MOST_PAIRS + 1))
        if len(pairs) > _MOST_PAIRS:
            _too_many(state, point, accesses[0].root)
            continue
        seen: set[tuple[Formula, tuple[Formula, ...]]] = set()
        for first, second in pairs:
            for axis in point.parallel:
                _differ(state, point, first, second, axis, seen)


def _pairs(accesses: list[Access]) -> Iterator[tuple[Access, Access]]:
    """Yield each pair with a write, the write first; not those that literals keep apart."""
    ordered = _by_literal_position(accesses)
    pairs = combinations_with_replacement(accesses, 2) if ordered is None else _overlapping(ordered)
    for first, second in pairs:
        alike = first is not second and _place(first) == _place(second)
        if (first.write or second.write) and not alike:
            yield (first, second) if first.write else (second, first)


def _place(access: Access) -> object:
    """Where and when an access is: what a write asks of itself covers a read of the same place."""
    return (access.box, access.clipped, access.clips, access.when)


_Placed = tuple[int, int, int, Access]


def _by_literal_position(accesses: list[Access]) -> list[_Placed] | None:
    """Sort by an axis on which every box has a literal position, None where there is none."""
    boxes = [one.box for one in accesses]
    rank = min((0 if box is None else len(box) for box in boxes), default=0)
    for axis in range(rank):
        found: list[_Placed] = []
        for index, one in enumerate(accesses):
            start, size = one.box[axis] if one.box is not None else (None, None)
            if not isinstance(start, Const) or not isinstance(size, Const):
                break
            found.append((start.value, start.value + size.value, index, one))
        else:
            return sorted(found, key=lambda placed: placed[:3])
    return None


def _overlapping(ordered: list[_Placed]) -> Iterator[tuple[Access, Access]]:
    live: list[_Placed] = []
    for placed in ordered:
        live = [other for other in live if other[1] > placed[0]]
        live.append(placed)
        yield from ((other[3], placed[3]) for other in live)


def _too_many(state: State, point: Point, root: Root) -> None:
    state.give_up(
        "E6140",
        "grid",
        f"grid points may depend on each other through `{root.name}`",
        point.spawn.span,
        f"more than {_MOST_PAIRS} pairs of accesses to `{root.name}` are not compared",
    )


def _renamed(
    state: State, point: Point, access: Access, equal: tuple[int, ...]
) -> tuple[Rewriter, dict[str, Symbol]]:
    """The substitution that makes an access that of the second point, and its new symbols."""
    same = point.shared | state.shared
    same |= {point.coordinates[axis].name for axis in equal}
    copies: dict[str, Symbol] = {}
    for symbol in state.local(access.names):
        name = symbol.name
        if name not in same:
            display = f"{symbol.display}'" if symbol.display else ""
            copies[name] = replace(symbol, name=f"{name}@2", display=display)
    return Rewriter({name: Sym(one.name) for name, one in copies.items()}), copies


def _differ(
    state: State,
    point: Point,
    first: Access,
    second: Access,
    axis: int,
    seen: set[tuple[Formula, tuple[Formula, ...]]],
) -> None:
    """Ask about points that agree in the parallel coordinates before `axis`, and not in it."""
    equal = tuple(other for other in point.parallel if other < axis)
    names = {point.coordinates[one].name for one in range(len(point.coordinates))}
    widened = replace(second, names=second.names | names | read_through(state, second.names))
    rewriter, copies = _renamed(state, point, widened, equal)
    ranges = Ranges(state.box, {one.name: (one.lo, one.hi) for one in copies.values()})
    mine = point.coordinates[axis]
    theirs = Sym(copies[mine.name].name)
    when = tuple(rewriter.formula(one) for one in second.when)
    here = second.box
    there = None if here is None else _moved(rewriter, here)
    clips = (*first.clips, *(_moved(rewriter, one) for one in second.clips))
    if (first.clipped or second.clipped) and first.root.shape is not None:
        clips = (*clips, tuple((Const(0), size) for size in first.root.shape))
    same, doubts = agreement(state, first.names, second.names, rewriter)
    if doubts:
        first = replace(first, notes=(*first.notes, *doubts))
    orders = ((mine, theirs),) if first is second else ((mine, theirs), (theirs, mine))
    for low, high in orders:
        ways = _apart(first.box, there, clips)
        known = tuple(dict.fromkeys((lt(low, high), *first.when, *when, *same)))
        growth = dict.fromkeys(_growth(state, ways, mine, rewriter, low), known[0])
        goal, hypotheses = _asked(state, ways, known, growth, ranges)
        if goal == TRUE or (goal, hypotheses) in seen:
            continue
        seen.add((goal, hypotheses))
        state.keep(_obligation(state, point, first, second, goal, hypotheses, copies, there))


def _asked(
    state: State,
    ways: tuple[Formula, ...],
    known: tuple[Formula, ...],
    growth: dict[Formula, Formula],
    ranges: Ranges,
) -> tuple[Formula, tuple[Formula, ...]]:
    """Return what is asked, and under which hypotheses.

    Where one way to be apart is seen to follow, it is asked alone, under what it follows from,
    products that grow with a coordinate included; else that some way holds, under everything that
    is known.
    """
    order = known[0]
    for way in ways:
        if way in growth:
            return way, (order, way)
        if isinstance(order, Cmp) and way == le(add(order.left, Const(1)), order.right):
            return way, (order,)
    base = state.base.formulas
    goal = disj(*ways)
    derived = growth | hints(goal, (*base, *known), ranges)
    found = Picker(ranges).pick(ways, (*known, *base, *derived))
    if found is None:
        return goal, (*base, *known)
    way, used = found
    sources = (derived[one] for one in used if one in derived)
    return way, tuple(dict.fromkeys((*sources, *used)))


def _moved(rewriter: Rewriter, box: Box) -> Box:
    return tuple((rewriter.term(start), rewriter.term(size)) for start, size in box)


def _apart(one: Box | None, two: Box | None, clips: tuple[Box, ...]) -> tuple[Formula, ...]:
    """Return the ways for two boxes to share no element that lies in all of `clips`."""
    if one is None or two is None:
        return ()
    ways: dict[Formula, None] = {}
    for axis, pair in enumerate(zip(one, two, strict=True)):
        intervals = (*pair, *(clip[axis] for clip in clips))
        for index, (a, a_size) in enumerate(intervals):
            for b, b_size in intervals[index + 1 :]:
                if (a, a_size) != (b, b_size):
                    ways[le(a + a_size, b)] = None
                    ways[le(b + b_size, a)] = None
    return tuple(way for way in ways if way != FALSE)


def _growth(
    state: State, ways: tuple[Formula, ...], mine: Sym, rewriter: Rewriter, low: Sym
) -> tuple[Formula, ...]:
    """Return for each product k*g among the ways that it grows by k from one point to the next."""
    found: dict[Formula, None] = {}
    for product in (one for way in ways for one in products(way)):
        if mine not in product.args:
            continue
        index = product.args.index(mine)
        rest = mul(Const(1), *product.args[:index], *product.args[index + 1 :])
        if rewriter.term(rest) != rest or not state.box.at_least(rest, 0):
            continue
        here, there = mul(mine, rest), mul(rewriter.term(mine), rest)
        smaller, larger = (here, there) if low == mine else (there, here)
        found[le(add(smaller, rest), larger)] = None
    return tuple(found)


def _obligation(
    state: State,
    point: Point,
    first: Access,
    second: Access,
    goal: Formula,
    hypotheses: tuple[Formula, ...],
    copies: dict[str, Symbol],
    there: Box | None,
) -> Obligation:
    root = first.root
    names = state.walker.free(goal).union(*map(state.walker.free, hypotheses))
    if second is first:
        labels = [Label(first.span, f"`{root.name}` is written here by both points")]
    else:
        other = "written" if second.write else "read"
        labels = [
            Label(first.span, f"`{root.name}` is written here by one point"),
            Label(second.span, f"`{root.name}` is {other} here by the other point"),
        ]
    labels.append(Label(root.span, f"`{root.name}` is declared here"))
    clash: tuple[Contribution, ...] = ()
    if first.box is not None and there is not None:
        clash = tuple(
            Contribution(root.name, f"axis {axis} of an element of both", max_(a, b), "", root.span)
            for axis, ((a, _), (b, _)) in enumerate(zip(first.box, there, strict=True))
        )
    return Obligation(
        "E6140",
        "grid",
        f"two grid points may touch the same element of `{root.name}`, which one of them writes",
        first.span,
        (*state.declared(names), *(one for one in copies.values() if one.name in names)),
        hypotheses,
        goal,
        contributions=clash,
        approximations=tuple(dict.fromkeys((*first.notes, *second.notes))),
        labels=tuple(labels),
        replay=Replay.INTERPRETER,
        subject=(
            "grid",
            point.spawn.span.start,
            first.span.start,
            second.span.start,
            root.name,
        ),
        help="make the axis `arbitrary`, or index the tensor by every parallel coordinate",
    )


def whole(root: Root) -> Tile:
    """Return the place of every element of a root."""
    if root.shape is None:
        return Tile(root, None)
    return Tile(root, tuple(Axis(Const(0), size, axis) for axis, size in enumerate(root.shape)))
