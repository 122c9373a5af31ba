"""The machine of a program: the target's places, or the language's, merged with its own items.

An item of a built-in name or alias refines that place: what it does not write is inherited. The
capacity of a space is the smallest of what the item declares, what one instance of its scope may
have on the target, and what the space around it has.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from math import lcm
from typing import TYPE_CHECKING, TypeVar

from vxproof.diagnostics import Diagnostic, Label, Severity
from vxproof.frontend import ast
from vxproof.frontend.machine_places import Builtins
from vxproof.frontend.place_checks import check_machine, fit_into_parents
from vxproof.frontend.place_fields import (
    SCOPES,
    Findings,
    MemoryFields,
    read_cost,
    read_edge_words,
    read_elements,
    read_memory,
)
from vxproof.ir.machine_query import ListedTopology
from vxproof.ir.module import Edge, Machine, Space, Topology

if TYPE_CHECKING:
    from collections.abc import Mapping

_MACHINES_OWN = frozenset({"HBM", "L2", "SMEM", "RF", "TMEM"})
_UNDESCRIBED = Space("", None, None, 1, "cached", None, None, False, 1, "", None, None)
_Item = TypeVar("_Item", ast.MemoryItem, ast.TopologyItem)


def build_machine(
    program: ast.Program, target: str | None
) -> tuple[Machine, tuple[Diagnostic, ...]]:
    """Merge the built-in places with a program's `Memory` and `Topology` items.

    The diagnostics are errors and warnings, in source order; with an error among them the machine
    is only good for finding more errors.

    Raises:
        UnknownTarget: there is no such target.
    """
    return _Merge(program, Builtins(target)).machine(target)


class _Merge:
    """One program's places on their way into a machine."""

    def __init__(self, program: ast.Program, builtins: Builtins) -> None:
        self.builtins = builtins
        self.findings = Findings()
        self.aliases = builtins.aliases()
        self.main_file = program.span.file
        self.has_host = any(function.name.text == "main" for function in program.functions)
        self.memories = self._by_place(
            tuple(item for item in program.items if isinstance(item, ast.MemoryItem)), self.aliases
        )
        # An old spelling of a built-in topology is a free name for a declaration.
        self.processors = self._by_place(
            tuple(item for item in program.items if isinstance(item, ast.TopologyItem)), {}
        )
        self.spaces = builtins.spaces()
        self._introduce()
        self.known = frozenset(self.spaces) | frozenset(self.memories)

    def machine(self, target: str | None) -> tuple[Machine, tuple[Diagnostic, ...]]:
        builtins = self.builtins
        declared: dict[str, int] = {}
        for name, item in self.memories.items():
            fields = read_memory(item, self.findings)
            self.spaces[name] = self._space(name, item, fields)
            if fields.capacity is not None:
                declared[name] = fields.capacity
        topologies, edges = builtins.topologies(), builtins.edges()
        for name, processor in self.processors.items():
            if self._shadows(processor):
                continue
            topologies[name] = self._topology(name, processor, topologies.get(name))
            edges += tuple(e for edge in processor.transfers for e in self._edge(edge))
        machine = Machine(target, self.spaces, topologies, edges, self.aliases)
        check_machine(
            machine,
            self.memories,
            self.processors,
            declared,
            builtins,
            self.findings,
            has_host=self.has_host,
        )
        found = tuple(sorted(self.findings.found, key=_position))
        if not any(one.info.severity is Severity.ERROR for one in found):
            machine = replace(machine, spaces=fit_into_parents(self.spaces))
        return machine, found

    def _introduce(self) -> None:
        """Add the spaces that topologies hold and nobody describes, with the defaults."""
        for item in self.processors.values():
            for ref in (*((item.memory,) if item.memory else ()), *(item.visible or ())):
                name = self.aliases.get(ref.name, ref.name)
                if name not in self.memories and name not in self.spaces and self._is_free(name):
                    self.spaces[name] = replace(_UNDESCRIBED, name=name)

    def _is_free(self, name: str) -> bool:
        """Tell whether a name is no target's own and no slip of the pen for a known space."""
        known = sorted({*self.spaces, *self.memories, *self.aliases})
        return name not in _MACHINES_OWN and not get_close_matches(name, known, n=1, cutoff=0.8)

    def _by_place(self, items: tuple[_Item, ...], aliases: Mapping[str, str]) -> dict[str, _Item]:
        """Key items by the place that their name stands for, the first of each place only."""
        kept: dict[str, _Item] = {}
        for item in items:
            name = aliases.get(item.name.text, item.name.text)
            first = kept.setdefault(name, item)
            if first is not item:
                self._twice(item.name, first.name)
        return kept

    def _twice(self, again: ast.Name, first: ast.Name) -> None:
        other_file = again.span.file != first.span.file
        if other_file and first.span.file == self.main_file:
            again, first = first, again
        same = again.text == first.text
        self.findings.add(
            "E6012" if other_file else "E1003",
            f"`{again.text}` is declared twice"
            if same
            else f"`{again.text}` and `{first.text}` name the same place, declared twice",
            again.span,
            label="declared here" if other_file else "declared again",
            secondary=(Label(first.span, "and here" if other_file else "first declared here"),),
            help_="keep one declaration",
        )

    def _shadows(self, item: ast.TopologyItem) -> bool:
        builtin = self.builtins.topology(item.name.text)
        if builtin is None or not builtin.published or builtin.name != item.name.text:
            return False
        self.findings.add(
            "E6016",
            f"`{item.name.text}` is a built-in topology",
            item.name.span,
            label="may not be declared",
            help_="choose another name; memory spaces may be refined, this may not",
        )
        return True

    def _resolve(self, ref: ast.MemoryRef) -> str | None:
        name = self.aliases.get(ref.name, ref.name)
        if name in self.known:
            return name
        near = get_close_matches(ref.name, sorted(self.known | set(self.aliases)), n=1)
        hint = f"did you mean `Memory::{near[0]}`?" if near else f"declare `Memory {ref.name}`"
        needs_target = self.builtins.target is None and ref.name in _MACHINES_OWN
        self.findings.add(
            "E1011",
            f"unknown memory space `{ref.name}`",
            ref.span,
            label="nobody declares it",
            help_=f"declare `Memory {ref.name}`, or give a `--target` that has it"
            if needs_target
            else hint,
        )
        return None

    def _space(self, name: str, item: ast.MemoryItem, fields: MemoryFields) -> Space:
        base = self.spaces.get(name)
        if base is None:
            base = replace(_UNDESCRIBED, name=name)
        scope = fields.scope or base.scope
        self._keeps_scope(item, base, scope)
        capacity, bound = base.capacity, base.bound
        if fields.capacity is not None:
            written = item.capacity or item.name
            capacity = fields.capacity
            bound = f"declared capacity of `{item.name.text}`, line {written.span.line}"
            limit = self.builtins.limit(name, scope)
            if limit is not None and limit[0] < capacity:
                capacity, bound = limit
        columns = self.builtins.columns(name, capacity)
        return replace(
            base,
            within=base.within if item.within is None else self._resolve(item.within),
            capacity=capacity,
            granule=lcm(fields.granule or 1, base.granule),
            managed=fields.managed or base.managed,
            scope=scope,
            addressable_by=base.addressable_by
            if fields.addressable_by is None
            else fields.addressable_by,
            overcommit=item.overcommit,
            bound=bound,
            span=item.name.span,
            columns=columns,
            tile=fields.tile,
        )

    def _keeps_scope(self, item: ast.MemoryItem, base: Space, scope: str | None) -> None:
        """Refuse an instance for each thread of what the target has once a block, or the like."""
        if base.native is None or base.scope is None or scope is None or item.scope is None:
            return
        if SCOPES.index(scope) > SCOPES.index(base.scope):
            self.findings.add(
                "E6011",
                f"`{item.name.text}` of {self.builtins.name} has scope `{base.scope}`, "
                f"which `{scope}` contradicts",
                item.scope.span,
                label=f"one `{base.scope}` shares it",
                help_=f"write `scope: {base.scope}`, or leave the field out",
            )

    def _topology(self, name: str, item: ast.TopologyItem, base: Topology | None) -> Topology:
        memory = None if base is None else base.memory
        visible = frozenset[str]() if base is None else base.visible
        if item.memory is not None:
            memory = self._resolve(item.memory)
            if base is None and item.visible is None and memory is not None:
                visible = frozenset({memory})
        if item.visible is not None:
            seen = tuple(self._resolve(ref) for ref in item.visible)
            visible = frozenset(one for one in seen if one is not None)
            if None in seen and memory is not None:
                visible |= {memory}  # what is misspelt may be it
            if item.memory is None and memory is None and seen:
                memory = seen[0]
        elements = read_elements(item, self.findings)
        if elements is None:
            return Topology(name, memory, visible, item.name.span)
        return ListedTopology(name, memory, visible, item.name.span, elements)

    def _edge(self, edge: ast.TransferEdge) -> tuple[Edge, ...]:
        source, destination = self._resolve(edge.source), self._resolve(edge.destination)
        cost = read_cost(edge, self.findings)
        sync, copy_engine = read_edge_words(edge, self.findings)
        if not sync:
            self.findings.add(
                "W1027",
                f"the transfer from `{edge.source.name}` to `{edge.destination.name}` is relaxed",
                edge.span,
                label="what is read over it may be older",
                help_="write `sync` unless every reader waits",
            )
        if source is None or destination is None:
            return ()
        engine = copy_engine and self._engine_exists(source, destination)
        return (Edge(source, destination, cost, sync, engine),)

    def _engine_exists(self, source: str, destination: str) -> bool:
        """Tell whether the hardware could run such a copy beside a program.

        Between two spaces of the target only the target can tell; a declaration adds nothing.
        """
        if not (self.builtins.native(source) and self.builtins.native(destination)):
            return True
        return any(
            edge.copy_engine
            for edge in self.builtins.edges()
            if (edge.source, edge.destination) == (source, destination)
        )


def _position(finding: Diagnostic) -> tuple[str, int]:
    if finding.primary is None:
        return "", 0
    return finding.primary.span.file, finding.primary.span.start
