"""Integer scalars of the IR as terms, as far as they follow from symbols and literals.

A value that does not (a load, a call) stands for itself, under its own symbol. The arithmetic is
that of mathematical integers: that nothing overflows is an obligation of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from vxproof.ir.ops import (
    Cast,
    Declare,
    Elementwise,
    Fn,
    For,
    GridIndex,
    Literal,
    Read,
    SymbolRef,
)
from vxproof.ir.types import ScalarType
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import max_, min_, tdiv, tmod
from vxproof.logic.terms import Const, Sym, Term
from vxproof.plan.timeline import Step

_BINARY: dict[Fn, Callable[[Term, Term], Term]] = {
    Fn.ADD: lambda a, b: a + b,
    Fn.SUB: lambda a, b: a - b,
    Fn.MUL: lambda a, b: a * b,
    Fn.DIV: tdiv,
    Fn.REM: tmod,
    Fn.MAX: max_,
    Fn.MIN: min_,
}


class Scalars:
    """Terms of integer values, noted step by step in program order."""

    def __init__(self, params: tuple[Variable, ...]) -> None:
        self.terms: dict[int, Term] = {}
        self.fixed: dict[int, Term] = {
            one.id: one.symbol
            for one in params
            if isinstance(one.type, ScalarType) and one.type.dtype.is_integer
        }

    def of(self, value: Value) -> Term:
        """Return the term of an integer value."""
        return self.terms.get(value.id, value.symbol)

    def note(self, step: Step) -> None:
        """Note what an operation makes."""
        if step.end:
            return
        match step.op:
            case Literal(result=result, value=bool()):
                pass
            case Literal(result=result, value=int() as number) if _integer(result):
                self.terms[result.id] = Const(number)
            case SymbolRef(result=result, symbol=symbol):
                self.terms[result.id] = Sym(symbol)
            case GridIndex(result=result, axis=axis):
                self.terms[result.id] = Sym(f"grid{axis}")
            case For(index=index):
                self.terms[index.id] = Sym(f"{index.name or 'j'}{index.id}")
            case Elementwise(result=result, fn=fn, args=args) if _integer(result):
                self.apply(result, fn, args)
            case Cast(result=result, value=value) if _integer(result) and _integer(value):
                self.terms[result.id] = self.of(value)
            case Declare(variable=variable, init=Value() as init) if (
                not variable.mutable and _integer(init)
            ):
                self.fixed[variable.id] = self.of(init)
            case Read(result=result, variable=variable) if variable.id in self.fixed:
                self.terms[result.id] = self.fixed[variable.id]
            case _:
                pass

    def apply(self, result: Value, fn: Fn, args: tuple[Value, ...]) -> None:
        """Note the term of an elementwise result."""
        terms = [self.of(arg) for arg in args]
        if fn is Fn.NEG:
            self.terms[result.id] = -terms[0]
        elif fn in _BINARY and len(terms) == 2:
            self.terms[result.id] = _BINARY[fn](terms[0], terms[1])


def _integer(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.dtype.is_integer
