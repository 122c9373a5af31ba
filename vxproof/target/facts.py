"""A fact about hardware: a value, its unit, where it comes from, and how far it is trusted."""

from __future__ import annotations

from enum import Enum

from vxproof.records import dataclass

FactValue = bool | int | str | tuple[int, ...]
"""A string is only ever `unknown`: the limit exists, and its value has not been established."""

UNKNOWN = "unknown"


class Grade(Enum):
    """How a value is known. A proof that rests on `MEMORY` says so."""

    SOURCED = "sourced"
    MEASURED = "measured"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Fact:
    """One value about one target.

    Attributes:
        name: Unique within a target; a dot separates a feature from its limit (`tmem.columns`).
        value: The value; sizes in the unit that follows.
        unit: The unit in words, empty for a yes or no.
        source: One or more tags of the table of sources, separated by `; `.
        grade: How the value is known.
    """

    name: str
    value: FactValue
    unit: str
    source: str
    grade: Grade

    @property
    def tags(self) -> tuple[str, ...]:
        """The single source tags."""
        return tuple(self.source.split("; "))

    @property
    def text(self) -> str:
        """The value as a reader sees it, without its unit."""
        match self.value:
            case bool():
                return "yes" if self.value else "no"
            case tuple():
                return " ".join(str(item) for item in self.value)
            case _:
                return str(self.value)


@dataclass(frozen=True, slots=True)
class Source:
    """A tag and the full text that it stands for."""

    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A publication that disagrees with a fact, and which of the two is used and why."""

    fact: str
    other: str
    source: str
    resolution: str
