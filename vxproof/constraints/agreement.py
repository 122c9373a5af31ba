"""What two grid points read of one element of an input is the same.

A symbol that stands for such an element, or for a test of floats, is copied for the second point;
without these facts the two copies would be independent.
"""

from __future__ import annotations

from vxproof.constraints.rewrite import Rewriter
from vxproof.constraints.state import State
from vxproof.logic.build import conj, eq, implies
from vxproof.logic.terms import TRUE, Formula, Sym


def read_through(state: State, names: frozenset[str]) -> frozenset[str]:
    """Names in the coordinates of the inputs that decide any of `names`."""
    found: set[str] = set()
    work = list(names)
    while work:
        origins = state.origins.get(work.pop())
        for _, coordinates in () if origins is None else origins.elements:
            new = frozenset().union(*map(state.walker.free, coordinates)) - found
            found |= new
            work.extend(new)
    return frozenset(found)


def agreement(
    state: State, first: frozenset[str], second: frozenset[str], rewriter: Rewriter
) -> tuple[tuple[Formula, ...], tuple[str, ...]]:
    """Return that two points find the same in one element of an input.

    Tests of floats that differ are not compared; where one element may decide both, that is noted.
    """
    facts: dict[Formula, None] = {}
    notes: dict[str, None] = {}
    for one in sorted(first & state.origins.keys()):
        for two in sorted(second & state.origins.keys()):
            here, there = state.origins[one], state.origins[two]
            roots = {root for root, _ in here.elements} & {root for root, _ in there.elements}
            if not roots:
                continue
            if here.test != there.test or len(here.elements) != len(there.elements):
                notes["two tests of floats are taken as independent of each other"] = None
                continue
            places = [
                eq(a, rewriter.term(b))
                for (_, mine), (_, theirs) in zip(here.elements, there.elements, strict=True)
                for a, b in zip(mine, theirs, strict=True)
            ]
            facts[implies(conj(*places), eq(Sym(one), rewriter.term(Sym(two))))] = None
    return tuple(one for one in facts if one != TRUE), tuple(notes)
