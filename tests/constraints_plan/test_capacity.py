"""Capacity: one byte or column either side of the limit, on every target."""

from __future__ import annotations

import pytest

from tests.constraints_plan.deciding import decide, need, refuted
from vxproof.logic.evaluate import evaluate
from vxproof.logic.verdict import Refuted
from vxproof.target import ALL_TARGETS, load


def two_tiles(rows: int, extra: int) -> str:
    return f"""
fn k<const R: i64>(x: Tensor<u8, [R, 128]>, y: &mut Tensor<u8, [R, 128]>,
    z: Tensor<u8, [1, {extra}]>, w: &mut Tensor<u8, [1, {extra}]>)
  requires 1 <= R && R <= {rows}
{{
  spawn on(Topology::GPU) warps(4) {{
    let a = transfer(x, Memory::SMEM);
    let b = transfer(z, Memory::SMEM);
    tile(y, [0, 0], [R, 128]) = a;
    tile(w, [0, 0], [1, {extra}]) = b;
  }}
}}
"""


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_exactly_full_fits_and_one_byte_more_does_not(target: str) -> None:
    limit = load(target).smem_optin_per_block
    rows, extra = limit // 128 - 1, 128
    assert refuted(decide(two_tiles(rows, extra), target)) == {}
    over = refuted(decide(two_tiles(rows, extra + 1), target))
    assert set(over) == {"E6010"}
    assert need(over["E6010"]) == limit + 1
    verdict = over["E6010"].verdict
    assert isinstance(verdict, Refuted)
    assert dict(verdict.witness)["R"] == rows


