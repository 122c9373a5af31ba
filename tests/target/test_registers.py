"""The register cap of a launch, at the boundaries where warps stop fitting."""

from __future__ import annotations

import pytest

from vxproof.target import KNOWN_TARGETS, load

# threads, blocks of an SM, registers a thread; as ptxas 13.0.88 keeps to them under .reqntid and
# .minnctapersm on sm_80, sm_90a and sm_120a alike
REPORTED = [
    (1, 1, 255),
    (32, 1, 255),
    (256, 1, 255),
    (257, 1, 168),
    (288, 1, 168),
    (384, 1, 168),
    (385, 1, 128),
    (416, 1, 128),
    (512, 1, 128),
    (513, 1, 96),
    (640, 1, 96),
    (768, 1, 80),
    (800, 1, 72),
    (1024, 1, 64),
    (96, 2, 255),
    (96, 3, 168),
    (96, 5, 128),
    (64, 5, 168),
    (160, 3, 128),
    (256, 2, 128),
    (32, 9, 168),
    (32, 12, 168),
]


@pytest.mark.parametrize(("threads", "blocks", "cap"), REPORTED)
def test_cap_is_what_the_assembler_keeps_to(threads: int, blocks: int, cap: int) -> None:
    assert load("sm_80").register_cap(threads, blocks) == cap


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_162_registers_fit_12_warps_and_no_more(name: str) -> None:
    target = load(name)
    assert target.registers_fit(162, 12 * 32)
    assert target.registers_fit(168, 12 * 32)
    assert not target.registers_fit(162, 13 * 32)
    assert not target.registers_fit(168, 13 * 32)
    assert not target.registers_fit(162, 16 * 32)


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_255_registers_fit_8_warps_exactly(name: str) -> None:
    target = load(name)
    assert target.registers_fit(255, 8 * 32)
    assert not target.registers_fit(255, 9 * 32)
    assert not target.registers_fit(255, 258)
    assert not target.registers_fit(256, 32)


def test_cap_agrees_with_handing_out_warp_by_warp() -> None:
    target = load("sm_100a")
    for warps in range(1, 65):
        cap = target.register_cap(32, warps)
        assert _fits(cap, warps)
        assert cap == 255 or not _fits(cap + 1, warps)


def test_a_launch_of_nothing_is_refused() -> None:
    for threads, blocks in ((0, 1), (-32, 1), (32, 0)):
        with pytest.raises(ValueError, match="a launch needs"):
            load("sm_80").register_cap(threads, blocks)


def test_far_too_many_warps_leave_no_register() -> None:
    assert load("sm_80").register_cap(1024, 9) == 0


def _fits(registers: int, warps: int) -> bool:
    """Deals warps to four partitions in turn, each of which owns 64 units of 256 registers."""
    left = [64, 64, 64, 64]
    for warp in range(warps):
        left[warp % 4] -= (registers + 7) // 8
    return min(left) >= 0
