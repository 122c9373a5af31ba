"""Terms and formulas as text, for the plan's own syntax and for messages.

Infix with the usual precedence; `a div b` and `a mod b` round down, `a / b` and `a % b` towards
zero; everything else is written as a function: `max(a, b)`, `align_up(a, k)`, `ite(c, a, b)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

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
)

INFIX = {Op.DIV: "div", Op.MOD: "mod", Op.TDIV: "/", Op.TMOD: "%"}
_SUM, _PRODUCT, _ATOM = 1, 2, 3
_NO_NAMES: Mapping[str, str] = {}


def show_term(value: Term, names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return the text of a term; `names` gives symbols the names that a reader knows."""
    return _term(value, names, _SUM)


def _term(value: Term, names: Mapping[str, str], level: int) -> str:
    match value:
        case Const(value=number):
            return str(number) if number >= 0 or level == _SUM else f"({number})"
        case Sym(name=name):
            return names.get(name, name)
        case Ite(cond=cond, then=then, orelse=orelse):
            parts = (show_formula(cond, names), show_term(then, names), show_term(orelse, names))
            return f"ite({', '.join(parts)})"
        case App(op=Op.ADD, args=args):
            text = " + ".join(_term(arg, names, _PRODUCT) for arg in args)
            return _wrapped(text, level > _SUM)
        case App(op=Op.MUL, args=args):
            text = " * ".join(_term(arg, names, _ATOM) for arg in args)
            return _wrapped(text, level > _PRODUCT)
        case App(op=op, args=args) if op in INFIX:
            text = f" {INFIX[op]} ".join(_term(arg, names, _ATOM) for arg in args)
            return _wrapped(text, level > _PRODUCT)
        case App(op=op, args=args):
            return f"{op.value}({', '.join(show_term(arg, names) for arg in args)})"
        case _:
            raise TypeError(f"not a term: {value!r}")


def _wrapped(text: str, needed: bool) -> str:
    return f"({text})" if needed else text


def show_formula(formula: Formula, names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return the text of a formula."""
    match formula:
        case Truth(value=value):
            return "true" if value else "false"
        case Cmp(rel=rel, left=left, right=right):
            return f"{show_term(left, names)} {rel.value} {show_term(right, names)}"
        case And(parts=parts):
            return "and(" + ", ".join(show_formula(part, names) for part in parts) + ")"
        case Or(parts=parts):
            return "or(" + ", ".join(show_formula(part, names) for part in parts) + ")"
        case Not(part=part):
            return f"not({show_formula(part, names)})"
        case _:
            raise TypeError(f"not a formula: {formula!r}")


def show_product(factors: tuple[Term | int, ...], names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return a size as its author would write it, such as `BN*D*2`; factors of 1 are left out."""
    texts: list[str] = []
    for factor in factors:
        match factor:
            case int() | Const():
                number = factor if isinstance(factor, int) else factor.value
                if number != 1:
                    texts.append(str(number))
            case Term():
                texts.append(_term(factor, names, _ATOM))
            case _:
                assert_never(factor)
    return "*".join(texts) or "1"
