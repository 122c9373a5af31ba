"""Kernels that compilers are known to fit into registers are not refuted, and one that spills is.

The configurations are those of flash attention and of matrix products that a tile compiler builds
without spills; a thread of the refuted one would hold 256 accumulator registers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vxproof.driver import verify_file
from vxproof.logic.evaluate import evaluate
from vxproof.logic.verdict import Refuted

FLASH = """
fn flash(
    q: Tensor<f16, [N, {d}]>, k: Tensor<f16, [N, {d}]>, v: Tensor<f16, [N, {d}]>,
    o: &mut Tensor<f16, [N, {d}]>, scale: f32)
  requires N % {m} == 0 && N % {n} == 0
{{
  spawn on(Topology::GPU) warps({w}) grid([N / {m}]) semantics([parallel]) {{
    let i = grid_index(0);
    let q_s = transfer(tile(q, [i, 0], [{m}, {d}]), Memory::SMEM);
    resident<Memory::RF> let mut acc = Tensor<f32>([{m}, {d}]);
    resident<Memory::RF> let mut m: Tensor<f32, [{m}, 1]> = -inf;
    resident<Memory::RF> let mut l: Tensor<f32, [{m}, 1]> = 0.0;
    for j in 0..N / {n} {{
      let k_t = transfer(tile(k, [j, 0], [{n}, {d}]), Memory::SMEM);
      let v_t = transfer(tile(v, [j, 0], [{n}, {d}]), Memory::SMEM);
      let s = (q_s @ k_t.transpose([1, 0])) * scale;
      let m_new = max(m, s.max(1));
      let p = (s - m_new).exp();
      let c = (m - m_new).exp();
      l = l * c + p.sum(1);
      acc = acc * c + (p as f16) @ v_t;
      m = m_new;
    }}
    tile(o, [i, 0], [{m}, {d}]) = (acc / l) as f16;
  }}
}}
"""

PRODUCT = """
fn gemm(a: Tensor<f16, [M, K]>, b: Tensor<f16, [K, N]>, c: &mut Tensor<f32, [M, N]>)
  requires M % {m} == 0 && N % {n} == 0 && K % {d} == 0
{{
  spawn on(Topology::GPU) warps({w}) grid([M / {m}, N / {n}]) semantics([parallel, parallel]) {{
    let i = grid_index(0);
    let j = grid_index(1);
    resident<Memory::RF> let mut acc = Tensor<f32>([{m}, {n}]);
    for k in 0..K / {d} {{
      let a_t = transfer(tile(a, [i, k], [{m}, {d}]), Memory::SMEM);
      let b_t = transfer(tile(b, [k, j], [{d}, {n}]), Memory::SMEM);
      acc += a_t @ b_t;
    }}
    tile(c, [i, j], [{m}, {n}]) = acc;
  }}
}}
"""

FITS = (
    (FLASH, 64, 64, 32, 4),
    (FLASH, 64, 64, 64, 4),
    (FLASH, 64, 128, 64, 4),
    (FLASH, 128, 64, 64, 4),
    (FLASH, 128, 128, 64, 8),
    (PRODUCT, 32, 128, 128, 8),
    (PRODUCT, 64, 128, 256, 8),
)


def needs(text: str, path: Path, target: str) -> list[int]:
    """What a thread needs where the launch leaves it less; 0 stands for any other refutation."""
    path.write_text(text, encoding="utf-8")
    found: list[int] = []
    for decision in (
        d
        for t in verify_file(path, targets=(target,)).targets
        for u in t.units
        for d in u.decisions
    ):
        if isinstance(decision.verdict, Refuted):
            measure = decision.obligation.measure
            env = dict(decision.verdict.witness)
            is_registers = decision.obligation.code == "E6104" and measure is not None
            found.append(evaluate(measure.need, env) if is_registers and measure else 0)
    return found


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
@pytest.mark.parametrize(("text", "d", "m", "n", "w"), FITS)
def test_what_fits_elsewhere_is_not_refuted(
    text: str, d: int, m: int, n: int, w: int, target: str, tmp_path: Path
) -> None:
    assert needs(text.format(d=d, m=m, n=n, w=w), tmp_path / "k.vx", target) == []


def test_an_accumulator_of_256_registers_is_refuted(tmp_path: Path) -> None:
    text = PRODUCT.format(d=64, m=128, n=256, w=4)
    assert needs(text, tmp_path / "k.vx", "sm_90a") == [256]
