"""Asynchronous copies that the hardware can make (E6120): pieces of at least 4 bytes, pad 0.

Bases are 16-byte aligned by hypothesis. A piece of a row then starts at a multiple of 4 bytes where
every stride but the last, and the offset along the last axis, is one in bytes; the length of a row
is a multiple as well, so that no piece is left over.
"""

from __future__ import annotations

from vxproof.constraints.state import State
from vxproof.constraints.values import Axis, Root, Tile
from vxproof.ir.ops import TransferAsync
from vxproof.ir.types import Strided, Swizzled, Tiled
from vxproof.logic.build import conj, eq, mod
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import FALSE, TRUE, Const, Formula, Term, mul

PIECE_BYTES = 4
"""Smallest asynchronous copy."""


def asynchronous(state: State, op: TransferAsync, tile: Tile) -> None:
    """Ask that a copy can be made asynchronously."""
    text = state.module.source.slice(op.span)
    pad = state.pads.get(op.source.id)
    if pad is not None and pad not in state.zeros:
        _ask(state, op, f"`{text}` pads with a value other than 0", FALSE, "pad with 0")
    if tile.axes is None or tile.root.dtype.bits % 8:
        return
    bytes_ = tile.root.dtype.bits // 8
    if bytes_ < PIECE_BYTES:
        _ask(
            state,
            op,
            f"`{text}` may need pieces of less than {PIECE_BYTES} bytes",
            _pieces(tile.root, tile.axes, PIECE_BYTES // bytes_),
            "require that rows start at multiples of 4 bytes, or use a plain `transfer`",
        )


def _pieces(root: Root, axes: tuple[Axis, ...], unit: int) -> Formula:
    """Return that each row of a box starts at a multiple of `unit` elements and has such a length.

    Only a step that the box takes along an axis needs a stride that is a multiple.
    """
    terms: list[Term] = [axes[-1].start, axes[-1].size]
    match root.layout:
        case Strided(strides=(*strides, last)):
            if last != Const(1):
                return FALSE
        case Tiled(tile=tile):
            return conj(*(_multiple(term, unit) for term in (*terms, tile[-1])))
        case Swizzled():
            return conj(*(_multiple(term, unit) for term in terms))
        case _:
            shape = root.shape or ()
            strides = [mul(Const(1), *shape[axis + 1 :]) for axis in range(len(axes) - 1)]
    terms += [
        stride
        for stride, axis in zip(strides, axes[:-1], strict=True)
        if (axis.start, axis.size) != (Const(0), Const(1))
    ]
    return conj(*(_multiple(term, unit) for term in terms))


def _multiple(term: Term, unit: int) -> Formula:
    """Return that a term is a multiple of a unit."""
    if isinstance(term, Const):
        return TRUE if term.value % unit == 0 else FALSE
    return eq(mod(term, unit), 0)


def _ask(state: State, op: TransferAsync, headline: str, goal: Formula, help_: str) -> None:
    state.emit(Obligation("E6120", "alignment", headline, op.span, (), (), goal, help=help_))
