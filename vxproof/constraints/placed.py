"""Capacity of a function as a whole: parameters, tiles outside kernels, and calls.

A space whose tiles are all made inside kernels is the subject of their plans; here are those in
which the function itself places tiles, the one-tile verdict of parameters, the peak along each call
path (E6027) and cycles of calls that place tiles (E6028).
"""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.constraints.capacity import (
    Setting,
    arena_obligations,
    contribution,
    unbounded_symbols,
    waiver,
)
from vxproof.constraints.hypotheses import function_hypotheses, tensor_parameters
from vxproof.diagnostics import Label, Table
from vxproof.ir.machine_query import resolve_space
from vxproof.ir.module import Function, Module, Space, walk
from vxproof.ir.ops import Call, Spawn
from vxproof.logic.build import le
from vxproof.logic.obligation import Contribution, Measure, Obligation, Replay
from vxproof.logic.terms import FALSE, Const
from vxproof.logic.text import show
from vxproof.plan.call_peaks import CallPeaks, CallSite, Placed
from vxproof.plan.nodes import Arena, Buffer, BufferKind, Life
from vxproof.plan.objects import REGISTER_SCOPES
from vxproof.plan.ranges import ranges_of
from vxproof.plan.sizes import amount, expression
from vxproof.plan.timeline import Timeline


def placed_obligations(
    function: Function, module: Module, peaks: CallPeaks
) -> tuple[Obligation, ...]:
    """Return the capacity obligations of a function that no kernel's plan makes."""
    symbols, hypotheses = function_hypotheses(function, module)
    setting = Setting(
        (function.name, 0),
        function.span,
        symbols,
        hypotheses,
        ranges_of(symbols, hypotheses),
        unbounded_symbols(function.symbols, [clause.formula for clause in function.requires]),
    )
    return (
        *_parameters(function, module, setting),
        *_own(function, module, setting, peaks),
        *_calls(function, module, setting, peaks),
        *_cycles(function, module, setting, peaks),
    )


def _bounded(space: Space | None) -> int | None:
    if space is None or space.scope in REGISTER_SCOPES:
        return None
    return space.columns if space.columns is not None else space.capacity


def _arena(space: Space, buffers: tuple[Buffer, ...]) -> Arena:
    unit = "columns" if space.columns is not None else space.unit
    return Arena(
        space.name, unit, _bounded(space), space.granule, space.bound, buffers, (), spread=True
    )


def _parameters(function: Function, module: Module, setting: Setting) -> Iterator[Obligation]:
    """A parameter that lives in a bounded space gets the one-tile verdict only."""
    names = {one.name: one.display or one.name for one in setting.symbols}
    for variable, tensor in tensor_parameters(function):
        space = resolve_space(module.machine, tensor.place) if tensor.place else None
        if space is None or _bounded(space) is None or tensor.shape is None:
            continue
        line = variable.span.line
        buffer = Buffer(
            name=variable.name,
            kind=BufferKind.TILE,
            size=amount(tensor, space, None, setting.ranges),
            expression=expression(tensor, space, None, names, setting.ranges),
            alignment=1,
            life=Life(1, 1, line, line),
            shape=tensor.shape,
            span=variable.span,
        )
        yield from arena_obligations(_arena(space, (buffer,)), space, setting)


def _in_spawn(line: Timeline, placed: Placed) -> tuple[bool, ...]:
    """Tell of each tile whether a kernel makes it."""
    spans: list[tuple[int, int]] = []
    open_at: list[int] = []
    for step in line.steps:
        if isinstance(step.op, Spawn):
            if step.end:
                spans.append((open_at.pop(), step.point))
            else:
                open_at.append(step.point)
    return tuple(
        any(start < one.life.birth <= end for start, end in spans) for one in placed.buffers
    )


