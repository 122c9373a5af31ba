"""Launch limits (E6142): the product of the parallel axes, and the threads of a block.

All parallel axes are linearised into the first grid axis, whose limit is 2^31 - 1 blocks on every
target; a block has at most 1,024 threads on every target. Where `requires` leaves a run-time extent
open, the grid is a hypothesis that the launcher checks.
"""

from __future__ import annotations

from vxproof.constraints.ranges import Interval, Ranges
from vxproof.constraints.state import State
from vxproof.diagnostics import Span
from vxproof.ir.ops import Semantics, Spawn
from vxproof.logic.build import ge, le
from vxproof.logic.obligation import Measure, Obligation, Origin, Symbol
from vxproof.logic.terms import TRUE, Const, Formula, Term, mul

MAX_BLOCKS = (1 << 31) - 1
MAX_THREADS = 1024
WARP = 32


def _draft(
    headline: str, span: Span, measure: Measure | None, goal: Formula, help_: str
) -> Obligation:
    return Obligation("E6142", "launch", headline, span, (), (), goal, measure=measure, help=help_)


def launch(state: State, op: Spawn, extents: tuple[Term, ...]) -> None:
    """Ask that the kernel's grid and block can be launched."""
    _threads(state, op)
    parallel = tuple(
        extent
        for extent, one in zip(extents, op.semantics, strict=True)
        if one is Semantics.PARALLEL
    )
    if not parallel or left_to_the_launcher(state, parallel):
        return
    blocks = mul(Const(1), *parallel)
    measure = Measure(
        "blocks of the grid", blocks, Const(MAX_BLOCKS), "blocks", "the largest grid of one axis"
    )
    state.emit(
        _draft(
            "the grid may have more blocks than one launch takes",
            op.span,
            measure,
            le(blocks, MAX_BLOCKS),
            "bound the extents in `requires`",
        ),
        *(one for one in (ge(extent, 1) for extent in extents) if one != TRUE),
    )


def _threads(state: State, op: Spawn) -> None:
    """Ask for the size of the block; on a target its plan asks, with the target's own limit."""
    if op.warps == Const(0) or state.module.machine.target is not None:
        return
    threads = mul(op.warps, Const(WARP))
    measure = Measure(
        "threads of a block", threads, Const(MAX_THREADS), "threads", "the largest block"
    )
    draft = _draft(
        "a block may have more threads than one can have",
        op.span,
        measure,
        le(threads, MAX_THREADS),
        f"use at most {MAX_THREADS // WARP} warps",
    )
    state.emit(draft)
    state.emit(
        _draft(
            "a block may have no warp", op.span, None, ge(op.warps, 1), "require at least one warp"
        )
    )


def left_to_the_launcher(state: State, parallel: tuple[Term, ...]) -> bool:
    """Whether the grid depends on a run-time value that `requires` does not bound from above."""
    names = frozenset().union(*map(state.walker.free, parallel))
    bounded = Ranges(None, {one.name: _open_end(one) for one in state.function.symbols})
    bounded.assume(clause.formula for clause in state.function.requires)
    generics = {one.name for one in state.function.symbols if one.origin is Origin.GENERIC}
    return any(bounded.symbol(name)[1] is None for name in names - generics)


def _open_end(symbol: Symbol) -> Interval:
    """Range of a symbol by itself, without the end that its type or its tensors give it."""
    return (symbol.lo, None)
