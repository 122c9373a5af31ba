"""Placement: routes, visibility, addressing, and spaces that hold residents.

What is ill-formed is a diagnostic (E3003, E6002, E6003, E6004, E6020, E6026, E6110, W1022);
whether a space can hold a resident (E6107) is an obligation whose goal is a truth value.

A function that does not spawn takes the topology and the places of each call: it is judged once
for each combination that a call of the module gives it, and once without any if nobody calls it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from vxproof.constraints.placement_flow import (
    ANYWHERE,
    Flow,
    Instance,
    own_topology,
    root_context,
)
from vxproof.constraints.placement_rules import Rules
from vxproof.diagnostics import Diagnostic
from vxproof.ir.machine_query import resolve_space
from vxproof.ir.module import Function, Module, walk
from vxproof.ir.ops import Call, Declare
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import FALSE, TRUE

if TYPE_CHECKING:
    from vxproof.ir.module import Machine, Space

Finding = Diagnostic | Obligation

PRIVATE_SCOPES = frozenset({"sm", "cta", "warpgroup", "subcore", "warp", "thread"})
"""Scopes whose instances no two blocks of a grid share by accident."""


def placement_findings(function: Function, module: Module) -> tuple[Finding, ...]:
    """Return what is wrong with the places of one function, and its obligations.

    The whole module is walked for the calls; for all functions at once use `module_findings`.
    """
    return module_findings(module)[function.name]


def module_findings(module: Module) -> dict[str, tuple[Finding, ...]]:
    """Return the findings of every function by name, without repetition, in program order."""
    found: dict[str, dict[Finding, None]] = {one.name: {} for one in module.functions}
    for (name, _), flow in _flows(module).items():
        found[name].update(dict.fromkeys(flow.rules.found))
    return {
        one.name: (*_ordered(found[one.name]), *holding_obligations(one, module.machine))
        for one in module.functions
    }


def holding_obligations(function: Function, machine: Machine) -> tuple[Obligation, ...]:
    """Return one obligation for each resident: its space can hold a loop-carried value (E6107)."""
    return tuple(
        _holds(op, space)
        for op in walk(function.body)
        if isinstance(op, Declare)
        and op.variable.resident is not None
        and (space := resolve_space(machine, op.variable.resident)) is not None
    )


def _holds(op: Declare, space: Space) -> Obligation:
    reason = _cannot_hold(space)
    return Obligation(
        code="E6107",
        family="residency",
        headline=f"`{space.name}` cannot hold `{op.variable.name}` from one iteration to the next: "
        f"{reason}"
        if reason
        else f"`{space.name}` holds `{op.variable.name}` from one iteration to the next",
        span=op.span,
        symbols=(),
        hypotheses=(),
        goal=FALSE if reason else TRUE,
        subject=(op.variable.name, space.name),
        help=f"keep it in a space with `managed: explicit` and scope sm, cta or narrower, or write "
        f"these fields in `Memory {space.name}`",
    )


def _cannot_hold(space: Space) -> str:
    if space.managed != "explicit":
        return f"it is `managed: {space.managed}` and may evict it"
    if space.scope is None:
        return "it has no scope, so that any block may use it"
    if space.scope not in PRIVATE_SCOPES:
        return f"its scope is `{space.scope}`, which all blocks share"
    return ""


def _flows(module: Module) -> dict[Instance, Flow]:
    """Judge every function in every context, again where what a callee returns becomes known."""
    functions = {one.name: one for one in module.functions}
    returned: dict[Instance, str] = {}
    callers: dict[Instance, set[Instance]] = {}
    flows: dict[Instance, Flow] = {}
    waiting = deque[Instance]()
    queued: set[Instance] = set()

    def enqueue(key: Instance) -> None:
        if key not in queued:
            queued.add(key)
            waiting.append(key)

    for one in _roots(module):
        enqueue((one.name, root_context(one)))
    while waiting:
        key = waiting.popleft()
        queued.discard(key)
        flow = Flow(functions, key, returned, Rules(module.machine))
        flow.run()
        flows[key] = flow
        for callee in flow.calls:
            callers.setdefault(callee, set()).add(key)
            if callee not in flows:
                enqueue(callee)
        if _learn(returned, key, flow.returned):
            for caller in sorted(callers.get(key, ()), key=repr):
                enqueue(caller)
    return flows


def _roots(module: Module) -> list[Function]:
    """Functions to begin with, so that every function is reached from one of them.

    They are those that nobody calls or that run where they say, and of a cycle of calls that
    nobody else enters its first function.
    """
    callees = {
        one.name: {op.function for op in walk(one.body) if isinstance(op, Call)}
        for one in module.functions
    }
    called = {name for names in callees.values() for name in names}
    roots = [
        one for one in module.functions if one.name not in called or own_topology(one) is not None
    ]
    reached: set[str] = set()
    stack = [one.name for one in roots]
    for one in module.functions:
        while stack:
            here = stack.pop()
            if here not in reached:
                reached.add(here)
                stack.extend(callees.get(here, ()))
        if one.name not in reached:
            roots.append(one)
            stack.append(one.name)
    return roots


def _learn(returned: dict[Instance, str], key: Instance, place: str | None) -> bool:
    """Keep where a call's result lies; one that would change for a second time is anywhere."""
    before = returned.get(key)
    if place is None or before in {place, ANYWHERE}:
        return False
    returned[key] = place if before is None else ANYWHERE
    return True


def _ordered(found: dict[Finding, None]) -> list[Finding]:
    return sorted(
        found,
        key=lambda one: (
            0 if not isinstance(one, Diagnostic) or one.primary is None else one.primary.span.start
        ),
    )
