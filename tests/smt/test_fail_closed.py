"""Whatever is missing, dead, silent or out of budget, the verdict is unknown, never proved."""

from __future__ import annotations

import builtins
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.logic.generators import obligation
from vxproof.logic import build as b
from vxproof.logic.obligation import Obligation, Origin, Symbol
from vxproof.logic.terms import TRUE, App, Const, Formula, Op, Sym, Term
from vxproof.logic.verdict import Proved, Refuted, Unknown, Verdict, Waived
from vxproof.smt.ladder import Prover
from vxproof.smt.worker import Isolated

BM, N, X, J, R, S = (Sym(n) for n in ("BM", "N", "i", "j", "r", "s"))
SYMBOLS = (
    Symbol("BM", 64, 128, Origin.GENERIC),
    Symbol("N", 1, 2**36, Origin.EXTENT),
    Symbol("i", 0, 2**36, Origin.GRID),
    Symbol("j", 0, 2**36, Origin.GRID),
    Symbol("r", 0, 127, Origin.ELEMENT),
    Symbol("s", 0, 127, Origin.ELEMENT),
)
HYPOTHESES = (b.ne(X, J), b.lt(R, BM), b.lt(S, BM), b.lt(X, b.div(N, BM)), b.lt(J, b.div(N, BM)))
ONLY_Z3 = obligation(SYMBOLS, HYPOTHESES, b.ne(X * BM + R, J * BM + S))
FALSE_TWIN = obligation(SYMBOLS, HYPOTHESES, b.ne(X * BM + R, J * BM + S + 1))


def reason(verdict: Verdict) -> str:
    assert isinstance(verdict, Unknown)
    return verdict.reason


@pytest.fixture
def isolated() -> Iterator[Prover]:
    prover = Prover(isolate=True)
    yield prover
    prover.close()


def test_z3_decides_it() -> None:
    assert Prover().decide(ONLY_Z3) == Proved("z3")


