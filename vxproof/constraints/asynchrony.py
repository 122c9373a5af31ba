"""Asynchronous copies and pipelined loops: not decided yet, and said so for each kernel."""

from __future__ import annotations

from vxproof.ir.module import walk
from vxproof.ir.ops import Block, For, TransferAsync, Wait
from vxproof.logic.obligation import Gap, Obligation
from vxproof.logic.terms import FALSE


def undecided(body: Block) -> tuple[Obligation, ...]:
    """Return one obligation without a decision where a body copies asynchronously."""
    for op in walk(body):
        pipelined = isinstance(op, For) and op.stages is not None
        if pipelined or isinstance(op, TransferAsync | Wait):
            return (
                Obligation(
                    "E6130",
                    "asynchrony",
                    "an asynchronous tile may be read before its arrival",
                    op.span,
                    (),
                    (),
                    FALSE,
                    reason_unknown="asynchrony is not decided yet",
                    gap=Gap.NOT_BUILT,
                ),
            )
    return ()
