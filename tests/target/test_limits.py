"""Every number of the data files against tables that were written out by hand."""

from __future__ import annotations

import pytest

from vxproof.target import KNOWN_TARGETS, load

KI = 1024

# cc -> shared memory of an SM, opt-in limit, reserved, granularity; threads, warps, blocks of an SM
PER_CC = {
    "75": (64 * KI, 64 * KI, 0, 256, 1024, 32, 16),
    "80": (164 * KI, 163 * KI, 1024, 128, 2048, 64, 32),
    "86": (100 * KI, 99 * KI, 1024, 128, 1536, 48, 16),
    "87": (164 * KI, 163 * KI, 1024, 128, 1536, 48, 16),
    "88": (100 * KI, 99 * KI, 1024, 128, 1536, 48, 16),
    "89": (100 * KI, 99 * KI, 1024, 128, 1536, 48, 24),
    "90": (228 * KI, 227 * KI, 1024, 128, 2048, 64, 32),
    "100": (228 * KI, 227 * KI, 1024, 128, 2048, 64, 32),
    "103": (228 * KI, 227 * KI, 1024, 128, 2048, 64, 32),
    "110": (228 * KI, 227 * KI, 1024, 128, 1536, 48, 24),
    "120": (100 * KI, 99 * KI, 1024, 128, 1536, 48, 24),
    "121": (100 * KI, 99 * KI, 1024, 128, 1536, 48, 24),
}

# portable and largest cluster; None is a limit that nobody has established
CLUSTERS = {
    "75": (1, 1),
    "80": (1, 1),
    "86": (1, 1),
    "87": (1, 1),
    "88": (1, 1),
    "89": (1, 1),
    "90": (8, 16),
    "100": (8, 16),
    "103": (8, 16),
    "110": (8, 8),
    "120": (None, None),
    "121": (None, None),
}

STATIC = {
    "sm_90a": 0x38C00,
    "sm_100a": 0x38C00,
    "sm_103a": 0x38C00,
    "sm_110a": 0x38C00,
    "sm_120a": 0x18C00,
    "sm_121a": 0x18C00,
}

TCGEN05 = {"sm_100f", "sm_100a", "sm_103f", "sm_103a", "sm_110f", "sm_110a"}
SUFFIXED = TCGEN05 | {"sm_90a", "sm_120f", "sm_120a", "sm_121f", "sm_121a"}

COMMON = {
    "smem_default_per_block": 49152,
    "smem_tile_align": 128,
    "smem_swizzled_tile_align": 1024,
    "registers_per_sm": 65536,
    "registers_per_block": 65536,
    "registers_per_thread": 255,
    "registers_per_sub_partition": 16384,
    "register_bytes_per_sm": 262144,
    "register_alloc_unit": 256,
    "register_thread_multiple": 8,
    "maxnreg_floor": 24,
    "sub_partitions": 4,
    "warp_size": 32,
    "max_threads_per_block": 1024,
    "max_warps_per_block": 32,
    "max_block_x": 1024,
    "max_block_y": 1024,
    "max_block_z": 64,
    "max_grid_x": 2147483647,
    "max_grid_y": 65535,
    "max_grid_z": 65535,
    "constant_bytes": 65536,
    "named_barriers": 16,
    "named_barrier_multiple": 32,
    "has_ldmatrix": True,
}


def number(name: str) -> str:
    return name.removeprefix("sm_").rstrip("fa")


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_limits_of_the_compute_capability(name: str) -> None:
    target = load(name)
    cc = number(name)
    assert target.name == name
    assert target.cc == (int(cc[:-1]), int(cc[-1]))
    assert (
        target.smem_per_sm,
        target.smem_optin_per_block,
        target.smem_reserved_per_block,
        target.smem_alloc_granularity,
        target.max_threads_per_sm,
        target.max_warps_per_sm,
        target.max_blocks_per_sm,
    ) == PER_CC[cc]
    assert (target.max_cluster_portable, target.max_cluster) == CLUSTERS[cc]


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_limits_common_to_all(name: str) -> None:
    target = load(name)
    assert {key: getattr(target, key) for key in COMMON} == COMMON


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_what_the_suffix_decides(name: str) -> None:
    target = load(name)
    assert target.smem_static_per_block == STATIC.get(name, 49152)
    assert target.has_wgmma == (name == "sm_90a")
    assert target.has_tmem == (name in TCGEN05)
    assert (target.tcgen05 is not None) == (name in TCGEN05)
    assert target.has_setmaxnreg == (name in SUFFIXED)


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_what_the_generation_decides(name: str) -> None:
    target = load(name)
    cc = int(number(name))
    assert target.has_copy_engine == (cc >= 80)
    assert target.has_mbarrier == (cc >= 80)
    assert target.has_tensor_copy == (cc >= 90)
    assert target.has_clusters == (cc >= 90)


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_a_blocks_limit_already_excludes_the_reservation(name: str) -> None:
    target = load(name)
    assert target.smem_optin_per_block + target.smem_reserved_per_block == target.smem_per_sm
    assert target.smem_optin_per_block % target.smem_tile_align == 0


