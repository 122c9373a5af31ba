"""Elementwise operations and casts on symbolic values; of tiles, on any one element."""

from __future__ import annotations

from collections.abc import Callable

from vxproof.constraints import arithmetic
from vxproof.constraints.rewrite import rebuild
from vxproof.constraints.state import Origins, State
from vxproof.constraints.values import Bool, Data, Int, Known, Real
from vxproof.diagnostics import Span
from vxproof.ir.dtypes import DType
from vxproof.ir.ops import Cast, Elementwise, Fn
from vxproof.ir.types import ScalarType, TensorType
from vxproof.logic.build import compare, conj, disj, implies, ite, max_, min_, ne, neg
from vxproof.logic.terms import FALSE, TRUE, Formula, Op, Rel, Term

_RELATIONS: dict[Fn, tuple[Rel, bool]] = {
    Fn.EQ: (Rel.EQ, False),
    Fn.NE: (Rel.NE, False),
    Fn.LT: (Rel.LT, False),
    Fn.LE: (Rel.LE, False),
    Fn.GT: (Rel.LT, True),
    Fn.GE: (Rel.LE, True),
}
_WRAPPING: dict[Fn, Callable[[Term, Term], Term]] = {
    Fn.ADD: lambda a, b: a + b,
    Fn.SUB: lambda a, b: a - b,
    Fn.MUL: lambda a, b: a * b,
}


def _dtype(op: Elementwise | Cast) -> DType:
    type_ = op.result.type
    assert isinstance(type_, ScalarType | TensorType)
    return type_.dtype


def elementwise(state: State, op: Elementwise, args: tuple[Data, ...]) -> Data:
    """Return the result of a function on operands of one kind."""
    dtype = _dtype(op)
    if op.fn in _RELATIONS:
        return _comparison(state, op, args)
    if op.fn is Fn.SELECT:
        return _select(state, op, args)
    if dtype.is_float:
        return Real(Known.COMPUTED, state.region)
    match args:
        case (Bool(formula=a), Bool(formula=b)) if op.fn in {Fn.AND, Fn.OR}:
            return Bool(conj(a, b) if op.fn is Fn.AND else disj(a, b))
        case (Bool(formula=a),) if op.fn is Fn.NOT:
            return Bool(neg(a))
        case (Int(term=a), Int(term=b)):
            return _binary(state, op, a, b, dtype)
        case (Int(term=a),):
            return _unary(state, op, a, dtype)
        case _:
            return _opaque(state, op, dtype)


def _opaque(state: State, op: Elementwise | Cast, dtype: DType) -> Data:
    text = state.module.source.slice(op.span)
    note = f"`{text}` (line {op.span.line}) is taken as any {dtype.name}"
    return state.unknown(dtype, op.result.symbol.name, text, note)


def _binary(state: State, op: Elementwise, a: Term, b: Term, dtype: DType) -> Data:
    reaches = op.result in state.reaches
    if op.fn in _WRAPPING:
        exact = _WRAPPING[op.fn](a, b)
        return arithmetic.result(state, exact, dtype, op.span, reaches=reaches)
    if op.fn in {Fn.DIV, Fn.REM}:
        return _division(state, op, a, b, dtype)
    if op.fn is Fn.MAX:
        return Int(max_(a, b))
    if op.fn is Fn.MIN:
        return Int(min_(a, b))
    return _opaque(state, op, dtype)


def _division(state: State, op: Elementwise, a: Term, b: Term, dtype: DType) -> Data:
    arithmetic.require_divisor(state, b, op.span, state.module.source.slice(op.span))
    if op.fn is Fn.REM:
        return Int(rebuild(Op.TMOD, (a, b), state.ranges))
    exact = rebuild(Op.TDIV, (a, b), state.ranges)
    least, _ = dtype.int_range
    if least == 0 or state.ranges.at_least(a, least + 1) or state.ranges.at_least(b, 0):
        return Int(exact)
    return arithmetic.result(state, exact, dtype, op.span, reaches=op.result in state.reaches)


def _unary(state: State, op: Elementwise, a: Term, dtype: DType) -> Data:
    if op.fn is Fn.NEG:
        exact = -a
    elif op.fn is Fn.ABS:
        exact = a if state.ranges.at_least(a, 0) else max_(a, -a)
    else:
        return _opaque(state, op, dtype)
    return arithmetic.result(state, exact, dtype, op.span, reaches=op.result in state.reaches)


