"""Device functions with tiles: a kernel's plan stands for their calls, so each has a plan itself.

The body is planned as a kernel without a grid, for the warps of the kernels that call it. Its
contracts, bounds and capacity are asked of the function; what only a plan can show (ordering,
registers, tensor memory, what the target cannot take) is asked of this plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from vxproof.constraints.hypotheses import hypotheses
from vxproof.diagnostics import Diagnostic, Label
from vxproof.ir.machine_query import HOST
from vxproof.ir.module import Function, Kernel, Module, kernels, walk
from vxproof.ir.ops import (
    Block,
    Call,
    Declare,
    Iota,
    MatMul,
    Spawn,
    Transfer,
    TransferAsync,
    View,
)
from vxproof.ir.types import TensorType
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import Const, Term
from vxproof.records import dataclass

OF_A_PLAN: frozenset[str] = frozenset({"ordering", "residency", "asynchrony"})
"""Families that are asked of the plan of a device function."""

_DEFAULT_WARPS = 4
_MOST_WARPS = 32
"""Warps of the largest block of any target; E6142 asks for no more."""


@dataclass(frozen=True, slots=True)
class DeviceBody:
    """A device function's body as a kernel for one number of warps.

    `note` says why a refutation claims nothing: the number may be none that a kernel has.
    """

    kernel: Kernel
    note: str | None = None


def device_kernels(module: Module) -> Mapping[str, tuple[DeviceBody, ...]]:
    """Return for each device function with tiles its body as a kernel, once for each warp count."""
    launched = _warps(module)
    found: dict[str, tuple[DeviceBody, ...]] = {}
    for function in module.functions:
        on_device = function.topology not in {None, HOST} or function.name in launched
        if not on_device or kernels(function) or not _has_tiles(function.body):
            continue
        exact = launched.get(function.name, {})
        chosen = sorted(exact) or [_DEFAULT_WARPS]
        found[function.name] = tuple(
            DeviceBody(_kernel(function, Const(warps)), exact.get(warps)) for warps in chosen
        )
    return found


def plan_only(obligations: tuple[Obligation, ...], note: str | None) -> tuple[Obligation, ...]:
    """Return what is asked of the plan alone."""
    own = (one for one in obligations if one.family in OF_A_PLAN)
    if note is None:
        return tuple(own)
    return tuple(replace(one, approximations=(*one.approximations, note)) for one in own)


def _kernel(function: Function, warps: Const) -> Kernel:
    topology = function.topology or "GPU"
    body = Spawn(topology, warps, (), (), function.body, tiled=True, span=function.span)
    return Kernel(function, body, (), 0)


def nested_kernels(module: Module) -> Mapping[str, tuple[Diagnostic, ...]]:
    """Return for each function a finding for each call in a kernel that leads to a kernel."""
    functions = {function.name: function for function in module.functions}
    found: dict[str, tuple[Diagnostic, ...]] = {}
    for function in module.functions:
        calls = [
            op
            for kernel in kernels(function)
            for op in walk(kernel.spawn.body)
            if isinstance(op, Call) and _launches(op.function, functions)
        ]
        found[function.name] = tuple(
            Diagnostic(
                "E6190",
                f"`{op.function}` launches a kernel, and is called in one",
                Label(op.span),
                help="a `spawn` inside a `spawn` is outside the kernel subset",
            )
            for op in calls
        )
    return found


def _launches(name: str, functions: Mapping[str, Function]) -> bool:
    """Whether a function launches a kernel, itself or through its calls."""
    work, seen = [name], set[str]()
    while work:
        one = functions.get(work.pop())
        if one is None or one.name in seen:
            continue
        seen.add(one.name)
        if kernels(one):
            return True
        work.extend(_callees(one.body))
    return False


def _counts(function: Function, module: Module, warps: Term) -> dict[int, str | None]:
    """The numbers of warps that a kernel may have, each with a note where it may have it not."""
    if isinstance(warps, Const):
        return {warps.value: None}
    low, high = hypotheses(function, module).ranges().bounds(warps)
    least = max(low or 1, 1)
    most = _MOST_WARPS if high is None else min(high, _MOST_WARPS)
    note = None if least == most else "the kernel that calls it may not have this number of warps"
    return dict.fromkeys(range(least, most + 1), note)


def _warps(module: Module) -> dict[str, dict[int, str | None]]:
    """The numbers of warps of the kernels that reach each function by calls."""
    functions = {function.name: function for function in module.functions}
    found: dict[str, dict[int, str | None]] = {}
    for function in module.functions:
        for kernel in kernels(function):
            counts = _counts(function, module, kernel.spawn.warps)
            work = list(_callees(kernel.spawn.body))
            seen: set[str] = set()
            while work:
                name = work.pop()
                if name in seen or name not in functions:
                    continue
                seen.add(name)
                known = found.setdefault(name, {})
                known.update(
                    {n: note for n, note in counts.items() if n not in known or note is None}
                )
                work.extend(_callees(functions[name].body))
    return found


def _callees(block: Block) -> Iterator[str]:
    return (op.function for op in walk(block) if isinstance(op, Call))


def _has_tiles(block: Block) -> bool:
    for op in walk(block):
        match op:
            case Transfer() | TransferAsync() | MatMul() | Iota():
                return True
            case View(spelled=spelled) if spelled != "index":
                return True
            case Declare(variable=variable):
                if variable.resident is not None and isinstance(variable.type, TensorType):
                    return True
            case _:
                pass
    return False