def test_z3_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: object) -> object:
        if name == "z3":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.delitem(sys.modules, "z3", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert reason(Prover().decide(ONLY_Z3)) == "the solver z3 cannot be imported"


def test_z3_not_used() -> None:
    assert isinstance(Prover(use_z3=False).decide(ONLY_Z3), Unknown)


@pytest.mark.parametrize("asked", [ONLY_Z3, FALSE_TWIN])
def test_budget_of_one_step(asked: Obligation) -> None:
    verdict = Prover(budget=1).decide(asked)
    assert not isinstance(verdict, Proved)
    if asked is ONLY_Z3:
        assert isinstance(verdict, Unknown)


def test_exact_engines_need_no_budget() -> None:
    asked = obligation(SYMBOLS, HYPOTHESES, b.lt(X * BM, N))
    assert Prover(budget=1, use_z3=False).decide(asked) == Proved("bounds")


def test_z3_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    def fail(*_: object) -> object:
        raise z3.Z3Exception("out of memory")

    monkeypatch.setattr(z3.Solver, "check", fail)
    verdict = Prover().decide(ONLY_Z3)
    assert isinstance(verdict, Unknown)
    assert "out of memory" in verdict.reason


def test_z3_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    monkeypatch.setattr(z3.Solver, "check", lambda *_: z3.unknown)
    assert isinstance(Prover().decide(ONLY_Z3), Unknown)


@pytest.mark.parametrize("family", ["bounds", "grid"])
@pytest.mark.parametrize(
    "goal",
    [
        b.le(b.div(N, J) - b.div(N, J), 0),
        b.le(App(Op.MUL, (Const(0), b.mod(N, J))), 0),
        b.lt(b.mod(N, J), J + 1),
        b.le(b.div(N, J), b.div(N, J) + 1),
        b.le(b.div(N, J) * J, N),
        b.disj(b.lt(b.tdiv(N, J), 0), b.le(0, N)),
        b.le(N, b.align_up(N, J)),
        b.conj(b.le(0, N), b.ne(b.tmod(N, J), -1)),
    ],
)
def test_division_by_zero_is_never_proved(goal: Formula, family: str) -> None:
    asked = replace(obligation(SYMBOLS, (), goal), family=family)
    assert not isinstance(Prover().decide(asked), Proved)
    guarded = replace(asked, hypotheses=(b.ne(J, 0),))
    assert isinstance(Prover().decide(guarded), Proved)
    within = replace(asked, goal=b.disj(b.eq(J, 0), goal))
    assert isinstance(Prover().decide(within), Proved)


def test_an_undefined_hypothesis_excludes_nothing() -> None:
    nothing = b.div(N, J) - b.div(N, J)
    asked = obligation(SYMBOLS, (b.lt(nothing, 0),), b.lt(0, J))
    assert not isinstance(Prover().decide(asked), Proved)
    asked = obligation(SYMBOLS, (b.le(nothing + R, S), b.le(0, R)), b.le(R, S))
    assert not isinstance(Prover().decide(asked), Proved)


def test_wrong_model_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    monkeypatch.setattr(z3.Solver, "check", lambda *_: z3.sat)
    monkeypatch.setattr(z3.ModelRef, "eval", lambda *_, **__: z3.IntVal(0))
    assert not isinstance(Prover().decide(ONLY_Z3), Proved | Refuted)


def test_isolated_solver_agrees(isolated: Prover) -> None:
    assert isolated.decide(ONLY_Z3) == Proved("z3")
    assert isolated.decide(FALSE_TWIN) == Prover().decide(FALSE_TWIN)


def test_worker_killed_between_queries(isolated: Prover) -> None:
    assert isolated.decide(ONLY_Z3) == Proved("z3")
    assert isinstance(isolated.solver, Isolated)
    pid = isolated.solver.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    other = obligation(SYMBOLS, HYPOTHESES, b.ne(X * BM + R + 0 * N, S + J * BM))
    other = replace(other, hypotheses=HYPOTHESES[:3])
    assert reason(isolated.decide(other)) == "the solver process died"


def test_worker_cannot_start(monkeypatch: pytest.MonkeyPatch, isolated: Prover) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert reason(isolated.decide(ONLY_Z3)) == "the solver process died"


def test_silent_worker_is_ended() -> None:
    solver = Isolated(None, wall_seconds=0.0)
    prover = Prover()
    prover.solver = solver
    verdict = prover.decide(ONLY_Z3)
    assert isinstance(verdict, Unknown)
    assert "no answer" in verdict.reason
    assert solver.pid is None


def test_pow2_without_upper_bound() -> None:
    free = (Symbol("x", 0, None, Origin.VALUE), Symbol("y", 0, None, Origin.VALUE))
    x, y = Sym("x"), Sym("y")
    asked = obligation(free, (), b.le(b.pow2_ceil(x * y), x * y + b.pow2_ceil(y)))
    assert not isinstance(Prover().decide(asked), Proved)


def test_a_symbol_that_is_declared_twice() -> None:
    """The narrower range must not win: with both, what holds in neither would be proved."""
    x = Sym("x")
    twice = (Symbol("x", 0, 9, Origin.VALUE), Symbol("x", 5, 20, Origin.VALUE))
    for symbols in (twice, twice[::-1]):
        verdict = Prover().decide(obligation(symbols, (), b.le(x, 9)))
        assert reason(verdict) == "the obligation declares a symbol twice"


def test_undeclared_symbol() -> None:
    verdict = Prover().decide(obligation((), (), b.le(BM, 3)))
    assert reason(verdict) == "the obligation does not declare BM"


def test_deep_nesting() -> None:
    deep: Term = Sym("N")
    for _ in range(50_000):
        deep = App(Op.DIV, (deep, Const(2)))
    verdict = Prover().decide(obligation(SYMBOLS, (), b.le(deep, -1)))
    assert isinstance(verdict, Unknown)


def test_reason_is_handed_on() -> None:
    asked = replace(ONLY_Z3, goal=TRUE, reason_unknown="asynchrony is not decided yet")
    assert reason(Prover().decide(asked)) == "asynchrony is not decided yet"


def test_approximation_makes_a_refutation_unknown() -> None:
    asked = obligation(SYMBOLS, (), b.le(BM, 100))
    assert isinstance(Prover().decide(asked), Refuted)
    verdict = Prover().decide(replace(asked, approximations=("the loop may run any number",)))
    assert isinstance(verdict, Unknown)
    assert "the loop may run any number" in verdict.reason
    proved = replace(asked, goal=b.le(BM, 128), approximations=("anything",))
    assert Prover().decide(proved) == Proved("interval")


def test_waived() -> None:
    asked = replace(obligation(SYMBOLS, (), b.le(BM, 100)), waivable="W1029")
    verdict = Prover().decide(asked)
    assert isinstance(verdict, Waived)
    assert verdict.code == "W1029"
    assert ("BM", 101) in verdict.refuted.witness


def test_decisions_are_not_booleans() -> None:
    (decision,) = Prover().decide_all([ONLY_Z3])
    with pytest.raises(TypeError):
        bool(decision)
