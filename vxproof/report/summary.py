"""What a run claims, as tables: families, spaces, what is due, assumed and trusted."""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.diagnostics import Table
from vxproof.diagnostics.render_text import table_lines
from vxproof.logic.verdict import Proved, Verdict
from vxproof.report.model import (
    Assumption,
    Outcome,
    RunReport,
    SpaceUse,
    UnitReport,
    outcome_of,
)
from vxproof.report.phrases import amount

TRUSTED_BASE: tuple[str, ...] = (
    "frontend",
    "ir",
    "alias",
    "plan",
    "constraints",
    "logic",
    "target facts",
)
"""The parts of vxproof that must be right for any verdict to hold, whoever decided it."""

NO_CERTIFICATE = "no certificate yet"
DUE = "due at build"
NOTHING = "nothing to show"
NOTHING_MEANS = "nothing in it could fail in this way"
Z3 = "z3"
"""The engine whose proofs nothing re-checks yet."""
_LONGEST_FORMULA = 60


def unit_name(unit: UnitReport) -> str:
    """Return how a function or kernel is named in a report."""
    if unit.kernel is None:
        return f"`{unit.function}`"
    return f"kernel {unit.kernel + 1} of `{unit.function}` (line {unit.span.line})"


def uncertified(unit: UnitReport, family: str | None = None) -> int:
    """Count what only z3 decided, without a certificate that can be checked again."""
    return sum(
        1
        for decision in unit.decisions
        if family in {None, decision.obligation.family} and lacks_certificate(decision.verdict)
    )


def lacks_certificate(verdict: Verdict) -> bool:
    """Tell whether a proof rests on z3 alone."""
    return isinstance(verdict, Proved) and verdict.certificate is None and verdict.engine == Z3


def trusted_engines(run: RunReport) -> tuple[str, ...]:
    """Return the engines of `smt` whose proofs nothing re-checks: they are trusted as well.

    A proof with a certificate rests on the checker in `logic`, and a refutation on exact
    evaluation, so neither adds an engine.
    """
    engines = {
        decision.verdict.engine
        for target in run.targets
        for unit in target.units
        for decision in unit.decisions
        if isinstance(decision.verdict, Proved) and decision.verdict.certificate is None
    }
    return tuple(sorted(engines))


def trusted_line(run: RunReport) -> str:
    """Return what has to be right for the proofs of a run, the engines that decided among it."""
    engines = ", ".join(trusted_engines(run))
    decided = (f"smt ({engines}: {NO_CERTIFICATE})",) if engines else ()
    return f"trusted: {', '.join((*TRUSTED_BASE, *decided))}"


def family_lines(unit: UnitReport) -> Iterator[str]:
    """Yield a line a verdict with the families that have it, the worst first, then what is due."""
    groups: dict[Outcome | None, list[str]] = {}
    for family in unit.families:
        outcome = unit.family_outcome(family)
        groups.setdefault(outcome, []).append(_family(unit, family, outcome))
    rows = [
        (outcome.value, ", ".join(groups[outcome]))
        for outcome in reversed(Outcome)
        if outcome in groups
    ]
    if None in groups:
        rows.append((NOTHING, f"{', '.join(groups[None])} ({NOTHING_MEANS})"))
    reasons: dict[str, list[str]] = {}
    for family, reason in unit.not_asked:
        reasons.setdefault(reason, []).append(family)
    rows += [("not asked", f"{', '.join(names)} ({why})") for why, names in reasons.items()]
    if unit.due_at_build:
        names = ", ".join(f"`{name}`" for name in unit.due_at_build)
        rows.append((DUE, f"whether the assembler spills under {names} (E6106)"))
    yield from table_lines(Table("", ("", ""), tuple(rows)))


def _family(unit: UnitReport, family: str, outcome: Outcome | None) -> str:
    members = [d.verdict for d in unit.decisions if d.obligation.family == family]
    if outcome is None:
        return family
    bare = sum(map(lacks_certificate, members))
    note = f"; {bare:,} by z3, {NO_CERTIFICATE}" if bare else ""
    if outcome is Outcome.PROVED:
        return f"{family} ({len(members):,}{note})"
    count = sum(outcome_of(verdict) is outcome for verdict in members)
    return f"{family} ({count:,} of {len(members):,}{note})"


def need_text(use: SpaceUse) -> str:
    """The need of a space as a number, or as its maximum beside the formula where that is short."""
    formula = use.need if len(use.need) <= _LONGEST_FORMULA else ""
    if use.exact and use.maximum is not None:
        return amount(use.maximum, use.unit)
    if use.maximum is None:
        return formula or "see --format json"
    text = f"at most {amount(use.maximum, use.unit)}"
    return f"{text} = {formula}" if formula else text


def space_table(units: tuple[UnitReport, ...]) -> Table | None:
    """A row a bounded space: need, limit, and where the limit comes from."""
    rows = tuple(
        (use.space, need_text(use), amount(use.limit, use.unit), use.source)
        for unit in units
        for use in unit.spaces
    )
    return Table("", ("space", "need", "limit", "source of the limit"), rows) if rows else None


def assumptions_of(run: RunReport) -> tuple[Assumption, ...]:
    """Every hypothesis that some unit rests on, once."""
    seen: dict[Assumption, None] = {}
    for target in run.targets:
        for unit in target.units:
            seen.update(dict.fromkeys(unit.assumptions))
    return tuple(seen)


def obligation_rows(unit: UnitReport) -> Iterator[tuple[str, ...]]:
    """Yield a row an obligation, in the order of the source."""
    ordered = sorted(
        unit.decisions, key=lambda d: (d.obligation.span.line, d.obligation.span.column)
    )
    for decision in ordered:
        obligation, verdict = decision.obligation, decision.verdict
        how = verdict.engine if isinstance(verdict, Proved) else ""
        if lacks_certificate(verdict):
            how += f", {NO_CERTIFICATE}"
        place = f"{obligation.span.line}:{obligation.span.column}"
        word = type(verdict).__name__.lower()
        yield word, obligation.family, obligation.code, place, obligation.headline, how
