"""The memory spaces, topologies and transfer edges that exist without being declared.

`published_places` are those of the language itself; `places` adds what a target brings. Both are
plain data: who may refine what, and which code a misuse gets, is decided where programs are read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from vxproof.records import dataclass
from vxproof.target.target import Target

Managed = Literal["explicit", "cached"]
Scope = Literal["device", "cluster", "sm", "cta", "warpgroup", "subcore", "warp", "thread"]
Access = Literal["mma", "copy"]


@dataclass(frozen=True, slots=True)
class Space:
    """A memory space.

    Attributes:
        name: The name in the source; `aliases` mean the same space.
        within: The space that contains it.
        pool_bytes: What one machine instance has physically, an SM for SMEM, RF and TMEM; None
            where no bound is known. A declaration above it is impossible on the target.
        pool_fact: The fact that `pool_bytes` is taken from.
        limit_bytes: What one instance of `scope` may have at most: a block of SMEM and TMEM, a
            thread of RF. It never exceeds `pool_bytes`.
        limit_fact: The fact that `limit_bytes` is taken from.
        granule: Bytes that a tile is rounded up to. For TMEM it is one column of all lanes, which
            rounds too little for a tile of fewer rows: count columns there.
        managed: Who decides what is in it; None where nothing is said.
        scope: Who shares one instance; None where nothing is said.
        addressable_by: Operations that reach it; None for all.
        tile_align: Bytes at whose multiples a tile starts.
        swizzled_align: The same where a swizzled matrix operand or a tensor copy needs more.
    """

    name: str
    aliases: tuple[str, ...] = ()
    within: str | None = None
    pool_bytes: int | None = None
    pool_fact: str = ""
    limit_bytes: int | None = None
    limit_fact: str = ""
    granule: int | None = None
    managed: Managed | None = None
    scope: Scope | None = None
    addressable_by: tuple[Access, ...] | None = None
    tile_align: int = 1
    swizzled_align: int = 1

    @property
    def holds_loop_values(self) -> bool:
        """Whether a value can stay in it across iterations: explicit, and private to a block."""
        return self.managed == "explicit" and self.scope not in (None, "device", "cluster")


@dataclass(frozen=True, slots=True)
class Topology:
    """A processor. `memory` is its default space; `published` names may not be declared again."""

    name: str
    memory: str
    visible: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    copy_engine: bool = False
    published: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """A transfer that `topology` makes.

    `cost` is relative, None where nothing is said of it; `copy_engine` says whether the copy may
    run beside the program.
    """

    source: str
    destination: str
    topology: str
    cost: int | None = None
    copy_engine: bool = False


@dataclass(frozen=True, slots=True)
class MachinePlaces:
    """The built-in places; `target` is None without a target."""

    target: str | None
    spaces: tuple[Space, ...]
    topologies: tuple[Topology, ...]
    edges: tuple[Edge, ...]

    def space(self, name: str) -> Space | None:
        """The space of that name or alias."""
        return next((s for s in self.spaces if name == s.name or name in s.aliases), None)

    def topology(self, name: str) -> Topology | None:
        """The topology of that name or alias."""
        return next((t for t in self.topologies if name == t.name or name in t.aliases), None)


def published_places() -> MachinePlaces:
    """The places of the language, with the transfers and relative costs of published Vx."""
    return MachinePlaces(
        target=None,
        spaces=(
            Space("CPU_DRAM", aliases=("Host_DRAM",)),
            Space("GPU_HBM"),
            Space("NPU_HBM"),
            Space("Local_SRAM"),
            Space("NIC_RAM"),
            Space("Remote_HBM"),
        ),
        topologies=(
            _published("CPU", "CPU_DRAM", "NPU_HBM", aliases=("Host",)),
            _published("GPU", "GPU_HBM", "CPU_DRAM"),
            _published("NPU", "NPU_HBM"),
            _published("AccCore", "Local_SRAM"),
            _published("AMX", "CPU_DRAM"),
            _published("ANE", "NPU_HBM"),
        ),
        edges=(
            *_both_ways("CPU_DRAM", "NPU_HBM", topology="CPU", cost=50),
            *_both_ways("CPU_DRAM", "GPU_HBM", topology="GPU", cost=50),
            *_both_ways("NPU_HBM", "Local_SRAM", topology="AccCore", cost=10),
            Edge("CPU_DRAM", "Remote_HBM", topology="CPU", cost=300),
            Edge("NPU_HBM", "NIC_RAM", topology="NPU", cost=5),
            Edge("NIC_RAM", "Remote_HBM", topology="NPU", cost=20),
        ),
    )


def places(target: Target) -> MachinePlaces:
    """The published places and those of `target`, whose HBM takes the place of GPU_HBM."""
    base = published_places()
    machine = _machine_spaces(target)
    device = tuple(space.name for space in machine)
    engine = target.has_copy_engine
    gpu = Topology("GPU", "HBM", ("HBM", "CPU_DRAM", *device[1:]), (), engine, published=True)
    cores = [Topology("TensorCore", "HBM", device, (), engine)]
    if target.has_tmem:
        cores.append(Topology("TensorCore5", "HBM", device, (), engine))
    return MachinePlaces(
        target=target.name,
        spaces=(*(space for space in base.spaces if space.name != "GPU_HBM"), *machine),
        topologies=(*(gpu if top.name == "GPU" else top for top in base.topologies), *cores),
        edges=(
            *(_renamed(edge) for edge in base.edges),
            Edge("HBM", "SMEM", topology="GPU", copy_engine=engine),
            Edge("SMEM", "HBM", topology="GPU"),
            *_both_ways("HBM", "RF", topology="GPU"),
            *_both_ways("SMEM", "RF", topology="GPU"),
            *(_tmem_edges() if target.has_tmem else ()),
        ),
    )


def _machine_spaces(target: Target) -> tuple[Space, ...]:
    spaces = [
        Space("HBM", aliases=("GPU_HBM",), managed="explicit", scope="device"),
        Space("L2", within="HBM", managed="cached", scope="device"),
        Space(
            "SMEM",
            within="L2",
            pool_bytes=target.smem_per_sm,
            pool_fact="smem_per_sm",
            limit_bytes=target.smem_optin_per_block,
            limit_fact="smem_optin_per_block",
            managed="explicit",
            scope="cta",
            tile_align=target.smem_tile_align,
            swizzled_align=target.smem_swizzled_tile_align,
        ),
        Space(
            "RF",
            within="L2",
            pool_bytes=target.register_bytes_per_sm,
            pool_fact="register_bytes_per_sm",
            limit_bytes=4 * target.registers_per_thread,
            limit_fact="registers_per_thread",
            managed="explicit",
            scope="thread",
        ),
    ]
    if target.tmem is not None:
        tmem = target.tmem
        spaces.append(
            Space(
                "TMEM",
                within="L2",
                pool_bytes=tmem.bytes_per_sm,
                pool_fact="tmem.bytes_per_sm",
                limit_bytes=tmem.bytes_per_sm,
                limit_fact="tmem.bytes_per_sm",
                granule=tmem.lanes * tmem.column_bits // 8,
                managed="explicit",
                scope="cta",
                addressable_by=("mma", "copy"),
            )
        )
    return tuple(spaces)


def _tmem_edges() -> tuple[Edge, ...]:
    return (*_both_ways("RF", "TMEM", topology="GPU"), Edge("SMEM", "TMEM", topology="GPU"))


def _published(name: str, *visible: str, aliases: tuple[str, ...] = ()) -> Topology:
    """A topology of the language; the first space that it sees is its own."""
    return Topology(name, visible[0], visible, aliases, published=True)


def _both_ways(a: str, b: str, topology: str, cost: int | None = None) -> tuple[Edge, Edge]:
    return Edge(a, b, topology, cost), Edge(b, a, topology, cost)


def _renamed(edge: Edge) -> Edge:
    """The edge with HBM for GPU_HBM."""
    names = {"GPU_HBM": "HBM"}
    return replace(
        edge,
        source=names.get(edge.source, edge.source),
        destination=names.get(edge.destination, edge.destination),
    )
