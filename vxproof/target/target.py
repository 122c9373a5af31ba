"""The limits of one target string as plain integers, and the arithmetic that follows from them.

Every field has a fact of the same name (limits of a feature under the feature's name, as in
`tmem.columns`), which carries its unit, source and grade. A feature that the target lacks is None,
so that its limits cannot be asked for by mistake.
"""

from __future__ import annotations

from dataclasses import field

from vxproof.records import dataclass
from vxproof.target.facts import Conflict, Fact


@dataclass(frozen=True, slots=True)
class CpAsyncLimits:
    """Byte counts of one `cp.async`: `ca` goes through L1, `cg` does not."""

    ca_sizes: tuple[int, ...]
    cg_sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MbarrierLimits:
    """The mbarrier object in shared memory: bytes, alignment, largest pending or byte count."""

    size_bytes: int
    align: int
    max_count: int


@dataclass(frozen=True, slots=True)
class SetmaxnregLimits:
    """Operand of `setmaxnreg`: registers per thread, a multiple of `multiple`."""

    minimum: int
    maximum: int
    multiple: int


@dataclass(frozen=True, slots=True)
class TensorCopyLimits:
    """Bulk and tensor copies.

    `swizzle_spans[i]` is the widest inner box of a swizzle in bytes, `swizzle_patterns[i]` the
    alignment of its whole pattern.
    """

    bulk_size_multiple: int
    rank_max: int
    box_max: int
    inner_box_multiple: int
    swizzle_spans: tuple[int, ...]
    swizzle_patterns: tuple[int, ...]
    shared_align: int
    global_align: int
    global_stride_multiple: int
    global_stride_limit: int
    global_extent_max: int
    element_stride_max: int
    descriptor_bytes: int
    descriptor_align: int


@dataclass(frozen=True, slots=True)
class WgmmaShapes:
    """Shapes of the warpgroup product: M rows, N columns from `n_min` to `n_max`, K elements."""

    m: int
    n_multiple: int
    n_min: int
    n_max: int
    k_16bit: int
    k_tf32: int
    k_8bit: int


@dataclass(frozen=True, slots=True)
class TmemLimits:
    """Tensor memory of an SM. A tile takes whole columns of all lanes, whatever its row count."""

    lanes: int
    columns: int
    column_bits: int
    bytes_per_sm: int
    alloc_min_columns: int
    alloc_max_columns: int
    alloc_power_of_two: bool
    lanes_per_warp: int


@dataclass(frozen=True, slots=True)
class Tcgen05Shapes:
    """Shapes of `tcgen05.mma`: `one` for a single block, `pair` for two blocks together.

    Where A lies in tensor memory and M is 128, the `..._m128_a_tmem` values hold instead.
    """

    m_one: tuple[int, ...]
    n_multiple_one: int
    n_min_one: int
    n_multiple_one_m128_a_tmem: int
    n_min_one_m128_a_tmem: int
    m_pair: tuple[int, ...]
    n_multiple_pair: int
    n_min_pair: int
    n_max: int
    k_16bit: int
    k_tf32: int
    k_8bit: int
    k_mxf4: int


@dataclass(frozen=True, slots=True)
class MmaShape:
    """One shape of the warp-level `mma.sync`; `dtype` names the operands (`tf32` for f32 data)."""

    dtype: str
    m: int
    n: int
    k: int


