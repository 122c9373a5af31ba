"""Counterexamples replay exactly when they are counterexamples."""

from __future__ import annotations

import pytest

from vxproof.diagnostics import Source
from vxproof.driver.wiring import real_stages
from vxproof.frontend import load_module
from vxproof.interp.replay import replay
from vxproof.ir.module import Module
from vxproof.logic.obligation import Obligation, Replay
from vxproof.logic.verdict import Refuted

_LATE = """
fn shift(x: Tensor<f32, [N]>, y: &mut Tensor<f32, [N]>) {
  spawn on(Topology::GPU) grid([N]) semantics([parallel]) {
    let i = grid_index(0);
    y[i] = x[i + 1];
  }
}
"""
_SHARED = """
fn fold(x: Tensor<f32, [M, N]>, y: &mut Tensor<f32, [N]>) {
  spawn on(Topology::GPU) grid([M, N]) semantics([parallel, parallel]) {
    let i = grid_index(0);
    let j = grid_index(1);
    y[j] = x[i][j];
  }
}
"""
_STATE = """
fn walk(x: Tensor<f32, [8]>, y: &mut Tensor<f32, [8]>) {
  spawn on(Topology::GPU) {
    let mut at: i64 = 0;
    for k in 0..8 {
      y[at] = x[k];
      if k % 2 == 0 { at = at + 3; }
    }
  }
}
"""


def _asked(text: str, code: str) -> tuple[Module, list[Obligation]]:
    module = load_module(Source("kernel.vx", text), "sm_80")
    found: list[Obligation] = []
    for findings in real_stages().findings(module).values():
        found.extend(f for f in findings if isinstance(f, Obligation) and f.code == code)
    return module, found


def _refuted(text: str, code: str) -> tuple[Module, Obligation, dict[str, int]]:
    from vxproof.smt.ladder import Prover

    module, asked = _asked(text, code)
    for decision in Prover(None).decide_all(asked):
        if isinstance(decision.verdict, Refuted):
            assert decision.obligation.replay is Replay.INTERPRETER
            return module, decision.obligation, dict(decision.verdict.witness)
    raise AssertionError(f"no {code} is refuted")


@pytest.mark.parametrize(("text", "code"), [(_LATE, "E6150"), (_SHARED, "E6140")])
def test_the_prover_s_witness_replays(text: str, code: str) -> None:
    module, obligation, witness = _refuted(text, code)
    assert replay(module, obligation, tuple(witness.items())) is not None


def test_a_point_inside_does_not_replay() -> None:
    module, obligation, witness = _refuted(_LATE, "E6150")
    grid = next(name for name in witness if name.startswith("grid"))
    harmless = {**witness, "N": 5, grid: 0}
    assert replay(module, obligation, tuple(harmless.items())) is None


def test_a_point_that_the_grid_does_not_have_does_not_replay() -> None:
    module, obligation, witness = _refuted(_LATE, "E6150")
    grid = next(name for name in witness if name.startswith("grid"))
    assert replay(module, obligation, tuple({**witness, "N": 3, grid: 3}.items())) is None


def test_points_that_touch_different_elements_do_not_replay() -> None:
    module, obligation, witness = _refuted(_SHARED, "E6140")
    second = next(n for n in witness if n.startswith("grid1") and n.endswith("@2"))
    apart = {**witness, "N": 4, second: 1}
    assert replay(module, obligation, tuple(apart.items())) is None


def test_state_of_earlier_iterations_is_really_computed() -> None:
    """`at` leaves the tensor only in the seventh iteration: a witness for the first is none."""
    module, asked = _asked(_STATE, "E6150")
    late = [o for o in asked if "`y`" in o.headline]
    assert late
    for obligation in late:
        loop = next(s.name for s in obligation.symbols if s.display == "k")
        names = {s.name: max(s.lo or 0, 0) for s in obligation.symbols}
        assert replay(module, obligation, tuple({**names, loop: 0}.items())) is None
        assert replay(module, obligation, tuple({**names, loop: 6}.items())) is not None
