"""Walking terms: free symbols, substitution, and floor division where ranges allow it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from typing_extensions import override

from vxproof.constraints.ranges import Ranges
from vxproof.logic import substitute
from vxproof.logic.build import neg
from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Sym,
    Term,
)
from vxproof.records import dataclass

_TRUNCATING = frozenset({Op.TDIV, Op.TMOD})
_NOTHING: frozenset[str] = frozenset()
_DIVIDING = frozenset({Op.DIV, Op.MOD, Op.TDIV, Op.TMOD, Op.ALIGN_UP, Op.CEIL_DIV})
Node = Term | Formula


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a term or formula."""
    match node:
        case App(args=args):
            return args
        case Ite(cond=cond, then=then, orelse=orelse):
            return (cond, then, orelse)
        case Cmp(left=left, right=right):
            return (left, right)
        case And(parts=parts) | Or(parts=parts):
            return parts
        case Not(part=part):
            return (part,)
        case _:
            return ()


@dataclass(slots=True)
class Walker:
    """Free symbols, divisors and depths of terms, each computed once for a shared subterm."""

    _free: dict[Node, frozenset[str]] = field(default_factory=dict)
    _divisors: dict[Node, frozenset[Term]] = field(default_factory=dict)
    _depth: dict[Node, int] = field(default_factory=dict)

    def free(self, node: Node) -> frozenset[str]:
        """Names of the symbols that occur."""
        if isinstance(node, Sym):
            return frozenset((node.name,))
        found = self._free.get(node)
        if found is None:
            parts = [self.free(child) for child in children(node)]
            found = _NOTHING.union(*parts) if parts else _NOTHING
            self._free[node] = found
        return found

    def divisors(self, node: Node) -> frozenset[Term]:
        """Second operands of the divisions and roundings that occur."""
        found = self._divisors.get(node)
        if found is None:
            parts = [self.divisors(child) for child in children(node)]
            found = frozenset[Term]().union(*parts)
            if isinstance(node, App) and node.op in _DIVIDING:
                found |= {node.args[1]}
            self._divisors[node] = found
        return found

    def depth(self, node: Node) -> int:
        """Length of the longest path from the root to a leaf."""
        parts = children(node)
        if not parts:
            return 0
        found = self._depth.get(node)
        if found is None:
            found = 1 + max(self.depth(child) for child in parts)
            self._depth[node] = found
        return found


def rebuild(op: Op, args: tuple[Term, ...], ranges: Ranges | None = None) -> Term:
    """Apply an operator, folding; with ranges, truncating division of non-negatives is floor."""
    if op not in _TRUNCATING or ranges is None:
        return substitute.rebuild(op, args)
    if not (ranges.at_least(args[0], 0) and ranges.at_least(args[1], 1)):
        return substitute.rebuild(op, args)
    return substitute.rebuild(Op.DIV if op is Op.TDIV else Op.MOD, args)


@dataclass(slots=True)
class Rewriter(substitute.Substitution):
    """Replaces symbols by terms, and truncating division by floor division where ranges allow."""

    ranges: Ranges | None = None

    @override
    def apply(self, op: Op, args: tuple[Term, ...]) -> Term:
        return rebuild(op, args, self.ranges)


def divisions(node: Node) -> Iterator[tuple[App, tuple[Formula, ...]]]:
    """Yield each division or rounding with what holds where it is evaluated, left to right.

    `&&` evaluates a part only where those before it hold, `||` only where they fail, and a term by
    cases only the chosen case.
    """
    yield from _divisions(node, ())


def _divisions(node: Node, given: tuple[Formula, ...]) -> Iterator[tuple[App, tuple[Formula, ...]]]:
    match node:
        case And(parts=parts):
            for index, part in enumerate(parts):
                yield from _divisions(part, (*given, *parts[:index]))
        case Or(parts=parts):
            for index, part in enumerate(parts):
                yield from _divisions(part, (*given, *(neg(one) for one in parts[:index])))
        case Ite(cond=cond, then=then, orelse=orelse):
            yield from _divisions(cond, given)
            yield from _divisions(then, (*given, cond))
            yield from _divisions(orelse, (*given, neg(cond)))
        case _:
            for child in children(node):
                yield from _divisions(child, given)
            if isinstance(node, App) and node.op in _DIVIDING:
                yield node, given
