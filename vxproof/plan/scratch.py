"""Shared scratch of a kernel: partial results across warps, layout changes, barrier objects."""

from __future__ import annotations

from vxproof.logic.build import gt, ite
from vxproof.logic.terms import Const, Formula, Term, mul
from vxproof.plan.context import Context
from vxproof.plan.fragments import Split, Spread
from vxproof.plan.nodes import BufferKind
from vxproof.plan.objects import Draft, Tracker
from vxproof.plan.term_text import show_product
from vxproof.plan.timeline import Step

ALIGNMENT = 16
"""Scratch is read and written in vectors."""


class Scratch:
    """Makes the buffers that no statement of the program asks for, each with the reason."""

    def __init__(self, context: Context, tracker: Tracker) -> None:
        self.context = context
        self.tracker = tracker
        spaces = context.module.machine.spaces.values()
        self.space = next((one.name for one in spaces if one.native == "SMEM"), None)

    def reduction(
        self, step: Step, shape: tuple[Term, ...], axis: int, bits: int, spread: Spread, by: Split
    ) -> Draft | None:
        """Partial results of the warps that share the reduced axis, None where one warp has it."""
        if spread is Spread.EVEN or self.context.warps == Const(0) or len(shape) < 2:
            return None
        rows, width = mul(Const(1), *shape[:-1]), shape[-1]
        along = axis == len(shape) - 1
        parts = by.columns if along else by.rows
        kept = rows if along else width
        if not along and rows == Const(1):
            return None
        return self.conditional(step, "partials", parts, (kept, parts, bits // 8))

    def conditional(
        self, step: Step, name: str, parts: Term, factors: tuple[Term | int, ...]
    ) -> Draft | None:
        """A buffer that is needed where `parts` is above 1."""
        low, high = self.context.ranges.bounds(parts)
        if high == 1:
            return None
        size = mul(*(Const(f) if isinstance(f, int) else f for f in factors))
        needed: Formula = gt(parts, 1)
        whole = size if low is not None and low > 1 else ite(needed, size, 0)
        return self.make(step, name, whole, factors)

    def make(
        self, step: Step, name: str, size: Term, factors: tuple[Term | int, ...], align: int = 0
    ) -> Draft | None:
        """A buffer of one step, None where there is no shared memory to put it in."""
        if self.space is None:
            return None
        draft = self.tracker.draft_amount(step, name, BufferKind.SCRATCH, self.space)
        draft.amount, draft.alignment = size, align or ALIGNMENT
        draft.text = show_product(factors, self.context.names)
        return draft

    def whole(self, step: Step, shape: tuple[Term, ...], bits: int, align: int = 0) -> Draft | None:
        """A buffer that a register tile passes through."""
        factors: tuple[Term | int, ...] = (*shape, max(bits // 8, 1))
        size = mul(*(Const(f) if isinstance(f, int) else f for f in factors))
        return self.make(step, "staging", size, factors, align)

    def objects(self, first: Step, product: bool) -> tuple[Draft | None, Draft | None]:
        """What tensor memory needs in shared memory: the slot of its address, and an mbarrier."""
        return self.fixed(first, "tmem_slot"), self.fixed(first, "mma_done") if product else None

    def fixed(self, first: Step, name: str) -> Draft | None:
        """An 8-byte object that is there for the whole kernel."""
        if self.space is None:
            return None
        root = self.tracker.line.root
        draft = self.tracker.draft_amount(first, name, BufferKind.BARRIER, self.space)
        draft.amount, draft.text, draft.alignment = Const(8), "8", 8
        draft.birth, draft.death, draft.scope = root.start, root.end, root
        draft.span = self.context.kernel.spawn.span
        return draft
