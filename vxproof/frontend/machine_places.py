"""Turns the built-in places of a target, or of the language, into those of a module's machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.ir.module import Edge, Space, Topology
from vxproof.target import load, places, published_places

if TYPE_CHECKING:
    from vxproof import target as facts

_WORDS = {
    "smem_optin_per_block": "opt-in shared memory per block",
    "smem_per_sm": "shared memory per SM",
    "registers_per_thread": "registers per thread",
    "registers_per_block": "registers per block",
    "registers_per_sub_partition": "registers per sub-partition",
    "register_bytes_per_sm": "register file per SM",
    "tmem.bytes_per_sm": "tensor memory per SM",
}

REGISTER_BYTES = 4


class Builtins:
    """The places that exist without a declaration, and what a target bounds them by."""

    def __init__(self, target: str | None) -> None:
        """Load those of a target, or of the language.

        Raises:
            UnknownTarget: there is no such target.
        """
        self.target = None if target is None else load(target)
        self._places = published_places() if self.target is None else places(self.target)

    @property
    def name(self) -> str:
        """The target's name, empty without a target."""
        return "" if self.target is None else self.target.name

    def space(self, name: str) -> facts.Space | None:
        """Return the facts of a built-in space, by its name or alias."""
        return self._places.space(name)

    def topology(self, name: str) -> facts.Topology | None:
        """Return the facts of a built-in topology, by its name or alias."""
        return self._places.topology(name)

    def spaces(self) -> dict[str, Space]:
        """Return the spaces by name; registers are bounded by the launch, so by nothing here."""
        return {one.name: self._space(one) for one in self._places.spaces}

    def topologies(self) -> dict[str, Topology]:
        """Return the topologies by name."""
        return {
            one.name: Topology(one.name, one.memory, frozenset(one.visible), None)
            for one in self._places.topologies
        }

    def edges(self) -> tuple[Edge, ...]:
        """Return the transfers; all of them keep what is read up to date."""
        return tuple(
            Edge(one.source, one.destination, one.cost, True, one.copy_engine)
            for one in self._places.edges
        )

    def aliases(self) -> dict[str, str]:
        """Return the name that each alias stands for."""
        spaces = {alias: one.name for one in self._places.spaces for alias in one.aliases}
        processors = {alias: one.name for one in self._places.topologies for alias in one.aliases}
        return spaces | processors

    def native(self, name: str) -> bool:
        """Tell whether a space is the target's own, and not one of the language."""
        if self.target is None or self.space(name) is None:
            return False
        return published_places().space(name) is None

    def pool(self, name: str) -> tuple[int, str] | None:
        """Return the bytes that the hardware has of a space, and their source, if it is bounded."""
        fact = self.space(name)
        if fact is None or fact.pool_bytes is None:
            return None
        return fact.pool_bytes, self._bound(fact.pool_fact)

    def limit(self, name: str, scope: str | None) -> tuple[int, str] | None:
        """Return the most bytes that one instance of a scope may have of a space, and the source.

        Registers are handed out by the thread: a warp of 32 has 32 times as many, a warpgroup 128
        times, a sub-partition and a block what the hardware gives each of them.
        """
        fact, target = self.space(name), self.target
        if fact is None or fact.limit_bytes is None or target is None:
            return None
        if fact.limit_fact != "registers_per_thread":
            return fact.limit_bytes, self._bound(fact.limit_fact)
        per_thread = fact.limit_bytes
        match scope:
            case "thread":
                return per_thread, self._bound(fact.limit_fact)
            case "warp" | "warpgroup":
                threads = target.warp_size * (1 if scope == "warp" else 4)
                return per_thread * threads, f"{self._bound(fact.limit_fact)} x {threads} threads"
            case "subcore":
                registers, source = (
                    target.registers_per_sub_partition,
                    "registers_per_sub_partition",
                )
            case _:
                registers, source = target.registers_per_block, "registers_per_block"
        return registers * REGISTER_BYTES, self._bound(source)

    def columns(self, name: str, capacity: int | None) -> int | None:
        """Return the whole columns of a capacity in tensor memory, None for other spaces."""
        fact = self.space(name)
        if self.target is None or self.target.tmem is None or fact is None or capacity is None:
            return None
        tmem = self.target.tmem
        if fact.limit_fact != "tmem.bytes_per_sm":
            return None
        return min(tmem.columns, capacity // (tmem.lanes * tmem.column_bits // 8))

    def _bound(self, fact: str) -> str:
        if self.target is None:
            return ""
        source = self.target.fact(fact).source
        return f"{self.target.name}, {_WORDS.get(fact, fact)} ({source})"

    def _space(self, fact: facts.Space) -> Space:
        native = self.native(fact.name)
        registers = fact.limit_fact == "registers_per_thread"
        limit = None if registers else self.limit(fact.name, fact.scope)
        capacity, bound = (None, "") if limit is None else limit
        columns = self.columns(fact.name, capacity)
        access = fact.addressable_by
        return Space(
            name=fact.name,
            within=fact.within,
            capacity=capacity,
            granule=fact.granule or 1,
            managed=fact.managed or "cached",
            scope=fact.scope,
            addressable_by=None if access is None else frozenset(access),
            overcommit=False,
            tile_alignment=fact.tile_align,
            bound=bound,
            native=fact.name if native else None,
            span=None,
            columns=columns,
            unit="bytes" if columns is None else "columns",
        )
