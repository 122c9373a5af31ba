"""Random kernels: the verifier's capacity verdicts and numbers are the oracle's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle_capacity.compare import contradictions
from tests.oracle_capacity.generate import draw
from tests.oracle_capacity.model import source


def check(seeds: range, path: Path) -> None:
    for seed in seeds:
        case = draw(seed)
        found = contradictions(case, path)
        assert not found, f"seed {seed}:\n" + "\n".join(found) + "\n" + source(case)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_verdicts_and_needs_are_those_of_the_oracle(first: int, tmp_path: Path) -> None:
    check(range(first, first + 10), tmp_path / "kernel.vx")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1600, 50))
def test_many_verdicts_and_needs_are_those_of_the_oracle(first: int, tmp_path: Path) -> None:
    check(range(first, first + 50), tmp_path / "kernel.vx")
