"""Acts of matrix products: fragments by `mma.sync` and FMA, and `tcgen05` with tensor memory."""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.ir.ops import Declare, MatMul, Read
from vxproof.ir.types import TensorType
from vxproof.ir.values import Value
from vxproof.logic.terms import Term
from vxproof.plan.accesses import Accesses
from vxproof.plan.barriers import ALL, ONE, UNIT
from vxproof.plan.context import Context
from vxproof.plan.fragments import Spread
from vxproof.plan.moves import Moves
from vxproof.plan.nodes import Access, Act, Await, BufferKind, Event
from vxproof.plan.objects import Draft, tensor_of
from vxproof.plan.products import Family, Product
from vxproof.plan.scratch import Scratch
from vxproof.plan.spreads import Spreads
from vxproof.plan.term_text import show_term
from vxproof.plan.timeline import Step

DEPTH, STEP = "depth", "step"
"""Details of a product: its K, and that of one instruction."""


class TensorProducts:
    """Makes the acts of products, and the set-up and release of tensor memory."""

    def __init__(
        self,
        context: Context,
        accesses: Accesses,
        spreads: Spreads,
        scratch: Scratch,
        moves: Moves,
    ) -> None:
        self.context = context
        self.accesses = accesses
        self.spreads = spreads
        self.scratch = scratch
        self.moves = moves
        self.tracker = accesses.tracker
        spaces = context.module.machine.spaces.values()
        self.space = next((one.name for one in spaces if one.columns is not None), None)
        products = [one for one in spreads.products.values() if one.family is Family.TCGEN05]
        self.needed = (
            self.space is not None
            and context.target is not None
            and (bool(products) or any(draft.space == self.space for draft in self.tracker.drafts))
        )
        self.slot: Draft | None = None
        self.done: Draft | None = None
        if self.needed and self.tracker.line.steps:
            first = self.tracker.line.steps[0]
            self.slot, self.done = scratch.objects(first, bool(products))
        if context.target is not None:
            self.align_operands(products, context.target.smem_swizzled_tile_align)

    def align_operands(self, products: list[Product], alignment: int) -> None:
        """Tiles that the matrix unit reads through descriptors start at a whole swizzle pattern."""
        for one in products:
            for value in (one.op.a, one.op.b):
                for draft in self.accesses.objects(value):
                    if isinstance(draft, Draft) and draft.space != self.space:
                        draft.alignment = max(draft.alignment, alignment)

    def prologue(self) -> Iterator[Event]:
        """Tensor memory is allocated by one warp, and its address read by all."""
        if self.slot is None:
            return
        line, span = self.context.kernel.spawn.span.line, self.context.kernel.spawn.span
        writes = [Access(self.slot.name, True, ONE)]
        if self.done is not None:
            writes.append(Access(self.done.name, True, ONE))
        yield Act("tmem.alloc", "", (), tuple(writes), line, span)
        yield Act("tmem.base", "", (), (Access(self.slot.name, False, ALL),), line, span)

    def epilogue(self) -> Iterator[Event]:
        """Tensor memory is given back once nobody reads it."""
        if self.slot is None:
            return
        line, span = self.context.kernel.spawn.span.line, self.context.kernel.spawn.span
        held = [draft for draft in self.tracker.drafts if draft.space == self.space]
        writes = tuple(Access(draft.name, True, ONE) for draft in held)
        yield Act("tmem.dealloc", "", (), writes, line, span)

    def product(self, step: Step, product: Product) -> Iterator[Event]:
        """Return the acts of one product."""
        if product.family is Family.TCGEN05:
            yield from self.unit(step, product)
        else:
            yield from self.threads(step, product)

    def threads(self, step: Step, product: Product) -> Iterator[Event]:
        """A product that the block's threads make, from any memory or from registers."""
        op = product.op
        accesses: list[Access] = []
        sources: list[tuple[str, str]] = []
        for name, value in (("a", op.a), ("b", op.b)):
            held = self.spreads.register_tile(value)
            if held and not self.reused(product, name, value):
                draft = self.staging(step, product, name, value)
                yield from self.moves.through(draft, value, f"{self.moves.name(value)}.{name}", op)
            sources.append(
                (name, self.moves.name(value) + ("^T" if self.transposed(value) else ""))
            )
            if not held:
                accesses.extend(self.accesses.access(value, False, ALL))
        result = self.result(product)
        details = [*sources, ("family", product.family.value)]
        if product.shape:
            details.append(("shape", product.shape))
        if product.into is not None:
            details.append(("accumulates", "yes"))
        if self.scaled(op):
            details.append(("scales", "a block of K at a time"))
        yield self.moves.act("mma", result, op, tuple(accesses), tuple(details))

    def transposed(self, value: Value) -> bool:
        """Whether an operand is read across its rows."""
        return self.accesses.transposed(value)

    def scaled(self, op: MatMul) -> bool:
        """Whether an operand carries a plane of scales."""
        tensors = (tensor_of(op.a.type), tensor_of(op.b.type))
        return any(tensor is not None and tensor.scale is not None for tensor in tensors)

    def result(self, product: Product) -> str:
        """Return the name of what a product adds to or makes."""
        return self.moves.name(product.op.result if product.into is None else product.into)

    def reused(self, product: Product, name: str, value: Value) -> bool:
        """Whether a register operand already lies as the instruction wants it.

        Accumulator fragments of one product are the left fragments of the next, provided that each
        warp holds whole rows.
        """
        if product.family is Family.NONE:
            return True
        if product.family is not Family.MMA_SYNC or name != "a":
            return False
        columns = self.spreads.split(value).columns
        return self.spreads.spread(value) is Spread.MMA and (
            self.context.ranges.bounds(columns)[1] == 1
        )

    def staging(self, step: Step, product: Product, name: str, value: Value) -> Draft | None:
        """Scratch for a register operand; only where warps split the columns, for a left one."""
        tensor = value.type
        assert isinstance(tensor, TensorType)
        shape, bits = tensor.shape or (), tensor.dtype.bits
        if product.family is Family.MMA_SYNC and name == "a":
            columns = self.spreads.split(value).columns
            factors: tuple[Term | int, ...] = (*shape, max(bits // 8, 1))
            return self.scratch.conditional(step, "staging", columns, factors)
        return self.scratch.whole(step, shape, bits)

    def unit(self, step: Step, product: Product) -> Iterator[Event]:
        """A product of the matrix unit: issued by one thread, complete at the mbarrier."""
        op = product.op
        accesses: list[Access] = []
        sources: list[tuple[str, str]] = []
        for name, value in (("a", op.a), ("b", op.b)):
            objects = self.accesses.objects(value)
            if objects and not self.accesses.outside(value):
                accesses.extend(Access(one.name, False, UNIT) for one in objects)
                across = "^T" if self.transposed(value) else ""
                sources.append((name, self.moves.name(value) + across))
                continue
            tensor = tensor_of(value.type)
            assert tensor is not None
            assert self.context.target is not None
            align = self.context.target.smem_swizzled_tile_align
            draft = self.scratch.whole(step, tensor.shape or (), tensor.dtype.bits, align)
            if draft is not None:
                yield from self.stage_operand(draft, value, op)
                accesses.append(Access(draft.name, False, UNIT))
                sources.append((name, draft.name))
        goal = self.goal(step, product)
        accesses.extend(Access(one.name, True, UNIT) for one in goal)
        details = (*sources, ("family", product.family.value), *_steps(product))
        if product.into is not None:
            details = (*details, ("accumulates", "yes"))
        name = "|".join(one.name for one in goal)
        yield self.moves.act("mma", name, op, tuple(accesses), details)
        yield Await(self.done.name if self.done is not None else "mma_done")
        if product.into is None:
            reads = tuple(Access(one.name, False, _lanes(op)) for one in goal)
            yield self.moves.act("tmem.load", self.moves.name(op.result), op, reads)

    def stage_operand(self, draft: Draft, value: Value, op: MatMul) -> Iterator[Event]:
        """Bring an operand that is not in shared memory there."""
        tensor = tensor_of(value.type)
        assert tensor is not None
        details = (("of", self.moves.name(value)),)
        if self.accesses.objects(value):
            accesses = (
                *self.accesses.access(value, False, ALL),
                *self.accesses.made((draft,), tensor, "element"),
            )
        else:
            accesses = self.moves.into((draft,), tensor, self.spreads.spread(value))
        yield self.moves.act("stage", draft.name, op, accesses, details)

    def goal(self, step: Step, product: Product) -> tuple[Draft, ...]:
        """Return where in tensor memory a product goes: its variable, or columns of its own."""
        if product.into is not None:
            known = self.tracker.variables.get(product.into.id, ())
            return tuple(one for one in known if isinstance(one, Draft))
        assert self.space is not None
        tensor = product.op.result.type
        assert isinstance(tensor, TensorType)
        draft = self.tracker.draft(
            step, f"product@{step.op.span.line}", BufferKind.PRODUCT, self.space, tensor
        )
        for at in self.uses_of(product.op.result):
            self.tracker.use((draft,), at)
        return (draft,)

    def uses_of(self, value: Value) -> Iterator[Step]:
        """Yield the direct uses of a value, through the name that a `let` gives it."""
        for step in self.moves.uses.read.get(value.id, []):
            yield step
            if isinstance(step.op, Declare):
                for other in self.moves.uses.named.get(step.op.variable.id, []):
                    if isinstance(other.op, Read):
                        yield from self.uses_of(other.op.result)


def _lanes(op: MatMul) -> str:
    tensor = op.result.type
    assert isinstance(tensor, TensorType)
    return f"{Spread.LANES.value} product {len(tensor.shape or ())}"


def _steps(product: Product) -> tuple[tuple[str, str], ...]:
    """K of the whole product and of one instruction."""
    tensor = tensor_of(product.op.a.type)
    if tensor is None or not tensor.shape:
        return ()
    return (DEPTH, show_term(tensor.shape[-1])), (STEP, str(product.k))