def _comparison(state: State, op: Elementwise, args: tuple[Data, ...]) -> Data:
    match args:
        case (Int(term=a), Int(term=b)):
            relation, swap = _RELATIONS[op.fn]
            return Bool(compare(relation, b, a) if swap else compare(relation, a, b))
        case (Bool(formula=a), Bool(formula=b)):
            same = _same(a, b)
            return Bool(same if op.fn is Fn.EQ else neg(same))
        case _:
            return _test(state, op, tuple(arg for arg in args if isinstance(arg, Real)))


def _same(a: Formula, b: Formula) -> Formula:
    if TRUE in (a, b):
        return b if a == TRUE else a
    if FALSE in (a, b):
        return neg(b if a == FALSE else a)
    return conj(implies(a, b), implies(b, a))


def _test(state: State, op: Elementwise, args: tuple[Real, ...]) -> Bool:
    """Any outcome; of inputs that no other comparison looks at, every outcome is possible."""
    text = state.module.source.slice(op.span)
    note: str | None = f"`{text}` (line {op.span.line}) compares floats and is taken as either"
    inputs = [arg for arg in args if arg.known is Known.INPUT]
    if inputs and not any(arg.known is Known.COMPUTED or id(arg) in state.spent for arg in args):
        note = None
    state.spent.update(map(id, inputs))
    found = state.unknown(_dtype(op), op.result.symbol.name, text, note)
    assert isinstance(found, Bool)
    (name,) = state.walker.free(found.formula)
    _decided_by(state, name, args)
    if args and all(arg.region != state.region for arg in args):
        state.shared |= state.walker.free(found.formula)
    return found


def _decided_by(state: State, name: str, args: tuple[Real, ...]) -> None:
    """Record the elements that decide the symbol of a test or conversion, where nothing else does.

    A literal, and what was made outside of this kernel, is the same for all points.
    """
    here = [one for one in args if one.region == state.region and one.known is not Known.LITERAL]
    if all(id(one) in state.elements for one in here):
        elements = tuple(state.elements[id(one)] for one in here)
        if elements:
            state.origins[name] = Origins(name, elements)


def _select(state: State, op: Elementwise, args: tuple[Data, ...]) -> Data:
    match args:
        case (Bool(formula=c), Int(term=a), Int(term=b)):
            return Int(ite(c, a, b))
        case (Bool(formula=c), Bool(formula=a), Bool(formula=b)):
            return Bool(disj(conj(c, a), conj(neg(c), b)))
        case _ if _dtype(op).is_float:
            return Real(Known.COMPUTED, state.region)
        case _:
            return _opaque(state, op, _dtype(op))


def cast(state: State, op: Cast, value: Data, source: DType) -> Data:
    """Return a value in another element type; E6153 where an integer may lose value."""
    dtype = _dtype(op)
    if dtype.is_float or not (dtype.is_integer or dtype.name == "bool"):
        return Real(Known.COMPUTED, state.region)
    match value:
        case Int(term=term) if dtype.is_integer:
            return Int(_narrowed(state, op, term, source, dtype))
        case Int(term=term):
            return Bool(ne(term, 0))
        case Bool(formula=formula) if dtype.is_integer:
            return Int(ite(formula, 1, 0))
        case Bool():
            return value
        case Real(known=Known.INPUT) if dtype.is_integer:
            found = state.unknown(dtype, op.result.symbol.name, _text(state, op.span), None)
            assert isinstance(found, Int)
            (name,) = state.walker.free(found.term)
            _decided_by(state, name, (value,))
            return found
        case Real():
            return _opaque(state, op, dtype)


def _narrowed(state: State, op: Cast, term: Term, source: DType, dtype: DType) -> Term:
    if source.is_integer:
        low, high = source.int_range
        least, most = dtype.int_range
        if least <= low and high <= most:
            return term
    headline = f"`{_text(state, op.span)}` as {dtype.name} may lose value"
    arithmetic.require_range(state, term, dtype, op.span, headline)
    return term


def _text(state: State, span: Span) -> str:
    return state.module.source.slice(span)
