"""Regions: loops, kernels (`spawn`) and roles."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label
from vxproof.frontend import ast
from vxproof.frontend.scope import Counter
from vxproof.frontend.signatures import conjuncts
from vxproof.frontend.sizes import NotStatic, clause_formula
from vxproof.frontend.views import index, size
from vxproof.ir.dtypes import I64
from vxproof.ir.machine_query import resolve_topology
from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Block,
    Declare,
    For,
    If,
    Iota,
    MatMul,
    Semantics,
    Spawn,
    Transfer,
    TransferAsync,
    View,
)
from vxproof.ir.types import ScalarType, TensorType
from vxproof.ir.values import Clause
from vxproof.logic.terms import Const

if TYPE_CHECKING:
    from vxproof.frontend.context import Context

BlockElaborator = Callable[["Context", ast.Block], None]
DEFAULT_WARPS = 4
_SEMANTICS = {
    "parallel": Semantics.PARALLEL,
    "arbitrary": Semantics.ARBITRARY,
    "sequential": Semantics.ARBITRARY,
}


def loop(ctx: Context, stmt: ast.For, block: BlockElaborator) -> None:
    """Elaborate a `for`; E6137 where a pipelined loop cannot be pipelined as written."""
    lower = index(ctx, stmt.start)
    upper = index(ctx, stmt.stop)
    stages = None if stmt.pipelined is None else size(ctx, stmt.pipelined)
    if stages is not None and ctx.in_pipelined:
        ctx.fail("E6137", "pipelined loops do not nest", stmt.span)
    counter = ctx.fresh(ScalarType(I64), stmt.var.span, stmt.var.text)
    outer = ctx.in_pipelined
    ctx.in_pipelined = outer or stages is not None
    try:
        with ctx.nested() as ops:
            ctx.scope.names[stmt.var.text] = Counter(counter)
            invariants = _invariants(ctx, stmt)
            block(ctx, stmt.body)
    finally:
        ctx.in_pipelined = outer
    body = tuple(ops)
    if stages is not None:
        _require_direct_transfers(ctx, body)
    ctx.emit(For(counter, lower, upper, body, stages, invariants, stmt.span))


def _invariants(ctx: Context, stmt: ast.For) -> tuple[Clause, ...]:
    out: list[Clause] = []
    for invariant in stmt.invariants:
        for part in conjuncts(invariant):
            try:
                formula = clause_formula(ctx.scope, part, dynamic=True)
            except NotStatic as fault:
                ctx.fail(fault.code, fault.reason, fault.span)
            out.append(Clause(formula, ctx.program.source.slice(part.span), part.span))
    return tuple(out)


def _require_direct_transfers(ctx: Context, body: Block) -> None:
    for op in body:
        if not isinstance(op, If | For):
            continue
        for inner in walk((op,)):
            if isinstance(inner, TransferAsync):
                what = "a condition" if isinstance(op, If) else "an inner loop"
                ctx.record(
                    "E6137",
                    f"`transfer_async` under {what} in a pipelined loop",
                    inner.span,
                    secondary=(Label(op.span, "runs not exactly once an iteration"),),
                    help_="move it directly into the loop's body",
                )


def spawn(ctx: Context, stmt: ast.Spawn, block: BlockElaborator) -> None:
    """Elaborate a kernel."""
    if ctx.in_spawn:
        ctx.fail("E6190", "a `spawn` inside a `spawn` is outside the kernel subset", stmt.span)
    topology = _topology(ctx, stmt.topology)
    warps = Const(DEFAULT_WARPS) if stmt.warps is None else size(ctx, stmt.warps)
    grid = () if stmt.grid is None else tuple(index(ctx, extent) for extent in stmt.grid)
    semantics = _semantics(ctx, stmt, len(grid))
    saved = ctx.topology, ctx.rank
    ctx.topology, ctx.rank, ctx.in_spawn = topology, len(grid) if grid else None, True
    try:
        with ctx.nested() as ops:
            block(ctx, stmt.body)
    finally:
        (ctx.topology, ctx.rank), ctx.in_spawn = saved, False
    body = tuple(ops)
    tiled = stmt.warps is not None or _has_tiles(body)
    ctx.emit(Spawn(topology, warps, grid, semantics, body, tiled, stmt.span))


def _topology(ctx: Context, ref: ast.TopologyRef) -> str:
    machine = ctx.program.machine
    found = resolve_topology(machine, ref.name)
    if found is not None:
        return found.name
    near = get_close_matches(ref.name, machine.topologies, n=1)
    help_ = f"did you mean `{near[0]}`?" if near else None
    if machine.target is not None:
        ctx.record(
            "E1010", f"unknown topology `{ref.name}` on {machine.target}", ref.span, help_=help_
        )
    else:
        ctx.program.warnings.append(
            Diagnostic(
                "W1025",
                f"`Topology::{ref.name}` is not declared",
                Label(ref.span),
                help=help_ or "declare it, or give a `--target` that has it",
            )
        )
    return ref.name


def _semantics(ctx: Context, stmt: ast.Spawn, rank: int) -> tuple[Semantics, ...]:
    if stmt.semantics is None:
        return (Semantics.ARBITRARY,) * rank
    if len(stmt.semantics) != rank:
        ctx.fail(
            "E6141",
            f"the grid has {rank} axes, `semantics` {len(stmt.semantics)}",
            stmt.semantics[0].span if stmt.semantics else stmt.span,
            help_="one word an axis: `parallel` or `arbitrary`",
        )
    out: list[Semantics] = []
    for word in stmt.semantics:
        meaning = _SEMANTICS.get(word.text)
        if meaning is None:
            ctx.fail(
                "E6141",
                f"unknown semantics `{word.text}`",
                word.span,
                help_="`parallel`, `arbitrary` or `sequential`",
            )
        out.append(meaning)
    return tuple(out)


def _has_tiles(body: Block) -> bool:
    for op in walk(body):
        match op:
            case Transfer() | TransferAsync() | MatMul() | Iota():
                return True
            case View(spelled=spelled) if spelled != "index":
                return True
            case Declare(variable=variable) if variable.resident is not None and isinstance(
                variable.type, TensorType
            ):
                return True
            case _:
                pass
    return False


def role(ctx: Context, stmt: ast.Role, block: BlockElaborator) -> None:
    """Check a role's body and name, then refuse it: roles cannot be lowered yet (E6161)."""
    if not ctx.in_spawn:
        ctx.fail("E6161", "a role stands directly in a `spawn`", stmt.span)
    if stmt.warps is not None:
        size(ctx, stmt.warps)
    ctx.in_role = True
    try:
        with ctx.nested():
            block(ctx, stmt.body)
    finally:
        ctx.in_role = False
    ctx.fail("E6161", f"role `{stmt.name.text}` cannot be lowered yet", stmt.name.span)
