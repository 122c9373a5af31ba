"""Without the solver nothing that only it decides is proved: missing, starved, killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

import vxproof as package
from tests.cli.conftest import Command
from vxproof.driver import Outcome, verify_file
from vxproof.driver.wiring import real_stages
from vxproof.logic.verdict import Proved, Unknown
from vxproof.report.model import RunReport
from vxproof.smt.ladder import Prover
from vxproof.smt.worker import Isolated

FLASH = Path(package.__file__).parents[1] / "examples" / "flash_attention.vx"


def engines(report: RunReport) -> set[str]:
    """The engines that proved something."""
    return {
        decision.verdict.engine
        for target in report.targets
        for unit in target.units
        for decision in unit.decisions
        if isinstance(decision.verdict, Proved)
    }


def reasons(report: RunReport) -> set[str]:
    """Why something is unknown."""
    return {
        decision.verdict.reason
        for target in report.targets
        for unit in target.units
        for decision in unit.decisions
        if isinstance(decision.verdict, Unknown)
    }


def test_flash_attention_needs_the_solver() -> None:
    report = verify_file(FLASH, targets=("sm_80",))
    assert report.outcome is Outcome.PROVED
    assert "z3" in engines(report)


def test_z3_cannot_be_imported(vxproof: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    done = vxproof("verify", FLASH, "-t", "sm_80")
    assert done.status == 2
    assert "E6180 unknown" in done.out
    assert "z3 cannot be imported" in done.out


def test_one_step_is_no_budget(vxproof: Command) -> None:
    done = vxproof("verify", FLASH, "-t", "sm_80", "--budget", "1")
    assert done.status == 2
    assert "E6180 unknown" in done.out


def test_an_isolated_solver_proves_as_well(vxproof: Command) -> None:
    assert vxproof("verify", FLASH, "-t", "sm_80", "--isolate-solver").status == 0


class Killed(Isolated):
    """A worker that something kills whenever it starts."""

    @override
    def _start(self) -> subprocess.Popen[str]:
        process = super()._start()
        os.kill(process.pid, signal.SIGKILL)
        return process


def test_a_killed_solver_is_unknown() -> None:
    prover = Prover()
    prover.solver = Killed(None)
    stages = replace(real_stages(), prover=lambda _: prover)
    report = verify_file(FLASH, targets=("sm_80",), stages=stages)
    assert report.exit_status == 2
    assert any("died" in reason or "no answer" in reason for reason in reasons(report))
