"""What the parser admits, every stage can follow: programs near the nesting limit get a verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vxproof.driver import Outcome, verify_file
from vxproof.driver.room import with_room

LEVELS = 250
KERNEL = """fn g(a: i64) -> i64 on Topology::GPU
  requires 0 <= a && a <= 10 ensures 0 <= result && result <= 10
{ return a; }
fn f(x: Tensor<f32, [N, 64]>, y: &mut Tensor<f32, [N, 64]>, a: f32, n: i64)
  requires 1 <= n && n <= 10
{
  spawn on(Topology::GPU) warps(4) grid([N / 16]) semantics([parallel]) {
    let i = grid_index(0);
    let t = transfer(tile(x, [i, 0], [16, 64], pad: 0), Memory::SMEM);
    let mut b = 0;
    BODY
  }
}
"""
ASSERTED = ' assert(c <= 10, "bounded");'
FORMS = {
    "calls of a function": f"let c = {'g(' * LEVELS}n{')' * LEVELS};{ASSERTED}",
    "extremes of integers": f"let c = {'max(n, ' * LEVELS}n{')' * LEVELS};{ASSERTED}",
    "extremes of tiles": "tile(y, [i, 0], [16, 64], pad: 0) = "
    f"{'max(t, ' * LEVELS}t{')' * LEVELS};",
    "sums of tiles": f"tile(y, [i, 0], [16, 64], pad: 0) = t{' + t' * LEVELS};",
    "conditions": f"{'if n > 1 { ' * 120} b = 1; {'}' * 120}",
    "loops": f"{''.join(f'for j{k} in 0..2 {{ ' for k in range(120))} b = 1; {'}' * 120}",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_program_near_the_limit_is_decided(form: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.vx"
    path.write_text(KERNEL.replace("BODY", FORMS[form]), encoding="utf-8")
    report = verify_file(path, targets=("sm_80",))
    assert [d.code for t in report.targets for d in t.diagnostics] == []
    assert report.outcome is Outcome.PROVED


def test_the_recursion_limit_is_as_before_afterwards() -> None:
    before = sys.getrecursionlimit()
    assert with_room(sys.getrecursionlimit) > before
    assert sys.getrecursionlimit() == before


def nested(levels: int) -> int:
    return 0 if levels == 0 else 1 + max(map(nested, (levels - 1,)))


def test_there_is_room_for_frames_through_the_interpreters_own_calls() -> None:
    assert with_room(lambda: nested(7_000)) == 7_000


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RecursionError, ValueError])
def test_what_is_raised_comes_out(kind: type[BaseException]) -> None:
    def fail() -> None:
        raise kind

    with pytest.raises(kind):
        with_room(fail)


def test_without_a_thread_it_runs_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    answer: Callable[[], int] = lambda: 7  # noqa: E731
    assert with_room(answer) == 7


def test_what_is_too_deep_for_any_stage_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.vx"
    text = f"let c = {'max(n, ' * 300}n{')' * 300};"
    path.write_text(KERNEL.replace("BODY", text), encoding="utf-8")
    (target,) = verify_file(path, targets=("sm_80",)).targets
    assert [d.code for d in target.diagnostics] == ["E0003"]
