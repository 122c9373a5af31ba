"""Round trips (E6105): inside a loop, a resident's elements leave for memory and come back.

What carries elements is reading, viewing, converting, elementwise arithmetic and copies; a matrix
product, a reduction or a dot makes something new. Memory is any space that is no register file
and no tensor memory: shared, local, global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vxproof.alias.faults import Fault
from vxproof.alias.indexing import in_registers
from vxproof.alias.naming import Step
from vxproof.alias.visits import visited_once
from vxproof.diagnostics import Label
from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Assign,
    Block,
    Cast,
    Declare,
    Deref,
    Elementwise,
    For,
    If,
    LoadElement,
    Operation,
    Read,
    Semantics,
    Spawn,
    StoreElement,
    StoreTile,
    Transfer,
    TransferAsync,
    Transpose,
    View,
    Wait,
)
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.alias.indexing import IndexAnalysis
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Function, Machine

Node: TypeAlias = Value | Variable


@dataclass(frozen=True, slots=True)
class _Edge:
    target: Node
    step: Step
    memory: bool


def round_trip_faults(
    function: Function, machine: Machine, analysis: IndexAnalysis
) -> tuple[Fault, ...]:
    """Return the round trips of every resident in every loop, where it leaves for memory."""
    residents = [
        op.variable
        for op in walk(function.body)
        if isinstance(op, Declare) and op.variable.resident is not None
    ]
    if not residents:
        return ()
    faults: dict[tuple[Variable, Span], Fault] = {}
    for body, once in _loops(function.body, analysis):
        if not any(
            isinstance(op, Transfer | TransferAsync | StoreTile | StoreElement) for op in walk(body)
        ):
            continue
        edges = _edges(body, machine, analysis, once)
        for variable in residents:
            fault = _search(variable, edges, body)
            if fault is not None:
                faults.setdefault((variable, fault.span), fault)
    return tuple(faults.values())


def _loops(body: Block, analysis: IndexAnalysis) -> list[tuple[Block, frozenset[Variable]]]:
    """The bodies that repeat, with the tensors that bring nothing back from one pass to another."""
    out: list[tuple[Block, frozenset[Variable]]] = []
    for op in walk(body):
        match op:
            case For(body=inner):
                out.append((inner, visited_once(op, analysis.root)))
            case Spawn(body=inner, semantics=semantics) if Semantics.ARBITRARY in semantics:
                out.append((inner, frozenset()))
            case _:
                pass
    return out


def _is_memory(machine: Machine, place: str | None) -> bool:
    if place is None or place not in machine.spaces:
        return False
    space = machine.spaces[place]
    return not in_registers(machine, place) and space.columns is None


def _edges(
    body: Block, machine: Machine, analysis: IndexAnalysis, once: frozenset[Variable]
) -> dict[Node, list[_Edge]]:
    edges: dict[Node, list[_Edge]] = {}

    def link(source: Node, target: Node, text: str, span: Span, *, memory: bool = False) -> None:
        edges.setdefault(source, []).append(_Edge(target, Step(text, span), memory))

    for op in walk(body):
        match op:
            case Read(result=result, variable=variable, span=span):
                link(variable, result, "", span)
                root = analysis.root(result)
                if root is not None and root != variable:
                    link(root, result, "", span)
            case Declare(variable=variable, init=init, span=span) if init is not None:
                link(init, variable, "", span)
            case Assign(variable=variable, value=value, span=span):
                link(value, variable, f"assigned to `{variable.name}`", span)
            case (
                Transfer(result=result, source=source, place=place, span=span)
                | TransferAsync(result=result, source=source, place=place, span=span)
            ):
                link(
                    source,
                    result,
                    f"copied to {place}",
                    span,
                    memory=_is_memory(machine, place),
                )
            case (
                StoreTile(target=base, value=value, span=span)
                | StoreElement(base=base, value=value, span=span)
            ):
                root = analysis.root(base)
                if root is not None and root not in once:
                    link(
                        value,
                        root,
                        f"stored into `{root.name}`",
                        span,
                        memory=_holds_memory(machine, root),
                    )
            case If(result=result, then_value=a, else_value=b, span=span) if result is not None:
                for arm in (a, b):
                    if arm is not None:
                        link(arm, result, "", span)
            case _:
                for source, target, span in _carried(op):
                    link(source, target, "", span)
    return edges


def _carried(op: Operation) -> list[tuple[Value, Value, Span]]:
    match op:
        case (
            View(result=result, base=base, span=span)
            | LoadElement(result=result, base=base, span=span)
        ):
            return [(base, result, span)]
        case (
            Transpose(result=result, value=value, span=span)
            | Cast(result=result, value=value, span=span)
        ):
            return [(value, result, span)]
        case (
            Wait(result=result, token=value, span=span) | Deref(result=result, ref=value, span=span)
        ):
            return [(value, result, span)]
        case Elementwise(result=result, args=args, span=span):
            return [(arg, result, span) for arg in args]
        case _:
            return []


def _holds_memory(machine: Machine, variable: Variable) -> bool:
    type_ = getattr(variable.type, "target", variable.type)
    return _is_memory(machine, getattr(type_, "place", None))


def _search(variable: Variable, edges: dict[Node, list[_Edge]], body: Block) -> Fault | None:
    start: tuple[Node, bool] = (variable, False)
    came: dict[tuple[Node, bool], tuple[tuple[Node, bool], Step]] = {}
    queue = [start]
    seen = {start}
    for state in queue:
        node, passed = state
        for edge in edges.get(node, ()):
            after = (edge.target, passed or edge.memory)
            if edge.target == variable and after[1]:
                return _fault(variable, _path(came, state, edge.step))
            if after not in seen and edge.target != variable:
                seen.add(after)
                came[after] = (state, edge.step)
                queue.append(after)
    return None


def _path(
    came: dict[tuple[Node, bool], tuple[tuple[Node, bool], Step]],
    state: tuple[Node, bool],
    last: Step,
) -> tuple[Step, ...]:
    steps = [last]
    while state in came:
        state, step = came[state]
        steps.append(step)
    return tuple(step for step in reversed(steps) if step.text)


def _fault(variable: Variable, path: tuple[Step, ...]) -> Fault:
    through = next((s for s in path if s.text.startswith(("copied", "stored"))), path[0])
    return Fault(
        "E6105",
        variable,
        f"resident `{variable.name}` goes through memory inside the loop: {through.text}, and back",
        through.span,
        (
            Label(variable.span, f"`{variable.name}` is resident here"),
            Label(path[-1].span, "it comes back here"),
        ),
        path,
        f"keep `{variable.name}` in {variable.resident} through the loop and write it out after it",
    )
