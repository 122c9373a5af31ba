"""The limits of several targets side by side, as rows of text for any renderer."""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.records import dataclass
from vxproof.target.facts import Fact
from vxproof.target.target import Target


@dataclass(frozen=True, slots=True)
class Table:
    """A header, rows of as many cells, and notes to print below them."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def table(targets: Iterable[Target]) -> Table:
    """One row a fact, one column a target, then the unit, the grades and the source tags.

    A target that lacks the feature of a row has `-` there. The notes are the publications that
    disagree with a number, with the number that is used instead.
    """
    chosen = tuple(targets)
    by_target = [{fact.name: fact for fact in target.facts} for target in chosen]
    names = dict.fromkeys(fact.name for target in chosen for fact in target.facts)
    rows = [_row(name, [facts.get(name) for facts in by_target]) for name in names]
    notes = (
        f"{target.name}: {item.fact}: {item.source} has {item.other}; {item.resolution}"
        for target in chosen
        for item in target.conflicts
    )
    return Table(
        header=("limit", *(target.name for target in chosen), "unit", "grade", "source"),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _row(name: str, facts: list[Fact | None]) -> tuple[str, ...]:
    known = [fact for fact in facts if fact is not None]
    return (
        name,
        *("-" if fact is None else fact.text for fact in facts),
        known[0].unit,
        _join(fact.grade.value for fact in known),
        _join(tag for fact in known for tag in fact.tags),
    )


def _join(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))
