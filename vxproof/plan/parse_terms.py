"""Terms and formulas of the plan's text, read back into the nodes that were written."""

from __future__ import annotations

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
    Sym,
    Term,
)
from vxproof.plan.lexer import Cursor, refuse

MAX_DEPTH = 200
"""Nesting up to which terms are read."""

_FUNCTIONS = {op.value: op for op in (Op.ALIGN_UP, Op.CEIL_DIV, Op.MAX, Op.MIN, Op.POW2_CEIL)}
_PAIRS = {"div": Op.DIV, "mod": Op.MOD, "/": Op.TDIV, "%": Op.TMOD}
_RELATIONS = {rel.value: rel for rel in Rel}
_CONNECTIVES = {"and": And, "or": Or}
_ARITY = {Op.ALIGN_UP: 2, Op.CEIL_DIV: 2, Op.POW2_CEIL: 1}


class Terms:
    """Recursive descent over a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.depth = 0

    def term(self) -> Term:
        """Read a sum."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise refuse(self.cursor.next.span, f"terms are nested deeper than {MAX_DEPTH}")
        parts = [self.product()]
        while self.cursor.sees("+", "-"):
            minus = self.cursor.take().text == "-"
            part = self.product()
            parts.append(App(Op.MUL, (Const(-1), part)) if minus else part)
        self.depth -= 1
        return parts[0] if len(parts) == 1 else App(Op.ADD, tuple(parts))

    def product(self) -> Term:
        """Read a product, a quotient or a remainder."""
        left = self.atom()
        if self.cursor.sees(*_PAIRS):
            op = _PAIRS[self.cursor.take().text]
            return App(op, (left, self.atom()))
        factors = [left]
        while self.cursor.accept("*"):
            factors.append(self.atom())
        return left if len(factors) == 1 else App(Op.MUL, tuple(factors))

    def atom(self) -> Term:
        """Read a literal, a symbol, a function or a term in brackets."""
        cursor = self.cursor
        if cursor.accept("("):
            inner = self.term()
            cursor.expect(")")
            return inner
        if cursor.next.kind == "number" or cursor.sees("-"):
            return Const(cursor.number())
        start = cursor.next
        name = cursor.word()
        if name == "ite" and cursor.accept("("):
            cond = self.formula()
            cursor.expect(",")
            then = self.term()
            cursor.expect(",")
            orelse = self.term()
            cursor.expect(")")
            return Ite(cond, then, orelse)
        if name in _FUNCTIONS and cursor.accept("("):
            args = [self.term()]
            while cursor.accept(","):
                args.append(self.term())
            cursor.expect(")")
            op = _FUNCTIONS[name]
            if len(args) != _ARITY.get(op, len(args)):
                raise refuse(start.span, f"`{name}` takes {_ARITY[op]} arguments")
            return App(op, tuple(args))
        return Sym(name)

    def formula(self) -> Formula:
        """Read a comparison, a connective or a truth value."""
        cursor = self.cursor
        if cursor.accept("true"):
            return TRUE
        if cursor.accept("false"):
            return FALSE
        if cursor.sees(*_CONNECTIVES):
            kind = _CONNECTIVES[cursor.take().text]
            cursor.expect("(")
            parts = [self.formula()]
            while cursor.accept(","):
                parts.append(self.formula())
            cursor.expect(")")
            return kind(tuple(parts))
        if cursor.accept("not"):
            cursor.expect("(")
            inner = self.formula()
            cursor.expect(")")
            return Not(inner)
        left = self.term()
        if not cursor.sees(*_RELATIONS):
            raise refuse(cursor.next.span, f"expected a comparison, found {cursor.found()}")
        rel = _RELATIONS[cursor.take().text]
        return Cmp(rel, left, self.term())
