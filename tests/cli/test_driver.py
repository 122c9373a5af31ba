"""The driver fails closed: whatever a stage does, no verdict is better than what was decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.report.builders import REFUTED, SOURCE, too_large
from vxproof import cli
from vxproof.diagnostics import Diagnostic, DiagnosticError, Source
from vxproof.driver import Outcome, RunReport, verify_file
from vxproof.driver.families import BUILT, ORDER, gaps
from vxproof.driver.precedence import visible
from vxproof.driver.replays import replayed
from vxproof.driver.stages import KernelObligations, Stages
from vxproof.driver.wiring import real_stages
from vxproof.frontend import load_module
from vxproof.logic.obligation import Obligation, Replay
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Verdict

Decide = Callable[[Obligation], Verdict]


@dataclass(frozen=True)
class FakeProver:
    """Answers by a rule; satisfiability questions are answered with a model."""

    rule: Decide

    def decide_all(self, obligations: Sequence[Obligation]) -> Sequence[Decision]:
        """Decide one by one."""
        return [Decision(one, self._decide(one)) for one in obligations]

    def explained(self, decision: Decision) -> Decision:
        """There is nothing to add."""
        return decision

    def close(self) -> None:
        """There is nothing to release."""

    def _decide(self, obligation: Obligation) -> Verdict:
        if obligation.code == "E6152":
            return Refuted((), "enumeration", "exact evaluation")
        return self.rule(obligation)


def proved(obligation: Obligation) -> Verdict:
    """Prove everything that can be looked at."""
    if obligation.reason_unknown is not None:
        return Unknown(obligation.reason_unknown)
    return Proved("interval")


def stages(rule: Decide = proved, /, **changes: object) -> Stages:
    """The real stages with a prover that follows a rule."""
    return replace(real_stages(), prover=lambda _: FakeProver(rule), **changes)  # type: ignore[arg-type]


def verify(copy: Path, used: Stages) -> RunReport:
    """Verify the copy kernel for one target."""
    return verify_file(copy, targets=("sm_80",), stages=used)


def test_everything_proved_is_status_0(copy: Path) -> None:
    assert verify(copy, stages()).exit_status == 0


def test_one_unknown_is_status_2(copy: Path) -> None:
    def rule(obligation: Obligation) -> Verdict:
        return Unknown("no answer") if obligation.family == "bounds" else proved(obligation)

    assert verify(copy, stages(rule)).exit_status == 2


@pytest.mark.parametrize("fault", [RuntimeError("boom"), RecursionError(), MemoryError()])
def test_a_crash_is_an_internal_error(copy: Path, fault: Exception) -> None:
    def rule(_: Obligation) -> Verdict:
        raise fault

    report = verify(copy, stages(rule))
    (target,) = report.targets
    assert report.exit_status == 3
    assert [d.code for d in target.diagnostics] == ["E0009"]
    assert target.units == ()


@pytest.mark.parametrize("stage", ["read", "parse", "elaborate", "findings", "kernel_obligations"])
def test_a_crash_in_any_stage_is_an_internal_error(copy: Path, stage: str) -> None:
    def crash(*_: object) -> object:
        raise KeyError("nothing there")

    report = verify(copy, stages(proved, **{stage: crash}))
    assert report.exit_status == 3
    assert {d.code for t in report.targets for d in t.diagnostics} == {"E0009"}


def test_a_crash_on_one_target_leaves_the_others(copy: Path) -> None:
    def elaborate(*arguments: object) -> object:
        if arguments[-1] == "sm_86":
            raise ValueError("only there")
        return real_stages().elaborate(*arguments)  # type: ignore[arg-type]

    report = verify_file(copy, targets=("sm_80", "sm_86"), stages=stages(elaborate=elaborate))
    assert [t.outcome for t in report.targets] == [Outcome.PROVED, Outcome.ERROR]
    assert report.exit_status == 3


def test_a_kernel_without_a_plan_is_refused(copy: Path) -> None:
    def refuse(*_: object) -> KernelObligations:
        raise DiagnosticError((Diagnostic("E6160", "no such product", None),))

    assert verify(copy, stages(kernel_obligations=refuse)).exit_status == 3


@pytest.mark.parametrize("said", [(), (Diagnostic("W1025", "only a warning", None),)])
def test_what_refuses_a_plan_counts(copy: Path, said: tuple[Diagnostic, ...]) -> None:
    """A kernel of which no plan is made and nothing is asked is not proved."""

    def refuse(*_: object) -> KernelObligations:
        raise DiagnosticError(said)

    assert verify(copy, stages(kernel_obligations=refuse)).exit_status == 3

    def refused(*_: object) -> KernelObligations:
        return KernelObligations((), refusals=said)

    if said:
        assert verify(copy, stages(kernel_obligations=refused)).exit_status == 3


def test_a_debugged_crash_prints_where(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> object:
        raise ValueError("boom")

    broken = stages(elaborate=crash)
    monkeypatch.setattr("vxproof.driver.run.real_stages", lambda: broken)
    assert cli.run(["verify", str(copy), "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err
    assert cli.run(["verify", str(copy)]) == 3
    streams = capsys.readouterr()
    assert "Traceback" not in streams.out + streams.err
    assert "error[E0009]: internal error: ValueError: boom" in streams.out


def test_an_interrupt_is_status_130(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> object:
        raise KeyboardInterrupt

    broken = stages(elaborate=interrupt)
    monkeypatch.setattr("vxproof.driver.run.real_stages", lambda: broken)
    assert cli.run(["verify", str(copy)]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_every_family_that_is_not_built_is_unknown() -> None:
    span = SOURCE.span(0, 1)
    missing = gaps(ORDER, (), span, built=frozenset({"capacity"}))
    assert [one.family for one in missing] == [f for f in ORDER if f != "capacity"]
    assert all(one.reason_unknown for one in missing)
    assert gaps(("capacity",), (), span, built=frozenset({"capacity"})) == ()


def test_only_asynchrony_is_not_built() -> None:
    assert set(ORDER) - BUILT == {"asynchrony"}


def decided(code: str, verdict: Verdict, space: str = "SMEM") -> Decision:
    """A capacity decision about a space."""
    obligation = too_large()
    assert obligation.measure is not None
    measure = replace(obligation.measure, subject=space)
    return Decision(replace(obligation, code=code, measure=measure), verdict)


@pytest.mark.parametrize(
    ("refuted", "shown"),
    [
        (("E6009", "E6010", "E6113"), ("E6009",)),
        (("E6010", "E6113"), ("E6010",)),
        (("E6113",), ("E6113",)),
        (("E6009", "E6113"), ("E6009",)),
    ],
)
def test_precedence_within_a_space(refuted: tuple[str, ...], shown: tuple[str, ...]) -> None:
    kept, implied = visible(decided(code, REFUTED) for code in refuted)
    assert tuple(d.obligation.code for d in kept) == shown
    assert implied == len(refuted) - len(shown)


def of_family(family: str, subject: str = "threads") -> Decision:
    """A refuted decision of a family."""
    decision = decided("E6142", REFUTED, subject)
    return Decision(replace(decision.obligation, family=family), decision.verdict)


def test_of_two_refutations_of_a_launch_limit_the_later_is_shown() -> None:
    first, second = of_family("launch"), of_family("launch")
    kept, implied = visible((first, second))
    assert (len(kept), implied) == (1, 1)
    assert kept[0] is second
    assert len(visible((first, of_family("launch", "blocks")))[0]) == 2


def test_the_same_accesses_are_told_once() -> None:
    first, second = of_family("grid"), of_family("grid")
    kept, _ = visible((first, second))
    assert len(kept) == 1
    assert kept[0] is first


def test_another_space_is_not_hidden() -> None:
    kept, _ = visible((decided("E6009", REFUTED), decided("E6010", REFUTED, "TMEM")))
    assert len(kept) == 2


def test_what_is_proved_hides_nothing_and_is_not_hidden() -> None:
    decisions = (decided("E6009", Proved("z3")), decided("E6010", REFUTED))
    assert visible(decisions) == (decisions, 0)
    decisions = (decided("E6009", REFUTED), decided("E6010", Proved("z3")))
    assert visible(decisions) == (decisions, 0)


MODULE = load_module(Source("m.vx", "fn f() {}"), None)


def to_replay(way: Replay) -> Decision:
    """A refutation that asks for a way of replaying."""
    return Decision(replace(too_large(), replay=way), REFUTED)


@pytest.mark.parametrize("way", [Replay.INTERPRETER, Replay.PLAN_MACHINE])
def test_a_witness_that_nothing_replays_is_unknown(way: Replay) -> None:
    assert isinstance(replayed(to_replay(way), MODULE, {}).verdict, Unknown)
    silent = replayed(to_replay(way), MODULE, {way: lambda *_: None})
    assert isinstance(silent.verdict, Unknown)
    assert way.value in silent.verdict.reason


def test_a_witness_that_replays_says_what_was_seen() -> None:
    found = replayed(
        to_replay(Replay.INTERPRETER), MODULE, {Replay.INTERPRETER: lambda *_: "a run on tensors"}
    )
    assert isinstance(found.verdict, Refuted)
    assert found.verdict.replayed == "a run on tensors"


@pytest.mark.parametrize("way", [Replay.EXACT, Replay.STRUCTURE])
def test_exact_evaluation_is_the_provers_own(way: Replay) -> None:
    found = replayed(to_replay(way), MODULE, {}).verdict
    assert isinstance(found, Refuted)
    assert (found.witness, found.replayed) == (REFUTED.witness, way.value)
