"""Machines of programs: built-in places, refinement, bounds, and the code of each misuse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest

from vxproof.diagnostics import Diagnostic, Severity, Source, Span
from vxproof.frontend import ast
from vxproof.frontend.places import build_machine
from vxproof.ir.machine_query import resolve_space, resolve_topology, route, sees
from vxproof.ir.module import Machine, Space

KB = 1024
TEXT = "\n".join("x" * 100 for _ in range(100))
SOURCE = Source("k.vx", TEXT)


def at(line: int) -> Span:
    """A span on a line."""
    return SOURCE.span((line - 1) * 101, (line - 1) * 101 + 5)


def name(text: str, line: int = 1) -> ast.Name:
    return ast.Name(text, at(line))


def ref(text: str, line: int = 1) -> ast.MemoryRef:
    return ast.MemoryRef(text, at(line))


def size(number: int | Fraction, unit: str = "", line: int = 1) -> ast.Quantity:
    return ast.Quantity(Fraction(number), unit, at(line))


def memory(
    title: str,
    line: int = 1,
    *,
    within: str | None = None,
    capacity: ast.Quantity | None = None,
    granule: ast.Quantity | None = None,
    bandwidth: ast.Quantity | None = None,
    managed: str | None = None,
    scope: str | None = None,
    access: Iterable[str] | None = None,
    crossing: str | None = None,
    tile: tuple[ast.Expr, ...] | None = None,
) -> ast.MemoryItem:
    return ast.MemoryItem(
        name=name(title, line),
        within=None if within is None else ref(within, line),
        capacity=capacity,
        granule=granule,
        managed=None if managed is None else name(managed, line),
        scope=None if scope is None else name(scope, line),
        addressable_by=None if access is None else tuple(name(word, line) for word in access),
        tile=tile,
        bandwidth=bandwidth,
        clock=None,
        replicas=None,
        shared_with=None,
        crossing=None if crossing is None else name(crossing, line),
        overcommit=False,
        span=at(line),
    )


def transfer(source: str, destination: str, *words: str, cost: int = 1) -> ast.TransferEdge:
    return ast.TransferEdge(
        ref(source), ref(destination), size(cost), tuple(name(word) for word in words), at(1)
    )


def topology(
    title: str,
    *,
    memory: str | None = None,
    visible: Iterable[str] | None = None,
    transfers: tuple[ast.TransferEdge, ...] = (),
) -> ast.TopologyItem:
    return ast.TopologyItem(
        name=name(title),
        memory=None if memory is None else ref(memory),
        visible=None if visible is None else tuple(ref(one) for one in visible),
        arch=None,
        dtypes=None,
        transfers=transfers,
        span=at(1),
    )


def build(*items: ast.Item, target: str | None = None) -> tuple[Machine, tuple[Diagnostic, ...]]:
    return build_machine(ast.Program(items, at(1)), target)


def clean(*items: ast.Item, target: str | None = None) -> Machine:
    machine, found = build(*items, target=target)
    assert [one.code for one in found if one.info.severity is not Severity.WARNING] == []
    return machine


def codes(*items: ast.Item, target: str | None = None) -> list[str]:
    return [one.code for one in build(*items, target=target)[1]]


def space(machine: Machine, title: str) -> Space:
    found = resolve_space(machine, title)
    assert found is not None
    return found


def test_without_a_target_the_published_places_exist_under_old_spellings_too() -> None:
    machine = clean()
    assert space(machine, "Host_DRAM").name == "CPU_DRAM"
    assert resolve_space(machine, "SMEM") is None
    host = resolve_topology(machine, "Host")
    assert host is not None
    assert host.name == "CPU"
    assert space(machine, "GPU_HBM").managed == "cached"
    assert sees(machine, "GPU", "CPU_DRAM")
    assert not sees(machine, "CPU", "GPU_HBM")


def test_a_target_brings_its_own_spaces_and_keeps_the_hosts() -> None:
    machine = clean(target="sm_90a")
    smem = space(machine, "SMEM")
    assert (smem.capacity, smem.scope, smem.tile_alignment) == (232448, "cta", 128)
    assert "sm_90a, opt-in shared memory per block" in smem.bound
    assert space(machine, "GPU_HBM").native == "HBM"
    assert space(machine, "CPU_DRAM").native is None
    assert resolve_space(machine, "TMEM") is None
    assert resolve_topology(machine, "TensorCore5") is None
    assert sees(machine, "GPU", "SMEM")


def test_registers_are_bounded_only_by_a_declaration() -> None:
    assert space(clean(target="sm_90a"), "RF").capacity is None
    item = memory("RF", 3, capacity=size(256, "KB", 3), scope="warpgroup")
    declared = space(clean(item, target="sm_90a"), "RF")
    assert declared.capacity == 255 * 4 * 128
    assert "128 threads" in declared.bound


def test_tensor_memory_counts_columns() -> None:
    tmem = space(clean(target="sm_100a"), "TMEM")
    assert (tmem.columns, tmem.unit, tmem.granule) == (512, "columns", 512)
    half = clean(memory("TMEM", capacity=size(128, "KB")), target="sm_100a")
    assert space(half, "TMEM").columns == 256
    fine = clean(memory("TMEM", granule=size(96)), target="sm_100a")
    assert space(fine, "TMEM").granule == 1536


def test_refinement_inherits_what_is_not_written_and_names_the_bound_that_won() -> None:
    small = memory("SMEM", 3, capacity=size(64, "KB", 3), granule=size(1, "KB", 3))
    smem = space(clean(small, target="sm_90a"), "SMEM")
    assert (smem.capacity, smem.granule, smem.scope, smem.within) == (64 * KB, KB, "cta", "L2")
    assert smem.bound == "declared capacity of `SMEM`, line 3"
    whole = memory("SMEM", 3, capacity=size(228, "KB", 3), scope="sm")
    smem = space(clean(whole, target="sm_90a"), "SMEM")
    assert (smem.capacity, smem.scope) == (232448, "sm")
    assert smem.bound.startswith("sm_90a")


def test_an_alias_refines_the_space_that_it_names() -> None:
    machine = clean(memory("GPU_HBM", capacity=size(40, "GiB")), target="sm_80")
    assert space(machine, "HBM").capacity == 40 * KB**3
    assert space(machine, "HBM").native == "HBM"


def test_own_spaces_have_the_languages_defaults() -> None:
    own = space(clean(memory("Buf", 7, capacity=size(4, "KB", 7))), "Buf")
    assert (own.capacity, own.granule, own.managed, own.scope) == (4 * KB, 1, "cached", None)
    assert own.bound == "declared capacity of `Buf`, line 7"
    assert own.native is None


def test_a_topology_declares_the_spaces_that_it_holds() -> None:
    machine = clean(topology("Island", memory="Lagoon", visible=("Lagoon", "CPU_DRAM")))
    held = space(machine, "Lagoon")
    assert (held.capacity, held.managed, held.scope) == (None, "cached", None)


def test_an_old_spelling_of_a_built_in_topology_may_be_declared() -> None:
    machine = clean(topology("Host", memory="CPU_DRAM"))
    assert machine.topologies["Host"].visible == {"CPU_DRAM"}
    assert "NPU_HBM" in machine.topologies["CPU"].visible


def test_an_own_space_never_holds_more_than_the_space_around_it() -> None:
    stage = memory("Stage", within="SMEM", capacity=size(228, "KB"), scope="cta")
    assert space(clean(stage, target="sm_90a"), "Stage").capacity == 232448


@pytest.mark.parametrize(
    ("items", "target", "code"),
    [
        ((memory("A", within="Nope"),), None, "E1011"),
        ((topology("T", memory="GPU_HBN"),), None, "E1011"),
        ((topology("T", memory="SMEM"),), None, "E1011"),
        ((topology("T", transfers=(transfer("CPU_DRAM", "Nope"),)),), None, "E1011"),
        ((memory("A"), memory("A", 2)), None, "E1003"),
        ((memory("CPU_DRAM"), memory("Host_DRAM", 2)), None, "E1003"),
        (
            (memory("A", within="B"), memory("B", within="C"), memory("C", within="B")),
            None,
            "E6006",
        ),
        ((memory("A", within="A"),), None, "E6006"),
        (
            (memory("A", capacity=size(1)), memory("B", within="A", capacity=size(2))),
            None,
            "E6007",
        ),
        ((memory("A", capacity=size(0)),), None, "E6008"),
        ((memory("A", granule=size(-1, "KB")),), None, "E6008"),
        ((memory("A", bandwidth=size(0, "GB/s")),), None, "E6008"),
        ((memory("A", tile=(ast.IntLit(0, None, at(1)),)),), None, "E6008"),
        ((memory("A", scope="warp"), memory("B", within="A", scope="cta")), None, "E6011"),
        ((memory("SMEM", scope="warp"),), "sm_90a", "E6011"),
        ((memory("HBM", scope="sm"),), "sm_90a", "E6011"),
        ((topology("GPU"),), None, "E6016"),
        ((topology("CPU"),), "sm_90a", "E6016"),
        ((memory("SMEM", capacity=size(229, "KB")),), "sm_90a", "E6112"),
        ((memory("SMEM", capacity=size(101, "KB")),), "sm_86", "E6112"),
        ((memory("RF", capacity=size(257, "KB")),), "sm_90a", "E6112"),
        ((topology("T", memory="CPU_DRAM", visible=("GPU_HBM",)),), None, "E6005"),
        ((memory("A", scope="block"),), None, "E3002"),
        ((memory("A", managed="hand"),), None, "E3002"),
        ((memory("A", access=("mma", "tma")),), None, "E3002"),
        ((memory("A", crossing="jumping"),), None, "E3002"),
        ((memory("A", capacity=size(3, "GB/s")),), None, "E3002"),
        ((memory("A", capacity=size(Fraction(1, 3))),), None, "E3002"),
        (
            (topology("T", transfers=(transfer("CPU_DRAM", "GPU_HBM", "fast"),)),),
            None,
            "E3002",
        ),
        (
            (topology("T", transfers=(transfer("CPU_DRAM", "GPU_HBM", "relaxed"),)),),
            None,
            "W1027",
        ),
    ],
)
def test_misuse_has_its_code(items: tuple[ast.Item, ...], target: str | None, code: str) -> None:
    found = codes(*items, target=target)
    assert set(found) == {code}


def test_memory_out_of_the_hosts_reach_is_a_warning_where_there_is_a_host_program() -> None:
    main = ast.Function(name("main"), (), (), None, None, (), ast.Block((), None, at(1)), at(1))
    items = (memory("M"), topology("T", memory="M"))
    assert codes(*items, main) == ["W1026"]
    assert codes(*items) == []


def test_a_full_physical_pool_may_be_declared() -> None:
    assert codes(memory("SMEM", capacity=size(228, "KB")), target="sm_90a") == []
    assert codes(memory("RF", capacity=size(256, "KB")), target="sm_90a") == []
    assert codes(memory("TMEM", capacity=size(256, "KB")), target="sm_100a") == []


def test_a_child_may_be_as_large_as_its_parent() -> None:
    assert codes(memory("A", capacity=size(2)), memory("B", within="A", capacity=size(2))) == []


def test_two_files_that_declare_one_place() -> None:
    other = Source("other.vx", TEXT).span(0, 5)
    again = replace(memory("A"), name=ast.Name("A", other), span=other)
    assert codes(memory("A"), again) == ["E6012"]


def test_tensor_cores_may_be_refined_and_keep_what_is_not_written() -> None:
    item = topology("TensorCore5", visible=("HBM", "SMEM", "TMEM"))
    machine = clean(item, target="sm_100a")
    found = resolve_topology(machine, "TensorCore5")
    assert found is not None
    assert found.memory == "HBM"
    assert found.visible == frozenset({"HBM", "SMEM", "TMEM"})


def test_an_own_topology_sees_its_memory_by_default() -> None:
    item = topology("T", memory="M", transfers=(transfer("CPU_DRAM", "M", cost=5),))
    machine = clean(memory("M"), item)
    assert sees(machine, "T", "M")
    assert not sees(machine, "T", "CPU_DRAM")


def test_routes_take_the_cheapest_chain_and_keep_off_relaxed_hops_when_asked() -> None:
    edges = (
        transfer("CPU_DRAM", "M", "relaxed", cost=1),
        transfer("CPU_DRAM", "N", cost=2),
        transfer("N", "M", cost=2),
    )
    machine = clean(memory("M"), memory("N"), topology("T", memory="M", transfers=edges))
    short = route(machine, "Host_DRAM", "M")
    assert short is not None
    assert [edge.destination for edge in short] == ["M"]
    safe = route(machine, "CPU_DRAM", "M", relaxed=False)
    assert safe is not None
    assert [edge.destination for edge in safe] == ["N", "M"]
    assert route(machine, "M", "CPU_DRAM") is None
    assert route(machine, "M", "M") == ()
