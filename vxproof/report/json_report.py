"""A run as JSON: the versioned schema of `schema.json`. Same run, same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import assert_never

from vxproof.diagnostics.render_json import Json, diagnostic_json, label_json, span_json, table_json
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.obligation import Measure, Obligation, Symbol
from vxproof.logic.terms import Term
from vxproof.logic.text import show
from vxproof.logic.verdict import Decision, Proved, Refuted, Unknown, Verdict, Waived
from vxproof.report.model import (
    Assumption,
    Outcome,
    RunReport,
    SpaceUse,
    TargetReport,
    UnitReport,
    outcome_of,
)
from vxproof.report.phrases import names_of
from vxproof.report.refutation import decision_diagnostic
from vxproof.report.summary import TRUSTED_BASE, trusted_engines

SCHEMA = "vxproof-report"
VERSION = 1


def document_json(runs: Iterable[dict[str, Json]], outcome: Outcome) -> str:
    """Return the document of a command: a run for each file, the worst verdict, the exit status."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "version": VERSION,
        "verdict": outcome.value,
        "exit_status": outcome.exit_status,
        "trusted_base": list(TRUSTED_BASE),
        "runs": list(runs),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def run_json(run: RunReport) -> dict[str, Json]:
    """Return the part of one file."""
    return {
        "file": run.file,
        "verdict": run.outcome.value,
        "exit_status": run.exit_status,
        "settings": dict(run.settings),
        "trusted_engines": list(trusted_engines(run)),
        "targets": [target_json(target) for target in run.targets],
    }


def target_json(report: TargetReport) -> dict[str, Json]:
    """Return the part of one target."""
    return {
        "target": report.target,
        "verdict": report.outcome.value,
        "diagnostics": [diagnostic_json(d) for d in report.diagnostics],
        "units": [unit_json(unit) for unit in report.units],
    }


def unit_json(unit: UnitReport) -> dict[str, Json]:
    """Return the part of one function or kernel."""
    families: dict[str, Json] = {}
    for family in unit.families:
        outcome = unit.family_outcome(family)
        families[family] = None if outcome is None else outcome.value
    return {
        "function": unit.function,
        "kernel": unit.kernel,
        "span": span_json(unit.span),
        "verdict": unit.outcome.value,
        "families": families,
        "not_asked": [{"family": f, "reason": reason} for f, reason in unit.not_asked],
        "due_at_build": list(unit.due_at_build),
        "spaces": [_space(space) for space in unit.spaces],
        "assumptions": [_assumption(item) for item in unit.assumptions],
        "implied": unit.implied,
        "obligations": [decision_json(decision) for decision in unit.decisions],
        "plan": unit.plan,
    }


def _space(use: SpaceUse) -> dict[str, Json]:
    return {
        "space": use.space,
        "need": use.need,
        "maximum": use.maximum,
        "exact": use.exact,
        "limit": use.limit,
        "unit": use.unit,
        "source": use.source,
    }


def _assumption(item: Assumption) -> dict[str, Json]:
    return {"sentence": item.sentence, "check": item.check}


def decision_json(decision: Decision) -> dict[str, Json]:
    """Return an obligation with its verdict; `diagnostic` is null where it is proved."""
    obligation = decision.obligation
    names = names_of(obligation.symbols)
    diagnostic = decision_diagnostic(decision)
    measure = obligation.measure
    return {
        "code": obligation.code,
        "family": obligation.family,
        "headline": obligation.headline,
        "span": span_json(obligation.span),
        "symbols": [_symbol(symbol) for symbol in obligation.symbols],
        "hypotheses": [show(h, names) for h in obligation.hypotheses],
        "goal": show(obligation.goal, names),
        "measure": None if measure is None else _measure(measure, names, decision.verdict),
        "contributions": _contributions(obligation, decision.verdict),
        "approximations": list(obligation.approximations),
        "labels": [label_json(label) for label in obligation.labels],
        "tables": [table_json(table) for table in obligation.tables],
        "verdict": verdict_json(decision.verdict, names),
        "diagnostic": None if diagnostic is None else diagnostic_json(diagnostic),
    }


def _contributions(obligation: Obligation, verdict: Verdict) -> list[Json]:
    names = names_of(obligation.symbols)
    return [
        {
            "name": item.name,
            "expression": item.expression,
            "amount": show(item.amount, names),
            "at_witness": _at_witness(item.amount, verdict),
            "lifetime": item.lifetime,
            "span": span_json(item.span),
        }
        for item in obligation.contributions
    ]


def _symbol(symbol: Symbol) -> dict[str, Json]:
    return {
        "name": symbol.name,
        "display": symbol.display or symbol.name,
        "origin": symbol.origin.value,
        "lo": symbol.lo,
        "hi": symbol.hi,
    }


def _measure(measure: Measure, names: dict[str, str], verdict: Verdict) -> dict[str, Json]:
    return {
        "subject": measure.subject,
        "need": show(measure.need, names),
        "limit": show(measure.limit, names),
        "need_at_witness": _at_witness(measure.need, verdict),
        "limit_at_witness": _at_witness(measure.limit, verdict),
        "unit": measure.unit,
        "source": measure.source,
    }


def _at_witness(term: Term, verdict: Verdict) -> int | None:
    match verdict:
        case Refuted(witness=witness) | Waived(refuted=Refuted(witness=witness)):
            try:
                return evaluate(term, dict(witness))
            except (Undefined, KeyError):
                return None
        case Proved() | Unknown():
            return None
        case _:
            assert_never(verdict)


def verdict_json(verdict: Verdict, names: dict[str, str]) -> dict[str, Json]:
    """Return a verdict; the fields depend on `kind`."""
    kind: dict[str, Json] = {"kind": outcome_of(verdict).value}
    match verdict:
        case Proved(engine=engine, certificate=certificate):
            return {**kind, "engine": engine, "certificate": certificate}
        case Refuted():
            return {**kind, **_refuted(verdict, names)}
        case Unknown(reason=reason, effort=effort, gap=gap):
            return {**kind, "reason": reason, "effort": effort, "gap": gap.value}
        case Waived(code=code, refuted=refuted):
            return {**kind, "code": code, **_refuted(refuted, names)}
        case _:
            assert_never(verdict)


def _refuted(refuted: Refuted, names: dict[str, str]) -> dict[str, Json]:
    peak = refuted.peak
    return {
        "witness": _named(refuted.witness, names),
        "engine": refuted.engine,
        "replayed": refuted.replayed,
        "largest": _named(refuted.largest, names),
        "peak": None
        if peak is None
        else {
            "need": peak.need,
            "exact": peak.exact,
            "witness": _named(peak.witness, names),
            "largest": _named(peak.largest, names),
        },
        "remedies": list(refuted.remedies),
        "notes": list(refuted.notes),
    }


def _named(values: Iterable[tuple[str, int | None]], names: dict[str, str]) -> list[Json]:
    return [
        {"symbol": name, "display": names.get(name, name), "value": value} for name, value in values
    ]
