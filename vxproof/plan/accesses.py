"""How the threads of a block share an object's bytes in one event: the maps of its accesses."""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.ir.ops import Transpose
from vxproof.ir.types import TensorType
from vxproof.ir.values import Value
from vxproof.logic.terms import Const, Term
from vxproof.plan.barriers import ALL, ONE
from vxproof.plan.context import Context
from vxproof.plan.copies import Footprint, footprint, widths
from vxproof.plan.fragments import Spread
from vxproof.plan.nodes import Access, Case
from vxproof.plan.objects import Object, Outside, Tracker, tensor_of
from vxproof.plan.scalars import Scalars
from vxproof.plan.term_text import show_formula, show_term
from vxproof.plan.uses import Uses


class Accesses:
    """Makes accesses of values that name memory."""

    def __init__(self, context: Context, tracker: Tracker, uses: Uses, scalars: Scalars) -> None:
        self.context = context
        self.tracker = tracker
        self.uses = uses
        self.scalars = scalars

    def objects(self, value: Value | None) -> tuple[Object, ...]:
        """Return the memory that a value names."""
        return self.tracker.of(value)

    def view(self, value: Value) -> Footprint | None:
        """Return a value's footprint."""
        return footprint(value, self.uses, self.scalars)

    def access(self, value: Value, write: bool, name: str) -> tuple[Access, ...]:
        """Return accesses of all that a value may name, shared out by the map of that name."""
        return tuple(
            Access(one.name, write, name if self.context.tiled else ONE)
            for one in self.objects(value)
        )

    def spread(self, value: Value, write: bool, spread: Spread) -> tuple[Access, ...]:
        """Return accesses of a tile by the threads that hold its values in registers.

        Where a value has replicas, each holder reads it and one of them writes it.
        """
        tensor = tensor_of(value.type)
        shape = (tensor.shape or ()) if tensor is not None else ()
        view = self.view(value)
        if view is None or not view.aligned:
            return self.access(value, write, ALL)
        replicated = len(shape) < 2 or any(size == Const(1) for size in shape)
        if replicated and not write:
            return self.access(value, write, ALL)
        owner = " owner" if replicated else ""
        return self.access(value, write, f"{spread.value}{owner} {_extent(shape)}{_key(view)}")

    def width(self, value: Value) -> tuple[Case, ...]:
        """Return the widths of a copy of the tile that a value names."""
        tensor = tensor_of(value.type)
        assert tensor is not None
        row = tensor.shape[-1] if tensor.shape else Const(1)
        return widths(self.view(value), row, tensor.dtype.bits, self.context.ranges)

    def chunks(self, value: Value, write: bool, width: str) -> tuple[Access, ...]:
        """Return accesses of a tile by a copy: threads take chunks of rows in turn."""
        tensor = tensor_of(value.type)
        shape = (tensor.shape or ()) if tensor is not None else ()
        view = self.view(value)
        if view is None or not view.aligned or self.transposed(value):
            return self.access(value, write, ALL)
        return self.access(value, write, f"chunks {_extent(shape)} by {width}{_key(view)}")

    def made(self, objects: Sequence[Object], tensor: TensorType, width: str) -> tuple[Access, ...]:
        """Return the writes of a copy into new buffers."""
        name = f"chunks {_extent(tensor.shape or ())} by {width}" if self.context.tiled else ONE
        return tuple(Access(one.name, True, name) for one in objects)

    def transposed(self, value: Value) -> bool:
        """Whether a value is a transposed view of memory."""
        return isinstance(self.uses.maker(self.uses.origin(value)), Transpose)

    def outside(self, value: Value) -> bool:
        """Whether a value names memory that the kernel does not make."""
        return any(isinstance(one, Outside) for one in self.objects(value))


def width_text(cases: tuple[Case, ...]) -> str:
    """Return widths as text: `16`, or `16 if N mod 8 == 0 else 2`."""
    *guarded, last = cases
    return "".join(f"{c.choice} if {show_formula(c.guard)} else " for c in guarded) + last.choice


def _extent(shape: tuple[Term, ...]) -> str:
    return " x ".join(show_term(size) for size in shape) or "scalar"


def _key(view: Footprint) -> str:
    return f" at {view.key}" if view.key else ""
