"""Counterexamples are re-executed before they are shown; one that does not replay is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vxproof.ir.module import Module
from vxproof.logic.obligation import Gap, Obligation, Replay
from vxproof.logic.verdict import Decision, Refuted, Unknown

Witness = tuple[tuple[str, int], ...]
Replayer = Callable[[Module | None, Obligation, Witness], str | None]
"""Re-executes a witness: says what it ran and saw, None where the fault did not show.

There is no module where the obligation is about a plan that was read from its text.
"""

BY_PROVER: frozenset[Replay] = frozenset({Replay.EXACT, Replay.STRUCTURE})
"""What the prover itself carries out: exact evaluation; a path in the alias graph is evidence."""


def replayed(
    decision: Decision, module: Module | None, replayers: Mapping[Replay, Replayer]
) -> Decision:
    """Return a refutation with what re-executed it, or unknown where nothing did.

    A way of replaying that `replayers` lacks is one that is missing: the refutation is unknown.
    """
    obligation, verdict = decision.obligation, decision.verdict
    way = obligation.replay.value
    if not isinstance(verdict, Refuted):
        return decision
    if obligation.replay in BY_PROVER:
        return Decision(obligation, replace(verdict, replayed=way))
    replayer = replayers.get(obligation.replay)
    if replayer is None:
        reason = f"a counterexample was found, and there is no {way} here to re-execute it"
        return Decision(obligation, Unknown(reason, gap=Gap.NOT_REPLAYED))
    seen = replayer(module, obligation, verdict.witness)
    if seen is None:
        reason = f"a counterexample was found, and the {way} does not show it"
        return Decision(obligation, Unknown(reason, gap=Gap.NOT_REPLAYED))
    return Decision(obligation, replace(verdict, replayed=seen))
