"""Grid independence: which kernels carry a dependence over a parallel axis, and the two points."""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask

HEAD = """fn f<const BM: i64>(x: Tensor<f32, [H, M, 64]>, y: &mut Tensor<f32, [H, M, 64]>,
    z: &mut Tensor<f32, [H, M]>, idx: Tensor<i64, [M]>, flag: f32)
  requires 4 <= BM && BM <= 64 && M % BM == 0
{
"""
GRID = "spawn on(Topology::GPU) warps(4) grid([H, M / BM])"


def kernel(text: str, semantics: str = "parallel, parallel", before: str = "") -> str:
    return (
        f"{HEAD}  {before}\n  {GRID} semantics([{semantics}]) {{\n"
        f"    let h = grid_index(0);\n    let i = grid_index(1);\n{text}\n  }}\n}}\n"
    )


INDEPENDENT = {
    "its own tile": "tile(y[h], [i, 0], [BM, 64]) = tile(x[h], [i, 0], [BM, 64]);",
    "reads what nobody writes": "tile(y[h], [i, 0], [BM, 64]) = tile(x[0], [0, 0], [BM, 64]);",
    "its own rows, one by one": "for r in 0..BM { y[h][i * BM + r][0] = 0.0; }",
    "half of its tile": "slice(y[h], [i * BM, 0], [BM, 32]) = slice(x[h], [0, 0], [BM, 32]);",
    "private storage": "let mut t = Tensor<f32>([BM, 64]);\n t[0][0] = 1.0;",
    "one point writes": "if h == 0 && i == 0 { y[0][0][0] = 1.0; }",
    "reads and writes its own": (
        "let t = tile(y[h], [i, 0], [BM, 64]);\n tile(y[h], [i, 0], [BM, 64]) = t + 1.0;"
    ),
    "padded tiles": "tile(y[h], [i, 0], [BM, 64], pad: 0.0) = tile(x[h], [i, 0], [BM, 64]);",
    "a condition of the launch": "if flag > 0.0 { if h == 0 && i == 0 { y[0][0][0] = 1.0; } }",
    "one point reads its neighbour": (
        "if i == 0 { tile(y[h], [i, 0], [BM, 64]) = tile(y[h], [i + 1, 0], [BM, 64], pad: 0.0); }"
    ),
}
DEPENDENT = {
    "missing head": "tile(y[0], [i, 0], [BM, 64]) = tile(x[h], [i, 0], [BM, 64]);",
    "missing block": "tile(y[h], [0, 0], [BM, 64]) = tile(x[h], [i, 0], [BM, 64]);",
    "tiles that overlap": "slice(y[h], [i * 2, 0], [BM, 64]) = slice(x[h], [0, 0], [BM, 64]);",
    "one row too many": (
        "slice(y[h], [i * BM, 0], [BM + 1, 64], pad: 0.0) ="
        " slice(x[h], [0, 0], [BM + 1, 64], pad: 0.0);"
    ),
    "reads its neighbour": (
        "tile(y[h], [i, 0], [BM, 64]) = tile(y[h], [i + 1, 0], [BM, 64], pad: 0.0);"
    ),
    "a sum over the heads": "z[0][i] = z[0][i] + 1.0;",
    "scatter through data": "let r = idx[i];\n if 0 <= r && r < M { z[h][r] = 1.0; }",
    "loop over all": "for r in 0..M { z[h][r] = 0.0; }",
}


@pytest.mark.parametrize("text", INDEPENDENT.values(), ids=INDEPENDENT)
def test_kernel_is_proved(text: str) -> None:
    assert ask(kernel(text)).proved


@pytest.mark.parametrize("text", DEPENDENT.values(), ids=DEPENDENT)
def test_dependence_is_refuted_with_two_points(text: str) -> None:
    found = ask(kernel(text))
    assert found.codes == {"E6140"}
    for witness in found.witnesses:
        first = [witness.get("grid0", 0), witness.get("grid1", 0)]
        second = [witness.get("grid0@2", first[0]), witness.get("grid1@2", first[1])]
        assert first != second


@pytest.mark.parametrize(
    ("semantics", "proved"),
    [("arbitrary, parallel", True), ("parallel, arbitrary", False), ("arbitrary, arbitrary", True)],
)
def test_a_sum_over_an_arbitrary_axis_is_legal(semantics: str, proved: bool) -> None:
    found = ask(kernel("z[0][i] = z[0][i] + 1.0;", semantics))
    assert found.proved is proved
    assert found.codes <= {"E6140"}


def test_residents_are_per_block_and_other_state_is_shared() -> None:
    text = "l = l + 1.0;\n z[h][i] = l;"
    resident = "resident<Memory::RF> let mut l: f32 = 0.0;"
    assert ask(kernel(text, "parallel, parallel", resident)).proved
    assert ask(kernel(text, "parallel, parallel", "let mut l: f32 = 0.0;")).codes == {"E6140"}


def test_strided_output_is_compared_by_coordinates() -> None:
    text = """fn f(y: &mut Tensor<f32, [M, N], Layout::Strided>) {
  spawn on(Topology::GPU) warps(1) grid([M, N]) semantics([parallel, parallel]) {
    y[grid_index(0)][grid_index(%s)] = 1.0;
  }
}"""
    assert ask(text % "1").proved
    assert "E6140" in ask(text % "0").codes


def test_linearised_coordinates_are_proved() -> None:
    text = """fn f(y: &mut Tensor<f32, [A * B]>, n: Tensor<f32, [A, B]>) {
  spawn on(Topology::GPU) warps(1) grid([A, B]) semantics([parallel, parallel]) {
    y[grid_index(0) * %s + grid_index(1)] = 1.0;
  }
}"""
    assert ask(text % "B").proved
    assert "E6140" in ask(text.replace("grid_index(0) * %s + ", "")).codes


def test_mutable_argument_of_a_call_counts_as_written() -> None:
    text = """fn g(t: &mut Tensor<f32, [64]>) on Topology::GPU { t[0] = 1.0; }
fn f(y: &mut Tensor<f32, [M, 64]>) {
  spawn on(Topology::GPU) grid([M]) semantics([parallel]) {
    g(&mut y%s);
  }
}"""
    found = ask(text % "[0]")
    assert ("E6140", 4) in (*found.refuted, *found.unknown)
    assert ask(text % "[grid_index(0)]").proved