@pytest.mark.parametrize("target", ALL_TARGETS)
def test_one_tile_that_is_too_large(target: str) -> None:
    limit = load(target).smem_optin_per_block
    over = refuted(decide(two_tiles(limit // 128 + 1, 1), target))
    assert {"E6009", "E6010"} <= set(over)
    assert need(over["E6009"]) == (limit // 128 + 1) * 128


def test_contributions_add_up_to_the_need() -> None:
    found = refuted(decide(two_tiles(2000, 4096), "sm_80"))["E6010"]
    verdict, measure = found.verdict, found.obligation.measure
    assert isinstance(verdict, Refuted)
    assert measure is not None
    env = dict(verdict.witness)
    rows = found.obligation.contributions
    assert [(row.name, row.expression) for row in rows] == [("a", "R*128"), ("b", "4096")]
    assert sum(evaluate(row.amount, env) for row in rows) == evaluate(measure.need, env)


PHASES = """
fn k<const A: i64, const B: i64>(x: Tensor<u8, [N, 128]>, y: &mut Tensor<u8, [N, 128]>)
  requires 1 <= A && A <= {a} && 1 <= B && B <= {b} && N >= 2000
{{
  spawn on(Topology::GPU) warps(4) {{
    let p = transfer(slice(x, [0, 0], [A, 128]), Memory::SMEM);
    let q = transfer(slice(x, [0, 0], [A, 128]), Memory::SMEM);
    slice(y, [0, 0], [A, 128]) = p;
    slice(y, [0, 0], [A, 128]) = q;
    let r = transfer(slice(x, [0, 0], [B, 128]), Memory::SMEM);
    let s = transfer(slice(x, [0, 0], [B, 128]), Memory::SMEM);
    slice(y, [0, 0], [B, 128]) = r;
    slice(y, [0, 0], [B, 128]) = s;
  }}
}}
"""


def test_phases_do_not_add_and_the_rows_are_those_of_the_fuller_one() -> None:
    assert refuted(decide(PHASES.format(a=600, b=600), "sm_80")) == {}
    found = refuted(decide(PHASES.format(a=600, b=700), "sm_80"))["E6010"]
    assert isinstance(found.verdict, Refuted)
    env = dict(found.verdict.witness)
    amounts = {row.name: evaluate(row.amount, env) for row in found.obligation.contributions}
    assert amounts["p"] == 0
    assert amounts["r"] == amounts["s"] == env["B"] * 128
    assert need(found) == 2 * env["B"] * 128 > 166912


def test_an_extent_without_a_bound() -> None:
    text = """
fn k(x: Tensor<u8, [N, 128]>, y: &mut Tensor<u8, [N, 128]>) {
  spawn on(Topology::GPU) warps(4) {
    let a = transfer(x, Memory::SMEM);
    tile(y, [0, 0], [N, 128]) = a;
  }
}
"""
    found = refuted(decide(text, "sm_90a"))
    assert need(found["E6009"]) == 232448 + 128
    assert found["E6009"].obligation.waivable is None


CALLS = """
fn load<const R: i64>(b: &Tensor<u8, [R, 128]>, d: &mut Tensor<u8, [R, 128]>) on Topology::GPU
  requires 1 <= R && R <= 500
{{
  let b_s = transfer(*b, Memory::SMEM);
  tile(d, [0, 0], [R, 128]) = b_s;
}}

fn outer<const R: i64>(b: &Tensor<u8, [R, 128]>, d: &mut Tensor<u8, [R, 128]>) on Topology::GPU
  requires 1 <= R && R <= 500
{{
  load(b, d);
}}

fn k<const R: i64>(a: Tensor<u8, [{held}, 128]>, b: Tensor<u8, [R, 128]>,
    c: &mut Tensor<u8, [{held}, 128]>, d: &mut Tensor<u8, [R, 128]>)
  requires 1 <= R && R <= 500
{{
  spawn on(Topology::GPU) warps(4) {{
    let a_s = transfer(a, Memory::SMEM);
    outer(&b, d);
    tile(c, [0, 0], [{held}, 128]) = a_s;
  }}
}}
"""


def test_a_call_adds_the_peak_of_its_callee() -> None:
    limit = 101376 // 128
    assert refuted(decide(CALLS.format(held=limit - 500), "sm_86")) == {}
    found = refuted(decide(CALLS.format(held=limit - 499), "sm_86"))
    assert "E6010" not in found
    assert need(found["E6027"]) == 101376 + 128
    assert "k -> outer -> load" in found["E6027"].obligation.headline


RECURSION = """
Memory DRAM {{ scope: device }}
Memory SRAM {{ within: Memory::DRAM, {capacity} managed: explicit, scope: cta{flag} }}
Topology Dev {{
  memory: Memory::DRAM, visible: [Memory::DRAM, Memory::SRAM],
  transfer Memory::DRAM -> Memory::SRAM : 40 sync
}}
fn again(x: &Tensor<u8, [8, 8]>, y: &mut Tensor<u8, [8, 8]>, n: i32) on Topology::Dev {{
  let t = transfer(*x, Memory::SRAM);
  if n > 0 {{
    again(x, y, n - 1);
  }}
  tile(y, [0, 0], [8, 8]) = t;
}}
"""


def test_a_cycle_of_calls_that_places_tiles() -> None:
    bounded = RECURSION.format(capacity="capacity: 64 KB,", flag="")
    assert set(refuted(decide(bounded, None))) == {"E6028"}
    assert refuted(decide(RECURSION.format(capacity="", flag=""), None)) == {}
    waived = RECURSION.format(capacity="capacity: 64 KB,", flag=", overcommit")
    assert set(refuted(decide(waived, None))) == {"W1028"}


TMEM = """
fn k(a: Tensor<f16, [128, 64]>, b: Tensor<f16, [64, {n}]>, c: &mut Tensor<f32, [128, {n}]>) {{
  spawn on(Topology::GPU) warps(4) {{
    resident<Memory::TMEM> let mut acc = Tensor<f32>([128, {n}]);
    {more}
    let a_s = transfer(a, Memory::SMEM);
    let b_s = transfer(b, Memory::SMEM);
    acc += a_s @ b_s;
    tile(c, [0, 0], [128, {n}]) = acc;
  }}
}}
"""


def test_columns_of_tensor_memory() -> None:
    assert refuted(decide(TMEM.format(n=512, more=""), "sm_100a")) == {}
    over = refuted(decide(TMEM.format(n=528, more=""), "sm_100a"))
    assert need(over["E6009"]) == 528
    other = "resident<Memory::TMEM> let mut other = Tensor<f32>([128, {}]);"
    assert refuted(decide(TMEM.format(n=256, more=other.format(256)), "sm_100a")) == {}
    both = refuted(decide(TMEM.format(n=256, more=other.format(257)), "sm_100a"))
    assert set(both) == {"E6010"}
    assert need(both["E6010"]) == 513


def test_rows_that_no_group_of_lanes_holds() -> None:
    odd = TMEM.replace("[128, {n}]", "[{m}, {n}]").replace("[128, 64]", "[{m}, 64]")
    assert refuted(decide(odd.format(m=64, n=64, more=""), "sm_100a")) == {}
    assert refuted(decide(odd.format(m=256, n=64, more=""), "sm_100a")) == {}
    assert set(refuted(decide(odd.format(m=100, n=64, more=""), "sm_100a"))) == {"E6111"}
    assert set(refuted(decide(odd.format(m=96, n=64, more=""), "sm_100a"))) == {"E6111"}
    assert set(refuted(decide(odd.format(m=128, n=60, more=""), "sm_100a"))) == {"E6111"}


OPEN = """
Memory DRAM {{ scope: device }}
Memory SRAM {{ within: Memory::DRAM, capacity: 64 KB, managed: explicit, scope: cta, overcommit }}
Topology Dev {{
  memory: Memory::DRAM, visible: [Memory::DRAM, Memory::SRAM],
  transfer Memory::DRAM -> Memory::SRAM : 40 sync
}}
fn k<const R: i64>(a: Tensor<u8, [N, 64]>, c: &mut Tensor<u8, [N, 64]>)
  requires {requires}
{{
  spawn on(Topology::Dev) warps(4) {{
    let t = transfer(a, Memory::SRAM);
    tile(c, [0, 0], [N, 64]) = t;
  }}
}}
"""


def test_overcommit_waives_an_open_extent_and_no_bounded_one() -> None:
    assert set(refuted(decide(OPEN.format(requires="R == 1"), None))) == {"W1029"}
    assert set(refuted(decide(OPEN.format(requires="N <= 2000"), None))) == {"E6009"}
    assert set(refuted(decide(OPEN.format(requires="N <= R && R <= 2000"), None))) == {"E6009"}
    assert refuted(decide(OPEN.format(requires="N <= 1024"), None)) == {}


def test_scratch_that_is_alone_in_its_space_counts() -> None:
    text = """
fn k(x: Tensor<f32, [1, N]>, y: &mut Tensor<f32, [1, N]>) {{
  spawn on(Topology::GPU) warps(32) {{
    let r = tile(x, [0, 0], [32, {n}], pad: 0.0);
    tile(y, [0, 0], [1, {n}], pad: 0.0) = r.sum(0);
  }}
}}
"""
    assert refuted(decide(text.format(n=792), "sm_86")) == {}
    over = refuted(decide(text.format(n=793), "sm_86"))
    assert set(over) == {"E6010"}
    assert need(over["E6010"]) == 101376 + 128
