"""Simultaneous substitution of terms for symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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


def substitute(value: Term, mapping: Mapping[str, Term]) -> Term:
    """Return the term with every symbol that `mapping` names replaced."""
    match value:
        case Const():
            return value
        case Sym(name=name):
            return mapping.get(name, value)
        case Ite(cond=cond, then=then, orelse=orelse):
            return ite(
                substitute_formula(cond, mapping),
                substitute(then, mapping),
                substitute(orelse, mapping),
            )
        case App(op=op, args=args):
            return _REBUILD[op](*(substitute(arg, mapping) for arg in args))
        case _:
            raise TypeError(f"not a term: {value!r}")


def substitute_formula(formula: Formula, mapping: Mapping[str, Term]) -> Formula:
    """Return the formula with every symbol that `mapping` names replaced."""
    match formula:
        case Truth():
            return formula
        case Cmp(rel=rel, left=left, right=right):
            return compare(rel, substitute(left, mapping), substitute(right, mapping))
        case And(parts=parts):
            return conj(*(substitute_formula(part, mapping) for part in parts))
        case Or(parts=parts):
            return disj(*(substitute_formula(part, mapping) for part in parts))
        case Not(part=part):
            return neg(substitute_formula(part, mapping))
        case _:
            raise TypeError(f"not a formula: {formula!r}")


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
