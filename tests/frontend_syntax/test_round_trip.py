"""Text to AST to text to AST is the identity, spans aside, on every program of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend_syntax.trees import errors_of, parse_text, without_spans
from vxproof.frontend.printer import print_program

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted(
    path
    for folder in ("examples", "tests", "counterexamples", "docs")
    for path in (ROOT / folder).rglob("*.vx")
)

EVERY_FORM = """
import std::math;
Memory HBM { capacity: 16 GB, managed: cached, scope: device, bandwidth: 3.35 TB/s, clock: 1.4 GHz }
Memory POOL {
  within: Memory::HBM, capacity: 228KB, granule: 1 KiB, managed: explicit, scope: sm,
  addressable_by: [mma, copy], tile: [128, 32], replicas: 4, shared_with: peers(16),
  crossing: streamed, overcommit
}
Topology Dev {
  memory: Memory::HBM, visible: [Memory::HBM, Memory::POOL], arch: sm_90a, dtypes: [f32, f16],
  transfer Memory::HBM -> Memory::POOL : 40 sync copy_engine
  transfer Memory::POOL -> Memory::HBM
}
fn plain() {}
fn stage<const B: i64, const D: i64>(
    x: &Tensor<f16, [N, B * D], Memory::POOL, Layout::Tiled<[8, 128]>, Scale<f8e4m3, block: 16>>,
    y: &mut Tensor<f4e2m1, [N], Scale<f8e8m0, block: 32>, Layout::Swizzled<128>>,
    z: Tensor<f32, [N, 2], Layout::Strided>, s: f32,
) -> i32 on Topology::Dev
  where B > 0, D > 0
  requires B % 64 == 0 && 64 <= B
  ensures result >= 0
  requires if B > 2 { D < 3 } else { true }
{
  let mut a: Tensor<f32, [B, 1]> = -inf;
  resident<Memory::POOL> let mut acc = Tensor<f32>([64, 128]);
  let t = Tensor<f32>([[1.0, 2.0], [3e-5, 4.5f32]]);
  let u = Tensor<f32, [B, D]>::uninit();
  a += 1.0; a -= 2i64 as f32; a *= *s; a /= -b; a %= !c;
  a[i][j + 1] = -x.exp() as f16 @ wait(t).transpose([1, 0]) * 2;
  comptime assert(B > 0);
  assert(a < b || c >= d && !e, "quoted \\"text\\"\\n");
  spawn on(Topology::Dev) warps(4) grid([H, N / B]) semantics([parallel, arbitrary]) {
    for j in 0..N / B pipelined(3) invariant(j >= 0) invariant(j <= N) {
      let k = tile(x, [j, 0], [B, D], pad: 0.0);
      let q = transfer(k, Memory::POOL);
    }
    role producer(warps: 1) { yield_to(consumer, t); }
    role consumer() { let v = await_from(producer); }
  }
  { let scoped = 1; }
  if a { b = 1; } else if c { b = 2 } else { return 3; }
  let w = if a { 1 } else { 2 } + 3;
  let g = stage<8192>(x) + stage::<1, 2>(y) + stage<1, 2>(z);
  if a { 1 } else { 2 };
  print(a, "b");
  return;
  if a { 1 } else { g(&a, &mut b, &&c) }
}
"""


def check(text: str) -> None:
    first = parse_text(text)
    printed = print_program(first)
    second = parse_text(printed)
    assert without_spans(second) == without_spans(first), printed
    assert print_program(second) == printed


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_program_of_the_repository_survives_printing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    refused = errors_of(text)
    for found in refused:
        assert found.code in {"E1001", "E3010", "E6030", "E6190", "E0003"}
        assert found.code in text, f"{path} should parse: {found}"
    if not refused:
        check(text)


def test_every_form_of_the_language_survives_printing() -> None:
    check(EVERY_FORM)


def test_there_are_programs_to_check() -> None:
    assert len(PROGRAMS) > 20
