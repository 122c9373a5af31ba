"""Places: views, loads and stores, with what they ask and which storage they touch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vxproof.constraints import bounds, grid
from vxproof.constraints.state import Origins, State
from vxproof.constraints.values import Axis, Data, Int, Known, Real, Root, ScalarRef, Tile
from vxproof.diagnostics import Span
from vxproof.ir.dtypes import DType
from vxproof.ir.ops import LoadElement, StoreElement, Transpose, View
from vxproof.ir.types import RefType, TensorType, Type
from vxproof.ir.values import Value
from vxproof.logic.normal import Normaliser
from vxproof.logic.poly import constant
from vxproof.logic.terms import Const, Term, mul


def tensor_type(type_: Type) -> TensorType:
    """Return the tensor type that a type is or refers to.

    Raises:
        TypeError: there is none; the IR is not well formed.
    """
    if isinstance(type_, RefType):
        type_ = type_.target
    if not isinstance(type_, TensorType):
        raise TypeError(f"not a tensor type: {type_!r}")
    return type_


def tile_of(state: State, value: Value) -> Tile:
    """Return the place that a tensor value names."""
    found = state.values[value.id]
    if isinstance(found, Tile):
        return found
    raise TypeError(f"{value.name or 'value'} is not a tensor")


def new_tile(
    state: State, type_: TensorType, span: Span, element: Data | None = None, name: str = ""
) -> Tile:
    """Return the place of a tensor that an operation makes."""
    root = Root(name, span, type_.dtype, type_.shape, state.region, type_.layout)
    return replace(grid.whole(root), element=element)


def read(state: State, values: Iterable[Value], span: Span) -> None:
    """Record that an operation reads the tensors among its operands."""
    if state.point is None:
        return
    for value in values:
        found = state.values.get(value.id)
        if isinstance(found, Tile):
            grid.touch(state, state.point, found, span, write=False, note=None)


def write(state: State, tile: Tile, span: Span, note: str | None = None) -> None:
    """Record that an operation writes a place."""
    grid.touch(state, state.point, tile, span, write=True, note=note)


def view(state: State, op: View) -> None:
    """Make a view: ask for its bounds, and keep its place in the root."""
    base = tile_of(state, op.base)
    starts = tuple(
        Const(0) if axis.index is None else mul(state.term(axis.index), axis.scale)
        for axis in op.axes
    )
    bounds.view(state, op, tensor_type(op.base.type), base, starts)
    if op.pad is not None:
        state.pads[op.result.id] = op.pad.id
    elif op.base.id in state.pads:
        state.pads[op.result.id] = state.pads[op.base.id]
    if base.axes is None:
        state.values[op.result.id] = Tile(base.root, None, base.clipped, None, base.clips)
        return
    kept: dict[int, int] = {}
    for position, axis in enumerate(op.axes):
        if axis.keep:
            kept[position] = len(kept)
    axes = tuple(
        one
        if one.view is None
        else Axis(one.start + starts[one.view], op.axes[one.view].size, kept.get(one.view))
        for one in base.axes
    )
    clips = base.clips
    if op.pad is not None and base.axes != grid.whole(base.root).axes:
        clips = (*clips, tuple((one.start, one.size) for one in base.axes))
    padded = base.clipped or op.pad is not None
    state.values[op.result.id] = Tile(base.root, axes, padded, None, clips)


def transpose(state: State, op: Transpose) -> None:
    """Make a view with permuted axes."""
    base = tile_of(state, op.value)
    axes = base.axes
    if axes is not None:
        place = {old: new for new, old in enumerate(op.perm)}
        axes = tuple(
            one if one.view is None else replace(one, view=place[one.view]) for one in axes
        )
    state.values[op.result.id] = Tile(base.root, axes, base.clipped, None, base.clips)


def _point(tile: Tile, indices: tuple[Term, ...]) -> Tile:
    if tile.axes is None:
        return Tile(tile.root, None, tile.clipped, None, tile.clips)
    axes = tuple(
        one if one.view is None else Axis(one.start + indices[one.view], Const(1), None)
        for one in tile.axes
    )
    return Tile(tile.root, axes, tile.clipped, None, tile.clips)


def load(state: State, op: LoadElement) -> None:
    """Read one element."""
    base = tile_of(state, op.base)
    type_ = tensor_type(op.base.type)
    indices = tuple(state.term(index) for index in op.indices)
    bounds.element(state, type_, base, indices, op.span, "read")
    place = _point(base, indices)
    grid.touch(state, state.point, place, op.span, write=False, note=None)
    state.values[op.result.id] = _loaded(state, op, place, type_.dtype)


def _loaded(state: State, op: LoadElement, place: Tile, dtype: DType) -> Data:
    root = place.root
    text = state.module.source.slice(op.span)
    note: str | None = f"the elements of `{root.name or text}` are not tracked"
    if not root.input or place.axes is None or place.clipped:
        return state.unknown(dtype, op.result.symbol.name, text, note)
    coordinates = tuple(axis.start for axis in place.axes)
    before = state.loads.setdefault(id(root), [])
    for known, earlier in before:
        if known == coordinates:
            return earlier
    if all(_distinct(known, coordinates) for known, _ in before):
        note = None
    value: Data
    if dtype.is_float:
        value = Real(Known.INPUT if note is None else Known.COMPUTED, state.region)
    else:
        value = state.unknown(dtype, op.result.symbol.name, text, note)
    if state.point is not None and not isinstance(value, Real):
        inside = state.walker.free
        names = frozenset().union(*map(inside, coordinates)) & state.symbols.keys()
        if names <= state.point.shared | state.shared:
            state.shared |= inside(value.term if isinstance(value, Int) else value.formula)
    before.append((coordinates, value))
    element = (id(root), coordinates)
    if isinstance(value, Real):
        state.elements[id(value)] = element
    else:
        (name,) = state.walker.free(value.term if isinstance(value, Int) else value.formula)
        state.origins[name] = Origins("", (element,))
    return value


def _distinct(one: tuple[Term, ...], two: tuple[Term, ...]) -> bool:
    """Whether two elements are different wherever they are read."""
    normaliser = Normaliser()
    gaps = (constant(normaliser.difference(a, b)) for a, b in zip(one, two, strict=True))
    return any(gap is not None and gap != 0 for gap in gaps)


def store(state: State, op: StoreElement) -> None:
    """Write one element."""
    base = tile_of(state, op.base)
    indices = tuple(state.term(index) for index in op.indices)
    bounds.element(state, tensor_type(op.base.type), base, indices, op.span, "written")
    write(state, _point(base, indices), op.span)


def joined(state: State, one: Tile, two: Tile, span: Span) -> Tile:
    """Return the place that is one of two, as the arms of an `if` leave it."""
    if one.root is two.root and one.axes == two.axes and one.clips == two.clips:
        return replace(one, clipped=one.clipped or two.clipped, element=None)
    outside = [tile for tile in (one, two) if tile.root.region != state.region]
    if outside or (state.region == 0 and state.parallel):
        state.give_up(
            "E6140",
            "grid",
            "grid points may depend on each other",
            span,
            "which tensor an `if` picks is not tracked",
        )
    root = Root(one.root.name, one.root.span, one.root.dtype, None, state.region)
    return Tile(root, None)


def scalar_reference(state: State, value: Value) -> ScalarRef:
    """Return a reference to the scalar variable that a value was read from."""
    return ScalarRef(state.read_from.get(value.id))
