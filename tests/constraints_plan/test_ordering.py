"""E6134 on plans by hand: each hole in the order of two accesses, with an accepted twin."""

from __future__ import annotations

import pytest

from tests.constraints_plan.deciding import decide_plan, refuted
from vxproof.diagnostics import Source
from vxproof.logic.obligation import Replay
from vxproof.logic.verdict import Refuted
from vxproof.plan.parse import parse_plan
from vxproof.plan.replay import replay_on

HEAD = (
    'plan 1\nkernel "k"\nsymbol N from 0 to 9\nsymbol S from 2 to 4\n'
    "arena SMEM bytes capacity 4096 {\n"
    'buffer "a" tile size 64 life 1 4\nbuffer "b" tile size 64 life 7 9\n'
    'layout "birth" total 128 { "a" at 0 "b" at 64 }\n}\n'
)
COPY = 'do copy "{0}" {{ reads "x" by "chunks" writes "{0}" by "chunks" }}\n'
READ = 'do mma "acc" {{ reads "{0}" by "all" }}\n'
ADD = 'do store { reads "a" by "one" writes "a" by "one" }\n'
BAR = "barrier\n"


def loop(body: str, trips: str = "N") -> str:
    return f'loop "j" trips {trips} {{\n{body}}}\n'


def branch(kind: str, then: str, orelse: str = "") -> str:
    tail = f" else {{\n{orelse}}}" if orelse else ""
    return f'if "c" {kind} {{\n{then}}}{tail}\n'


COPY_A, READ_A, COPY_B = COPY.format("a"), READ.format("a"), COPY.format("b")

CASES = {
    "raw": (COPY_A + READ_A, COPY_A + BAR + READ_A),
    "war": (READ_A + COPY_A, READ_A + BAR + COPY_A),
    "waw": (COPY_A + ADD, COPY_A + BAR + ADD),
    "back edge": (loop(COPY_A + BAR + READ_A), loop(BAR + COPY_A + BAR + READ_A)),
    "no trip": (
        COPY_A + loop(BAR) + READ_A,
        COPY_A + loop(BAR, "S") + READ_A,
    ),
    "one trip is no back edge": (
        loop(COPY_A + BAR + READ_A, "S"),
        loop(COPY_A + BAR + READ_A, "1"),
    ),
    "one arm": (
        COPY_A + branch("uniform", BAR) + READ_A,
        COPY_A + branch("uniform", BAR, BAR) + READ_A,
    ),
    "inner loop": (
        loop(loop(COPY_A + BAR, "S") + READ_A, "S"),
        loop(loop(BAR + COPY_A + BAR, "S") + READ_A, "S"),
    ),
    "divergent barrier": (branch("divergent", BAR), branch("uniform", BAR)),
    "matrix unit": (
        'do mma "acc" { writes "a" by "unit" }\n' + READ_A,
        'do mma "acc" { writes "a" by "unit" }\nawait "done"\n' + READ_A,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hole_is_refuted_and_runs_into_a_race(name: str) -> None:
    text = f"{HEAD}events {{\n{CASES[name][0]}}}\n"
    found = refuted(decide_plan(text))
    assert set(found) == {"E6134"}
    decision = found["E6134"]
    assert decision.obligation.replay is Replay.PLAN_MACHINE
    assert isinstance(decision.verdict, Refuted)
    plan = parse_plan(Source("x.plan", text))
    seen = replay_on(plan, decision.obligation, decision.verdict.witness)
    assert seen is not None
    assert "plan machine" in seen


@pytest.mark.parametrize("name", CASES)
def test_its_twin_is_proved(name: str) -> None:
    assert refuted(decide_plan(f"{HEAD}events {{\n{CASES[name][1]}}}\n")) == {}


REUSE = HEAD.replace('"b" at 64', '"b" at 8 * N').replace("total 128", "total 64 + 8 * N")


def test_bytes_that_another_buffer_reuses() -> None:
    """b starts at 8 N: it meets the 64 bytes of a below N = 8."""
    events = COPY_A + BAR + READ_A + COPY_B
    decision = refuted(decide_plan(f"{REUSE}events {{\n{events}}}\n"))["E6134"]
    assert isinstance(decision.verdict, Refuted)
    assert dict(decision.verdict.witness)["N"] < 8
    plan = parse_plan(Source("x.plan", f"{REUSE}events {{\n{events}}}\n"))
    assert replay_on(plan, decision.obligation, decision.verdict.witness) is not None
    ordered = COPY_A + BAR + READ_A + BAR + COPY_B
    assert refuted(decide_plan(f"{REUSE}events {{\n{ordered}}}\n")) == {}
    assert refuted(decide_plan(f"{HEAD}events {{\n{events}}}\n")) == {}


def test_the_refutation_names_both_accesses() -> None:
    found = refuted(decide_plan(f"{HEAD}events {{\n{COPY_A}{READ_A}}}\n"))["E6134"].obligation
    (table,) = found.tables
    assert table.rows[0] == ("act", "copy", "mma")
    assert len(found.labels) == 2


def test_a_layout_by_hand_that_overlaps_is_refuted() -> None:
    clash = HEAD.replace("life 7 9", "life 2 9").replace('"b" at 64', '"b" at 32')
    assert set(refuted(decide_plan(f"{clash}events {{ }}\n"))) == {"E6113"}
    apart = HEAD.replace("life 7 9", "life 2 9")
    assert refuted(decide_plan(f"{apart}events {{ }}\n")) == {}


def test_a_witness_of_one_plan_does_not_replay_on_its_twin() -> None:
    broken = f"{HEAD}events {{\n{COPY_A}{READ_A}}}\n"
    decision = refuted(decide_plan(broken))["E6134"]
    assert isinstance(decision.verdict, Refuted)
    fixed = parse_plan(Source("x.plan", f"{HEAD}events {{\n{COPY_A}{BAR}{READ_A}}}\n"))
    assert replay_on(fixed, decision.obligation, decision.verdict.witness) is None
