"""Asynchronous copies and pipelined loops: not decided yet, and said so for each unit."""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.ir.ops import Block, For, If, Operation, TransferAsync, Wait
from vxproof.logic.obligation import Gap, Obligation
from vxproof.logic.terms import FALSE


def undecided(body: Block) -> tuple[Obligation, ...]:
    """Return one obligation without a decision where a body copies asynchronously.

    The kernels in it are units of their own.
    """
    for op in _own(body):
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


def _own(body: Block) -> Iterator[Operation]:
    """Yield the operations of a body and its blocks, but for those of kernels."""
    for op in body:
        yield op
        match op:
            case For(body=inner):
                yield from _own(inner)
            case If(then=then, orelse=orelse):
                yield from _own(then)
                yield from _own(orelse)
            case _:
                pass
