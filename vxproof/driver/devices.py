"""Device functions with tiles: a kernel's plan stands for their calls, so each has a plan itself.

The body is planned as a kernel without a grid, for the warps of the kernels that call it. Its
contracts, bounds and capacity are asked of the function; what only a plan can show (ordering,
registers, tensor memory, what the target cannot take) is asked of this plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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

OF_A_PLAN: frozenset[str] = frozenset({"ordering", "residency", "asynchrony"})
"""Families that are asked of the plan of a device function."""

_DEFAULT_WARPS = 4


def device_kernels(module: Module) -> Mapping[str, tuple[Kernel, ...]]:
    """Return for each device function with tiles its body as a kernel, once for each warp count."""
    launched = _warps(module)
    found: dict[str, tuple[Kernel, ...]] = {}
    for function in module.functions:
        on_device = function.topology not in {None, HOST} or function.name in launched
        if not on_device or kernels(function) or not _has_tiles(function.body):
            continue
        counts = {w for w in launched.get(function.name, ()) if isinstance(w, Const)}
        chosen = sorted(counts, key=lambda w: w.value) or [Const(_DEFAULT_WARPS)]
        found[function.name] = tuple(_kernel(function, warps) for warps in chosen)
    return found


def plan_only(obligations: tuple[Obligation, ...]) -> tuple[Obligation, ...]:
    """Return what is asked of the plan alone."""
    return tuple(one for one in obligations if one.family in OF_A_PLAN)


def _kernel(function: Function, warps: Const) -> Kernel:
    topology = function.topology or "GPU"
    body = Spawn(topology, warps, (), (), function.body, tiled=True, span=function.span)
    return Kernel(function, body, (), 0)


def _warps(module: Module) -> dict[str, set[Term]]:
    """The warps of the kernels that reach each function by calls."""
    functions = {function.name: function for function in module.functions}
    found: dict[str, set[Term]] = {}
    for function in module.functions:
        for kernel in kernels(function):
            work = list(_callees(kernel.spawn.body))
            seen: set[str] = set()
            while work:
                name = work.pop()
                if name in seen or name not in functions:
                    continue
                seen.add(name)
                found.setdefault(name, set()).add(kernel.spawn.warps)
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
