"""Need and limit of a refutation: the summands, the overrun, the worst case, the legal values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from vxproof.diagnostics import Label, Span, Table
from vxproof.logic.evaluate import Undefined, evaluate
from vxproof.logic.obligation import Contribution, Measure, Obligation, Origin, Symbol
from vxproof.logic.substitute import symbols_of
from vxproof.logic.terms import Term
from vxproof.logic.verdict import Refuted
from vxproof.report.phrases import amount, names_of

PARAMETERS = frozenset({Origin.GENERIC, Origin.EXTENT, Origin.STRIDE, Origin.PARAMETER})
"""What the author or the caller chooses."""

MOST_LABELS = 6
_MOST_ROWS = 40
_ACCESS = "bounds"
"""The family whose measures compare an index with an extent."""


def value_at(term: Term, env: Mapping[str, int]) -> int | None:
    """Return the value of a term; None where it has none."""
    try:
        return evaluate(term, env)
    except (Undefined, KeyError):
        return None


def exceeded(obligation: Obligation, env: Mapping[str, int]) -> tuple[Measure, int, int] | None:
    """Return the measure with need and limit where the need is above the limit."""
    measure = obligation.measure
    if measure is None or obligation.family == _ACCESS:
        return None
    need, limit = value_at(measure.need, env), value_at(measure.limit, env)
    if need is None or limit is None or need <= limit:
        return None
    return measure, need, limit


def need_note(measure: Measure, need: int, limit: int, headline: str) -> str:
    """Need, limit, its source and the overrun; the subject only where the headline lacks it."""
    subject = "" if headline.startswith(measure.subject) else f"{measure.subject}: "
    return (
        f"{subject}need {amount(need, measure.unit)}, limit {amount(limit, measure.unit)} "
        f"({measure.source}), over by {amount(need - limit, measure.unit)}"
    )


def peak_note(obligation: Obligation, refuted: Refuted) -> Iterator[str]:
    """Say how far the need goes over all of `requires`, where, and what would be legal there."""
    peak, measure = refuted.peak, obligation.measure
    if peak is None or measure is None or obligation.family == _ACCESS:
        return
    env = dict(peak.witness)
    if peak.witness == refuted.witness:
        if peak.exact and _values(obligation.symbols, env, symbols_of(measure.need)):
            yield "no other admitted value needs more"
        return
    limit = value_at(measure.limit, env)
    word = "up to" if peak.exact else "at least"
    values = ", ".join(_values(obligation.symbols, env, symbols_of(measure.need)))
    over = "" if limit is None else f", over by {amount(peak.need - limit, measure.unit)}"
    text = f"over all of `requires` the need is {word} {amount(peak.need, measure.unit)}"
    legal = _legal(obligation, peak.largest, env)
    yield f"{text}, at {values}{over}" + (f"; there {legal}" if legal else "")


def _values(symbols: Iterable[Symbol], env: Mapping[str, int], wanted: Set[str]) -> tuple[str, ...]:
    return tuple(
        f"{one.display or one.name} = {env[one.name]:,}"
        for one in symbols
        if one.origin in PARAMETERS and one.name in env and one.name in wanted
    )


def largest_notes(obligation: Obligation, refuted: Refuted) -> Iterator[str]:
    """Say the largest legal value of each parameter of the need, the others as they are."""
    legal = _legal(obligation, refuted.largest, dict(refuted.witness))
    if legal:
        yield f"with the other values as above, {legal}"


def _legal(
    obligation: Obligation,
    largest: tuple[tuple[str, int | None], ...],
    env: Mapping[str, int],
) -> str:
    """The largest legal values; of an index only what is below the present value."""
    names = names_of(obligation.symbols)
    access = obligation.family == _ACCESS
    free = {s.name for s in obligation.symbols if s.lo is None or s.lo != s.hi}
    parts = [
        f"the largest legal {names.get(name, name)} is {value:,}"
        for name, value in largest
        if value is not None and not (access and value >= env.get(name, value))
    ]
    none = [names.get(n, n) for n, value in largest if value is None and n in free]
    if none:
        parts.append(f"no value of {', '.join(none)} is legal")
    return "; ".join(parts)


# -- the summands ------------------------------------------------------------------------------


def contributions(obligation: Obligation, env: Mapping[str, int], need: int | None) -> list[Table]:
    """The summands at the witness; what placing them adds is a row of its own."""
    measure = obligation.measure
    if measure is None or not obligation.contributions or obligation.family == _ACCESS:
        return []
    present = _present(obligation.contributions, env)
    twice = Counter(item.name for item, _ in present)
    rows: list[tuple[str, ...]] = []
    for item, value in present[:_MOST_ROWS]:
        alone = item.name and twice[item.name] == 1
        name = item.name if alone else f"{item.name or 'unnamed'} (line {item.span.line})"
        shown = "?" if value is None else amount(value, measure.unit)
        rows.append((name, item.expression, shown, item.lifetime))
    if len(present) > _MOST_ROWS:
        rows.append((f"… {len(present) - _MOST_ROWS:,} more", "", "", ""))
    total = sum(value or 0 for _, value in present)
    if need is not None and need > total:
        rows.append(("", "gaps and rounding", amount(need - total, measure.unit), ""))
    if need is not None and len(present) > 1:
        rows.append(("together", "", amount(max(need, total), measure.unit), ""))
    header = ("buffer", "size", measure.unit, "lives")
    return [Table(f"held in {measure.subject}", header, tuple(rows))]


def _present(
    items: Iterable[Contribution], env: Mapping[str, int]
) -> list[tuple[Contribution, int | None]]:
    """What takes anything at the witness."""
    found = [(item, value_at(item.amount, env)) for item in items]
    return [(item, value) for item, value in found if value != 0]


def _spoken(item: Contribution) -> str:
    return f"`{item.name}`" if item.name else "it holds"


def with_amounts(obligation: Obligation, env: Mapping[str, int]) -> list[Label]:
    """The obligation's labels; where a summand stands, with its amount at the witness."""
    amounts: dict[Span, str] = {}
    nothing: set[Span] = set()
    measure = obligation.measure
    if measure is not None and obligation.family != _ACCESS:
        for item in obligation.contributions:
            value = value_at(item.amount, env)
            if value is not None and item.span not in amounts:
                amounts[item.span] = f"{_spoken(item)}: {amount(value, measure.unit)}"
                nothing |= {item.span} if value == 0 else set()
    labels = [
        Label(one.span, amounts.pop(one.span, one.text))
        for one in obligation.labels
        if one.span != obligation.span and one.span not in nothing
    ]
    amounts.pop(obligation.span, None)
    labels += [Label(span, text) for span, text in amounts.items() if span not in nothing]
    return labels[:MOST_LABELS]


def primary_label(obligation: Obligation, env: Mapping[str, int]) -> Label:
    """The place of the fault, with its own amount where it is a summand."""
    measure = obligation.measure
    if measure is not None and obligation.family != _ACCESS:
        for item in obligation.contributions:
            value = value_at(item.amount, env)
            if item.span == obligation.span and value:
                return Label(obligation.span, f"{_spoken(item)}: {amount(value, measure.unit)}")
    words = [label.text for label in obligation.labels if label.span == obligation.span]
    return Label(obligation.span, "; ".join(words))
