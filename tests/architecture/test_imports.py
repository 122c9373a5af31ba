"""Start-up stays light: commands that prove nothing load no solver and no numerics."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("z3", "numpy", "networkx", "lark")
PROBE = """
import sys
from vxproof.cli import main
sys.argv = ["vxproof", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(*(name for name in {heavy!r} if name in sys.modules), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> set[str]:
    """The heavy modules that one command line loads, in a process of its own."""
    probe = PROBE.format(heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("verify", "--help"), ("explain", "E6010")])
def test_light_command_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert loaded_by(*arguments) == set()


def test_verifying_loads_the_solver_and_no_parser_generator() -> None:
    loaded = loaded_by("verify", "examples/flash_attention.vx", "--target", "sm_80")
    assert "z3" in loaded
    assert "lark" not in loaded
