"""Generated Vx programs of a given size, for the growth rows of the benchmark."""

from __future__ import annotations

_HEAD = """\
fn {name}(x: Tensor<f16, [N, 64]>, y: &mut Tensor<f16, [N, 64]>)
  requires N % 64 == 0
{{
  spawn on(Topology::GPU) warps(4) grid([N / 64]) semantics([parallel]) {{
    let i = grid_index(0);
"""
_TAIL = "  }\n}\n"


def tiles(count: int) -> str:
    """One kernel that copies `count` tiles through shared memory, one after the other."""
    body = "".join(
        f"    let t{k} = transfer(tile(x, [i, 0], [64, 64]), Memory::SMEM);\n"
        f"    tile(y, [i, 0], [64, 64]) = t{k};\n"
        for k in range(count)
    )
    return _HEAD.format(name="tiles") + body + _TAIL


def loops(count: int) -> str:
    """One kernel of `count` loops, each adding up row blocks in a register accumulator."""
    body = "    resident<Memory::RF> let mut acc = Tensor<f32>([64, 64]);\n" + "".join(
        f"    for j{k} in 0..N / 64 {{\n"
        f"      let t{k} = transfer(tile(x, [j{k}, 0], [64, 64]), Memory::SMEM);\n"
        f"      acc = acc + (t{k} as f32);\n"
        "    }\n"
        for k in range(count)
    )
    return (
        _HEAD.format(name="loops") + body + "    tile(y, [i, 0], [64, 64]) = acc as f16;\n" + _TAIL
    )


def functions(count: int) -> str:
    """A file of `count` kernels of one tile each."""
    body = (
        "    let t = transfer(tile(x, [i, 0], [64, 64]), Memory::SMEM);\n"
        "    tile(y, [i, 0], [64, 64]) = t;\n"
    )
    return "\n".join(_HEAD.format(name=f"copy_{k}") + body + _TAIL for k in range(count))