def _own(
    function: Function, module: Module, setting: Setting, peaks: CallPeaks
) -> Iterator[Obligation]:
    laid = peaks.lay(function)
    for name, placed in laid.placed.items():
        space = module.machine.spaces[name]
        inside = _in_spawn(laid.line, placed)
        if _bounded(space) is None or all(inside):
            continue
        alone = tuple(b for b, kernel in zip(placed.buffers, inside, strict=True) if not kernel)
        for one in arena_obligations(_arena(space, placed.buffers), space, setting):
            if one.code != "E6009" or any(b.span == one.span for b in alone):
                yield one


def _calls(
    function: Function, module: Module, setting: Setting, peaks: CallPeaks
) -> Iterator[Obligation]:
    seen = set()
    for site in peaks.sites(function):
        space = module.machine.spaces[site.space]
        if _bounded(space) is None or not site.live:
            continue
        key = (site.op.function, site.space, site.need)
        if key not in seen:
            seen.add(key)
            yield _call(site, space, function, setting)


def _call(site: CallSite, space: Space, function: Function, setting: Setting) -> Obligation:
    limit = _bounded(space)
    assert limit is not None
    path = " -> ".join((function.name, *site.callee.path))
    names = {one.name: one.display or one.name for one in setting.symbols}
    line = f"line {site.op.span.line}"
    callee = Contribution(
        f"{site.op.function}()", show(site.callee.need, names), site.callee.need, line, site.op.span
    )
    unit = "columns" if space.columns is not None else space.unit
    return Obligation(
        code="E6027",
        family="capacity",
        headline=f"along {path} the tiles exceed `{space.name}`, though each function fits",
        span=site.op.span,
        symbols=setting.symbols,
        hypotheses=setting.hypotheses,
        goal=le(site.need, limit),
        measure=Measure(space.name, site.need, Const(limit), unit, space.bound),
        contributions=(*(contribution(one, site.op.span) for one in site.live), callee),
        labels=tuple(
            Label(one.span, f"`{one.name}` is live at the call")
            for one in site.live
            if one.span is not None
        )[:6],
        subject=(space.name,),
        help="end a tile before the call, or make the callee's tiles smaller",
        waivable=waiver(space, "W1028"),
    )


def _cycles(
    function: Function, module: Module, setting: Setting, peaks: CallPeaks
) -> Iterator[Obligation]:
    """A call that leads back to its own function, on a cycle that places tiles."""
    path = _back_to(function, peaks)
    if path is None:
        return
    order = [one.name for one in module.functions]
    if min(order.index(name) for name in path) != order.index(function.name):
        return
    spaces = {
        space
        for name in path
        for space in peaks.lay(peaks.functions[name]).placed
        if _bounded(module.machine.spaces[space]) is not None
    }
    first = next(
        op
        for op in walk(function.body)
        if isinstance(op, Call) and op.function == path[1 % len(path)]
    )
    rows = tuple((a, b) for a, b in zip(path, (*path[1:], path[0]), strict=True))
    for name in sorted(spaces):
        space = module.machine.spaces[name]
        yield Obligation(
            code="E6028",
            family="capacity",
            headline=f"a cycle of calls places tiles in `{name}` each time round",
            span=first.span,
            symbols=setting.symbols,
            hypotheses=setting.hypotheses,
            goal=FALSE,
            tables=(Table("the cycle", ("function", "calls"), rows),),
            replay=Replay.STRUCTURE,
            subject=(name,),
            help="write the recursion as a loop",
            waivable=waiver(space, "W1028"),
        )


def _back_to(function: Function, peaks: CallPeaks) -> tuple[str, ...] | None:
    """Return the shortest path of calls from a function to itself, without its last step."""
    start = function.name
    queue: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    while queue:
        path = queue.pop(0)
        steps = peaks.lay(peaks.functions[path[-1]]).calls
        for callee in dict.fromkeys(s.op.function for s in steps if isinstance(s.op, Call)):
            if callee == start:
                return path
            if callee in peaks.functions and callee not in seen:
                seen.add(callee)
                queue.append((*path, callee))
    return None
