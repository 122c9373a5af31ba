"""A call stands for its body in the caller's plan, so the body is asked what only a plan shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

PROGRAM = """\
fn square(x: &Tensor<f16, [64, 64]>, y: &mut Tensor<f32, [64, 64]>) on Topology::GPU {
  let t = transfer(x, Memory::SMEM);
  tile(y, [0, 0], [64, 64]) = t @ t.transpose([1, 0]);
}
fn main(x: Tensor<f16, [64, 64]>, y: &mut Tensor<f32, [64, 64]>) {
  spawn on(Topology::GPU) warps(4) {
    square(&x, y);
  }
}
"""


@pytest.mark.parametrize(
    ("before", "after", "status", "fragment"),
    [
        ("", "", 0, "proved on sm_80"),
        ("f16", "f8e4m3", 3, "error[E6160]"),
        ("64", "512", 1, "E6009 refuted: tile `t` is larger than `SMEM`"),
        ("warps(4)", "warps(33)", 1, "E6142 refuted"),
    ],
    ids=["right", "type", "size", "warps"],
)
def test_a_called_function(
    vxproof: Command, tmp_path: Path, before: str, after: str, status: int, fragment: str
) -> None:
    path = tmp_path / "k.vx"
    path.write_text(PROGRAM.replace(before, after) if before else PROGRAM, encoding="utf-8")
    done = vxproof("verify", path, "-t", "sm_80")
    assert fragment in done.out
    assert done.status == status


def test_a_function_that_nobody_calls_is_asked_as_well(vxproof: Command, tmp_path: Path) -> None:
    path = tmp_path / "k.vx"
    path.write_text(PROGRAM.partition("fn main")[0].replace("64", "512"), encoding="utf-8")
    assert vxproof("verify", path, "-t", "sm_80").status == 1


def test_registers_of_a_called_function(vxproof: Command, tmp_path: Path) -> None:
    path = tmp_path / "k.vx"
    path.write_text(PROGRAM.replace("64", "160").replace("warps(4)", "warps(1)"), encoding="utf-8")
    done = vxproof("verify", path, "-t", "sm_80")
    assert done.status == 1
    assert "E6104 refuted" in done.out


def test_an_asynchronous_function_is_unknown(vxproof: Command, tmp_path: Path) -> None:
    path = tmp_path / "k.vx"
    text = PROGRAM.replace("transfer(x,", "transfer_async(x,").replace("t @ t", "wait(t) @ u")
    text = text.replace("x: &Tensor<f16, [64, 64]>", "x: &Tensor<f16, [64, 64], Memory::HBM>")
    text = text.replace("  tile(y", "  let u = transfer(x, Memory::SMEM);\n  tile(y")
    path.write_text(text, encoding="utf-8")
    done = vxproof("verify", path, "-t", "sm_80")
    assert done.status == 2
    assert "asynchrony is not decided yet" in done.out
