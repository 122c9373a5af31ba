"""Simultaneous substitution of terms for symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

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
from vxproof.records import dataclass

_REBUILD: dict[Op, Callable[..., Term]] = {
    Op.ADD: add,
    Op.MUL: mul,
    Op.DIV: div,
    Op.MOD: mod,
    Op.TDIV: tdiv,
    Op.TMOD: tmod,
    Op.ALIGN_UP: align_up,
    Op.CEIL_DIV: ceil_div,
    Op.MAX: max_,
    Op.MIN: min_,
    Op.POW2_CEIL: pow2_ceil,
}


def rebuild(op: Op, args: tuple[Term, ...]) -> Term:
    """Apply an operator, folding what is plainly constant."""
    return _REBUILD[op](*args)


@dataclass(slots=True)
class Substitution:
    """Replaces the symbols that `mapping` names; each shared node is rewritten once."""

    mapping: Mapping[str, Term]
    _terms: dict[Term, Term] = field(default_factory=dict, init=False)
    _formulas: dict[Formula, Formula] = field(default_factory=dict, init=False)

    def apply(self, op: Op, args: tuple[Term, ...]) -> Term:
        """Return an operator over rewritten arguments; a subclass may simplify further."""
        return rebuild(op, args)

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
                return self.apply(op, tuple(self.term(arg) for arg in args))
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


def substitute(value: Term, mapping: Mapping[str, Term]) -> Term:
    """Return the term with every symbol that `mapping` names replaced."""
    return Substitution(mapping).term(value)


def symbols_of(value: Term | Formula) -> frozenset[str]:
    """Return the names of the symbols that occur."""
    found: set[str] = set()
    stack: list[Term | Formula] = [value]
    while stack:
        node = stack.pop()
        match node:
            case Sym(name=name):
                found.add(name)
            case App(args=args):
                stack.extend(args)
            case Ite(cond=cond, then=then, orelse=orelse):
                stack.extend((cond, then, orelse))
            case Cmp(left=left, right=right):
                stack.extend((left, right))
            case And(parts=parts) | Or(parts=parts):
                stack.extend(parts)
            case Not(part=part):
                stack.append(part)
            case _:
                pass
    return frozenset(found)
