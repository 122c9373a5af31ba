"""Which variables a block changes, and what is known of them where control comes together."""

from __future__ import annotations

from dataclasses import field, replace

from vxproof.constraints import places
from vxproof.constraints.state import State
from vxproof.constraints.values import (
    Abstract,
    Bool,
    Int,
    Known,
    Real,
    ScalarRef,
    Tile,
    Token,
)
from vxproof.diagnostics import Span
from vxproof.ir.ops import Assign, Block, Elementwise, Fn, For, If, Literal, Read, Spawn, SymbolRef
from vxproof.ir.types import ScalarType
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import conj, disj, ite, neg
from vxproof.logic.terms import Const, Formula, Sym, Term
from vxproof.records import dataclass


@dataclass(slots=True)
class Changes:
    """Variables that blocks assign, each block looked at once."""

    _memo: dict[int, dict[int, Variable]] = field(default_factory=dict)

    def of(self, *blocks: Block) -> dict[int, Variable]:
        """Return the variables that the blocks assign, by id."""
        found: dict[int, Variable] = {}
        for block in blocks:
            known = self._memo.get(id(block))
            if known is None:
                known = self._block(block)
                self._memo[id(block)] = known
            found |= known
        return found

    def _block(self, block: Block) -> dict[int, Variable]:
        found: dict[int, Variable] = {}
        for op in block:
            match op:
                case Assign(variable=variable):
                    found[variable.id] = variable
                case For(body=body) | Spawn(body=body):
                    found |= self.of(body)
                case If(then=then, orelse=orelse):
                    found |= self.of(then, orelse)
                case _:
                    pass
        return found


def unknown_value(state: State, variable: Variable, note: str) -> Abstract:
    """Return what is known of a variable that may have been changed: its type, and its place."""
    before = state.variables.get(variable.id)
    match before:
        case Tile():
            return replace(before, element=None)
        case Int() | Bool() if isinstance(variable.type, ScalarType):
            name = f"{variable.symbol.name}~"
            return state.unknown(variable.type.dtype, name, variable.name, note)
        case Real():
            return Real(Known.COMPUTED, state.region)
        case None:
            raise KeyError(variable.name)
        case _:
            return before


def steps(state: State, op: For, changes: Changes) -> dict[int, Term]:
    """Return the variables that every iteration of a loop changes by the same amount.

    A variable counts where the body's one assignment to it is not nested and adds an integer that
    the loop leaves alone; no overflow is then asked of that addition, which makes it exact.
    """
    changed = changes.of(op.body)
    made: dict[int, Read | Literal | SymbolRef | Elementwise] = {}
    assigned: dict[int, list[Assign]] = {}
    for one in op.body:
        if isinstance(one, Read | Literal | SymbolRef | Elementwise):
            made[one.result.id] = one
        elif isinstance(one, Assign):
            assigned.setdefault(one.variable.id, []).append(one)
        elif isinstance(one, For | If | Spawn):
            blocks = (one.then, one.orelse) if isinstance(one, If) else (one.body,)
            for identity in changes.of(*blocks):
                assigned.setdefault(identity, [])
                changed.pop(identity, None)
    found: dict[int, Term] = {}
    for identity in (one for one in changed if one not in state.untracked):
        stores = assigned.get(identity, [])
        if len(stores) == 1:
            amount = _amount(state, stores[0], made, assigned)
            if amount is not None:
                found[identity] = amount
    return found


def _amount(
    state: State,
    store: Assign,
    made: dict[int, Read | Literal | SymbolRef | Elementwise],
    assigned: dict[int, list[Assign]],
) -> Term | None:
    op = made.get(store.value.id)
    if not isinstance(op, Elementwise) or op.fn is not Fn.ADD or op.result not in state.reaches:
        return None
    if not isinstance(op.result.type, ScalarType) or op.result.type.dtype.int_range[0] == 0:
        return None
    first, second = op.args
    for own, other in ((first, second), (second, first)):
        read = made.get(own.id)
        if isinstance(read, Read) and read.variable == store.variable:
            return _constant(state, other, made, assigned)
    return None


def _constant(
    state: State,
    value: Value,
    made: dict[int, Read | Literal | SymbolRef | Elementwise],
    assigned: dict[int, list[Assign]],
) -> Term | None:
    op = made.get(value.id)
    known: Abstract | None = None
    match op:
        case Literal(value=number) if isinstance(number, int):
            return Const(number)
        case SymbolRef(symbol=symbol):
            return Sym(symbol)
        case Read(variable=variable) if variable.id not in {*assigned, *state.untracked}:
            known = state.variables.get(variable.id)
        case None:
            known = state.values.get(value.id)
        case _:
            pass
    return known.term if isinstance(known, Int) else None


def merged(
    state: State, cond: Formula, one: Abstract, two: Abstract, name: str, span: Span
) -> Abstract:
    """Return `one` where a condition holds, else `two`."""
    if one is two:
        return one
    match one, two:
        case Int(term=a), Int(term=b):
            return state.compact(Int(ite(cond, a, b)), name, "")
        case Bool(formula=a), Bool(formula=b):
            if a == b:
                return one
            chosen = disj(conj(cond, a), conj(neg(cond), b))
            return state.compact(Bool(chosen), name, "")
        case Tile(), Tile():
            return places.joined(state, one, two, span)
        case Token(tile=a), Token(tile=b):
            return Token(places.joined(state, a, b, span))
        case Real(), Real():
            return Real(Known.COMPUTED, state.region)
        case ScalarRef(), ScalarRef():
            return one if one.variable == two.variable else ScalarRef(None)
        case _:
            return one
