"""The alias graph of one function: which values and variables name the same elements.

An edge from a to b says that b names (a part of) what a names: reading, viewing, borrowing,
binding, and calls that hand a reference back. Copies (arithmetic, casts, transfers) make no edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Assign,
    Borrow,
    Call,
    Declare,
    Deref,
    If,
    Read,
    Return,
    Transpose,
    View,
)
from vxproof.ir.types import RefType
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Function, Module
    from vxproof.ir.ops import Operation

Node: TypeAlias = Value | Variable


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path: what happened, and where."""

    text: str
    span: Span


@dataclass(slots=True)
class AliasGraph:
    """Edges by source node; `returned` lists the parameters that the result may refer to."""

    edges: dict[Node, list[tuple[Node, Step]]] = field(default_factory=dict)
    returned: frozenset[int] = frozenset()

    def link(self, source: Node, target: Node, step: Step) -> None:
        """Add an edge."""
        self.edges.setdefault(source, []).append((target, step))

    def names_of(self, root: Node) -> dict[Node, tuple[Node, Step] | None]:
        """Return every node that names the root's elements, with the edge that it came by."""
        found: dict[Node, tuple[Node, Step] | None] = {root: None}
        queue = [root]
        for node in queue:
            for target, step in self.edges.get(node, ()):
                if target not in found:
                    found[target] = (node, step)
                    queue.append(target)
        return found

    def path(self, root: Node, goal: Node) -> tuple[Step, ...]:
        """Return the steps of a shortest path: the witness of an alias or escape.

        Reading a variable is no step of its own.
        """
        import networkx as nx

        graph = nx.DiGraph()
        for source, targets in self.edges.items():
            for target, step in targets:
                if not graph.has_edge(source, target):
                    graph.add_edge(source, target, step=step)
        nodes = nx.shortest_path(graph, root, goal)
        steps = [graph.edges[a, b]["step"] for a, b in pairwise(nodes)]
        return tuple(step for step in steps if step.text)


def build_graph(function: Function, returned: Mapping[str, frozenset[int]]) -> AliasGraph:
    """Build a function's alias graph; `returned` tells of callees which parameters come back."""
    graph = AliasGraph()
    out: set[int] = set()
    handed_back: list[Value] = []
    for op in walk(function.body):
        _link(graph, op, returned)
        if isinstance(op, Return) and op.value is not None:
            handed_back.append(op.value)
    for position, param in enumerate(function.params if handed_back else ()):
        names = graph.names_of(param)
        if any(value in names for value in handed_back):
            out.add(position)
    graph.returned = frozenset(out)
    return graph


def _link(graph: AliasGraph, op: Operation, returned: Mapping[str, frozenset[int]]) -> None:
    match op:
        case Read(result=result, variable=variable, span=span):
            graph.link(variable, result, Step("", span))
        case View(result=result, base=base, span=span, spelled=spelled):
            what = "indexed" if spelled == "index" else f"seen through `{spelled}`"
            graph.link(base, result, Step(what, span))
        case Transpose(result=result, value=value, span=span):
            graph.link(value, result, Step("transposed", span))
        case Borrow(result=result, of=of, span=span, mutable=mutable):
            what = "borrowed as `&mut`" if mutable else "borrowed as `&`"
            graph.link(of, result, Step(what, span))
        case Deref(result=result, ref=ref, span=span):
            graph.link(ref, result, Step("", span))
        case Declare(variable=variable, init=init, span=span) if init is not None:
            graph.link(init, variable, Step(f"bound to `{variable.name}`", span))
        case Assign(variable=variable, value=value, span=span) if isinstance(
            variable.type, RefType
        ):
            graph.link(value, variable, Step(f"bound to `{variable.name}`", span))
        case If(result=result, then_value=a, else_value=b, span=span) if result is not None:
            for arm in (a, b):
                if arm is not None:
                    graph.link(arm, result, Step("chosen by `if`", span))
        case Call(result=result, function=name, args=args, span=span):
            for position in returned.get(name, frozenset()):
                graph.link(args[position], result, Step(f"handed back by `{name}`", span))
        case _:
            pass


def module_graphs(module: Module) -> dict[str, AliasGraph]:
    """Return the alias graph of every function, callees' summaries taken to a fixpoint."""
    returned: dict[str, frozenset[int]] = {f.name: frozenset() for f in module.functions}
    graphs: dict[str, AliasGraph] = {}
    for _ in range(len(module.functions) + 1):
        changed = False
        for function in module.functions:
            graph = build_graph(function, returned)
            graphs[function.name] = graph
            if graph.returned != returned[function.name]:
                returned[function.name] = graph.returned
                changed = True
        if not changed:
            break
    return graphs
