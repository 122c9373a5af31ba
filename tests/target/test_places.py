"""The built-in memory spaces, topologies and transfers, with and without a target."""

from __future__ import annotations

import pytest

from vxproof.target import KNOWN_TARGETS, MachinePlaces, Space, load, places, published_places

PUBLISHED = ["CPU_DRAM", "GPU_HBM", "NPU_HBM", "Local_SRAM", "NIC_RAM", "Remote_HBM"]
VISIBLE = {
    "CPU": ("CPU_DRAM", "NPU_HBM"),
    "GPU": ("GPU_HBM", "CPU_DRAM"),
    "NPU": ("NPU_HBM",),
    "AccCore": ("Local_SRAM",),
    "AMX": ("CPU_DRAM",),
    "ANE": ("NPU_HBM",),
}


def space(found: MachinePlaces, name: str) -> Space:
    result = found.space(name)
    assert result is not None
    return result


def arrows(found: MachinePlaces) -> set[tuple[str, str]]:
    return {(edge.source, edge.destination) for edge in found.edges}


def test_places_without_a_target() -> None:
    found = published_places()
    assert found.target is None
    assert [item.name for item in found.spaces] == PUBLISHED
    assert {item.name: item.visible for item in found.topologies} == VISIBLE
    assert all(item.published and item.memory == item.visible[0] for item in found.topologies)
    assert all(item.pool_bytes is None and item.scope is None for item in found.spaces)
    assert not any(edge.copy_engine for edge in found.edges)
    assert {("CPU_DRAM", "GPU_HBM"), ("GPU_HBM", "CPU_DRAM")} <= arrows(found)


def test_old_spellings() -> None:
    for found in (published_places(), places(load("sm_80"))):
        assert space(found, "Host_DRAM").name == "CPU_DRAM"
        cpu = found.topology("Host")
        assert cpu is not None
        assert cpu.name == "CPU"
        assert found.space("Host") is None
        assert found.topology("nothing") is None


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_every_name_in_an_edge_or_a_visible_set_exists(name: str) -> None:
    found = places(load(name))
    spaces = {item.name for item in found.spaces}
    tops = {item.name for item in found.topologies}
    assert len(spaces) == len(found.spaces)
    assert len(arrows(found)) == len(found.edges)
    for edge in found.edges:
        assert {edge.source, edge.destination} <= spaces
        assert edge.topology in tops
    for top in found.topologies:
        assert set(top.visible) <= spaces
        assert top.memory in top.visible
    for item in found.spaces:
        assert item.within is None or item.within in spaces


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_spaces_of_a_machine(name: str) -> None:
    target = load(name)
    found = places(target)
    machine = ("HBM", "L2", "SMEM", "RF", *(("TMEM",) if target.has_tmem else ()))
    assert tuple(item.name for item in found.spaces[-len(machine) :]) == machine
    assert space(found, "GPU_HBM").name == "HBM"
    for item in found.spaces:
        for fact, value in ((item.pool_fact, item.pool_bytes), (item.limit_fact, item.limit_bytes)):
            assert bool(fact) == (value is not None)
            assert not fact or target.fact(fact).source
    extra = [top.name for top in found.topologies if not top.published]
    assert extra == (["TensorCore", "TensorCore5"] if target.has_tmem else ["TensorCore"])
    for name_of in ("GPU", *extra):
        top = found.topology(name_of)
        assert top is not None
        assert set(machine) <= set(top.visible)
        assert top.memory == "HBM"


def test_sizes_of_a_machine() -> None:
    found = places(load("sm_90a"))
    smem, rf = space(found, "SMEM"), space(found, "RF")
    assert (smem.pool_bytes, smem.limit_bytes) == (228 * 1024, 227 * 1024)
    assert (smem.tile_align, smem.swizzled_align, smem.granule) == (128, 1024, None)
    assert (rf.pool_bytes, rf.limit_bytes) == (256 * 1024, 1020)
    assert found.space("TMEM") is None
    tmem = space(places(load("sm_100a")), "TMEM")
    assert (tmem.pool_bytes, tmem.limit_bytes, tmem.granule) == (256 * 1024, 256 * 1024, 512)
    assert tmem.addressable_by == ("mma", "copy")


def test_what_can_hold_a_loops_values() -> None:
    found = places(load("sm_100a"))
    holding = {item.name for item in found.spaces if item.holds_loop_values}
    assert holding == {"SMEM", "RF", "TMEM"}
    assert [space(found, n).scope for n in ("HBM", "L2", "SMEM", "RF", "TMEM")] == [
        "device",
        "device",
        "cta",
        "thread",
        "cta",
    ]
    assert space(found, "L2").managed == "cached"


def test_transfers_of_a_machine() -> None:
    everywhere = {
        ("HBM", "SMEM"),
        ("SMEM", "HBM"),
        ("HBM", "RF"),
        ("RF", "HBM"),
        ("SMEM", "RF"),
        ("RF", "SMEM"),
        ("CPU_DRAM", "HBM"),
        ("HBM", "CPU_DRAM"),
    }
    tmem = {("RF", "TMEM"), ("TMEM", "RF"), ("SMEM", "TMEM")}
    assert everywhere <= arrows(places(load("sm_75")))
    assert not tmem & arrows(places(load("sm_90a")))
    assert everywhere | tmem <= arrows(places(load("sm_103f")))
    assert ("TMEM", "SMEM") not in arrows(places(load("sm_100a")))


@pytest.mark.parametrize(("name", "engine"), [("sm_75", False), ("sm_80", True), ("sm_121a", True)])
def test_only_the_way_into_shared_memory_has_a_copy_engine(name: str, engine: bool) -> None:
    with_engine = {
        (edge.source, edge.destination) for edge in places(load(name)).edges if edge.copy_engine
    }
    assert with_engine == ({("HBM", "SMEM")} if engine else set())
