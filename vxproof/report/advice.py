"""One fix for a refutation, and the next step where something is unknown."""

from __future__ import annotations

from typing import assert_never

from vxproof.logic.obligation import Gap, Obligation
from vxproof.logic.verdict import Refuted, Unknown

_MOST = 3


def fix(obligation: Obligation, refuted: Refuted) -> str | None:
    """A clause that is proved to be enough, else what the obligation itself advises."""
    if not refuted.remedies:
        return obligation.help
    first, *others = refuted.remedies[:_MOST]
    fits = "makes this hold"
    if obligation.family == "capacity" and obligation.measure is not None:
        fits = f"makes this fit in {obligation.measure.subject}"
    text = f"`{first}` in `requires` {fits}, whatever the other parameters are"
    if others:
        text += "; so does " + " or ".join(f"`{clause}`" for clause in others)
    if obligation.help is not None and obligation.family in {"bounds", "residency", "contracts"}:
        text += f"; or {obligation.help}"
    return text


def next_step(obligation: Obligation, unknown: Unknown) -> str:
    """What an author can do about something that was not decided."""
    match unknown.gap:
        case Gap.BUDGET:
            return (
                "raise `--budget`, fix a parameter by `--set`, or state what makes it true as a "
                "clause of `requires` or an `invariant` of the loop"
            )
        case Gap.SOLVER:
            return "repair the solver: `pip install z3-solver` in the version that vxproof pins"
        case Gap.SIZE:
            return "split the expression or the kernel: each part is decided by itself"
        case Gap.APPROXIMATION:
            return (
                "state what is known of these values: an `invariant` of the loop, a bound in "
                "`requires`, or an `assert`"
            )
        case Gap.NOT_BUILT:
            if obligation.family == "asynchrony":
                return (
                    "a plain `transfer` in a loop without `pipelined` is decided; every other "
                    "family of this kernel is decided as it stands"
                )
            return "no option decides this family yet; every other family is decided"
        case Gap.NOT_REPLAYED:
            return "please report this with the source: what the prover found could not be shown"
        case Gap.NOT_STATED:
            return obligation.help or (
                "bound the values that are concerned in `requires`, or state an `invariant`"
            )
        case _:
            assert_never(unknown.gap)
