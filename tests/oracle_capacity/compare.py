"""Holds the verifier's capacity verdicts of a program against the oracle's, at every point."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.oracle_capacity.lives import arena, lives, path_peak, peak
from tests.oracle_capacity.model import Body, Case, source
from vxproof.diagnostics import Severity
from vxproof.driver import verify_file
from vxproof.logic.evaluate import evaluate
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Waived

CODES = ("E6009", "E6010", "E6027", "E6113")


@dataclass(frozen=True)
class Truth:
    """What holds at one value of `P`: the largest tile, the plain peaks, the arenas."""

    tile: int
    peak: int
    path: int
    arena: int


def truth(case: Case, body: Body, p: int) -> Truth:
    """The oracle's numbers for one kernel or function."""
    plain = lives(case, body, p, lambda _: 0)
    return Truth(
        max((one.size for one in plain), default=0),
        peak(plain, frames=False),
        path_peak(case, body, p),
        arena(case, body, p),
    )


def contradictions(case: Case, path: Path) -> list[str]:
    """Return every contradiction as a sentence."""
    path.write_text(source(case), encoding="utf-8")
    report = verify_file(path, targets=() if case.target is None else (case.target,))
    said: list[str] = []
    for target in report.targets:
        said += [
            f"{d.code} {d.headline}"
            for d in target.diagnostics
            if d.info.severity is not Severity.WARNING
        ]
        for unit in target.units:
            said += [
                f"{d.obligation.code} {d.obligation.headline}"
                for d in unit.decisions
                if d.obligation.code not in CODES and isinstance(d.verdict, Refuted)
            ]
    if said:
        return said
    for target in report.targets:
        for unit in target.units:
            decisions = [
                d
                for d in unit.decisions
                if d.obligation.code in CODES and d.obligation.subject == (case.place,)
            ]
            if unit.function != "kernel":
                body: Body | None = dict(case.helpers)[unit.function]
            elif unit.kernel is not None:
                body = case.kernels[unit.kernel]
            else:
                body = None
            if body is None:
                said += [f"unit of its own: {d.obligation.code}" for d in decisions]
                continue
            facts = {p: truth(case, body, p) for p in case.points}
            said += [*_refusals(case, decisions, facts), *_silence(case, decisions, facts)]
    return said


def _measure(fact: Truth, code: str) -> int:
    match code:
        case "E6009":
            return fact.tile
        case "E6010":
            return fact.peak
        case "E6027":
            return fact.path
        case _:
            return fact.arena


def _refusals(case: Case, decisions: list[Decision], facts: dict[int, Truth]) -> Iterator[str]:
    """What is refuted does not fit, needs what is said, and the largest legal value is exact."""
    for decision in decisions:
        code, verdict = decision.obligation.code, decision.verdict
        if isinstance(verdict, Unknown):
            yield f"{code} unknown: {verdict.reason}"
        if isinstance(verdict, Waived):
            verdict = verdict.refuted
        if not isinstance(verdict, Refuted):
            continue
        witness = dict(verdict.witness)
        p = witness["P"]
        measure = decision.obligation.measure
        assert measure is not None
        need, limit = evaluate(measure.need, witness), evaluate(measure.limit, witness)
        if limit != case.capacity:
            yield f"{code}: limit {limit}, not {case.capacity}"
        if p not in facts:
            yield f"{code}: witness {p} is not admitted"
            continue
        if _measure(facts[p], code) <= case.capacity:
            yield f"{code}: refuted at P={p} with need {need}, oracle {facts[p]}"
        if code == "E6010" and need != facts[p].peak:
            yield f"{code}: need {need} at P={p}, oracle {facts[p]}"
        if code in {"E6027", "E6113"} and need > _measure(facts[p], code):
            yield f"{code}: need {need} at P={p}, oracle {facts[p]}"
        legal = [q for q in facts if _measure(facts[q], code) <= case.capacity]
        if code == "E6010":
            told = dict(verdict.largest).get("P")
            if told != max(legal, default=None):
                yield f"{code}: largest P={told}, oracle {max(legal, default=None)}"
            failing = [q for q in facts if _measure(facts[q], code) > case.capacity]
            if failing and p != min(failing):
                yield f"{code}: witness P={p}, the least is {min(failing)}"


def _silence(case: Case, decisions: list[Decision], facts: dict[int, Truth]) -> Iterator[str]:
    """Where nothing is refuted, everything fits at every point."""
    open_ = [d for d in decisions if not isinstance(d.verdict, Proved)]
    if open_:
        return
    for p, fact in facts.items():
        if max(fact.tile, fact.peak, fact.path) > case.capacity:
            yield f"proved, but at P={p} {fact}"
            return