@dataclass(frozen=True, slots=True)
class Target:
    """The limits of one target string, such as `sm_90a` with `cc` (9, 0).

    `smem_per_sm` is the physical pool of an SM, `smem_optin_per_block` what one block may have with
    the opt-in, `smem_default_per_block` without it, `smem_static_per_block` what the assembler
    allows in static arrays (it depends on the suffix of the target string). `max_cluster_portable`
    and `max_cluster` are None where the limit has not been established.
    """

    name: str
    cc: tuple[int, int]
    smem_per_sm: int
    smem_optin_per_block: int
    smem_reserved_per_block: int
    smem_default_per_block: int
    smem_static_per_block: int
    smem_alloc_granularity: int
    smem_tile_align: int
    smem_swizzled_tile_align: int
    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int
    registers_per_sub_partition: int
    register_bytes_per_sm: int
    register_alloc_unit: int
    register_thread_multiple: int
    maxnreg_floor: int
    sub_partitions: int
    warp_size: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    max_block_x: int
    max_block_y: int
    max_block_z: int
    max_grid_x: int
    max_grid_y: int
    max_grid_z: int
    max_cluster_portable: int | None
    max_cluster: int | None
    constant_bytes: int
    named_barriers: int
    named_barrier_multiple: int
    has_ldmatrix: bool
    has_clusters: bool
    cp_async: CpAsyncLimits | None
    mbarrier_object: MbarrierLimits | None
    setmaxnreg: SetmaxnregLimits | None
    tensor_copy: TensorCopyLimits | None
    wgmma: WgmmaShapes | None
    tmem: TmemLimits | None
    tcgen05: Tcgen05Shapes | None
    mma_shapes: tuple[MmaShape, ...]
    facts: tuple[Fact, ...] = field(repr=False)
    conflicts: tuple[Conflict, ...] = field(repr=False)

    def fact(self, name: str) -> Fact:
        """The fact behind the field `name`; KeyError when the target has none of that name."""
        for fact in self.facts:
            if fact.name == name:
                return fact
        raise KeyError(name)

    @property
    def max_warps_per_block(self) -> int:
        """Warps of the largest block."""
        return self.max_threads_per_block // self.warp_size

    @property
    def has_copy_engine(self) -> bool:
        """Whether `cp.async` exists."""
        return self.cp_async is not None

    @property
    def has_mbarrier(self) -> bool:
        """Whether mbarrier objects exist."""
        return self.mbarrier_object is not None

    @property
    def has_setmaxnreg(self) -> bool:
        """Whether a warpgroup may move registers to another one."""
        return self.setmaxnreg is not None

    @property
    def has_tensor_copy(self) -> bool:
        """Whether bulk and tensor copies exist."""
        return self.tensor_copy is not None

    @property
    def has_wgmma(self) -> bool:
        """Whether this target string takes the warpgroup product."""
        return self.wgmma is not None

    @property
    def has_tmem(self) -> bool:
        """Whether this target string takes `tcgen05`, the only way to reach tensor memory."""
        return self.tmem is not None

    def has_mma(self, dtype: str) -> bool:
        """Whether `mma.sync` multiplies operands of `dtype` (a Vx name, or `tf32`)."""
        return any(shape.dtype == dtype for shape in self.mma_shapes)

    def mma_k(self, dtype: str) -> tuple[int, ...]:
        """The K extents of `mma.sync` for operands of `dtype`, ascending; empty for none."""
        return tuple(sorted(shape.k for shape in self.mma_shapes if shape.dtype == dtype))

    def register_cap(self, threads: int, min_blocks: int = 1) -> int:
        """The most registers a thread may use when `min_blocks` blocks share an SM.

        Warps are whole, and spread evenly over the sub-partitions, the fullest of which holds
        ceil(warps * min_blocks / sub_partitions). Each sub-partition has its own quarter of the
        register file, and hands it out per warp in units of `register_alloc_unit`. The result is at
        most `registers_per_thread`. Sources: the granularity and the number of sub-partitions are
        S3's; the formula gives the cap that ptxas 13.0.88 (M) keeps to under `.reqntid` and
        `.minnctapersm`, in 24 launch bounds on each of sm_80, sm_90a and sm_120a.

        The cap is about registers alone: a block that no SM can take for another reason (threads,
        warps, blocks) is for the launch limits to refuse. 0 means that no register fits.

        Raises:
            ValueError: `threads` or `min_blocks` is below 1.
        """
        if threads < 1 or min_blocks < 1:
            raise ValueError(f"a launch needs threads and blocks, not {threads} x {min_blocks}")
        warps = -(-threads // self.warp_size) * min_blocks
        fullest = -(-warps // self.sub_partitions)
        units = self.registers_per_sub_partition // fullest // self.register_alloc_unit
        return min(self.registers_per_thread, units * self.register_alloc_unit // self.warp_size)

    def registers_fit(self, registers: int, threads: int, min_blocks: int = 1) -> bool:
        """Whether `min_blocks` blocks of `threads` threads fit at `registers` a thread."""
        return registers <= self.register_cap(threads, min_blocks)
