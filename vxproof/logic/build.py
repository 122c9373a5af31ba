"""Constructors of the other operators and of formulas; each folds what is plainly constant."""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.logic.terms import (
    FALSE,
    TRUE,
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Rel,
    Term,
    Truth,
    term,
)


def trunc_div(a: int, b: int) -> int:
    """Quotient rounded towards zero; b is not zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def trunc_mod(a: int, b: int) -> int:
    """Remainder with the sign of a; b is not zero."""
    return a - b * trunc_div(a, b)


def pow2_ceil_int(x: int) -> int:
    """Least power of two that is at least max(x, 1)."""
    return 1 << (max(x, 1) - 1).bit_length()


def _binary(op: Op, a: Term | int, b: Term | int) -> Term:
    return App(op, (term(a), term(b)))


def _foldable(a: Term, b: Term) -> bool:
    return isinstance(a, Const) and isinstance(b, Const) and b.value != 0


def div(a: Term | int, b: Term | int) -> Term:
    """Floor division."""
    a, b = term(a), term(b)
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return Const(a.value // b.value)
    return a if b == Const(1) else _binary(Op.DIV, a, b)


def mod(a: Term | int, b: Term | int) -> Term:
    """Remainder of floor division."""
    a, b = term(a), term(b)
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return Const(a.value % b.value)
    return Const(0) if b == Const(1) else _binary(Op.MOD, a, b)


def tdiv(a: Term | int, b: Term | int) -> Term:
    """Division that truncates towards zero, as the language's `/`."""
    a, b = term(a), term(b)
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return Const(trunc_div(a.value, b.value))
    return a if b == Const(1) else _binary(Op.TDIV, a, b)


def tmod(a: Term | int, b: Term | int) -> Term:
    """Remainder of truncating division, as the language's `%`."""
    a, b = term(a), term(b)
    if isinstance(a, Const) and isinstance(b, Const) and b.value != 0:
        return Const(trunc_mod(a.value, b.value))
    return Const(0) if b == Const(1) else _binary(Op.TMOD, a, b)


def align_up(a: Term | int, k: Term | int) -> Term:
    """Least multiple of k >= 1 that is at least a."""
    a, k = term(a), term(k)
    if isinstance(a, Const) and isinstance(k, Const) and k.value > 0:
        return Const(-(-a.value // k.value) * k.value)
    return a if k == Const(1) else _binary(Op.ALIGN_UP, a, k)


def ceil_div(a: Term | int, k: Term | int) -> Term:
    """Quotient rounded up; k >= 1."""
    a, k = term(a), term(k)
    if isinstance(a, Const) and isinstance(k, Const) and k.value > 0:
        return Const(-(-a.value // k.value))
    return a if k == Const(1) else _binary(Op.CEIL_DIV, a, k)


def _extreme(op: Op, args: Iterable[Term | int]) -> Term:
    pick = max if op is Op.MAX else min
    constants: list[int] = []
    rest: list[Term] = []
    for arg in map(term, args):
        for part in arg.args if isinstance(arg, App) and arg.op is op else (arg,):
            if isinstance(part, Const):
                constants.append(part.value)
            elif part not in rest:
                rest.append(part)
    if constants:
        rest.append(Const(pick(constants)))
    if not rest:
        raise ValueError("max and min need an argument")
    return rest[0] if len(rest) == 1 else App(op, tuple(rest))


def max_(*args: Term | int) -> Term:
    """Largest of the arguments."""
    return _extreme(Op.MAX, args)


def min_(*args: Term | int) -> Term:
    """Smallest of the arguments."""
    return _extreme(Op.MIN, args)


def pow2_ceil(a: Term | int) -> Term:
    """Least power of two that is at least max(a, 1)."""
    a = term(a)
    return Const(pow2_ceil_int(a.value)) if isinstance(a, Const) else App(Op.POW2_CEIL, (a,))


def ite(cond: Formula, then: Term | int, orelse: Term | int) -> Term:
    """A term by cases."""
    then, orelse = term(then), term(orelse)
    if isinstance(cond, Truth):
        return then if cond.value else orelse
    return then if then == orelse else Ite(cond, then, orelse)


_FOLD = {
    Rel.LE: lambda a, b: a <= b,
    Rel.LT: lambda a, b: a < b,
    Rel.EQ: lambda a, b: a == b,
    Rel.NE: lambda a, b: a != b,
}


def compare(rel: Rel, a: Term | int, b: Term | int) -> Formula:
    """A comparison; of literals, its truth; of one term with itself, what follows."""
    a, b = term(a), term(b)
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if _FOLD[rel](a.value, b.value) else FALSE
    if a == b:
        return TRUE if rel in {Rel.LE, Rel.EQ} else FALSE
    return Cmp(rel, a, b)


def le(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a <= b`."""
    return compare(Rel.LE, a, b)


def lt(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a < b`."""
    return compare(Rel.LT, a, b)


def ge(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a >= b`."""
    return compare(Rel.LE, b, a)


def gt(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a > b`."""
    return compare(Rel.LT, b, a)


def eq(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a == b`."""
    return compare(Rel.EQ, a, b)


def ne(a: Term | int, b: Term | int) -> Formula:
    """Return the formula `a != b`."""
    return compare(Rel.NE, a, b)


def conj(*parts: Formula) -> Formula:
    """Conjunction: flattened, without `true`, false where one part is."""
    rest: list[Formula] = []
    for part in parts:
        for one in part.parts if isinstance(part, And) else (part,):
            if one == FALSE:
                return FALSE
            if one != TRUE and one not in rest:
                rest.append(one)
    if not rest:
        return TRUE
    return rest[0] if len(rest) == 1 else And(tuple(rest))


def disj(*parts: Formula) -> Formula:
    """Disjunction: flattened, without `false`, true where one part is."""
    rest: list[Formula] = []
    for part in parts:
        for one in part.parts if isinstance(part, Or) else (part,):
            if one == TRUE:
                return TRUE
            if one != FALSE and one not in rest:
                rest.append(one)
    if not rest:
        return FALSE
    return rest[0] if len(rest) == 1 else Or(tuple(rest))


_NEGATED = {Rel.EQ: Rel.NE, Rel.NE: Rel.EQ}


def neg(part: Formula) -> Formula:
    """Negation, pushed through comparisons."""
    match part:
        case Truth(value=value):
            return FALSE if value else TRUE
        case Not(part=inner):
            return inner
        case Cmp(rel=Rel.LE, left=a, right=b):
            return compare(Rel.LT, b, a)
        case Cmp(rel=Rel.LT, left=a, right=b):
            return compare(Rel.LE, b, a)
        case Cmp(rel=rel, left=a, right=b):
            return compare(_NEGATED[rel], a, b)
        case _:
            return Not(part)


def implies(premise: Formula, conclusion: Formula) -> Formula:
    """If the premise holds, so does the conclusion."""
    return disj(neg(premise), conclusion)
