"""A plan is an input as well: printed by one run, decided by the next, refuted once broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vxproof as package
from tests.cli.conftest import Command

EXAMPLES = Path(package.__file__).parents[1] / "examples"


@pytest.fixture
def plan(vxproof: Command, copy: Path) -> str:
    """The plan of the copy kernel."""
    done = vxproof("verify", copy, "-t", "sm_80", "--emit", "plan")
    assert done.status == 0
    assert done.err.splitlines()[-1].startswith(f"{copy}: proved")
    return done.out


def test_a_plan_is_printed_alone_and_the_same_each_time(vxproof: Command, copy: Path) -> None:
    first = vxproof("verify", copy, "-t", "sm_80", "--emit", "plan")
    assert first.out.startswith('plan 1\nkernel "copy" index 0\ntarget sm_80\n')
    assert vxproof("verify", copy, "-t", "sm_80", "--emit", "plan") == first


def test_a_plan_is_verified(vxproof: Command, plan: str, tmp_path: Path) -> None:
    path = tmp_path / "k.plan"
    path.write_text(plan, encoding="utf-8")
    done = vxproof("verify", path)
    assert done.status == 0, done.out
    assert done.out.splitlines()[-1].startswith(f"{path}: proved on sm_80")


def test_a_plan_without_its_barrier_is_refuted_on_the_plan_machine(
    vxproof: Command, tmp_path: Path
) -> None:
    kernel = EXAMPLES / "flash_attention.vx"
    plan = vxproof("verify", kernel, "-t", "sm_80", "--emit", "plan").out
    broken = re.sub(r"^ *barrier .*\n", "", plan, flags=re.MULTILINE)
    assert broken != plan
    path = tmp_path / "k.plan"
    path.write_text(broken, encoding="utf-8")
    done = vxproof("verify", path)
    assert done.status == 1
    assert "E6134 refuted" in done.out
    assert "checked again: plan machine: thread" in done.out


def test_a_plan_of_a_pipelined_loop_is_unknown(vxproof: Command, tmp_path: Path) -> None:
    kernel = EXAMPLES / "flash_attention_pipelined.vx"
    path = tmp_path / "k.plan"
    path.write_text(vxproof("verify", kernel, "-t", "sm_80", "--emit", "plan").out)
    done = vxproof("verify", path)
    assert done.status == 2
    assert "asynchrony is not decided yet" in done.out


def test_contradictory_requirements_claim_nothing(
    vxproof: Command, plan: str, tmp_path: Path
) -> None:
    path = tmp_path / "k.plan"
    path.write_text(plan.replace("require 16 <= B\n", "require 16 <= B\nrequire B <= 8\n"))
    done = vxproof("verify", path)
    assert done.status == 1
    assert "E6152 refuted" in done.out


@pytest.mark.parametrize("text", ["", "plan 9\n", "fn main() {}", 'plan 1\nkernel "k"\nevents {'])
def test_what_is_no_plan(vxproof: Command, tmp_path: Path, text: str) -> None:
    path = tmp_path / "k.plan"
    path.write_text(text, encoding="utf-8")
    done = vxproof("verify", path)
    assert done.status == 3
    assert "error[E1001]" in done.out


@pytest.mark.parametrize("options", [("--set", "B=16"), ("--target", "sm_90a")])
def test_what_a_plan_does_not_take(
    vxproof: Command, plan: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    path = tmp_path / "k.plan"
    path.write_text(plan, encoding="utf-8")
    done = vxproof("verify", path, *options)
    assert done.status == 3
    assert "error[E0004]" in done.out


def test_a_plan_for_an_unknown_target(vxproof: Command, plan: str, tmp_path: Path) -> None:
    path = tmp_path / "k.plan"
    path.write_text(plan.replace("target sm_80", "target sm_1"), encoding="utf-8")
    done = vxproof("verify", path)
    assert done.status == 3
    assert "error[E0004]" in done.out
