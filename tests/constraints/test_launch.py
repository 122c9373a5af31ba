"""Launch limits: the linearised grid and the block, one either side of each limit."""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask, obligations
from vxproof.constraints.program import assumptions
from vxproof.diagnostics import Source
from vxproof.frontend import load_module

TEXT = """fn f<const B: i64, const W: i64>(x: Tensor<f32, [M]>)
  requires {requires}
{{
  spawn on(Topology::GPU) warps({warps}) grid([{grid}]) semantics([{semantics}]) {{
    let i = grid_index(0);
  }}
}}
"""


def program(
    grid: str, semantics: str = "parallel", requires: str = "1 <= B", warps: str = "4"
) -> str:
    return TEXT.format(grid=grid, semantics=semantics, requires=requires, warps=warps)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (program("2147483647"), set()),
        (program("2147483648"), {"E6142"}),
        (program("65536, 32767", "parallel, parallel"), set()),
        (program("65536, 32768", "parallel, parallel"), {"E6142"}),
        (program("65536, 65536", "parallel, arbitrary"), set()),
        (program("B"), {"E6142"}),
        (program("B", requires="B <= 2147483647"), set()),
        (program("0, B", "parallel, parallel"), set()),
        (program("M * B", requires="M <= 65536 && 1 <= B && B <= 32767"), set()),
        (program("M * B", requires="M <= 65536 && 1 <= B && B <= 32768"), {"E6142"}),
        (program("M"), set()),
    ],
)
def test_limit(text: str, codes: set[str]) -> None:
    assert ask(text).codes == codes


@pytest.mark.parametrize(
    ("warps", "requires", "codes"),
    [
        ("32", "1 <= B", set()),
        ("33", "1 <= B", {"E6142"}),
        ("W", "1 <= W && W <= 32", set()),
        ("W", "W <= 32", {"E6142"}),
    ],
)
def test_block_without_a_target(warps: str, requires: str, codes: set[str]) -> None:
    text = program("1", warps=warps, requires=requires)
    assert ask(text, None).codes == codes


def test_open_run_time_grid_is_left_to_the_launcher() -> None:
    text = program("M")
    assert not [one for one in obligations(text) if "grid" in one.headline]
    module = load_module(Source("t.vx", text), "sm_90a")
    sentences = [sentence for sentence, _ in assumptions(module.functions[0])]
    assert any("2^31 - 1" in sentence for sentence in sentences)
