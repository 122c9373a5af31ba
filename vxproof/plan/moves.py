"""Acts that move tiles: copies, loads, stores, and the way through scratch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vxproof.ir.ops import Declare, Init, NewTensor, Operation, Transfer, TransferAsync
from vxproof.ir.types import TensorType
from vxproof.ir.values import Value, Variable
from vxproof.logic.terms import Term
from vxproof.plan.accesses import Accesses, width_text
from vxproof.plan.barriers import ALL
from vxproof.plan.fragments import Spread
from vxproof.plan.nodes import Access, Act, Event
from vxproof.plan.objects import Draft, Object, tensor_of
from vxproof.plan.spreads import Spreads
from vxproof.plan.term_text import show_term
from vxproof.plan.uses import Uses

Details = tuple[tuple[str, str], ...]


class Moves:
    """Makes acts out of values; a tile in registers moves by the map of its layout."""

    def __init__(self, accesses: Accesses, spreads: Spreads, uses: Uses) -> None:
        self.accesses = accesses
        self.spreads = spreads
        self.uses = uses

    def act(
        self,
        verb: str,
        result: str,
        op: Operation,
        accesses: tuple[Access, ...],
        details: Details = (),
    ) -> Act:
        """Make an act of an operation's own."""
        unique = tuple(dict.fromkeys(accesses))
        return Act(verb, result, details, unique, op.span.line, op.span)

    def name(self, value: Value | Variable) -> str:
        """Return what the plan calls a value: its object, its source name, or its number."""
        if isinstance(value, Variable):
            return value.name
        objects = self.accesses.objects(value)
        if objects:
            return "|".join(one.name for one in objects)
        return value.name or self.bound(value) or f"%{value.id}"

    def bound(self, value: Value) -> str:
        """Return the name that a `let` gives an intermediate result, empty where none does."""
        step = self.uses.only(value)
        if step is None or not isinstance(step.op, Declare) or step.op.variable.mutable:
            return ""
        return step.op.variable.name

    def term(self, value: Term) -> str:
        """Return a term as text."""
        return show_term(value)

    def read(self, value: Value, spread: Spread | None) -> tuple[Access, ...]:
        """Return the reads of a value in memory, by the layout of what it feeds."""
        if not self.accesses.objects(value):
            return ()
        if spread is None or self.accesses.transposed(value):
            return self.accesses.access(value, False, ALL)
        if self.spreads.in_tensor_memory(value):
            spread = Spread.LANES
        return self.accesses.spread(value, False, spread)

    def copy_in(
        self,
        op: Transfer | TransferAsync,
        made: Sequence[Object],
        verb: str,
        details: Details,
    ) -> Iterator[Event]:
        """Fill new buffers from memory, or from registers."""
        name = self.name(op.result)
        tensor = tensor_of(op.result.type)
        assert tensor is not None
        if self.accesses.objects(op.source):
            width = width_text(self.accesses.width(op.source))
            reads = self.accesses.chunks(op.source, False, width)
            writes = self.accesses.made(made, tensor, width)
            details = (("from", self.name(op.source)), ("width", width), *details)
            yield self.act(verb, name, op, (*reads, *writes), details)
            return
        spread = self.spreads.spread(op.source)
        writes = self.into(made, tensor, spread)
        yield self.act("store", name, op, writes, (("from", self.name(op.source)), *details))

    def into(
        self, objects: Sequence[Object], tensor: TensorType, spread: Spread
    ) -> tuple[Access, ...]:
        """Return the writes of a register tile to whole buffers."""
        extent = " x ".join(show_term(size) for size in tensor.shape or ())
        if any(self._columns(one) for one in objects):
            spread = Spread.LANES
        return tuple(Access(one.name, True, f"{spread.value} {extent}") for one in objects)

    def _columns(self, one: Object) -> bool:
        context = self.spreads.context
        return isinstance(one, Draft) and context.space(one.space).columns is not None

    def store(self, target: Value, value: Value, op: Operation) -> Iterator[Event]:
        """Write a tile to a place: from registers, or memory to memory.

        Where both are the same tensor, everything is read before anything is written.
        """
        sources, goals = self.accesses.objects(value), self.accesses.objects(target)
        if not goals:
            reads = self.read(value, self.spreads.spread(target))
            yield self.act("assign", self.name(target), op, reads, (("from", self.name(value)),))
            return
        details: Details = (("from", self.name(value)), ("to", self.name(target)))
        if not sources:
            writes = self.accesses.spread(target, True, self.spreads.spread(value))
            yield self.act("store", "", op, writes, details)
            return
        if any(self._columns(one) for one in sources):
            yield self.act("tmem.load", f"%{value.id}", op, self.read(value, Spread.LANES))
            writes = self.accesses.spread(target, True, Spread.LANES)
            yield self.act("store", "", op, writes, details)
            return
        outer = target if self.accesses.outside(target) else value
        width = width_text(self.accesses.width(outer))
        reads = self.accesses.chunks(value, False, width)
        writes = self.accesses.chunks(target, True, width)
        details = (*details, ("width", width))
        if set(sources) & set(goals):
            yield self.act("load", f"%{value.id}", op, reads, details)
            yield self.act("store", "", op, writes, details)
        else:
            yield self.act("copy", "", op, (*reads, *writes), details)

    def into_variable(
        self, variable: Variable, objects: Sequence[Object], value: Value, op: Operation
    ) -> Iterator[Event]:
        """Store into a variable's own place."""
        tensor = tensor_of(variable.type)
        assert tensor is not None
        details = (("from", self.name(value)),)
        if self.accesses.objects(value):
            spread = Spread.LANES if any(map(self._columns, objects)) else Spread.BLOCKED
            yield self.act("load", f"%{value.id}", op, self.read(value, spread))
        else:
            spread = self.spreads.spread(value)
        yield self.act("store", variable.name, op, self.into(objects, tensor, spread), details)

    def fresh(self, result: Value, init: Init, op: NewTensor) -> Iterator[Event]:
        """Fill a new tensor that its type places."""
        objects = self.accesses.objects(result)
        tensor = tensor_of(result.type)
        if not objects or tensor is None or init is Init.UNINIT:
            return
        writes = self.into(objects, tensor, Spread.BLOCKED)
        yield self.act("fill", self.name(result), op, writes, (("with", init.value),))

    def through(
        self, scratch: Draft | None, value: Value, result: str, op: Operation
    ) -> Iterator[Event]:
        """Pass a register tile through shared memory into another layout."""
        details = (("of", self.name(value)),)
        if scratch is None:
            yield self.act("convert", result, op, (), details)
            return
        tensor = tensor_of(value.type)
        assert tensor is not None
        writes = self.into((scratch,), tensor, self.spreads.spread(value))
        yield self.act("stage", scratch.name, op, writes, details)
        yield self.act("fetch", result, op, (Access(scratch.name, False, ALL),), details)
