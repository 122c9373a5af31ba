"""Operations that hold no block: what each binds, asks and touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from vxproof.constraints import alignment, arithmetic, contracts, grid, places, scalars
from vxproof.constraints.state import State
from vxproof.constraints.values import (
    Abstract,
    Bool,
    Data,
    Int,
    Known,
    Nothing,
    Real,
    ScalarRef,
    Tile,
    Token,
)
from vxproof.diagnostics import Span
from vxproof.ir.module import Function
from vxproof.ir.ops import (
    Assert,
    Assign,
    Borrow,
    Call,
    Cast,
    Declare,
    Deref,
    Dot,
    Elementwise,
    GridIndex,
    Iota,
    Literal,
    LoadElement,
    MatMul,
    NewTensor,
    Operation,
    Print,
    Read,
    Reduce,
    StoreElement,
    StoreTile,
    SymbolRef,
    Transfer,
    TransferAsync,
    Transpose,
    View,
    Wait,
)
from vxproof.ir.types import RefType, ScalarType, TensorType, TokenType, Type
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import lt
from vxproof.logic.obligation import Origin
from vxproof.logic.terms import FALSE, TRUE, Const, Sym
from vxproof.records import dataclass


@dataclass(slots=True)
class Operations:
    """Runs single operations of one function over a state."""

    state: State
    functions: Mapping[str, Function]

    def run(self, op: Operation) -> None:
        """Run one operation that holds no block."""
        state = self.state
        match op:
            case Read(result=result, variable=variable):
                self._read(result, variable)
            case Elementwise():
                self._elementwise(op)
            case Declare():
                self._declare(op)
            case Assign(variable=variable, value=value, span=span):
                places.read(state, (value,), span)
                self._assign(variable, value, span)
            case Literal():
                self._literal(op)
            case SymbolRef(result=result, symbol=symbol):
                state.values[result.id] = Int(Sym(symbol))
            case GridIndex(result=result, axis=axis):
                assert state.point is not None
                state.values[result.id] = Int(state.point.coordinates[axis])
            case View():
                places.view(state, op)
            case LoadElement():
                places.load(state, op)
            case StoreElement():
                places.store(state, op)
            case StoreTile():
                self._store_tile(op)
            case Call():
                self._call(op)
            case _:
                self._tile_operation(op)

    def _tile_operation(self, op: Operation) -> None:
        state = self.state
        match op:
            case Cast():
                self._cast(op)
            case Transpose():
                places.transpose(state, op)
            case Iota():
                self._iota(op)
            case Print(args=args, span=span):
                places.read(state, args, span)
            case Reduce(result=result) | MatMul(result=result) | Dot(result=result):
                self._computed(result, _read_by(op), op.span)
            case NewTensor(result=result) | Transfer(result=result):
                self._computed(result, _read_by(op), op.span)
            case TransferAsync():
                self._start_transfer(op)
            case Wait(result=result, token=token):
                found = state.values[token.id]
                state.values[result.id] = found.tile if isinstance(found, Token) else found
            case Borrow():
                self._borrow(op)
            case Deref():
                self._deref(op)
            case Assert():
                if state.device or op.comptime:
                    contracts.proved_assert(state, op)
                state.assume(state.formula(op.cond))
            case _:
                raise TypeError(f"not handled: {type(op).__name__}")

    def _computed(self, result: Value, operands: tuple[Value, ...], span: Span) -> None:
        """Bind a result whose elements are not tracked."""
        places.read(self.state, operands, span)
        self.state.values[result.id] = self._any(result, result.type, span)

    def _start_transfer(self, op: TransferAsync) -> None:
        state = self.state
        places.read(state, (op.source,), op.span)
        alignment.asynchronous(state, op, places.tile_of(state, op.source))
        assert isinstance(op.result.type, TokenType)
        made = places.new_tile(state, op.result.type.tensor, op.span)
        state.values[op.result.id] = Token(made)

    def _any(self, result: Value, type_: Type, span: Span, note: str | None = None) -> Abstract:
        state = self.state
        if isinstance(type_, TensorType):
            return places.new_tile(state, type_, span)
        if isinstance(type_, RefType) and isinstance(type_.target, TensorType):
            return places.new_tile(state, type_.target, span)
        if isinstance(type_, RefType):
            return ScalarRef(None)
        if isinstance(type_, ScalarType):
            text = state.module.source.slice(span)
            said = note or f"`{text}` (line {span.line}) is taken as any {type_.dtype.name}"
            return state.unknown(type_.dtype, result.symbol.name, text, said)
        return Nothing()

    def _literal(self, op: Literal) -> None:
        state = self.state
        if op.value == 0:
            state.zeros.add(op.result.id)
        element: Data
        if isinstance(op.value, bool):
            element = Bool(TRUE if op.value else FALSE)
        elif isinstance(op.value, int) and not _is_float(op.result.type):
            element = Int(Const(op.value))
        else:
            element = Real(Known.LITERAL)
        if isinstance(op.result.type, TensorType):
            state.values[op.result.id] = places.new_tile(state, op.result.type, op.span, element)
        else:
            state.values[op.result.id] = element

    def _read(self, result: Value, variable: Variable) -> None:
        state = self.state
        state.read_from[result.id] = variable
        if variable.id in state.untracked and isinstance(variable.type, ScalarType):
            note = f"`{variable.name}` is written through a reference and not tracked"
            found = self._any(result, variable.type, result.span, note)
        else:
            found = state.variables[variable.id]
        state.values[result.id] = found
        self._captured(variable, result.span, write=False)

    def _captured(self, variable: Variable, span: Span, *, write: bool) -> None:
        """Record an access to a scalar that all points of the kernel see."""
        state = self.state
        point = state.point
        if point is None or variable.id not in point.scalars:
            return
        tile = point.scalars[variable.id]
        grid.touch(state, point, tile, span, write=write, note=None)

    def _borrow(self, op: Borrow) -> None:
        state = self.state
        found = state.values[op.of.id]
        if not isinstance(found, Tile | ScalarRef):
            found = places.scalar_reference(state, op.of)
        if op.mutable and isinstance(found, ScalarRef):
            self._written_through(found, op.span)
        state.values[op.result.id] = found

    def _written_through(self, reference: ScalarRef, span: Span) -> None:
        """Record a write of the scalar that a reference names; of an unknown one, nothing is."""
        state = self.state
        if reference.variable is not None:
            self._captured(reference.variable, span, write=True)
        elif state.point is not None and state.point.parallel:
            state.give_up(
                "E6140",
                "grid",
                "grid points may depend on each other",
                span,
                "which scalar is written through a reference is not tracked",
            )

    def _declare(self, op: Declare) -> None:
        state = self.state
        variable = op.variable
        found: Abstract
        if op.init is None:
            found = self._any_variable(variable, op.span)
        else:
            found = state.values[op.init.id]
        if isinstance(found, Tile):
            if variable.resident is not None:
                places.read(state, () if op.init is None else (op.init,), op.span)
                type_ = places.tensor_type(variable.type)
                found = places.new_tile(state, type_, variable.span, found.element, variable.name)
                found.root.private = True
            elif not found.root.name:
                found.root.name, found.root.span = variable.name, variable.span
            if variable.mutable or variable.id in state.written:
                found = replace(found, element=None)
        else:
            found = state.compact(found, variable.symbol.name, variable.name)
        state.variables[variable.id] = found
        if op.init is not None and op.init.id in state.pads:
            state.pads[variable.id] = state.pads[op.init.id]

    def _any_variable(self, variable: Variable, span: Span) -> Abstract:
        value = Value(variable.id, variable.type, span, variable.name)
        return self._any(value, variable.type, span)

    def _assign(self, variable: Variable, value: Value, span: Span) -> None:
        state = self.state
        before = state.variables.get(variable.id)
        self._captured(variable, span, write=True)
        if isinstance(before, Tile):
            places.write(state, before, span)
            return
        found = state.values[value.id]
        state.variables[variable.id] = state.compact(found, variable.symbol.name, variable.name)

    def _store_tile(self, op: StoreTile) -> None:
        state = self.state
        places.read(state, (op.value,), op.span)
        target = state.values[op.target.id]
        if isinstance(target, Tile):
            places.write(state, target, op.span)
        else:
            self._written_through(places.scalar_reference(state, op.target), op.span)

    def _deref(self, op: Deref) -> None:
        state = self.state
        found = state.values[op.ref.id]
        if isinstance(found, ScalarRef):
            if found.variable is not None:
                state.read_from[op.result.id] = found.variable
                self._captured(found.variable, op.span, write=False)
            note = f"what `{op.ref.name}` refers to is not tracked"
            found = self._any(op.result, op.result.type, op.span, note)
        state.values[op.result.id] = found

    def _element(self, value: Value, span: Span) -> Data:
        """Return a scalar, or any element of a tile."""
        state = self.state
        found = state.values[value.id]
        if isinstance(found, Int | Bool | Real):
            return found
        if isinstance(found, Tile):
            if found.element is not None:
                return found.element
            note = f"the elements of a tile on line {span.line} are not tracked"
            dtype = found.root.dtype
            if isinstance(value.type, TensorType):
                dtype = value.type.dtype
            return state.unknown(
                dtype, value.symbol.name, value.name, None if found.root.input else note
            )
        return Real(Known.COMPUTED, state.region)

    def _elementwise(self, op: Elementwise) -> None:
        state = self.state
        places.read(state, op.args, op.span)
        type_ = op.result.type
        if isinstance(type_, TensorType):
            element = None
            discrete = all(_is_discrete(arg.type) for arg in op.args)
            if discrete and not type_.dtype.is_float:
                args = tuple(self._element(arg, op.span) for arg in op.args)
                element = scalars.elementwise(state, op, args)
            state.values[op.result.id] = places.new_tile(state, type_, op.span, element)
            return
        args = tuple(self._element(arg, op.span) for arg in op.args)
        state.values[op.result.id] = scalars.elementwise(state, op, args)

    def _cast(self, op: Cast) -> None:
        state = self.state
        places.read(state, (op.value,), op.span)
        if op.value.id in state.zeros:
            state.zeros.add(op.result.id)
        source = op.value.type
        if isinstance(source, RefType):
            source = source.target
        assert isinstance(source, ScalarType | TensorType)
        if isinstance(op.result.type, TensorType):
            element = None
            if op.result.type.dtype.is_integer and source.dtype.is_integer:
                element = scalars.cast(state, op, self._element(op.value, op.span), source.dtype)
            state.values[op.result.id] = places.new_tile(state, op.result.type, op.span, element)
            return
        found = scalars.cast(state, op, self._element(op.value, op.span), source.dtype)
        state.values[op.result.id] = found

    def _iota(self, op: Iota) -> None:
        state = self.state
        type_ = places.tensor_type(op.result.type)
        assert type_.shape is not None
        extent = type_.shape[op.axis]
        high = state.ranges.bounds(extent)[1]
        interval = (0, None if high is None else max(high - 1, 0))
        name = op.result.symbol.name
        element = state.fresh(name, interval, Origin.ELEMENT, f"coordinate on axis {op.axis}")
        state.assume(lt(element, extent))
        found = Int(arithmetic.wrapped(state, element, type_.dtype))
        state.values[op.result.id] = places.new_tile(state, type_, op.span, found)

    def _call(self, op: Call) -> None:
        state = self.state
        callee = self.functions[op.function]
        note = f"the call of `{callee.name}` is taken to touch all of its arguments"
        for position, arg in enumerate(op.args):
            found = state.values[arg.id]
            written = state.writes.takes(callee.name, position)
            if isinstance(found, Tile):
                grid.touch(state, state.point, found, op.span, write=written, note=note)
            elif isinstance(found, ScalarRef) and written:
                self._written_through(found, op.span)
        args = tuple(state.values[arg.id] for arg in op.args)
        given = contracts.substitution(state, callee, op, args)
        contracts.at_call(state, callee, op, given)
        said = f"what `{callee.name}` returns is known by its contract only"
        if isinstance(op.result.type, RefType) and state.parallel:
            reason = f"the reference that `{callee.name}` returns is not tracked"
            state.give_up("E6140", "grid", "grid points may depend on each other", op.span, reason)
        found = self._any(op.result, op.result.type, op.span, said)
        state.values[op.result.id] = found
        contracts.after_call(state, callee, given, found)


def _is_float(type_: Type) -> bool:
    return isinstance(type_, ScalarType | TensorType) and type_.dtype.is_float


def _is_discrete(type_: Type) -> bool:
    if not isinstance(type_, ScalarType | TensorType):
        return False
    return type_.dtype.is_integer or type_.dtype.name == "bool"


def _read_by(op: Reduce | MatMul | Dot | NewTensor | Transfer) -> tuple[Value, ...]:
    """Operands that an operation reads, left to right."""
    match op:
        case Reduce(value=value):
            return (value,)
        case MatMul(a=a, b=b, acc=acc):
            return (a, b) if acc is None else (a, b, acc)
        case Dot(a=a, b=b):
            return (a, b)
        case NewTensor(elements=elements):
            return elements
        case Transfer(source=source):
            return (source,)
        case _:
            assert_never(op)
