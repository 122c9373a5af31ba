"""One JSON document a refutation, with a name that says what it refutes.

What a reader wants first stands at the top, in source names; `obligation` holds the formula and
everything that is needed to evaluate it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import PurePath

from vxproof.diagnostics.render_json import Json
from vxproof.logic.verdict import Decision, Refuted, Waived
from vxproof.report.amounts import exceeded
from vxproof.report.json_report import decision_json
from vxproof.report.model import RunReport, TargetReport, UnitReport
from vxproof.report.phrases import names_of
from vxproof.report.refutation import decision_diagnostic

SCHEMA = "vxproof-counterexample"
VERSION = 1


def counterexamples(run: RunReport) -> Iterator[tuple[str, str]]:
    """Yield (file name, text) for each refuted or waived obligation, in the order of the report."""
    taken: dict[str, int] = {}
    for target in run.targets:
        for unit in target.units:
            for decision in unit.decisions:
                if isinstance(decision.verdict, Refuted | Waived):
                    stem = _stem(run, target, unit, decision)
                    taken[stem] = taken.get(stem, 0) + 1
                    name = stem if taken[stem] == 1 else f"{stem}-{taken[stem]}"
                    yield f"{name}.json", _text(run, target, unit, decision)


def _stem(run: RunReport, target: TargetReport, unit: UnitReport, decision: Decision) -> str:
    parts = [PurePath(run.file).stem, target.target or "none", unit.function]
    if unit.kernel is not None:
        parts.append(f"kernel{unit.kernel + 1}")
    parts.append(decision.obligation.code)
    return "-".join(re.sub(r"[^A-Za-z0-9_.]", "_", part) for part in parts)


def _summary(decision: Decision) -> dict[str, Json]:
    """Code, place, values, amounts and what would be legal; `largest` is null for no value."""
    obligation = decision.obligation
    match decision.verdict:
        case Refuted() as refuted:
            code = obligation.code
        case Waived(code=code, refuted=refuted):
            pass
        case _:
            raise ValueError("only what is refuted has a counterexample")
    diagnostic = decision_diagnostic(decision)
    assert diagnostic is not None
    env, names = dict(refuted.witness), names_of(obligation.symbols)
    summary: dict[str, Json] = {
        "code": code,
        "headline": diagnostic.headline,
        "line": obligation.span.line,
        "column": obligation.span.column,
        "values": {names.get(name, name): value for name, value in env.items()},
        "largest": {names.get(name, name): value for name, value in refuted.largest},
        "remedies": list(refuted.remedies),
        "replayed": refuted.replayed,
        "help": diagnostic.help,
    }
    found = exceeded(obligation, env)
    if found is not None:
        measure, need, limit = found
        peak = refuted.peak
        summary |= {
            "need": need,
            "limit": limit,
            "over": need - limit,
            "unit": measure.unit,
            "source": measure.source,
            "most": None if peak is None else peak.need,
        }
    return summary


def _text(run: RunReport, target: TargetReport, unit: UnitReport, decision: Decision) -> str:
    source = run.sources.get(run.file)
    digest = None if source is None else hashlib.sha256(source.text.encode()).hexdigest()
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "version": VERSION,
        "file": run.file,
        "source_sha256": digest,
        "settings": dict(run.settings),
        "target": target.target,
        "function": unit.function,
        "kernel": unit.kernel,
        "summary": _summary(decision),
        "obligation": decision_json(decision),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
