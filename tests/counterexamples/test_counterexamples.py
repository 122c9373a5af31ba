"""The committed counterexamples: found again, and true without the solver that found them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from counterexamples.regenerate import ROOT, Entry, entries
from tests.verdicts.expectations import expectations
from vxproof.diagnostics import Severity
from vxproof.diagnostics.codes import REGISTRY
from vxproof.driver import Options, RunReport, verify_files
from vxproof.driver.wiring import real_stages
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Refuted, Unknown
from vxproof.report.counterexamples import counterexamples

PROJECT = ROOT.parent
NOT_DECIDED_YET = {
    "E6021": "asynchrony",
    "E6130": "asynchrony",
    "E6131": "asynchrony",
    "E6132": "asynchrony",
    "E6133": "asynchrony",
    "E6135": "asynchrony",
    "E6106": "the assembler's report",
    "E6170": "emitted code",
    "E6171": "certificates",
    "E6172": "proofs on disk",
}
"""Codes that this version never refutes with, and what they wait for."""

WITHOUT_WITNESS = {"E6152"}
"""Codes that say that no value exists: there is nothing to evaluate."""

ENTRIES = tuple(entries())
WITNESSED = tuple(entry for entry in ENTRIES if entry.code not in WITHOUT_WITNESS)


def name(entry: Entry) -> str:
    return f"{entry.code}/{entry.program.name}"


def stored(entry: Entry) -> dict[str, Any]:
    (path,) = entry.stored
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def options(entry: Entry) -> Options:
    targets = () if entry.target is None else (entry.target,)
    return Options(targets=targets, settings=dict(entry.settings))


def written(report: RunReport) -> dict[str, dict[str, Any]]:
    return {file: json.loads(text) for file, text in counterexamples(report)}


def facts(document: dict[str, Any]) -> dict[str, Any]:
    """What a counterexample claims: everything but the words of its message."""
    about = ("source_sha256", "settings", "target", "function", "kernel")
    obligation = document["obligation"]
    measure = obligation["measure"] or {}
    numbers = ("need_at_witness", "limit_at_witness", "unit")
    parts = ("name", "at_witness")
    shown = ("kind", "witness", "replayed", "largest")
    return {
        **{key: document[key] for key in about},
        **{key: measure.get(key) for key in numbers},
        **{key: obligation["verdict"][key] for key in shown},
        "code": obligation["code"],
        "line": obligation["span"]["line"],
        "contributions": [{key: one[key] for key in parts} for one in obligation["contributions"]],
    }


def test_every_code_that_can_be_refuted_has_a_program() -> None:
    refuted = {code for code, info in REGISTRY.items() if info.severity is Severity.REFUTED}
    assert {entry.code for entry in ENTRIES} == refuted - NOT_DECIDED_YET.keys()


def test_every_code_that_a_program_is_refuted_with_has_one_here() -> None:
    paths = [
        path
        for folder in ("examples", "tests/programs", "tests/cases")
        for path in (PROJECT / folder).rglob("*.vx")
        if "=> refuted" in path.read_text(encoding="utf-8")
    ]
    expected = {
        one.code for path in paths for one in expectations(path) if one.verdict == "refuted"
    }
    assert expected - {None} <= {entry.code for entry in ENTRIES}


def test_nothing_else_lies_here() -> None:
    known = {path for entry in ENTRIES for path in (entry.program, *entry.stored)}
    assert {path for path in ROOT.glob("E*/*") if path.is_file()} == known


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_it_is_found_again(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of any number is a change to commit: `counterexamples/regenerate.py` writes it."""
    monkeypatch.chdir(entry.program.parent)
    (report,) = verify_files((Path(entry.program.name),), options(entry))
    found = written(report)
    assert list(found) == [path.name for path in entry.stored]
    (document,) = found.values()
    assert facts(document) == facts(stored(entry))
    assert document["obligation"]["code"] == entry.code


class Recollection:
    """Stands in for the prover, and knows a stored witness and exact arithmetic: nothing else."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.code = document["obligation"]["code"]
        witness = document["obligation"]["verdict"]["witness"]
        self.witness = tuple((one["symbol"], one["value"]) for one in witness)
        self.refuted: list[Obligation] = []

    def decide_all(self, obligations: Sequence[Obligation]) -> tuple[Decision, ...]:
        """Refute what is false at the witness; everything else is left open."""
        return tuple(map(self.decide, obligations))

    def decide(self, obligation: Obligation) -> Decision:
        """Refute one obligation if it has the code, the symbols, and no truth at the witness."""
        names = [symbol.name for symbol in obligation.symbols]
        known = obligation.code == self.code and names == [key for key, _ in self.witness]
        if not known or legal(obligation, dict(self.witness)):
            return Decision(obligation, Unknown("not recalled"))
        self.refuted.append(obligation)
        return Decision(obligation, Refuted(self.witness, "recollection", ""))

    def explained(self, decision: Decision) -> Decision:
        """Add nothing."""
        return decision

    def close(self) -> None:
        """Hold nothing."""


def legal(obligation: Obligation, values: dict[str, int]) -> bool:
    """Whether an obligation holds at a point; a point outside the hypotheses counts as legal."""
    inside = all(
        (symbol.lo is None or symbol.lo <= values[symbol.name])
        and (symbol.hi is None or values[symbol.name] <= symbol.hi)
        for symbol in obligation.symbols
    )
    if not inside or not all(holds(one, values) for one in obligation.hypotheses):
        return True
    try:
        return holds(obligation.goal, values)
    except Undefined:
        return False


@pytest.mark.parametrize("entry", WITNESSED, ids=name)
def test_its_witness_needs_no_solver(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact evaluation, and the interpreter or the plan machine, show what is stored."""
    document = stored(entry)
    prover = Recollection(document)
    stages = replace(real_stages(), prover=lambda _: prover)
    monkeypatch.chdir(entry.program.parent)
    (report,) = verify_files((Path(entry.program.name),), options(entry), stages)
    (again,) = written(report).values()
    claimed = facts(document)
    assert {**facts(again), "largest": claimed["largest"]} == claimed
    for limit in claimed["largest"]:
        at = {**dict(prover.witness), limit["symbol"]: limit["value"]}
        above = {**at, limit["symbol"]: limit["value"] + 1}
        assert legal(prover.refuted[0], at)
        assert not legal(prover.refuted[0], above)


def test_a_witness_of_another_program_is_not_recalled(tmp_path: Path) -> None:
    """The twin of a refuted program, so that the check above can fail."""
    entry = next(one for one in ENTRIES if one.code == "E6009")
    text = entry.program.read_text(encoding="utf-8")
    twin = tmp_path / "twin.vx"
    twin.write_text(text.replace("R <= 25345", "R <= 25344"), encoding="utf-8")
    stages = replace(real_stages(), prover=lambda _: Recollection(stored(entry)))
    assert written(verify_files((entry.program,), options(entry), stages)[0])
    assert not written(verify_files((twin,), options(entry), stages)[0])
