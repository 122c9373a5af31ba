"""Barriers: none is missing, none can be left out, and both judges agree on that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.plan.sources import ROOT, example_plans, kernel_text, plan_of
from vxproof.constraints.from_plan import from_plan_text
from vxproof.diagnostics import Source
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import TRUE
from vxproof.plan.machine import Race, run_plan
from vxproof.plan.nodes import Barrier, Branch, Event, Loop, Plan
from vxproof.plan.text import show_plan

TARGETS = ("sm_80", "sm_100a")
VALUES = {
    "BM": 128,
    "BN": 64,
    "BK": 64,
    "D": 64,
    "H": 2,
    "N": 256,
    "M": 256,
    "K": 256,
    "B": 32,
    "first": 0,
    "last": 4,
}


def flash() -> Plan:
    return plan_of((ROOT / "examples" / "flash_attention.vx").read_text(encoding="utf-8"))


def ordering(plan: Plan) -> list[Obligation]:
    source = Source("x.plan", show_plan(plan))
    return [one for one in from_plan_text(plan, source) if one.code == "E6134"]


def without_one(events: tuple[Event, ...]) -> Iterator[tuple[Event, ...]]:
    """Every way to leave out one barrier."""
    for i, event in enumerate(events):
        before, after = events[:i], events[i + 1 :]
        match event:
            case Barrier():
                yield (*before, *after)
            case Loop(body=body):
                for inner in without_one(body):
                    yield (*before, replace(event, body=inner), *after)
            case Branch(then=then, orelse=orelse):
                for inner in without_one(then):
                    yield (*before, replace(event, then=inner), *after)
                for inner in without_one(orelse):
                    yield (*before, replace(event, orelse=inner), *after)
            case _:
                pass


def values(plan: Plan) -> dict[str, int]:
    return {one.name: VALUES.get(one.display or one.name, 2) for one in plan.symbols}


def test_flash_attention_meets_twice_an_iteration() -> None:
    (loop,) = [event for event in flash().events if isinstance(event, Loop)]
    at = [i for i, event in enumerate(loop.body) if isinstance(event, Barrier)]
    assert at == [0, 3]


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_inserted_suffices(target: str) -> None:
    plans = example_plans(target)
    assert len(plans) > 10
    for name, plan in plans:
        assert [one.goal for one in ordering(plan)] == [TRUE], name
        assert run_plan(plan, values(plan)) == (), name


@pytest.mark.parametrize("target", TARGETS)
def test_no_barrier_can_be_left_out(target: str) -> None:
    tried = 0
    for name, plan in example_plans(target):
        for events in without_one(plan.events):
            broken = replace(plan, events=events)
            tried += 1
            assert all(one.goal != TRUE for one in ordering(broken)), name
            assert any(isinstance(one, Race) for one in run_plan(broken, values(broken))), name
    assert tried > 20


def test_storing_what_the_same_threads_copied_needs_no_barrier() -> None:
    text = kernel_text(
        "let t = transfer(tile(x, [0, 0], [64, 64]), Memory::SMEM);\n"
        "tile(y, [0, 0], [64, 64]) = t;",
        requires="N % 64 == 0",
    )
    assert not any(isinstance(event, Barrier) for event in plan_of(text).events)


def test_reading_it_across_rows_does() -> None:
    text = kernel_text(
        "let t = transfer(tile(x, [0, 0], [64, 64]), Memory::SMEM);\n"
        "tile(y, [0, 0], [64, 64]) = t.transpose([1, 0]);",
        requires="N % 64 == 0",
    )
    assert any(isinstance(event, Barrier) for event in plan_of(text).events)


def test_parts_that_are_not_aligned_may_overlap() -> None:
    store = "slice(y, [{0}, 0], [64, 64]) = tile(x, [0, 0], [64, 64]);"
    apart = kernel_text(
        "\n".join(["tile(y, [0, 0], [64, 64]) = tile(x, [0, 0], [64, 64]);"] * 2),
        requires="N % 64 == 0",
    )
    shifted = kernel_text(
        f"{store.format(0)}\n{store.format(8)}", requires="N % 64 == 0 && N >= 128"
    )
    assert not any(isinstance(event, Barrier) for event in plan_of(apart).events)
    assert any(isinstance(event, Barrier) for event in plan_of(shifted).events)
