"""Walking terms: free symbols, substitution, and floor division where ranges allow it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from vxproof.constraints.ranges import Ranges
from vxproof.logic.build import (
    align_up,
    ceil_div,
    compare,
    conj,
    disj,
    div,
    ite,
    max_,
    min_,
    mod,
    neg,
    pow2_ceil,
    tdiv,
    tmod,
)
from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Sym,
    Term,
    Truth,
    add,
    mul,
)

_NOTHING: frozenset[str] = frozenset()
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
    """Free symbols and depths of terms, each computed once for a shared subterm."""

    _free: dict[Node, frozenset[str]] = field(default_factory=dict)
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
    match op:
        case Op.ADD:
            return add(*args)
        case Op.MUL:
            return mul(*args)
        case Op.MAX:
            return max_(*args)
        case Op.MIN:
            return min_(*args)
        case Op.POW2_CEIL:
            return pow2_ceil(args[0])
        case Op.ALIGN_UP:
            return align_up(*args)
        case Op.CEIL_DIV:
            return ceil_div(*args)
        case Op.DIV:
            return div(*args)
        case Op.MOD:
            return mod(*args)
        case Op.TDIV | Op.TMOD:
            floor = (
                ranges is not None and ranges.at_least(args[0], 0) and ranges.at_least(args[1], 1)
            )
            if op is Op.TDIV:
                return div(*args) if floor else tdiv(*args)
            return mod(*args) if floor else tmod(*args)
        case _:
            assert_never(op)


@dataclass(slots=True)
class Rewriter:
    """Replaces symbols by terms, and truncating division by floor division where ranges allow."""

    mapping: Mapping[str, Term]
    ranges: Ranges | None = None
    _terms: dict[Term, Term] = field(default_factory=dict)
    _formulas: dict[Formula, Formula] = field(default_factory=dict)

    def term(self, node: Term) -> Term:
        """Rewrite a term."""
        if isinstance(node, Const):
            return node
        if isinstance(node, Sym):
            return self.mapping.get(node.name, node)
        found = self._terms.get(node)
        if found is None:
            found = self._term(node)
            self._terms[node] = found
        return found

    def _term(self, node: Term) -> Term:
        match node:
            case App(op=op, args=args):
                return rebuild(op, tuple(self.term(arg) for arg in args), self.ranges)
            case Ite(cond=cond, then=then, orelse=orelse):
                return ite(self.formula(cond), self.term(then), self.term(orelse))
            case _:
                raise TypeError(f"not a term: {node!r}")

    def formula(self, node: Formula) -> Formula:
        """Rewrite a formula."""
        found = self._formulas.get(node)
        if found is None:
            found = self._formula(node)
            self._formulas[node] = found
        return found

    def _formula(self, node: Formula) -> Formula:
        match node:
            case Truth():
                return node
            case Cmp(rel=rel, left=left, right=right):
                return compare(rel, self.term(left), self.term(right))
            case And(parts=parts):
                return conj(*(self.formula(part) for part in parts))
            case Or(parts=parts):
                return disj(*(self.formula(part) for part in parts))
            case Not(part=part):
                return neg(self.formula(part))
            case _:
                raise TypeError(f"not a formula: {node!r}")


def divisions(node: Node) -> Iterator[tuple[App, tuple[Formula, ...]]]:
    """Yield each division or rounding with what holds where it is evaluated, left to right.

    `&&` evaluates a part only where those before it hold, `||` only where they fail, and a term by
    cases only the chosen case.
    """
    yield from _divisions(node, ())


_DIVIDING = frozenset({Op.DIV, Op.MOD, Op.TDIV, Op.TMOD, Op.ALIGN_UP, Op.CEIL_DIV})


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
