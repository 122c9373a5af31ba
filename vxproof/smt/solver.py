"""Ways to reach the solver: none, or in this process."""

from __future__ import annotations

from typing import Protocol

from vxproof.smt.z3_backend import Answer, NoAnswer, Query, ask


class Solver(Protocol):
    """Answers queries."""

    def ask(self, query: Query) -> Answer:
        """Decide one query; whatever goes wrong is a `NoAnswer`."""

    def close(self) -> None:
        """Release what the solver holds."""


class Absent:
    """No solver: nothing is decided."""

    def ask(self, query: Query) -> Answer:
        """Say that there is no solver."""
        del query
        return NoAnswer("only the solver z3 could decide this, and it is not used")

    def close(self) -> None:
        """There is nothing to release."""


class InProcess:
    """z3 in this process: fast; a crash of z3 ends the process without a verdict."""

    def __init__(self, budget: int | None) -> None:
        self._budget = budget

    def ask(self, query: Query) -> Answer:
        """Decide one query within the budget."""
        return ask(query, self._budget)

    def close(self) -> None:
        """There is nothing to release."""
