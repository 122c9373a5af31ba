"""Questions about a machine: names and aliases, cheapest routes, what a topology sees.

Every function takes names as the source spells them, aliases included.
"""

from __future__ import annotations

import heapq

from vxproof.ir.module import Edge, Machine, Space, Topology
from vxproof.records import dataclass

HOST = "CPU"
"""The topology that a host `main` runs on."""


@dataclass(frozen=True, slots=True)
class ListedTopology(Topology):
    """A topology whose declaration lists the element types that it computes with."""

    elements: frozenset[str]


def resolve_space(machine: Machine, name: str) -> Space | None:
    """Return the space of a name or alias, None where there is none."""
    found = machine.spaces.get(name)
    return machine.spaces.get(machine.aliases.get(name, name)) if found is None else found


def resolve_topology(machine: Machine, name: str) -> Topology | None:
    """Return the topology of a name or alias, None where there is none."""
    found = machine.topologies.get(name)
    return machine.topologies.get(machine.aliases.get(name, name)) if found is None else found


def sees(machine: Machine, topology: str, space: str) -> bool:
    """Tell whether code on a topology may touch a value in a space; False for unknown names."""
    processor, memory = resolve_topology(machine, topology), resolve_space(machine, space)
    return processor is not None and memory is not None and memory.name in processor.visible


def route(
    machine: Machine,
    source: str,
    destination: str,
    *,
    relaxed: bool = True,
    engine_only: bool = False,
) -> tuple[Edge, ...] | None:
    """Return the cheapest chain of transfers from one space to another, None where there is none.

    An edge without a cost counts 1. Of chains of equal cost the one with fewer hops wins, then the
    one whose edges are declared first. The chain from a space to itself is empty. Without `relaxed`
    only edges that keep what is read up to date are taken, with `engine_only` only those whose
    copies may run beside the program.
    """
    start, goal = resolve_space(machine, source), resolve_space(machine, destination)
    if start is None or goal is None:
        return None
    queue: list[tuple[int, int, tuple[int, ...], str]] = [(0, 0, (), start.name)]
    done: set[str] = set()
    while queue:
        cost, hops, path, here = heapq.heappop(queue)
        if here == goal.name:
            return tuple(machine.edges[i] for i in path)
        if here in done:
            continue
        done.add(here)
        for i, edge in enumerate(machine.edges):
            if edge.source != here or edge.destination in done:
                continue
            if (edge.sync or relaxed) and (edge.copy_engine or not engine_only):
                step = 1 if edge.cost is None else edge.cost
                heapq.heappush(queue, (cost + step, hops + 1, (*path, i), edge.destination))
    return None


def reachable(machine: Machine, topology: str, space: str) -> bool:
    """Tell whether a chain of transfers leads from some space that a topology sees to a space."""
    processor = resolve_topology(machine, topology)
    if processor is None:
        return False
    return any(route(machine, start, space) is not None for start in sorted(processor.visible))
