"""Runs one path of a function at concrete parameters and records what it accesses.

Integers and conditions are computed; the contents of tiles are not, since a counterexample about
an index does not depend on them. What an input decides (a loaded element, the outcome of a float
comparison) takes the value that the witness names, by the id of its operation; an element that
nobody writes keeps its first value, in both runs of a pair. A loop without integer state runs only
the iteration that the witness names; one with state, or with a way out, runs every iteration up to
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from vxproof.interp.blocks import arm_with, assigned, has_state, operands
from vxproof.interp.inputs import Inputs
from vxproof.interp.integers import TrapError, scalar, wrapped
from vxproof.interp.places import (
    OPAQUE,
    Access,
    Check,
    Data,
    Opaque,
    Place,
    Position,
    Range,
    Storage,
    whole,
)
from vxproof.interp.sizes import Unsized, size
from vxproof.ir.dtypes import Kind
from vxproof.ir.ops import (
    Assign,
    Block,
    Call,
    Cast,
    Declare,
    Deref,
    Elementwise,
    Fn,
    For,
    GridIndex,
    If,
    Literal,
    LoadElement,
    NewTensor,
    Operation,
    Read,
    Return,
    Spawn,
    StoreElement,
    StoreTile,
    SymbolRef,
    Transfer,
    TransferAsync,
    Transpose,
    View,
    Wait,
)
from vxproof.ir.types import RefType, ScalarType, TensorType, Type
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.ir.module import Function

_MOST_STEPS = 200_000


class NotReached(Exception):  # noqa: N818
    """The run cannot follow the witness to the statement."""


class _Arrived(Exception):  # noqa: N818
    """The statement has run."""


@dataclass(slots=True)
class Trace:
    """One run.

    `sizes` gives const generics, extents, strides and scalar parameters their values, `chosen` the
    values by operation, `point` the grid coordinates, `target` the statement to run to. `inputs`
    holds what has been read of tensors that only shared references or values give.
    """

    function: Function
    sizes: Mapping[str, int]
    chosen: Mapping[str, int]
    point: tuple[int, ...]
    target: int
    inputs: Inputs = field(default_factory=Inputs)
    accesses: list[Access] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    _values: dict[int, Data] = field(default_factory=dict)
    _variables: dict[int, Data] = field(default_factory=dict)
    _outer: set[Variable] = field(default_factory=set)
    _inside: bool = False
    _steps: int = 0

    def run(self) -> None:
        """Run until the target statement has run, or until nothing more can run.

        Raises:
            NotReached: the witness does not lead there.
        """
        for param in self.function.params:
            self._variables[param.id] = self._parameter(param)
        with suppress(_Arrived, Unsized, TrapError, OverflowError):
            self._block(self.function.body)
        spans = [c.span for c in self.checks] + [a.span for a in self.accesses]
        if not any(span.start == self.target for span in spans):
            raise NotReached("the statement does not run at the witness")

    def _parameter(self, param: Variable) -> Data:
        type_ = param.type.target if isinstance(param.type, RefType) else param.type
        if isinstance(type_, TensorType):
            return whole(self._storage(param.name, ("parameter", param.id), type_))
        value = self.sizes.get(param.symbol.name)
        if value is None or not isinstance(type_, ScalarType):
            return OPAQUE
        return bool(value) if type_.dtype.kind is Kind.BOOL else value

    def _storage(self, name: str, key: tuple[str, int] | None, type_: TensorType) -> Storage:
        shape = type_.shape
        known = None if shape is None else tuple(size(one, self.sizes) for one in shape)
        return Storage(name, None if self._inside else key, known)

    def _block(self, body: Block) -> None:
        for op in body:
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise NotReached(f"more than {_MOST_STEPS} steps")
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        match op:
            case For():
                self._loop(op)
            case If():
                self._branch(op)
            case Spawn():
                self._spawn(op)
            case Declare(variable=variable, init=init):
                self._variables[variable.id] = self._declared(variable, init)
                seen_by_all = isinstance(variable.type, ScalarType) and variable.resident is None
                if seen_by_all and not self._inside:
                    self._outer.add(variable)
            case Assign(variable=variable, value=value):
                self._assign(op, variable, value)
            case StoreElement(base=base, indices=indices):
                self._touch_element(base, indices, op.span, write=True)
            case StoreTile(target=target, value=value):
                self._consume(value, op.span)
                self._touch(target, op.span, write=True)
            case Return():
                raise _Arrived
            case _:
                result = getattr(op, "result", None)
                if isinstance(result, Value):
                    found = self._decided(result, self._result(op))
                    if isinstance(op, LoadElement):
                        found = self.inputs.first(self.function, self.accesses, found)
                    self._values[result.id] = found

    def _decided(self, result: Value, value: Data) -> Data:
        """Let the witness decide what an input decides."""
        if not isinstance(value, Opaque) or result.symbol.name not in self.chosen:
            return value
        number = self.chosen[result.symbol.name]
        is_bool = isinstance(result.type, ScalarType) and result.type.dtype.kind is Kind.BOOL
        return bool(number) if is_bool else number

    def _result(self, op: Operation) -> Data:
        match op:
            case Literal(value=value):
                return value if isinstance(value, int) else OPAQUE
            case SymbolRef(symbol=symbol):
                if symbol not in self.sizes:
                    raise NotReached(f"`{symbol}` has no value in the witness")
                return self.sizes[symbol]
            case GridIndex(axis=axis):
                return self.point[axis]
            case Read(variable=variable, result=result):
                self._captured(variable, result.span, write=False)
                return self._variables.get(variable.id, OPAQUE)
            case Deref(ref=value) | Wait(token=value) | Transpose(value=value):
                return self._values.get(value.id, OPAQUE)
            case Elementwise():
                return self._elementwise(op)
            case Cast(result=result, value=value, span=span):
                self._consume(value, span)
                return self._cast(result.type, value)
            case View():
                return self._view(op)
            case _:
                return self._made(op)

    def _made(self, op: Operation) -> Data:
        """Run an operation whose result is an element, a new tensor, or nothing that is tracked."""
        match op:
            case LoadElement(base=base, indices=indices, span=span):
                self._touch_element(base, indices, span, write=False)
                return OPAQUE
            case NewTensor(result=result):
                return self._fresh(result)
            case (
                Transfer(result=result, source=source, span=span)
                | TransferAsync(result=result, source=source, span=span)
            ):
                self._consume(source, span)
                return self._fresh(result)
            case Call(args=args, span=span):
                for arg in args:
                    self._consume(arg, span)
                return OPAQUE
            case _:
                for operand in operands(op):
                    self._consume(operand, op.span)
                return OPAQUE

    def _fresh(self, result: Value) -> Data:
        type_ = getattr(result.type, "tensor", result.type)
        if not isinstance(type_, TensorType):
            return OPAQUE
        return whole(self._storage(result.name or "a tensor", ("made", result.id), type_))

    def _declared(self, variable: Variable, init: Value | None) -> Data:
        value = OPAQUE if init is None else self._values.get(init.id, OPAQUE)
        if isinstance(variable.type, TensorType) and isinstance(value, Opaque):
            key = None if variable.resident is not None else ("made", variable.id)
            return whole(self._storage(variable.name, key, variable.type))
        return value

    def _assign(self, op: Assign, variable: Variable, value: Value) -> None:
        new = self._values.get(value.id, OPAQUE)
        place = self._variables.get(variable.id, OPAQUE)
        if isinstance(variable.type, TensorType):
            self._consume(value, op.span)
            if isinstance(place, Place):
                self.accesses.append(Access(place, True, op.span))
            return
        self._captured(variable, op.span, write=True)
        self._variables[variable.id] = new

    def _captured(self, variable: Variable, span: Span, *, write: bool) -> None:
        """Record that a kernel touches a scalar from outside, which all of its points see."""
        if self._inside and variable in self._outer:
            place = Place(Storage(variable.name, ("scalar", variable.id), ()), ())
            self.accesses.append(Access(place, write, span))

    def _elementwise(self, op: Elementwise) -> Data:
        values = [self._values.get(arg.id, OPAQUE) for arg in op.args]
        for arg in op.args:
            self._consume(arg, op.span)
        if not isinstance(op.result.type, ScalarType):
            return OPAQUE
        if op.fn is Fn.SELECT:
            cond = values[0]
            return OPAQUE if not isinstance(cond, bool) else values[1 if cond else 2]
        if any(isinstance(value, Opaque | Place) for value in values):
            return OPAQUE
        numbers = tuple(value for value in values if isinstance(value, int))
        source = op.args[0].type
        if not isinstance(source, ScalarType):
            return OPAQUE
        found = scalar(op.fn, numbers, source.dtype)
        return OPAQUE if found is None else found

    def _cast(self, type_: Type, value: Value) -> Data:
        number = self._values.get(value.id, OPAQUE)
        if not isinstance(type_, ScalarType) or not isinstance(number, int):
            return OPAQUE
        return wrapped(int(number), type_.dtype) if type_.dtype.is_integer else OPAQUE

    def _integer(self, value: Value) -> int:
        number = self._values.get(value.id, OPAQUE)
        if not isinstance(number, int):
            raise NotReached(f"{value.name or 'an index'} has no value at the witness")
        return int(number)

    def _view(self, op: View) -> Data:
        base = self._values.get(op.base.id, OPAQUE)
        starts = [0 if a.index is None else self._integer(a.index) for a in op.axes]
        scales = [size(a.scale, self.sizes) for a in op.axes]
        lengths = [size(a.size, self.sizes) for a in op.axes]
        type_ = op.base.type
        if op.pad is None and isinstance(type_, TensorType) and type_.shape is not None:
            positions = tuple(
                Position(start * scale, length, size(extent, self.sizes))
                for start, scale, length, extent in zip(
                    starts, scales, lengths, type_.shape, strict=True
                )
            )
            self.checks.append(Check(op.span, positions))
        if not isinstance(base, Place) or base.ranges is None:
            return base
        ranges = list(base.ranges)
        for axis, part, start, scale, length in zip(
            base.kept, op.axes, starts, scales, lengths, strict=True
        ):
            ranges[axis] = Range(ranges[axis].start + start * scale, length, part.keep)
        clips = base.clips
        if op.pad is not None:
            clips = (*clips, tuple((one.start, one.start + one.size) for one in base.ranges))
        place = Place(base.storage, tuple(ranges), base.clipped or op.pad is not None, clips)
        self.accesses.append(Access(place, False, op.span))
        return place

    def _touch_element(
        self, base: Value, indices: tuple[Value, ...], span: Span, *, write: bool
    ) -> None:
        at = [self._integer(index) for index in indices]
        type_ = base.type
        if isinstance(type_, TensorType) and type_.shape is not None:
            positions = tuple(
                Position(start, 1, size(extent, self.sizes))
                for start, extent in zip(at, type_.shape, strict=True)
            )
            self.checks.append(Check(span, positions))
        place = self._values.get(base.id, OPAQUE)
        if isinstance(place, Place) and place.ranges is not None:
            ranges = list(place.ranges)
            for axis, start in zip(place.kept, at, strict=True):
                ranges[axis] = Range(ranges[axis].start + start, 1, False)
            self.accesses.append(
                Access(Place(place.storage, tuple(ranges), place.clipped, place.clips), write, span)
            )

    def _consume(self, value: Value, span: Span) -> None:
        place = self._values.get(value.id, OPAQUE)
        if isinstance(place, Place):
            self.accesses.append(Access(place, False, span))

    def _touch(self, value: Value, span: Span, *, write: bool) -> None:
        place = self._values.get(value.id, OPAQUE)
        if isinstance(place, Place):
            self.accesses.append(Access(place, write, span))

    def _holds_target(self, span: Span) -> bool:
        return span.start <= self.target < span.end

    def _loop(self, op: For) -> None:
        lower, upper = self._integer(op.lower), self._integer(op.upper)
        named = self.chosen.get(op.index.symbol.name)
        inside = self._holds_target(op.span)
        if named is not None and inside:
            if not lower <= named < upper:
                raise NotReached(f"`{op.index.name}` is never {named}")
            first = lower if has_state(op.body) else named
            last = named
        elif inside:
            first, last = lower, lower
            if lower >= upper:
                raise NotReached(f"the loop over `{op.index.name}` makes no trip")
        elif has_state(op.body):
            first, last = lower, upper - 1
        else:
            return
        for trip in range(first, last + 1):
            self._values[op.index.id] = trip
            self._block(op.body)
        if inside:
            raise _Arrived

    def _branch(self, op: If) -> None:
        known = self._values.get(op.cond.id, OPAQUE)
        cond = known if isinstance(known, bool) else arm_with(op, self.target)
        if cond is None:
            for variable in assigned((*op.then, *op.orelse)):
                self._variables[variable.id] = OPAQUE
            if op.result is not None:
                self._values[op.result.id] = self._decided(op.result, OPAQUE)
            return
        self._block(op.then if cond else op.orelse)
        if op.result is not None:
            chosen = op.then_value if cond else op.else_value
            value = OPAQUE if chosen is None else self._values.get(chosen.id, OPAQUE)
            self._values[op.result.id] = self._decided(op.result, value)

    def _spawn(self, op: Spawn) -> None:
        if not self._holds_target(op.span):
            return
        extents = [self._integer(extent) for extent in op.grid]
        self.point = self.point[: len(extents)]
        for axis, (at, extent) in enumerate(zip(self.point, extents, strict=True)):
            if not 0 <= at < extent:
                raise NotReached(f"the grid has no point {at} on axis {axis}")
        self._inside = True
        self._block(op.body)
        raise _Arrived
