"""Registers: what has to be held, and the limits of a launch, one step either side."""

from __future__ import annotations

import pytest

from tests.constraints_plan.deciding import decide, need, obligations, refuted
from vxproof.logic.evaluate import evaluate
from vxproof.target import load

HELD = """
fn k(x: Tensor<f32, [128, {n}]>, y: &mut Tensor<f32, [128, {n}]>) {{
  spawn on(Topology::GPU) warps({warps}) {{
    resident<Memory::RF> let mut acc = Tensor<f32>([128, {n}]);
    acc = acc + x;
    tile(y, [0, 0], [128, {n}]) = acc;
  }}
}}
"""


@pytest.mark.parametrize(("warps", "columns"), [(1, 63), (4, 255), (8, 510), (16, 512)])
def test_one_register_either_side(warps: int, columns: int) -> None:
    """A thread holds 4 / warps values of each column; 16 warps leave 128 registers a thread."""
    assert refuted(decide(HELD.format(n=columns, warps=warps), "sm_80")) == {}
    over = refuted(decide(HELD.format(n=columns + 16, warps=warps), "sm_80"))
    assert set(over) == {"E6104"}
    cap = load("sm_80").register_cap(32 * warps)
    assert cap < need(over["E6104"]) <= cap + 64


@pytest.mark.parametrize(("warps", "fits"), [(0, False), (1, True), (32, True), (33, False)])
def test_the_block_has_at_most_1024_threads(warps: int, fits: bool) -> None:
    text = HELD.format(n=8, warps="W").replace("fn k(", "fn k<const W: i64>(")
    text = text.replace(") {\n  spawn", f") requires W == {warps} {{\n  spawn")
    assert (refuted(decide(text, "sm_90a")) == {}) is fits


def lower_bound(body: str, extra: str = "") -> int:
    text = f"""
fn k(a: Tensor<f16, [64, 64]>, b: Tensor<f16, [64, 64]>, x: Tensor<f32, [64, 64]>,
    y: &mut Tensor<f32, [64, 64]>{extra}) {{
  spawn on(Topology::GPU) warps(4) {{
{body}
  }}
}}
"""
    found = [one for one in obligations(text, "sm_80") if one.code == "E6104"]
    measure = found[0].measure if found else None
    return 0 if measure is None else evaluate(measure.need, {})


PRODUCT = (
    "let a_s = transfer(a, Memory::SMEM);\nlet b_s = transfer(b, Memory::SMEM);\n"
    "let s = a_s @ b_s;\n"
)
STORE = "tile(y, [0, 0], [64, 64]) = {};\n"


def test_a_product_is_held_whole() -> None:
    assert lower_bound(PRODUCT + STORE.format("s")) == 32


def test_an_elementwise_chain_takes_its_operands_place() -> None:
    assert lower_bound(PRODUCT + "let t = (s * 2.0).exp();\n" + STORE.format("t")) == 32


def test_a_narrow_copy_takes_over_from_the_wide_value() -> None:
    body = (
        PRODUCT
        + "let p = s as f16;\nlet u = a_s @ b_s;\n"
        + "tile(y, [0, 0], [64, 64]) = u + (p as f32);\n"
    )
    assert lower_bound(body) == 48


def test_what_can_be_read_again_is_free() -> None:
    assert lower_bound("let t = x * 2.0;\n" + STORE.format("t + x")) == 0


def test_what_memory_may_change_is_held() -> None:
    body = "let t = y * 2.0;\n" + STORE.format("x") + "slice(y, [0, 0], [64, 64]) = t;\n"
    assert lower_bound(body) == 32


def test_an_accumulation_into_a_resident_holds_one_tile() -> None:
    body = (
        "resident<Memory::RF> let mut acc = Tensor<f32>([64, 64]);\n"
        "let a_s = transfer(a, Memory::SMEM);\nlet b_s = transfer(b, Memory::SMEM);\n"
        "acc = acc * 0.5 + a_s @ b_s;\n" + STORE.format("acc")
    )
    assert lower_bound(body) == 32


def test_a_variable_that_a_loop_assigns_is_not_counted_twice() -> None:
    body = (
        PRODUCT.replace("let s", "let mut s")
        + "for j in 0..3 {\nlet t = s + 1.0;\ns = t;\n}\n"
        + STORE.format("s")
    )
    assert lower_bound(body) <= 32


def test_a_declared_space_over_a_warpgroup_is_counted_by_instance() -> None:
    text = "Memory RF {{ capacity: {kb} KB, managed: explicit, scope: warpgroup }}\n" + HELD
    assert refuted(decide(text.format(kb=64, n=128, warps=4), "sm_80")) == {}
    over = refuted(decide(text.format(kb=64, n=129, warps=4), "sm_80"))
    assert set(over) == {"E6009"}
    assert need(over["E6009"]) == 128 * 129 * 4
    halves = text.format(kb=32, n=128, warps=8)
    assert refuted(decide(halves, "sm_80")) == {}