def test_tensor_memory() -> None:
    tmem = load("sm_100a").tmem
    assert tmem is not None
    assert (tmem.lanes, tmem.columns, tmem.column_bits) == (128, 512, 32)
    assert (tmem.bytes_per_sm, tmem.lanes_per_warp) == (262144, 32)
    assert (tmem.alloc_min_columns, tmem.alloc_max_columns) == (32, 512)
    assert tmem.alloc_power_of_two


def test_products_in_tensor_memory() -> None:
    shapes = load("sm_110a").tcgen05
    assert shapes is not None
    assert (shapes.m_one, shapes.m_pair, shapes.n_max) == ((64, 128), (128, 256), 256)
    assert (shapes.n_multiple_one, shapes.n_min_one) == (8, 8)
    assert (shapes.n_multiple_one_m128_a_tmem, shapes.n_min_one_m128_a_tmem) == (16, 16)
    assert (shapes.n_multiple_pair, shapes.n_min_pair) == (16, 16)
    assert (shapes.k_16bit, shapes.k_tf32, shapes.k_8bit, shapes.k_mxf4) == (16, 8, 32, 64)


def test_warpgroup_products() -> None:
    shapes = load("sm_90a").wgmma
    assert shapes is not None
    assert (shapes.m, shapes.n_multiple, shapes.n_min, shapes.n_max) == (64, 8, 8, 256)
    assert (shapes.k_16bit, shapes.k_tf32, shapes.k_8bit) == (16, 8, 32)


def test_asynchronous_copies_and_barriers() -> None:
    target = load("sm_90")
    assert target.cp_async is not None
    assert target.cp_async.ca_sizes == (4, 8, 16)
    assert target.cp_async.cg_sizes == (16,)
    assert target.mbarrier_object is not None
    assert (target.mbarrier_object.size_bytes, target.mbarrier_object.align) == (8, 8)
    assert target.mbarrier_object.max_count == 2**20 - 1
    assert target.setmaxnreg is None
    moved = load("sm_90a").setmaxnreg
    assert moved is not None
    assert (moved.minimum, moved.maximum, moved.multiple) == (24, 256, 8)


def test_tensor_copies() -> None:
    copy = load("sm_120").tensor_copy
    assert copy is not None
    assert (copy.rank_max, copy.box_max, copy.inner_box_multiple) == (5, 256, 16)
    assert (copy.swizzle_spans, copy.swizzle_patterns) == ((32, 64, 128), (256, 512, 1024))
    assert (copy.bulk_size_multiple, copy.shared_align, copy.global_align) == (16, 128, 16)
    assert (copy.global_stride_multiple, copy.global_stride_limit) == (16, 2**40)
    assert (copy.global_extent_max, copy.element_stride_max) == (2**32, 8)
    assert (copy.descriptor_bytes, copy.descriptor_align) == (128, 64)


MMA_K = {
    "f16": (8, 16),
    "bf16": (8, 16),
    "tf32": (4, 8),
    "i8": (16, 32),
    "f8e4m3": (32,),
    "f8e5m2": (32,),
    "f6e3m2": (32,),
    "f6e2m3": (32,),
    "f4e2m1": (32,),
}


@pytest.mark.parametrize("name", KNOWN_TARGETS)
def test_warp_level_products(name: str) -> None:
    target = load(name)
    cc = int(number(name))
    least = {"f8e4m3": 89, "f8e5m2": 89}
    for dtype, shapes in MMA_K.items():
        if dtype in ("f6e3m2", "f6e2m3", "f4e2m1"):
            expected = shapes if name in {"sm_120f", "sm_120a", "sm_121f", "sm_121a"} else ()
        elif cc == 75:
            expected = (8,) if dtype == "f16" else ()
        else:
            expected = shapes if cc >= least.get(dtype, 80) else ()
        assert target.mma_k(dtype) == expected, dtype
        assert target.has_mma(dtype) == bool(expected)
    assert {(shape.m, shape.n) for shape in target.mma_shapes} == {(16, 8)}
    assert not target.has_mma("f32")
    assert not target.has_mma("f64")
