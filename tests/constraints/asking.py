"""Verdicts of small programs: what is asked of each function, decided."""

from __future__ import annotations

from dataclasses import dataclass

from vxproof.constraints.program import function_obligations
from vxproof.diagnostics import Source
from vxproof.frontend import load_module
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Proved, Refuted, Unknown
from vxproof.smt.ladder import Prover


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What is refuted and unknown, as (code, line), and the obligations behind them."""

    refuted: tuple[tuple[str, int], ...]
    unknown: tuple[tuple[str, int], ...]
    obligations: tuple[Obligation, ...]
    witnesses: tuple[dict[str, int], ...]

    @property
    def codes(self) -> set[str]:
        """Codes that are refuted."""
        return {code for code, _ in self.refuted}

    @property
    def proved(self) -> bool:
        """Whether everything is proved."""
        return not self.refuted and not self.unknown


def obligations(text: str, target: str | None = "sm_90a") -> tuple[Obligation, ...]:
    """Return what is asked of every function of a program."""
    module = load_module(Source("t.vx", text), target)
    return tuple(
        one for function in module.functions for one in function_obligations(function, module)
    )


def ask(text: str, target: str | None = "sm_90a") -> Verdicts:
    """Decide what is asked of every function of a program."""
    prover = Prover()
    refuted: list[tuple[str, int]] = []
    unknown: list[tuple[str, int]] = []
    witnesses: list[dict[str, int]] = []
    asked = obligations(text, target)
    for one in asked:
        match prover.decide(one):
            case Refuted(witness=witness):
                refuted.append((one.code, one.span.line))
                witnesses.append(dict(witness))
            case Unknown():
                unknown.append((one.code, one.span.line))
            case Proved():
                pass
            case other:
                raise AssertionError(other)
    return Verdicts(tuple(refuted), tuple(unknown), asked, tuple(witnesses))
