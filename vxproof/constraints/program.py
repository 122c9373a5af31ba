"""Obligations of a function that no target decides: contracts to grid, the kernels' apart.

The run is linear in the size of the function; each obligation is closed over the hypotheses of the
function and what holds at its place.
"""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.alias.writes import Writes
from vxproof.constraints import arithmetic, asynchrony, contracts
from vxproof.constraints.changes import Changes
from vxproof.constraints.execute import Executor
from vxproof.constraints.grid import whole
from vxproof.constraints.hypotheses import (
    assumptions,
    branch_sizes,
    contract_divisors,
    function_hypotheses,
    hypotheses,
    tensor_of,
    vacuity,
)
from vxproof.constraints.operations import Operations
from vxproof.constraints.ranges import Ranges
from vxproof.constraints.reach import reach
from vxproof.constraints.state import State
from vxproof.constraints.values import Abstract, Int, Known, Nothing, Real, Root, ScalarRef
from vxproof.ir.machine_query import HOST
from vxproof.ir.module import Function, Module, kernels, walk
from vxproof.ir.ops import (
    Assert,
    Borrow,
    Call,
    Read,
    Semantics,
    Spawn,
)
from vxproof.ir.types import RefType, ScalarType, UnitType
from vxproof.ir.values import Variable
from vxproof.logic.obligation import Obligation
from vxproof.records import dataclass

__all__ = [
    "Analysis",
    "analyse",
    "assumptions",
    "function_hypotheses",
    "function_obligations",
    "vacuity",
]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The obligations of a function: its own, and those of each kernel in program order."""

    function: tuple[Obligation, ...]
    kernels: tuple[tuple[Obligation, ...], ...]


def function_obligations(function: Function, module: Module) -> tuple[Obligation, ...]:
    """Return every obligation of a function that no target decides, its kernels' included."""
    found = analyse(function, module)
    return (*found.function, *(one for kernel in found.kernels for one in kernel))


def analyse(function: Function, module: Module) -> Analysis:
    """Return the obligations of a function by unit: its own, and those of each kernel."""
    state = _start(function, module)
    functions = {one.name: one for one in module.functions}
    found = kernels(function)
    units = {id(kernel.spawn): kernel.index for kernel in found}
    executor = Executor(state, Operations(state, functions), Changes(), units)
    for parameter in function.params:
        state.variables[parameter.id] = _parameter(state, parameter)
    try:
        if executor.run(function.body) and isinstance(function.result, UnitType):
            contracts.at_return(state, None, function.span)
    except RecursionError:
        state.give_up(
            "E6180",
            "bounds",
            f"`{function.name}` is nested too deeply to be looked at",
            function.span,
            "the nesting of the function exceeds what the analysis follows",
        )
    arithmetic.gathered(state)
    own = [one for unit, one in state.found if unit is None]
    per_kernel = tuple(
        (
            *(one for unit, one in state.found if unit == kernel.index),
            *asynchrony.undecided(kernel.spawn.body),
        )
        for kernel in found
    )
    own += asynchrony.undecided(function.body)
    own = [*contract_divisors(function, module), *branch_sizes(function, module), *own]
    return Analysis(tuple(own), per_kernel)


def _start(function: Function, module: Module) -> State:
    base = hypotheses(function, module)
    box = base.ranges()
    writes = Writes({one.name: one for one in module.functions})
    return State(
        function,
        module,
        base,
        reach(function, module),
        Ranges(box),
        box,
        device=_on_device(function, module),
        parallel=any(
            isinstance(op, Spawn) and Semantics.PARALLEL in op.semantics
            for op in walk(function.body)
        ),
        untracked=_referenced(function),
        writes=writes,
        written=writes.of(function),
    )


def _referenced(function: Function) -> Mapping[int, Variable]:
    """The scalar variables that a mutable reference is taken of, by id."""
    origin: dict[int, Variable] = {}
    found: dict[int, Variable] = {}
    for op in walk(function.body):
        if isinstance(op, Read) and isinstance(op.variable.type, ScalarType):
            origin[op.result.id] = op.variable
        elif isinstance(op, Borrow) and op.mutable and op.of.id in origin:
            found[origin[op.of.id].id] = origin[op.of.id]
    return found


def _on_device(function: Function, module: Module) -> bool:
    """Whether a function runs on a device: by its topology, or because a kernel calls it."""
    if function.topology is not None:
        return function.topology != HOST
    if not any(isinstance(op, Assert) for op in walk(function.body)):
        return False
    called: set[str] = set()
    callers: dict[str, set[str]] = {}
    for one in module.functions:
        for op in walk(one.body):
            if isinstance(op, Call):
                callers.setdefault(op.function, set()).add(one.name)
            elif isinstance(op, Spawn):
                called |= {inner.function for inner in walk(op.body) if isinstance(inner, Call)}
    device = {one.name for one in module.functions if one.topology not in {None, HOST}}
    work, seen = [function.name], set[str]()
    while work:
        name = work.pop()
        if name in called or name in device:
            return True
        if name not in seen:
            seen.add(name)
            work.extend(callers.get(name, ()))
    return False


def _parameter(state: State, variable: Variable) -> Abstract:
    tensor = tensor_of(variable.type)
    if tensor is not None:
        mutable = isinstance(variable.type, RefType) and variable.type.mutable
        name, where = variable.name, variable.span
        layout = tensor.layout
        read_only = not mutable and variable.id not in state.written
        root = Root(name, where, tensor.dtype, tensor.shape, 0, layout, input=read_only)
        return whole(root)
    if isinstance(variable.type, RefType):
        return ScalarRef(None)
    if not isinstance(variable.type, ScalarType):
        return Nothing()
    dtype = variable.type.dtype
    if dtype.is_integer:
        return Int(variable.symbol)
    if dtype.is_float:
        return Real(Known.INPUT)
    return state.unknown(dtype, variable.symbol.name, variable.name, None)
