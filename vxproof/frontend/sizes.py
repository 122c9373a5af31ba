"""Dimensions and contract clauses: source expressions as terms and formulas of the logic.

Their arithmetic is that of mathematical integers; `/` and `%` truncate towards zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.scope import Counter, Local, Poisoned, Size
from vxproof.ir.dtypes import Kind
from vxproof.ir.types import RefType, ScalarType
from vxproof.logic.build import (
    compare,
    conj,
    disj,
    eq,
    implies,
    ite,
    max_,
    min_,
    neg,
    tdiv,
    tmod,
)
from vxproof.logic.terms import FALSE, TRUE, Const, Formula, Rel, Sym, Term

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.scope import Scope


class NotStatic(Exception):  # noqa: N818
    """The expression has no value as a term; `reason` and `span` say why and where."""

    def __init__(self, reason: str, span: Span, code: str = "E3002") -> None:
        """Keep the reason, the place and the code of the finding."""
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.code = code


_ARITHMETIC: dict[ast.BinaryOp, Callable[[Term, Term], Term]] = {
    ast.BinaryOp.ADD: lambda a, b: a + b,
    ast.BinaryOp.SUB: lambda a, b: a - b,
    ast.BinaryOp.MUL: lambda a, b: a * b,
    ast.BinaryOp.DIV: tdiv,
    ast.BinaryOp.REM: tmod,
}
_RELATION: dict[ast.BinaryOp, tuple[Rel, bool]] = {
    ast.BinaryOp.EQ: (Rel.EQ, False),
    ast.BinaryOp.NE: (Rel.NE, False),
    ast.BinaryOp.LT: (Rel.LT, False),
    ast.BinaryOp.LE: (Rel.LE, False),
    ast.BinaryOp.GT: (Rel.LT, True),
    ast.BinaryOp.GE: (Rel.LE, True),
}


def _name_term(scope: Scope, name: str, span: Span, *, dynamic: bool) -> Term:
    binding = scope.find(name)
    match binding:
        case None:
            raise NotStatic(f"unknown name `{name}`", span, "E1002")
        case Size(symbol=symbol):
            return Sym(symbol)
        case Local(variable=variable) if dynamic and _is_integer(variable.type):
            return variable.symbol  # its value, which may have wrapped around
        case Local(static=term) if term is not None:
            return term
        case Counter(value=value) if dynamic:
            return value.symbol
        case Local() | Counter() | Poisoned():
            raise NotStatic(f"`{name}` is not an integer that is fixed before the launch", span)


def _is_integer(type_: object) -> bool:
    if isinstance(type_, RefType):
        type_ = type_.target
    return isinstance(type_, ScalarType) and type_.dtype.is_integer


def _is_bool(type_: object) -> bool:
    return isinstance(type_, ScalarType) and type_.dtype.kind is Kind.BOOL


def size_term(scope: Scope, expr: ast.Expr, *, dynamic: bool = False) -> Term:
    """Return an integer expression as a term.

    With `dynamic`, run-time variables and loop variables stand for their current values, as in
    invariants; without it only const generics, extents, parameters and constants may occur.

    Raises:
        NotStatic: the expression is none.
    """
    match expr:
        case ast.IntLit(value=value):
            return Const(value)
        case ast.Var(name=name, span=span):
            return _name_term(scope, name, span, dynamic=dynamic)
        case ast.Unary(op=ast.UnaryOp.NEG, operand=operand):
            return -size_term(scope, operand, dynamic=dynamic)
        case ast.Unary(op=ast.UnaryOp.DEREF, operand=operand):
            return size_term(scope, operand, dynamic=dynamic)
        case ast.Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            a = size_term(scope, left, dynamic=dynamic)
            b = size_term(scope, right, dynamic=dynamic)
            if op in {ast.BinaryOp.DIV, ast.BinaryOp.REM} and b == Const(0):
                raise NotStatic("division by zero", right.span, "E6153")
            return _ARITHMETIC[op](a, b)
        case ast.Cast(operand=operand, type=ast.NamedType(name=name)) if name in {"i64", "i32"}:
            return size_term(scope, operand, dynamic=dynamic)
        case ast.Call(callee=callee, args=(a, b), named=(), const_args=None) if callee.text in {
            "max",
            "min",
        }:
            pick = max_ if callee.text == "max" else min_
            return pick(size_term(scope, a, dynamic=dynamic), size_term(scope, b, dynamic=dynamic))
        case ast.If(
            condition=condition, then=then, otherwise=ast.Block(statements=()) as other
        ) if not then.statements and then.tail is not None and other.tail is not None:
            return ite(
                clause_formula(scope, condition, dynamic=dynamic),
                size_term(scope, then.tail, dynamic=dynamic),
                size_term(scope, other.tail, dynamic=dynamic),
            )
        case _:
            raise NotStatic("this is not an integer expression over sizes", expr.span)


def clause_formula(scope: Scope, expr: ast.Expr, *, dynamic: bool = False) -> Formula:
    """Return a condition as a formula; `dynamic` as for `size_term`.

    Raises:
        NotStatic: the expression is not a condition over integers.
    """
    match expr:
        case ast.BoolLit(value=value):
            return TRUE if value else FALSE
        case ast.Unary(op=ast.UnaryOp.NOT, operand=operand):
            return neg(clause_formula(scope, operand, dynamic=dynamic))
        case ast.Binary(op=ast.BinaryOp.AND, left=left, right=right):
            return conj(
                clause_formula(scope, left, dynamic=dynamic),
                clause_formula(scope, right, dynamic=dynamic),
            )
        case ast.Binary(op=ast.BinaryOp.OR, left=left, right=right):
            return disj(
                clause_formula(scope, left, dynamic=dynamic),
                clause_formula(scope, right, dynamic=dynamic),
            )
        case ast.Binary(op=op, left=left, right=right) if op in _RELATION:
            relation, swap = _RELATION[op]
            a = size_term(scope, left, dynamic=dynamic)
            b = size_term(scope, right, dynamic=dynamic)
            return compare(relation, b, a) if swap else compare(relation, a, b)
        case ast.Var(name=name):
            binding = scope.find(name)
            if isinstance(binding, Local) and _is_bool(binding.variable.type):
                return eq(binding.variable.symbol, 1)
            raise NotStatic(f"`{name}` is not a condition", expr.span)
        case ast.If(
            condition=condition, then=then, otherwise=ast.Block(statements=()) as other
        ) if not then.statements and then.tail is not None and other.tail is not None:
            test = clause_formula(scope, condition, dynamic=dynamic)
            return conj(
                implies(test, clause_formula(scope, then.tail, dynamic=dynamic)),
                implies(neg(test), clause_formula(scope, other.tail, dynamic=dynamic)),
            )
        case _:
            raise NotStatic("a contract is a condition over integers", expr.span)
