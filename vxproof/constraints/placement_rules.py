"""The rules of placement, each with its diagnostic: routes, visibility, addressing, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label
from vxproof.ir.machine_query import (
    ListedTopology,
    resolve_space,
    resolve_topology,
    route,
    sees,
)
from vxproof.ir.types import RefType, TensorType

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Machine, Space, Topology
    from vxproof.ir.ops import MatMul
    from vxproof.ir.values import Value, Variable

REGISTERS = "RF"
"""Where a value lies that a target's threads compute and nothing has placed."""

MATRIX_UNIT_BITS = 16
"""Operands up to this size go to the matrix unit."""


class Rules:
    """Judges one event after the other; `found` has the findings, each once."""

    def __init__(self, machine: Machine) -> None:
        """Start without findings."""
        self._machine = machine
        self._found: dict[tuple[str, object, str], Diagnostic] = {}

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """The findings so far."""
        return tuple(self._found.values())

    def touch(
        self, topology: str | None, place: str | None, name: str, span: Span, access: str
    ) -> None:
        """Elements are read or written by code on a topology: E6003 where it cannot see them.

        A topology that nobody declares sees what nobody knows, and is not judged.
        """
        processor = None if topology is None else resolve_topology(self._machine, topology)
        space = None if place is None else resolve_space(self._machine, place)
        if processor is None or space is None or sees(self._machine, processor.name, space.name):
            return
        if not self._comes_through_cache(space, processor, access):
            self._invisible(space, processor, _named(name), span)

    def copy(
        self,
        topology: str | None,
        source: str | None,
        destination: str,
        value: Value,
        span: Span,
        *,
        asynchronous: bool,
    ) -> None:
        """A transfer: E6002, E6004, E6020, E6110, W1022."""
        start = self._unplaced(topology) if source is None else source
        target = resolve_space(self._machine, destination)
        origin = None if start is None else resolve_space(self._machine, start)
        if target is None or origin is None:
            return
        for space in (origin, target):
            self.reach(space.name, value.name if space is origin else "", "copy", span)
        if origin is target:
            if source is not None:
                self._add(
                    "W1022",
                    f"{_named(value.name)} is in `{target.name}` already",
                    span,
                    "copied within one space",
                    help_="use it where it is",
                )
            return
        path = route(self._machine, origin.name, target.name)
        if path is None:
            self._no_route(origin, target, span)
        elif asynchronous:
            if route(self._machine, origin.name, target.name, engine_only=True) is None:
                hop = next(edge for edge in path if not edge.copy_engine)
                self._add(
                    "E6020",
                    f"no copy engine moves data from `{hop.source}` to `{hop.destination}`",
                    span,
                    "cannot run beside the program",
                    help_=f"use `transfer(…, Memory::{target.name})`"
                    + ("" if self._machine.target else ", or add `copy_engine` to the edge"),
                )
        elif route(self._machine, origin.name, target.name, relaxed=False) is None:
            hop = next(edge for edge in path if not edge.sync)
            self._add(
                "E6004",
                f"what comes from `{hop.source}` to `{hop.destination}` may be stale when read",
                span,
                "crosses a relaxed hop",
                help_="declare the hop `sync`, or use `transfer_async` and `wait`",
            )

    def product(self, op: MatMul, operands: tuple[tuple[str, Value, str | None], ...]) -> None:
        """A matrix product: E6110 where the matrix unit, or the threads, do not reach an operand.

        Products of f32 and f64 are made by the threads, but for TF32.
        """
        for role, value, place in operands:
            space = None if place is None else resolve_space(self._machine, place)
            if space is None:
                continue
            on_unit = op.tf32 or _dtype_bits(op.a) <= MATRIX_UNIT_BITS
            self.reach(space.name, value.name, "mma" if on_unit else "copy", op.span)
            if role == "right operand" and space.columns is not None:
                self._add(
                    "E6110",
                    f"the right operand {_named(value.name)} of a product is in `{space.name}`",
                    op.span,
                    "the matrix unit reads its right operand from shared memory",
                    subject=space.name,
                    help_="transfer it to `Memory::SMEM`",
                )

    def element(self, place: str | None, value: Value, span: Span) -> None:
        """One element by its index: E6110 in tensor memory, which has no addresses of elements."""
        space = None if place is None else resolve_space(self._machine, place)
        if space is None:
            return
        if space.columns is not None:
            self._add(
                "E6110",
                f"an element of {_named(value.name)} is accessed in `{space.name}`",
                span,
                "reached by matrix products and by whole warps only",
                subject=space.name,
                help_="use tile operations, or transfer the tile to `Memory::SMEM` first",
            )
        self.reach(space.name, value.name, "copy", span)

    def reach(self, place: str | None, name: str, access: str, span: Span) -> None:
        """An access of a kind: E6110 where the space's `addressable_by` leaves it out."""
        space = None if place is None else resolve_space(self._machine, place)
        if space is None or space.addressable_by is None or access in space.addressable_by:
            return
        what = "a matrix product" if access == "mma" else "a copy or an access by threads"
        allowed = ", ".join(sorted(space.addressable_by)) or "nothing"
        self._add(
            "E6110",
            f"{what} cannot address `{space.name}`, where {_named(name)} is",
            span,
            f"`{space.name}` is addressable by {allowed}",
            secondary=_declared(space.span),
            subject=space.name,
            help_=f"transfer the tile to a space that is `addressable_by: [{access}]`",
        )

    def runs(self, name: str, bound: str, topology: str | None, span: Span) -> None:
        """A call of a function bound to a topology: E6001 where other code calls it."""
        if topology is None or topology == bound:
            return
        self._add(
            "E6001",
            f"`{name}` runs on `Topology::{bound}` and is called on `Topology::{topology}`",
            span,
            help_=f"call it in a `spawn on(Topology::{bound})`",
        )

    def placed_type(self, place: str | None, dtype: str, span: Span) -> None:
        """A tensor put in a space: E6026 where every topology that holds it lists other types."""
        space = None if place is None else resolve_space(self._machine, place)
        if space is None:
            return
        holders = [one for one in self._machine.topologies.values() if one.memory == space.name]
        lists = [one for one in holders if isinstance(one, ListedTopology)]
        if not lists or len(lists) < len(holders) or any(dtype in one.elements for one in lists):
            return
        self._add(
            "E6026",
            f"`{lists[0].name}`, whose memory `{space.name}` is, cannot represent {dtype}",
            span,
            f"its element types: {', '.join(sorted(lists[0].elements)) or 'none'}",
            secondary=_declared(lists[0].span),
            once=dtype,
            help_="convert the tensor to a listed type, or place it elsewhere",
        )

    def element_type(self, topology: str | None, dtype: str, span: Span) -> None:
        """Arithmetic on a type: E6026 where the topology lists others, at the first such place."""
        processor = None if topology is None else resolve_topology(self._machine, topology)
        if not isinstance(processor, ListedTopology) or dtype in processor.elements:
            return
        listed = ", ".join(sorted(processor.elements)) or "none"
        self._add(
            "E6026",
            f"`{processor.name}` does not compute with {dtype}",
            span,
            f"its element types: {listed}",
            secondary=_declared(processor.span),
            once=dtype,
            help_="convert the operands to a listed type",
        )

    def argument(self, param: Variable, wanted: str, given: str, value: Value) -> None:
        """An argument in another place than the parameter's: E3003."""
        want, have = resolve_space(self._machine, wanted), resolve_space(self._machine, given)
        if want is None or have is None or want is have:
            return
        self._add(
            "E3003",
            f"`{param.name}` lies in `{want.name}`, the argument in `{have.name}`",
            value.span,
            secondary=(Label(param.span, "the parameter"),),
            help_=f"pass `transfer(…, Memory::{want.name})`",
        )

    def _comes_through_cache(self, space: Space, processor: Topology, access: str) -> bool:
        """Tell whether hardware brings in, or takes back, what the topology cannot see itself.

        A built-in space is a cache only where the target or a declaration makes it one.
        """
        if space.managed != "cached" or (space.span is None and space.native is None):
            return False
        for seen in sorted(processor.visible):
            ends = (space.name, seen) if access == "read" else (seen, space.name)
            if route(self._machine, *ends) is not None:
                return True
        return False

    def _unplaced(self, topology: str | None) -> str | None:
        processor = None if topology is None else resolve_topology(self._machine, topology)
        if processor is None:
            return None
        return REGISTERS if REGISTERS in processor.visible else processor.memory

    def _invisible(self, space: Space, processor: Topology, name: str, span: Span) -> None:
        seen = ", ".join(f"`{one}`" for one in sorted(processor.visible)) or "nothing"
        ways = [
            f"transfer it to `Memory::{one}` first"
            for one in (processor.memory, *sorted(processor.visible))
            if one is not None and route(self._machine, space.name, one) is not None
        ][:1]
        if processor.span is not None:
            ways.append(f"add `Memory::{space.name}` to `visible` of `{processor.name}`")
        self._add(
            "E6003",
            f"{name} is in `{space.name}`, which `{processor.name}` cannot see",
            span,
            f"`{processor.name}` sees {seen}",
            secondary=_declared(processor.span),
            subject=space.name,
            help_=", or ".join(ways) or f"run it on a topology that sees `{space.name}`",
        )

    def _no_route(self, origin: Space, target: Space, span: Span) -> None:
        next_hops = sorted(
            {edge.destination for edge in self._machine.edges if edge.source == origin.name}
        )
        hops = ", ".join(f"`{one}`" for one in next_hops) or "nowhere"
        self._add(
            "E6002",
            f"no chain of transfers leads from `{origin.name}` to `{target.name}`",
            span,
            f"transfers from `{origin.name}` lead to {hops}",
            secondary=_declared(target.span),
            subject=origin.name,
            help_=f"declare `transfer Memory::{origin.name} -> Memory::{target.name}` in a "
            "`Topology`, or copy by way of a space that both reach",
        )

    def _add(
        self,
        code: str,
        headline: str,
        span: Span,
        label: str = "",
        *,
        secondary: tuple[Label, ...] = (),
        subject: str = "",
        once: str | None = None,
        help_: str | None = None,
    ) -> None:
        """Record a finding, the first of a code, place and subject, or of what comes `once`."""
        key = (code, span if once is None else once, subject)
        self._found.setdefault(
            key, Diagnostic(code, headline, Label(span, label), secondary=secondary, help=help_)
        )


def _named(name: str) -> str:
    return f"`{name}`" if name else "the value"


def _declared(span: Span | None) -> tuple[Label, ...]:
    return () if span is None else (Label(span, "declared here"),)


def _dtype_bits(value: Value) -> int:
    type_ = value.type.target if isinstance(value.type, RefType) else value.type
    return type_.dtype.bits if isinstance(type_, TensorType) else 0
