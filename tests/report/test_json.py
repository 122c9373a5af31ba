"""JSON reports hold to the schema, for every kind of verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import vxproof.report
from tests.report.builders import REFUTED, run
from tests.report.schema_check import faults
from vxproof.logic.verdict import Proved, Unknown, Verdict, Waived
from vxproof.report.counterexamples import counterexamples
from vxproof.report.json_report import SCHEMA, VERSION, document_json, run_json
from vxproof.report.model import RunReport

SCHEMA_FILE = Path(vxproof.report.__file__).parent / "schema.json"
KINDS: tuple[Verdict, ...] = (
    Proved("interval", "corner"),
    Proved("z3"),
    REFUTED,
    Unknown("budget", "5 solver steps"),
    Waived("W1028", REFUTED),
)


def schema() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    return loaded


def document(report: RunReport) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(document_json([run_json(report)], report.outcome))
    return loaded


@pytest.mark.parametrize("verdict", KINDS, ids=lambda v: type(v).__name__)
def test_every_verdict_conforms(verdict: Verdict) -> None:
    found = document(run(verdict, targets=("sm_86", None), spaces=True))
    assert faults(found, schema(), schema()) == []


def test_the_check_finds_faults() -> None:
    found = document(run(REFUTED))
    found["runs"][0]["verdict"] = "maybe"
    del found["runs"][0]["targets"][0]["units"][0]["obligations"][0]["goal"]
    found["extra"] = 1
    assert len(faults(found, schema(), schema())) == 3


def test_document_says_what_it_is() -> None:
    found = document(run(REFUTED))
    assert (found["schema"], found["version"]) == (SCHEMA, VERSION) == ("vxproof-report", 1)
    assert (found["verdict"], found["exit_status"]) == ("refuted", 1)


def test_engines_without_a_certificate_are_listed() -> None:
    (found,) = document(run(Proved("z3"), Proved("bounds"), Proved("interval", "corner")))["runs"]
    assert found["trusted_engines"] == ["bounds", "z3"]


def test_a_refutation_has_its_numbers() -> None:
    (target,) = document(run(REFUTED))["runs"][0]["targets"]
    (obligation,) = target["units"][0]["obligations"]
    assert obligation["measure"]["need_at_witness"] == 114_688
    assert obligation["measure"]["limit_at_witness"] == 101_376
    verdict = obligation["verdict"]
    assert verdict["kind"] == "refuted"
    assert [(v["display"], v["value"]) for v in verdict["witness"]] == [("BN", 80), ("D", 256)]
    assert [(v["display"], v["value"]) for v in verdict["largest"]] == [("BN", 64), ("D", 224)]
    assert [c["at_witness"] for c in obligation["contributions"]] == [32_768, 81_920]


def test_counterexamples_are_named_and_numbered() -> None:
    found = dict(counterexamples(run(REFUTED, REFUTED, Proved("z3"))))
    assert sorted(found) == [
        "k-sm_86-flash-kernel1-E6010-2.json",
        "k-sm_86-flash-kernel1-E6010.json",
    ]
    one = json.loads(found["k-sm_86-flash-kernel1-E6010.json"])
    assert one["schema"] == "vxproof-counterexample"
    assert one["obligation"]["verdict"]["witness"][0]["value"] == 80
