"""Re-executes counterexamples of bounds and grid obligations on the reference meaning of the IR.

The witness of a bounds obligation has to reach the access and leave its base; that of a grid
obligation has to make two points touch one element of one tensor, one of them writing it.
"""

from __future__ import annotations

from vxproof.interp.inputs import Inputs
from vxproof.interp.places import Access, Check, common_element
from vxproof.interp.sizes import Unsized, truth
from vxproof.interp.trace import NotReached, Trace
from vxproof.ir.module import Function, Module, kernels
from vxproof.logic.obligation import Obligation, Origin, Symbol

SECOND = "@2"
"""Ending of the names of the second grid point's symbols."""

Witness = tuple[tuple[str, int], ...]


def replay(module: Module, obligation: Obligation, witness: Witness) -> str | None:
    """Return what a re-execution saw, None where the fault did not show."""
    match obligation.subject:
        case ("access", int(start), int(end), int(axis)):
            return _access(module, obligation, dict(witness), (start, end), axis)
        case ("grid", int(_), int(first), int(second), str(name)):
            return _grid(module, obligation, dict(witness), (first, second), name)
        case _:
            return None


def _function(module: Module, start: int) -> Function | None:
    holders = [f for f in module.functions if f.span.start <= start]
    return max(holders, key=lambda f: f.span.start, default=None)


def _admitted(function: Function, values: dict[str, int]) -> bool:
    try:
        return all(truth(clause.formula, values) for clause in function.requires)
    except Unsized:
        return False


def _value(symbol: Symbol, values: dict[str, int]) -> int:
    if symbol.name in values:
        return values[symbol.name]
    return max(0 if symbol.lo is None else symbol.lo, 0)


def _trace(
    function: Function,
    obligation: Obligation,
    values: dict[str, int],
    target: int,
    first: Trace | None = None,
) -> Trace | None:
    """Run to a statement; with the run of the first grid point, as the second one of the pair."""
    second = first is not None
    chosen: dict[str, int] = {}
    point: list[int] = []
    names = {symbol.name for symbol in obligation.symbols}
    for symbol in obligation.symbols:
        base = symbol.name.removesuffix(SECOND)
        if symbol.name.endswith(SECOND) and base in names:
            continue
        twin = f"{symbol.name}{SECOND}"
        name = twin if second and twin in names else symbol.name
        value = values.get(name, _value(symbol, values))
        if symbol.origin is Origin.GRID:
            axis = axis_of(symbol)
            point += [0] * (axis + 1 - len(point))
            point[axis] = value
        chosen[base] = value
    rank = max((len(point), *_ranks(function)), default=0)
    point += [0] * (rank - len(point))
    inputs = Inputs() if first is None else first.inputs
    trace = Trace(function, values, chosen, tuple(point), target, inputs)
    try:
        trace.run()
    except (NotReached, Unsized):
        return None
    return trace


def axis_of(symbol: Symbol) -> int:
    """Return the grid axis that a symbol stands for: the number in a name such as `grid2`."""
    digits = symbol.name.removesuffix(SECOND).partition(".")[0].removeprefix("grid")
    return int(digits)


def _ranks(function: Function) -> list[int]:
    return [len(kernel.spawn.grid) for kernel in kernels(function)]


def _access(
    module: Module, obligation: Obligation, values: dict[str, int], span: tuple[int, int], axis: int
) -> str | None:
    function = _function(module, span[0])
    if function is None or not _admitted(function, values):
        return None
    trace = _trace(function, obligation, values, span[0])
    if trace is None:
        return None
    for check in trace.checks:
        if (check.span.start, check.span.end) == span and _fails(check, axis):
            one = check.positions[axis]
            last = one.start + one.size - 1
            return (
                f"the reference interpreter touches elements {one.start} to {last} of axis {axis}, "
                f"which has {one.extent}"
            )
    return None


def _fails(check: Check, axis: int) -> bool:
    return axis < len(check.positions) and check.positions[axis].outside


def _grid(
    module: Module,
    obligation: Obligation,
    values: dict[str, int],
    spans: tuple[int, int],
    name: str,
) -> str | None:
    function = _function(module, spans[0])
    if function is None or not _admitted(function, values):
        return None
    first = _trace(function, obligation, values, spans[0])
    if first is None:
        return None
    second = _trace(function, obligation, values, spans[1], first)
    if second is None or first.point == second.point:
        return None
    for one in _at(first, spans[0]):
        for two in _at(second, spans[1]):
            if not (one.write or two.write):
                continue
            element = common_element(one, two)
            if element is not None:
                where = "".join(f"[{index}]" for index in element)
                return (
                    f"the reference interpreter sees points {list(first.point)} and "
                    f"{list(second.point)} touch `{name}{where}`"
                )
    return None


def _at(trace: Trace, start: int) -> list[Access]:
    return [access for access in trace.accesses if access.span.start == start]
