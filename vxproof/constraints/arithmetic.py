"""Arithmetic (E6153): results in the range of their type, divisors other than 0, lossless `as`.

Obligations that the declared ranges of their symbols already show are gathered, a few dozen to
one, so that a program's index arithmetic costs little to decide.
"""

from __future__ import annotations

from vxproof.constraints.state import State
from vxproof.constraints.values import Int
from vxproof.diagnostics import Span
from vxproof.ir.dtypes import DType
from vxproof.logic.build import conj, ge, le, mod, ne
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import TRUE, Formula, Term

_GROUP = 32


def within(term: Term, dtype: DType) -> Formula:
    """Return that a term is a value of an integer type."""
    low, high = dtype.int_range
    return conj(ge(term, low), le(term, high))


def shows_within(state: State, term: Term, dtype: DType) -> bool:
    """Whether ranges, path conditions included, show that a term is a value of a type."""
    low, high = state.ranges.bounds(term)
    least, most = dtype.int_range
    return low is not None and high is not None and least <= low and high <= most


def require(state: State, headline: str, span: Span, goal: Formula, help_: str) -> None:
    """Ask for a goal of E6153."""
    state.emit(Obligation("E6153", "arithmetic", headline, span, (), (), goal, help=help_))


def require_range(state: State, term: Term, dtype: DType, span: Span, headline: str) -> None:
    """Ask that a term is a value of an integer type."""
    goal = within(term, dtype)
    if goal == TRUE:
        return
    low, high = state.box.bounds(term)
    least, most = dtype.int_range
    fits = low is not None and high is not None and least <= low and high <= most
    if fits and _has_value(state, term):
        state.gathered.setdefault(goal, (state.unit, span))
        return
    require(
        state,
        headline,
        span,
        goal,
        f"bound its operands in `requires`, or compute in a type wider than {dtype.name}",
    )


def _has_value(state: State, term: Term) -> bool:
    """Whether the declared ranges alone show that no divisor in a term is 0."""
    return all(state.box.at_least(one, 1) for one in state.walker.divisors(term))


def require_divisor(state: State, divisor: Term, span: Span, spelled: str) -> None:
    """Ask that a divisor is not 0, and assume it from here on."""
    goal = ne(divisor, 0)
    if goal == TRUE:
        return
    low, high = state.box.bounds(divisor)
    not_zero = (low is not None and low > 0) or (high is not None and high < 0)
    if not_zero and _has_value(state, divisor):
        state.gathered.setdefault(goal, (state.unit, span))
        return
    require(
        state,
        f"divisor of `{spelled}` may be 0",
        span,
        goal,
        "require that the divisor is positive, or test it first",
    )
    state.assume(goal)


def result(state: State, exact: Term, dtype: DType, span: Span, *, reaches: bool) -> Int:
    """Return the value of an operation whose mathematical result is `exact`.

    A signed result that reaches an index, extent, trip count, condition or contract has to be in
    range, and is then exact; any other result wraps around.
    """
    if reaches and dtype.int_range[0] < 0:
        headline = f"{dtype.name} arithmetic may overflow"
        require_range(state, exact, dtype, span, headline)
        return Int(exact)
    return Int(wrapped(state, exact, dtype))


def wrapped(state: State, exact: Term, dtype: DType) -> Term:
    """Return the value modulo the type's size that lies in its range."""
    if shows_within(state, exact, dtype):
        return exact
    low, _ = dtype.int_range
    return mod(exact - low, 1 << dtype.bits) + low


def gathered(state: State) -> None:
    """Close the gathered goals into obligations, by kernel, each of a few dozen."""
    groups: dict[int | None, list[Formula]] = {}
    spans: dict[int | None, Span] = {}
    for goal, (unit, span) in state.gathered.items():
        groups.setdefault(unit, []).append(goal)
        spans.setdefault(unit, span)
    for unit, goals in groups.items():
        for first in range(0, len(goals), _GROUP):
            goal = conj(*goals[first : first + _GROUP])
            names = state.walker.free(goal)
            state.found.append(
                (
                    unit,
                    Obligation(
                        "E6153",
                        "arithmetic",
                        "integer arithmetic may overflow or divide by 0",
                        spans[unit],
                        state.declared(names),
                        (),
                        goal,
                    ),
                )
            )
    state.gathered.clear()
