"""Checks of a merged machine: containment, scopes, capacities, what topologies see and reach."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vxproof.diagnostics import Label, Span
from vxproof.frontend import ast
from vxproof.frontend.place_fields import SCOPES, Findings
from vxproof.ir.machine_query import HOST, reachable, sees
from vxproof.ir.module import Machine, Space

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from vxproof.frontend.machine_places import Builtins


def check_machine(
    machine: Machine,
    memories: Mapping[str, ast.MemoryItem],
    processors: Mapping[str, ast.TopologyItem],
    declared: Mapping[str, int],
    builtins: Builtins,
    findings: Findings,
    *,
    has_host: bool,
) -> None:
    """Record what is wrong with a machine.

    `declared` has the capacities that items write. Whether the host reaches a topology's memory is
    asked only of a program with a host `main`: elsewhere the launcher hands the tensors over.
    """
    sizes = {
        name: size
        for name in machine.spaces
        if (size := _size(name, declared, builtins)) is not None
    }
    circular: set[str] = set()
    for name, item in memories.items():
        _check_pool(name, item, declared, builtins, findings)
        if not _check_cycle(name, item, machine.spaces, circular, findings):
            _check_scope(name, item, machine.spaces, findings)
            _check_fits(name, item, machine.spaces, sizes, findings)
    for name, processor in processors.items():
        if name in machine.topologies and machine.topologies[name].span is not None:
            _check_topology(name, processor, machine, findings, has_host=has_host)


def ancestors(spaces: Mapping[str, Space], name: str) -> Iterator[Space]:
    """Yield the spaces around a space from the inside out; a cycle ends it."""
    seen = {name}
    here = spaces[name].within
    while here is not None and here not in seen and here in spaces:
        seen.add(here)
        yield spaces[here]
        here = spaces[here].within


def fit_into_parents(spaces: Mapping[str, Space]) -> dict[str, Space]:
    """Bound each of a program's own spaces by the capacities of the spaces around it."""
    return {name: _fitted(spaces, name) for name in spaces}


def _fitted(spaces: Mapping[str, Space], name: str) -> Space:
    space = spaces[name]
    if space.native is not None or space.span is None:
        return space
    for around in ancestors(spaces, name):
        if around.capacity is not None and (
            space.capacity is None or around.capacity < space.capacity
        ):
            bound = f"{around.bound}, which `{name}` lies within"
            space = replace(space, capacity=around.capacity, bound=bound)
    return space


def _size(name: str, declared: Mapping[str, int], builtins: Builtins) -> int | None:
    """The declared capacity, else the physical one: what a child is compared with."""
    pool = builtins.pool(name)
    return declared.get(name, None if pool is None else pool[0])


def _field_span(item: ast.MemoryItem, field: str) -> Span:
    match field:
        case "capacity" if item.capacity is not None:
            return item.capacity.span
        case "scope" if item.scope is not None:
            return item.scope.span
        case _ if item.within is not None:
            return item.within.span
        case _:
            return item.name.span


def _check_pool(
    name: str,
    item: ast.MemoryItem,
    declared: Mapping[str, int],
    builtins: Builtins,
    findings: Findings,
) -> None:
    pool, size = builtins.pool(name), declared.get(name)
    if pool is not None and size is not None and size > pool[0]:
        findings.add(
            "E6112",
            f"`{item.name.text}` declares {size:,} bytes, the target has {pool[0]:,}",
            _field_span(item, "capacity"),
            label=pool[1],
            help_=f"declare at most {pool[0]:,} bytes, or choose another `--target`",
        )


def _check_cycle(
    name: str,
    item: ast.MemoryItem,
    spaces: Mapping[str, Space],
    circular: set[str],
    findings: Findings,
) -> bool:
    """Tell whether a space's chain of `within` is circular; each cycle is reported once."""
    chain = [name, *(space.name for space in ancestors(spaces, name))]
    if spaces[chain[-1]].within != name or name in circular:
        return spaces[chain[-1]].within in chain
    circular.update(chain)
    findings.add(
        "E6006",
        f"`{item.name.text}` lies within itself",
        _field_span(item, "within"),
        label=" within ".join(f"`{one}`" for one in (*chain, name)),
        help_="end the chain at a space that has no `within`",
    )
    return True


def _check_scope(
    name: str, item: ast.MemoryItem, spaces: Mapping[str, Space], findings: Findings
) -> None:
    scope = spaces[name].scope
    around = next((one for one in ancestors(spaces, name) if one.scope is not None), None)
    if scope is None or around is None or around.scope is None:
        return
    if SCOPES.index(scope) < SCOPES.index(around.scope):
        findings.add(
            "E6011",
            f"`{item.name.text}` of scope `{scope}` is broader than `{around.name}` around it",
            _field_span(item, "scope"),
            label=f"`{around.name}` has scope `{around.scope}`",
            secondary=() if around.span is None else (Label(around.span, "the space around it"),),
            help_=f"write `scope: {around.scope}` or a narrower one",
        )


def _check_fits(
    name: str,
    item: ast.MemoryItem,
    spaces: Mapping[str, Space],
    sizes: Mapping[str, int],
    findings: Findings,
) -> None:
    around = next((one for one in ancestors(spaces, name) if one.name in sizes), None)
    if around is None or name not in sizes or sizes[name] <= sizes[around.name]:
        return
    findings.add(
        "E6007",
        f"`{item.name.text}` has {sizes[name]:,} bytes, `{around.name}` around it "
        f"{sizes[around.name]:,}",
        _field_span(item, "capacity"),
        label="larger than the space that it lies within",
        secondary=() if around.span is None else (Label(around.span, "the space around it"),),
        help_=f"declare at most {sizes[around.name]:,} bytes",
    )


def _check_topology(
    name: str,
    item: ast.TopologyItem,
    machine: Machine,
    findings: Findings,
    *,
    has_host: bool,
) -> None:
    memory = machine.topologies[name].memory
    if memory is None:
        return
    written = () if item.memory is None else (Label(item.memory.span, "its default space"),)
    if not sees(machine, name, memory):
        findings.add(
            "E6005",
            f"`{name}` cannot see its own default space `{memory}`",
            item.name.span,
            label="`visible` leaves it out",
            secondary=written,
            help_=f"add `Memory::{memory}` to `visible`, or choose another default",
        )
    elif has_host and not reachable(machine, HOST, memory):
        findings.add(
            "W1026",
            f"no chain of transfers leads from the host to `{memory}`, the memory of `{name}`",
            item.name.span,
            label="no input could reach it",
            secondary=written,
            help_="declare the missing `transfer Memory::A -> Memory::B`",
        )
