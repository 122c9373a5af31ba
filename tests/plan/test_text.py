"""The text form of plans: an identity over all examples, and errors with a place."""

from __future__ import annotations

import pytest

from tests.plan.sources import example_plans
from vxproof.diagnostics import DiagnosticError, Source
from vxproof.plan.parse import parse_plan
from vxproof.plan.text import digest, show_plan

SMALL = """\
plan 1
kernel "k"
warps 2
symbol N from 1 to 8
arena SMEM bytes capacity 4096 {
  buffer "t" ring size 2 * 512 life 1 9 depth 2 // two slots
}
events {
  loop "j" trips N stages 2 {
    do copy.async "t" from "x" line 3 {
      reads "x" by "chunks"
      writes "t" by "chunks"
    }
    commit
    wait_group 1
    barrier
    do mma "acc" {
      reads "t"
    }
  }
  if "i == 0" divergent {
    do store "" { writes "y" by "one" }
  } else {
    await "done"
  }
}
"""


@pytest.mark.parametrize("target", ["sm_75", "sm_90a", "sm_100a", None])
def test_text_plan_text_is_the_identity(target: str | None) -> None:
    plans = example_plans(target)
    assert plans
    for name, plan in plans:
        text = show_plan(plan)
        again = parse_plan(Source(name, text))
        assert again == plan, name
        assert show_plan(again) == text, name
        assert digest(again) == digest(plan)


def test_a_plan_by_hand_may_leave_out_what_it_does_not_speak_of() -> None:
    plan = parse_plan(Source("x.plan", SMALL))
    text = show_plan(plan)
    assert parse_plan(Source("x.plan", text)) == plan
    assert plan.arenas[0].buffers[0].name == "t"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("plan 1", "plan 2", 1),
        ("trips N", "trips", 9),
        ("commit", "comit", 14),
        ("divergent", "sometimes", 21),
        ("life 1 9", "life 9 1", 6),
        ("from 1 to 8", "from 8 to 1", 4),
        ("ring", "rong", 6),
        ('"y"', '"y', 22),
        ("events {", "events {{", 8),
    ],
)
def test_a_fault_is_named_at_its_line(old: str, new: str, line: int) -> None:
    with pytest.raises(DiagnosticError) as caught:
        parse_plan(Source("x.plan", SMALL.replace(old, new, 1)))
    (found,) = caught.value.diagnostics
    assert found.code == "E1001"
    assert found.primary is not None
    assert found.primary.span.line == line


@pytest.mark.parametrize("text", ["", "plan", "\0", 'plan 1\nkernel "k"\nevents {', "(" * 9999])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError):
        parse_plan(Source("x.plan", text))


def test_deep_terms_are_refused_and_not_a_crash() -> None:
    deep = SMALL.replace("trips N", "trips " + "(" * 5000 + "N" + ")" * 5000)
    with pytest.raises(DiagnosticError):
        parse_plan(Source("x.plan", deep))


def test_deep_loops_are_refused_and_not_a_crash() -> None:
    loops = 'loop "j" trips 2 {' * 3000 + "}" * 3000
    with pytest.raises(DiagnosticError):
        parse_plan(Source("x.plan", f'plan 1\nkernel "k"\nevents {{ {loops} }}'))
