"""What a run sees and records: inputs, accesses, faults, and how it ends early."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.oracle.values import BITS, Storage, Value, wrap

MOST_STEPS = 4_000


class SkipError(Exception):
    """The run is too long, or uses what the oracle does not know."""


class StopError(Exception):
    """Nothing after this is defined."""


class ReturnError(Exception):
    def __init__(self, value: Value | None) -> None:
        self.value = value


@dataclass(frozen=True)
class Fault:
    """A rule that a run breaks."""

    code: str
    line: int


@dataclass(frozen=True)
class Touch:
    """One access of a grid point to an element that other points see."""

    storage: Storage
    element: tuple[int, ...]
    write: bool
    line: int
    point: tuple[int, ...]


@dataclass
class World:
    """What the inputs hold: integers from `pool`, floats of a few values."""

    random: random.Random
    pool: tuple[int, ...]
    known: dict[tuple[str, tuple[int, ...]], int | float] = field(default_factory=dict)

    def element(self, storage: Storage, at: tuple[int, ...]) -> int | float:
        """The value of an element."""
        key = (storage.name, at)
        if key not in self.known:
            if storage.dtype in BITS:
                self.known[key] = wrap(self.random.choice(self.pool), storage.dtype)
            else:
                self.known[key] = self.random.choice((-1.0, 0.0, 1.0))
        return self.known[key]
