"""The commands from outside: verdicts, statuses, streams, formats, files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import vxproof.report
from tests.cli.conftest import COPY, Command
from tests.report.schema_check import faults
from vxproof import driver
from vxproof.diagnostics import DiagnosticError
from vxproof.target import load

SCHEMA = json.loads(
    (Path(vxproof.report.__file__).parent / "schema.json").read_text(encoding="utf-8")
)


def test_a_right_kernel_is_proved(vxproof: Command, copy: Path) -> None:
    done = vxproof("verify", copy, "--target", "sm_80")
    assert done.status == 0, done.out
    assert done.out.splitlines()[-1].startswith(f"{copy}: proved on sm_80, for every value")
    assert done.err == ""


def test_a_wrong_kernel_is_refuted_with_numbers(vxproof: Command, too_wide: Path) -> None:
    done = vxproof("verify", too_wide, "--target", "sm_86")
    assert done.status == 1
    assert "E6009 refuted" in done.out
    assert "limit 101,376 B" in done.out
    assert "the largest legal B is 792" in done.out


def test_the_worst_of_several_targets_counts(vxproof: Command, tmp_path: Path) -> None:
    path = tmp_path / "k.vx"
    path.write_text(COPY.replace("B <= 64 ", "B <= 1024 "), encoding="utf-8")
    assert vxproof("verify", path, "-t", "sm_80").status == 0
    done = vxproof("verify", path, "-t", "sm_80", "-t", "sm_86")
    assert done.status == 1
    assert f"{path}: proved on sm_80" in done.out
    assert f"{path}: refuted on sm_86" in done.out


def test_all_targets_are_a_table(vxproof: Command, copy: Path) -> None:
    done = vxproof("verify", copy, "--target", "all")
    rows = [line.split() for line in done.out.splitlines()]
    names = next(row for row in rows if row and row[0].startswith("sm_"))
    verdicts = next(row for row in rows if row and row[0] == "verdict")
    assert max(map(len, done.out.split("\n\n")[0].splitlines())) <= 100
    shown = dict(zip(names, verdicts[1:], strict=True))
    assert shown == dict.fromkeys(driver.resolve_targets(("all",)), "proved")


def test_set_restricts_requires(vxproof: Command, too_wide: Path) -> None:
    done = vxproof("verify", too_wide, "--target", "sm_86", "--set", "B=512")
    assert done.status == 0, done.out
    assert "B = 512" in done.out.splitlines()[-1]
    assert "65,536 B" in done.out


def test_set_takes_extents_and_lists(vxproof: Command, copy: Path) -> None:
    assert vxproof("verify", copy, "-t", "sm_80", "--set", "B=16,N=4096").status == 0


def test_a_contradiction_is_refuted_and_nothing_else_claimed(
    vxproof: Command, tmp_path: Path
) -> None:
    path = tmp_path / "k.vx"
    path.write_text(COPY.replace("16 <= B", "128 <= B"), encoding="utf-8")
    done = vxproof("verify", path, "-t", "sm_80")
    assert done.status == 1
    assert "E6152 refuted" in done.out
    assert "proved" not in done.out


def test_json_conforms(vxproof: Command, too_wide: Path, copy: Path) -> None:
    done = vxproof("verify", too_wide, copy, "-t", "sm_86", "--format", "json")
    document = json.loads(done.out)
    assert faults(document, SCHEMA, SCHEMA) == []
    assert (done.status, document["exit_status"], document["version"]) == (1, 1, 1)
    assert [run["verdict"] for run in document["runs"]] == ["refuted", "proved"]


def test_json_of_bad_input_conforms(vxproof: Command, tmp_path: Path) -> None:
    done = vxproof("verify", tmp_path / "none.vx", "--format", "json")
    document = json.loads(done.out)
    assert faults(document, SCHEMA, SCHEMA) == []
    assert (done.status, document["verdict"]) == (3, "error")


def test_counterexamples_are_written(vxproof: Command, too_wide: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = vxproof("verify", too_wide, "-t", "sm_86", "--counterexamples", folder)
    assert done.status == 1
    (file,) = folder.iterdir()
    assert re.fullmatch(r"wide-sm_86-copy-kernel1-E6009\.json", file.name)
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["obligation"]["measure"]["limit_at_witness"] == 101_376


def test_a_proof_writes_no_counterexample(vxproof: Command, copy: Path, tmp_path: Path) -> None:
    vxproof("verify", copy, "-t", "sm_80", "--counterexamples", tmp_path / "c")
    assert list((tmp_path / "c").iterdir()) == []


def test_same_input_same_output(vxproof: Command, too_wide: Path) -> None:
    first = vxproof("verify", too_wide, "-t", "all", "--format", "json")
    assert vxproof("verify", too_wide, "-t", "all", "--format", "json") == first


def test_jobs_change_nothing_but_time(vxproof: Command, too_wide: Path, copy: Path) -> None:
    alone = vxproof("verify", too_wide, copy, "-t", "sm_86")
    assert vxproof("verify", too_wide, copy, "-t", "sm_86", "--jobs", "2") == alone


def test_a_machine_file_describes_places_for_the_others(
    vxproof: Command, tmp_path: Path, copy: Path
) -> None:
    machine = tmp_path / "machine.vx"
    machine.write_text("Memory SMEM { capacity: 1 KB, granule: 1 }\n", encoding="utf-8")
    done = vxproof("verify", copy, machine, "-t", "sm_80")
    assert done.status == 1
    assert "limit 1,024 B" in done.out
    assert f"{machine}: " not in done.out


def test_verbose_lists_obligations(vxproof: Command, copy: Path) -> None:
    brief = vxproof("verify", copy, "-t", "sm_80").out
    full = vxproof("verify", copy, "-t", "sm_80", "--verbose").out
    assert len(full.splitlines()) > len(brief.splitlines())
    assert "decided by" in full


@pytest.mark.parametrize("code", ["E6010", "e6010"])
def test_explain(vxproof: Command, code: str) -> None:
    done = vxproof("explain", code)
    assert done.status == 0
    assert done.out.startswith("E6010 (refuted): coexisting tiles exceed the capacity")


def test_explain_an_unknown_code(vxproof: Command) -> None:
    done = vxproof("explain", "E6019")
    assert done.status == 3
    assert "error[E0004]: unknown code `E6019`" in done.err
    assert "did you mean" in done.err


def test_targets_have_numbers_and_sources(vxproof: Command) -> None:
    done = vxproof("targets")
    assert done.status == 0
    rows = [line.split() for line in done.out.splitlines() if "smem_optin_per_block" in line]
    assert "166,912" in rows[0]
    assert "S2," in rows[-1]
    assert "sources (M is measured" in done.out


def test_every_limit_of_every_target_is_printed_within_100_columns(vxproof: Command) -> None:
    shown = vxproof("targets").out.partition("\npublications that disagree")[0]
    assert max(map(len, shown.splitlines())) <= 100
    printed = {line.split()[0] for line in shown.splitlines() if line.strip()}
    missing = {
        fact.name
        for name in driver.resolve_targets(("all",))
        for fact in load(name).facts
        if fact.name not in printed
    }
    assert missing == set()


def test_one_target_is_one_table(vxproof: Command) -> None:
    shown = vxproof("targets", "sm_90a").out
    assert "by target" not in shown
    assert "wgmma.m " in shown
    assert "tmem.columns" not in shown


def test_targets_as_json(vxproof: Command) -> None:
    document = json.loads(vxproof("targets", "sm_90a", "--format", "json").out)
    assert document["version"] == 1
    facts = {fact["name"]: fact["value"] for fact in document["targets"]["sm_90a"]}
    assert facts["smem_optin_per_block"] == 232_448


def test_version(vxproof: Command) -> None:
    assert re.fullmatch(r"vxproof, version \d+\.\d+\.\d+\n", vxproof("--version").out)


def test_resolve_targets() -> None:
    assert driver.resolve_targets(("sm_80", "sm_90a", "sm_80")) == ("sm_80", "sm_90a")
    assert len(driver.resolve_targets(("all",))) == 11
    with pytest.raises(DiagnosticError, match="E0004"):
        driver.resolve_targets(("sm_1",))


def test_as_a_process(copy: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vxproof", "verify", str(copy), "--target", "sm_80"],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout


def test_a_closed_pipe_is_no_success(copy: Path) -> None:
    vxproof = f"{sys.executable} -m vxproof verify {copy} -t all --verbose"
    command = f"{vxproof} | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 141}
    assert "Traceback" not in done.stderr
