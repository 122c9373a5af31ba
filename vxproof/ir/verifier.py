"""What every module of typed IR satisfies; a violation is a fault of the compiler.

- A value is defined once, before its uses, in the block of the use or one around it.
- A variable is declared once, before it is read or assigned; only a `mut` one is assigned.
- Operands of elementwise operations have one element type (but for `select`'s condition) and
  shapes that broadcast; conditions are bool; indices and bounds are i64.
- The arms of an `If` with a result end in values; a `Spawn` has one semantics for each axis and is
  in no other; a `GridIndex` lies in a `Spawn` that has the axis.
"""

from __future__ import annotations

from vxproof.ir.dtypes import BOOL, I64, DType
from vxproof.ir.module import Function, Module
from vxproof.ir.ops import (
    Assign,
    Block,
    Declare,
    Elementwise,
    Fn,
    For,
    GridIndex,
    If,
    LoadElement,
    Operation,
    Read,
    Spawn,
    StoreElement,
    View,
)
from vxproof.ir.shape import operands
from vxproof.ir.types import ScalarType, TensorType, Type
from vxproof.ir.values import Value, Variable


class InvalidIrError(AssertionError):
    """The IR breaks one of its rules."""


def verify_module(module: Module) -> None:
    """Check every function.

    Raises:
        InvalidIrError: a rule is broken.
    """
    for function in module.functions:
        _Verifier(function).run()


class _Verifier:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._every: set[int] = set()
        self._defined: list[int] = []
        self._declared: list[int] = []
        self._visible_values: set[int] = set()
        self._visible_variables: set[int] = {param.id for param in function.params}
        self._grid: int | None = None

    def run(self) -> None:
        self._block(self._function.body)

    def _fail(self, op: Operation, why: str) -> None:
        raise InvalidIrError(
            f"{self._function.name}, line {op.span.line}: {type(op).__name__}: {why}"
        )

    def _define(self, op: Operation, value: Value) -> None:
        if value.id in self._every:
            self._fail(op, f"%{value.id} is defined twice")
        self._every.add(value.id)
        self._visible_values.add(value.id)
        self._defined.append(value.id)

    def _block(self, body: Block, *ends: Value | None) -> None:
        values, variables = len(self._defined), len(self._declared)
        for op in body:
            self._operation(op)
        for end in ends:
            if end is not None and end.id not in self._visible_values:
                raise InvalidIrError(f"{self._function.name}: %{end.id} is not there to be yielded")
        self._visible_values.difference_update(self._defined[values:])
        self._visible_variables.difference_update(self._declared[variables:])
        del self._defined[values:]
        del self._declared[variables:]

    def _operation(self, op: Operation) -> None:
        for operand in operands(op):
            if operand.id not in self._visible_values:
                self._fail(op, f"%{operand.id} is used and not defined here")
        self._types(op)
        match op:
            case For():
                values = len(self._defined)
                self._define(op, op.index)
                self._block(op.body)
                self._visible_values.difference_update(self._defined[values:])
                del self._defined[values:]
            case If():
                self._block(op.then, op.then_value)
                self._block(op.orelse, op.else_value)
                if (op.result is None) != (op.then_value is None or op.else_value is None):
                    self._fail(op, "a result needs a value from each arm")
            case Spawn():
                self._spawn(op)
            case Declare(variable=variable):
                self._visible_variables.add(variable.id)
                self._declared.append(variable.id)
            case Read(variable=variable) | Assign(variable=variable):
                self._variable(op, variable)
            case _:
                pass
        result = getattr(op, "result", None)
        if isinstance(result, Value):
            self._define(op, result)

    def _variable(self, op: Operation, variable: Variable) -> None:
        if variable.id not in self._visible_variables:
            self._fail(op, f"`{variable.name}` is not declared here")
        if isinstance(op, Assign) and not variable.mutable:
            self._fail(op, f"`{variable.name}` is not mutable")

    def _spawn(self, op: Spawn) -> None:
        if self._grid is not None:
            self._fail(op, "kernels do not nest")
        if len(op.grid) != len(op.semantics):
            self._fail(op, "one semantics an axis")
        self._grid = len(op.grid)
        self._block(op.body)
        self._grid = None

    def _types(self, op: Operation) -> None:
        match op:
            case If(cond=cond) if _dtype(cond.type) != BOOL:
                self._fail(op, "the condition is no bool")
            case For(lower=lower, upper=upper):
                self._indices(op, (lower, upper))
            case LoadElement(indices=indices) | StoreElement(indices=indices):
                self._indices(op, indices)
            case View(axes=axes):
                self._indices(op, tuple(a.index for a in axes if a.index is not None))
            case GridIndex(axis=axis):
                if self._grid is None or axis >= self._grid:
                    self._fail(op, "the grid has no such axis")
            case Elementwise(fn=fn, args=args):
                data = args[1:] if fn is Fn.SELECT else args
                if len({_dtype(arg.type) for arg in data}) != 1:
                    self._fail(op, "operands of different element types")
                if fn is Fn.SELECT and _dtype(args[0].type) != BOOL:
                    self._fail(op, "the condition is no bool")
            case _:
                pass

    def _indices(self, op: Operation, values: tuple[Value, ...]) -> None:
        for value in values:
            if value.type != ScalarType(I64):
                self._fail(op, f"%{value.id} is no i64")


def _dtype(type_: Type) -> DType | None:
    return type_.dtype if isinstance(type_, ScalarType | TensorType) else None
