"""Bounds: element accesses and views in range (E6150), and no partial tile without pad (E6151)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from vxproof.constraints import arithmetic
from vxproof.constraints.hints import cleared
from vxproof.constraints.state import State
from vxproof.constraints.values import Root, Tile
from vxproof.diagnostics import Label, Span
from vxproof.ir.dtypes import I64
from vxproof.ir.ops import View
from vxproof.ir.types import TensorType
from vxproof.logic.build import conj, eq, ge, le, lt, mod
from vxproof.logic.obligation import Contribution, Measure, Obligation, Replay
from vxproof.logic.terms import TRUE, Const, Formula, Term
from vxproof.logic.text import show

Position = tuple[Term, Term, Term]
"""Start, size and extent along one axis, in elements."""

_LONGEST = 40
"""Characters of an index that is spelled out."""


def element(
    state: State, base: TensorType, tile: Tile, indices: tuple[Term, ...], span: Span, verb: str
) -> None:
    """Ask that an element access is in range on each axis."""
    if base.shape is None:
        _shapeless(state, tile, span)
        return
    for axis, (index, extent) in enumerate(zip(indices, base.shape, strict=True)):
        subject = f"`{state.module.source.slice(span)}`" if verb == "read" else f"`{_name(tile)}`"
        what = f"{subject} may be {verb} outside of axis {axis}"
        _in_range(state, (index, Const(1), extent), span, what, _where(tile.root, axis), axis)


def view(state: State, op: View, base: TensorType, tile: Tile, starts: tuple[Term, ...]) -> None:
    """Ask that a view without pad lies in its base; of a padded one, that its ends are numbers."""
    if base.shape is None:
        _shapeless(state, tile, op.span)
        return
    text = state.module.source.slice(op.span)
    for axis, (start, part, extent) in enumerate(zip(starts, op.axes, base.shape, strict=True)):
        if op.pad is not None:
            headline = f"`{text}`: the offset on axis {axis} may overflow i64"
            arithmetic.require_range(state, start, I64, op.span, headline)
            arithmetic.require_range(state, start + part.size, I64, op.span, headline)
            continue
        where = _where(tile.root, axis)
        position = (start, part.size, extent)
        if op.spelled != "index":
            _part_in_range(state, position, op.span, text, where, axis)
        else:
            what = f"`{text}` may be outside of axis {axis}"
            _in_range(state, position, op.span, what, where, axis)


def _name(tile: Tile) -> str:
    return tile.root.name or "the tensor"


def _where(root: Root, axis: int) -> tuple[Label, ...]:
    if not root.name:
        return ()
    return (Label(root.span, f"`{root.name}` is declared here; axis {axis} is concerned"),)


def _shapeless(state: State, tile: Tile, span: Span) -> None:
    state.give_up(
        "E6150",
        "bounds",
        f"an access to `{_name(tile)}` may be out of bounds",
        span,
        f"the type of `{_name(tile)}` gives no shape to compare with",
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """An access along one axis: where it stands, what it takes, and whose axis it is."""

    state: State
    position: Position
    span: Span
    axis: int
    labels: tuple[Label, ...]

    def emit(
        self, code: str, headline: str, goal: Formula, need: Term | None, help_: str, given: Formula
    ) -> None:
        """Ask for a goal; `need` is compared with the extent where no start is negative."""
        start, size, extent = self.position
        measure = None
        if need is not None:
            measure = Measure(headline, need, extent, "elements", "the extent of the axis")
        candidates = [conj(ge(start, 0), lt(start, extent))] if size == Const(1) else []
        if not isinstance(extent, Const):
            candidates.append(eq(mod(extent, size), 0))
        draft = Obligation(
            code,
            "bounds",
            headline,
            self.span,
            (),
            (),
            cleared(goal, self.state.box),
            measure=measure,
            contributions=tuple(self._parts()),
            labels=self.labels,
            replay=Replay.INTERPRETER,
            subject=("access", self.span.start, self.span.end, self.axis),
            help=help_,
            candidates=tuple(candidates),
        )
        self.state.emit(draft, *(one for one in (given,) if one != TRUE))

    def _parts(self) -> Iterator[Contribution]:
        """The first index, how many elements are taken, and the extent of the axis."""
        for name, term in zip(("index", "elements", "extent"), self.position, strict=True):
            used = self.state.walker.free(term)
            names = {one.name: one.display for one in self.state.declared(used)}
            unnamed = any(not names.get(one) for one in used)
            spelled = "" if unnamed else show(term, names)
            yield Contribution(
                name, spelled if len(spelled) < _LONGEST else "", term, "", self.span
            )


def _in_range(
    state: State,
    position: Position,
    span: Span,
    headline: str,
    labels: tuple[Label, ...],
    axis: int,
) -> None:
    start, size, extent = position
    place = _Place(state, position, span, axis, labels)
    lower, upper = ge(start, 0), le(start + size, extent)
    help_ = "bound the index"
    if upper == TRUE or not state.ranges.at_least(start, 0):
        place.emit("E6150", f"{headline}, before its first element", lower, None, help_, TRUE)
        given, goal = lower, upper
    else:
        given, goal = TRUE, conj(lower, upper)
    place.emit("E6150", f"{headline}, past its end", goal, start + size, help_, given)


def _part_in_range(
    state: State, position: Position, span: Span, text: str, labels: tuple[Label, ...], axis: int
) -> None:
    """Ask that a tile or slice meets its base (E6150), and that it lies wholly inside (E6151)."""
    start, size, extent = position
    meets = conj(lt(0, start + size), lt(start, extent))
    inside = conj(ge(start, 0), le(start + size, extent))
    positive = state.ranges.at_least(start, 0)
    if le(start + size, extent) == TRUE and positive:
        return
    place = _Place(state, position, span, axis, labels)
    if start != Const(0):
        headline = f"`{text}` may lie outside of axis {axis}"
        need = start + 1 if positive else None
        place.emit("E6150", headline, meets, need, "bound the index", TRUE)
    headline = f"`{text}` may be partial on axis {axis} and has no `pad:`"
    need = start + size if positive else None
    place.emit("E6151", headline, inside, need, "give the view a `pad:`, such as `pad: 0`", meets)
