"""Two names of one tensor or scalar in a call that writes it (E4003, E4004).

A function is verified for parameters that do not overlap, so its calls have to keep them apart. Two
views of one tensor count as overlapping, whatever their coordinates. Where the common name is a
resident, E6101 says it better.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from vxproof.alias.naming import AliasGraph, Node
from vxproof.diagnostics import Diagnostic, Label
from vxproof.ir.module import walk
from vxproof.ir.ops import Borrow, Call, LoadElement
from vxproof.ir.types import RefType, ScalarType
from vxproof.ir.values import Variable

if TYPE_CHECKING:
    from vxproof.alias.writes import Writes
    from vxproof.ir.module import Function
    from vxproof.ir.values import Value


def borrow_findings(
    function: Function, graph: AliasGraph, writes: Writes
) -> tuple[Diagnostic, ...]:
    """Return a finding for each pair of arguments that name one thing, of which one is written."""
    calls = [op for op in walk(function.body) if isinstance(op, Call) and len(op.args) > 1]
    if not calls:
        return ()
    sources = _Sources(graph, function)
    return tuple(one for op in calls for one in _in_call(op, sources, writes))


def _in_call(op: Call, sources: _Sources, writes: Writes) -> Iterator[Diagnostic]:
    named = [
        (arg, writes.takes(op.function, position))
        for position, arg in enumerate(op.args)
        if not isinstance(arg.type, ScalarType)
    ]
    for (first, first_written), (second, second_written) in combinations(named, 2):
        if not (first_written or second_written):
            continue
        common = sources.of(first) & sources.of(second)
        if not common or any(one.resident is not None for one in common):
            continue
        name = min(common, key=lambda one: one.id).name
        code, what = ("E4004", "borrowed") if first_written else ("E4003", "borrowed as `&mut`")
        yield Diagnostic(
            code,
            f"`{name}` is {what} while the call of `{op.function}` has another name for it",
            Label(second.span, "one name"),
            secondary=(Label(first.span, "another name"),),
            help=f"`{op.function}` is verified for arguments that do not overlap: give it a copy, "
            "or pass the whole once",
        )


class _Sources:
    """The variables whose elements or value a node may name."""

    def __init__(self, graph: AliasGraph, function: Function) -> None:
        self._before: dict[Node, list[Node]] = {}
        for source, targets in graph.edges.items():
            for target, _ in targets:
                if not _copies(source, target):
                    self._before.setdefault(target, []).append(source)
        loads = {op.result: op.base for op in walk(function.body) if isinstance(op, LoadElement)}
        for op in walk(function.body):
            if isinstance(op, Borrow) and op.of in loads:
                self._before.setdefault(op.of, []).append(loads[op.of])
        self._memo: dict[Value, frozenset[Variable]] = {}

    def of(self, value: Value) -> frozenset[Variable]:
        """Return the variables that a value may name a part of."""
        known = self._memo.get(value)
        if known is None:
            seen: set[Node] = set()
            work: list[Node] = [value]
            while work:
                node = work.pop()
                if node not in seen:
                    seen.add(node)
                    work.extend(self._before.get(node, ()))
            known = frozenset(one for one in seen if isinstance(one, Variable))
            self._memo[value] = known
        return known


def _copies(source: Node, target: Node) -> bool:
    """Whether binding makes a copy: a scalar's value, the elements that a resident starts with.

    A scalar that is read may yet be borrowed, so that a value keeps the variable it comes from.
    """
    if not isinstance(target, Variable) or isinstance(target.type, RefType):
        return False
    return isinstance(target.type, ScalarType) or target.resident is not None
