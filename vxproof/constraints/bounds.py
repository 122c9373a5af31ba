"""Bounds: element accesses and views in range (E6150), and no partial tile without pad (E6151)."""

from __future__ import annotations

from vxproof.constraints import arithmetic
from vxproof.constraints.hints import cleared
from vxproof.constraints.state import State
from vxproof.constraints.values import Root, Tile
from vxproof.diagnostics import Label, Span
from vxproof.ir.dtypes import I64
from vxproof.ir.ops import View
from vxproof.ir.types import TensorType
from vxproof.logic.build import conj, ge, le, lt
from vxproof.logic.obligation import Measure, Obligation, Replay
from vxproof.logic.terms import TRUE, Const, Formula, Term

Position = tuple[Term, Term, Term]
"""Start, size and extent along one axis, in elements."""


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


def _draft(
    code: str, headline: str, span: Span, goal: Formula, labels: tuple[Label, ...], axis: int
) -> Obligation:
    return Obligation(
        code,
        "bounds",
        headline,
        span,
        (),
        (),
        goal,
        labels=labels,
        replay=Replay.INTERPRETER,
        subject=("access", span.start, span.end, axis),
    )


def _emit(
    state: State, draft: Obligation, need: Term | None, limit: Term, help_: str, given: Formula
) -> None:
    goal = cleared(draft.goal, state.box)
    measure = None
    if need is not None:
        measure = Measure(draft.headline, need, limit, "elements", "the extent of the axis")
    closed = Obligation(
        draft.code,
        draft.family,
        draft.headline,
        draft.span,
        (),
        (),
        goal,
        measure=measure,
        labels=draft.labels,
        replay=draft.replay,
        subject=draft.subject,
        help=help_,
    )
    state.emit(closed, *(one for one in (given,) if one != TRUE))


def _in_range(
    state: State,
    position: Position,
    span: Span,
    headline: str,
    labels: tuple[Label, ...],
    axis: int,
) -> None:
    start, size, extent = position
    lower, upper = ge(start, 0), le(start + size, extent)
    help_ = "bound the index, or give the view a `pad:`"
    if upper == TRUE or not state.ranges.at_least(start, 0):
        draft = _draft("E6150", f"{headline}, before its first element", span, lower, labels, axis)
        _emit(state, draft, None, extent, help_, TRUE)
        given, goal = lower, upper
    else:
        given, goal = TRUE, conj(lower, upper)
    draft = _draft("E6150", f"{headline}, past its end", span, goal, labels, axis)
    _emit(state, draft, start + size, extent, help_, given)


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
    if start != Const(0):
        headline = f"`{text}` may lie outside of axis {axis}"
        draft = _draft("E6150", headline, span, meets, labels, axis)
        limit = start + 1 if positive else None
        _emit(state, draft, limit, extent, "bound the index", TRUE)
    headline = f"`{text}` may be partial on axis {axis} and has no `pad:`"
    draft = _draft("E6151", headline, span, inside, labels, axis)
    help_ = "give it `pad: 0`, or require that the extent is a multiple of the tile's"
    _emit(state, draft, start + size if positive else None, extent, help_, meets)
