"""Running the command inside this process, and small programs to run it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from vxproof import cli

COPY = """\
fn copy<const B: i64>(x: Tensor<f16, [N, 64]>, y: &mut Tensor<f16, [N, 64]>)
  requires 16 <= B && B <= 64 && N % B == 0
{
  spawn on(Topology::GPU) warps(4) grid([N / B]) semantics([parallel]) {
    let i = grid_index(0);
    let t = transfer(tile(x, [i, 0], [B, 64]), Memory::SMEM);
    tile(y, [i, 0], [B, 64]) = t;
  }
}
"""


@dataclass(frozen=True, slots=True)
class Done:
    """Exit status and both streams of a command."""

    status: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def vxproof(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command; no output may hold a traceback."""

    def run(*arguments: str | Path) -> Done:
        status = cli.run([str(one) for one in arguments])
        streams = capsys.readouterr()
        assert "Traceback" not in streams.out + streams.err
        return Done(status, streams.out, streams.err)

    return run


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A kernel that is right on every target."""
    path = tmp_path / "copy.vx"
    path.write_text(COPY, encoding="utf-8")
    return path


@pytest.fixture
def too_wide(tmp_path: Path) -> Path:
    """A kernel with a tile of up to 512 KiB."""
    path = tmp_path / "wide.vx"
    path.write_text(COPY.replace("B <= 64 ", "B <= 4096 "), encoding="utf-8")
    return path
