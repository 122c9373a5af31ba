"""Need and limit of each bounded space, for a reader of a proof.

The maximum of a need over `requires` starts from the upper end of its interval, which is a bound in
any case; the prover then tells whether it is reached, and a bisection finds the greatest value that
is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vxproof.driver.precedence import subject
from vxproof.driver.stages import Prover
from vxproof.logic.build import le
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import Const, Term
from vxproof.logic.text import show
from vxproof.logic.tighten import tighten
from vxproof.logic.verdict import Decision, Peak, Proved, Refuted, Waived
from vxproof.report.model import SpaceUse
from vxproof.report.phrases import names_of

_NEEDS = ("E6010", "E6113", "E6009", "E6111")
"""Codes whose measure is the need of a space, the one that says most first."""

_MOST_QUERIES = 16


def space_uses(decisions: Iterable[Decision], prover: Prover) -> tuple[SpaceUse, ...]:
    """Return a row for each bounded space that a kernel uses, in the order of the obligations."""
    by_space: dict[str, list[Decision]] = {}
    for decision in decisions:
        if decision.obligation.code in _NEEDS and decision.obligation.measure is not None:
            by_space.setdefault(subject(decision.obligation), []).append(decision)
    found = (_use(space, group, prover) for space, group in by_space.items())
    return tuple(use for use in found if use is not None)


def _use(space: str, group: list[Decision], prover: Prover) -> SpaceUse | None:
    """The row of a space: the greatest need among its obligations of the leading code.

    What is refuted leads: the others may rest on its being true.
    """
    group = [d for d in group if not isinstance(d.verdict, Proved)] or group
    code = min((d.obligation.code for d in group), key=_NEEDS.index)
    leading = [d for d in group if d.obligation.code == code]
    rows = [row for row in (_row(space, d, prover) for d in leading) if row is not None]
    if not rows:
        return None
    return max(rows, key=lambda row: (row.maximum is None, row.maximum or 0))


def _row(space: str, decision: Decision, prover: Prover) -> SpaceUse | None:
    obligation = decision.obligation
    measure = obligation.measure
    if measure is None or not isinstance(measure.limit, Const):
        return None
    box = tighten(obligation.symbols, obligation.hypotheses)
    bounds = None if box is None else box.interval(measure.need)
    low, high = (0, None) if bounds is None else (max(bounds[0] or 0, 0), bounds[1])
    match decision.verdict:
        case Proved():
            top = measure.limit.value if high is None else min(high, measure.limit.value)
            maximum: int | None = _maximum(obligation, measure.need, low, top, prover)
        case (
            Refuted(peak=Peak(exact=True, need=need))
            | Waived(refuted=Refuted(peak=Peak(exact=True, need=need)))
        ):
            maximum = need
        case _:
            maximum = None
    return SpaceUse(
        space,
        show(measure.need, names_of(obligation.symbols)),
        maximum,
        low == high,
        measure.limit.value,
        measure.unit,
        measure.source,
    )


def _maximum(obligation: Obligation, need: Term, low: int, high: int, prover: Prover) -> int:
    """The greatest need of a proved obligation, or a bound of it where the prover gives up."""
    guess = high - 1
    for _ in range(_MOST_QUERIES):
        if low >= high:
            break
        (answer,) = prover.decide_all([replace(obligation, goal=le(need, guess), measure=None)])
        match answer.verdict:
            case Proved():
                high = guess
            case Refuted():
                low = guess + 1
            case _:
                return high
        guess = (low + high - 1) // 2
    return high
