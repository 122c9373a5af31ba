"""Whether `requires` admits any value: asked first, since a contradiction would prove anything.

The question is the negation of an obligation: a refutation of "no admitted value exists" is a
value that is admitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from vxproof.diagnostics import Label
from vxproof.ir.values import Clause
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Waived

_SHOWN = 4


def satisfiable(decision: Decision, requires: tuple[Clause, ...]) -> Decision:
    """Turn the verdict of "no value is admitted" into that of "some value is admitted".

    Where none is, the clauses of `requires` are underlined.
    """
    obligation, verdict = decision.obligation, decision.verdict
    match verdict:
        case Refuted(engine=engine):
            return Decision(obligation, Proved(engine, certificate="model"))
        case Proved(engine=engine):
            return Decision(_with_clauses(obligation, requires), Refuted((), engine, ""))
        case Unknown(reason=reason, effort=effort):
            text = f"whether `requires` admits a value: {reason}"
            return Decision(obligation, Unknown(text, effort))
        case Waived():
            return Decision(obligation, Unknown("a satisfiability question cannot be waived"))
        case _:
            assert_never(verdict)


def _with_clauses(obligation: Obligation, requires: tuple[Clause, ...]) -> Obligation:
    """Underline the clauses that contradict each other, or a hypothesis of every kernel."""
    spans = [clause.span for clause in requires if clause.text]
    labels = tuple(Label(span, "together with this") for span in spans[1:_SHOWN])
    return replace(obligation, span=spans[0], labels=labels) if spans else obligation
