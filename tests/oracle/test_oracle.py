"""Random small kernels: what is proved does not go wrong, what is refuted does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle.compare import compare
from tests.oracle.generator import program
from vxproof.report.model import Outcome

_GROUPS = range(6)
_IN_A_GROUP = 8


def _contradictions(seeds: range, folder: Path) -> list[str]:
    found: list[str] = []
    for seed in seeds:
        result = compare(program(seed), folder / f"seed_{seed}.vx", seed)
        found += [f"seed {seed}: {one}" for one in result.contradictions]
    return found


@pytest.mark.parametrize("group", _GROUPS)
def test_verdicts_agree_with_every_point_of_small_kernels(group: int, tmp_path: Path) -> None:
    """No fault that a run shows is missing, and every counterexample shows its fault."""
    first = group * _IN_A_GROUP
    assert not _contradictions(range(first, first + _IN_A_GROUP), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("group", range(40))
def test_verdicts_agree_with_many_small_kernels(group: int, tmp_path: Path) -> None:
    """The same for more of them."""
    first = 10_000 + group * 25
    assert not _contradictions(range(first, first + 25), tmp_path)


def test_the_generator_reaches_every_outcome(tmp_path: Path) -> None:
    """Some kernels are proved and some refuted, so the comparison is not empty."""
    outcomes = {compare(program(s), tmp_path / "k.vx", s).outcome for s in range(12)}
    assert {Outcome.PROVED, Outcome.REFUTED} <= outcomes


def test_a_fault_that_is_not_reported_is_a_contradiction(tmp_path: Path) -> None:
    """The oracle sees what goes wrong without the verifier's help."""
    text = _WRONG.replace("N - 1", "N")
    result = compare(text, tmp_path / "k.vx")
    assert result.outcome is Outcome.REFUTED
    assert result.checked
    assert not result.contradictions
    right = compare(_WRONG, tmp_path / "k.vx")
    assert right.outcome is Outcome.PROVED
    assert right.points


_WRONG = """\
fn f(y: &mut Tensor<f32, [N]>)
  requires 2 <= N && N <= 9
{
  spawn on(Topology::GPU) grid([N - 1]) semantics([parallel]) {
    let i = grid_index(0);
    y[i + 1] = 1.0;
  }
}
"""
