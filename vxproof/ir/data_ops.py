"""Operations that make values: constants, arithmetic, matrix products, fresh tensors and views."""

from __future__ import annotations

from vxproof.diagnostics import Span
from vxproof.ir.functions import Fn, Init, ReduceFn
from vxproof.ir.values import Value
from vxproof.logic.terms import Term
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; of tile type, every element has it."""

    result: Value
    value: int | float | bool
    span: Span


@dataclass(frozen=True, slots=True)
class SymbolRef:
    """A const generic or run-time extent, as an i64."""

    result: Value
    symbol: str
    span: Span


@dataclass(frozen=True, slots=True)
class GridIndex:
    """This grid point's coordinate on one axis, as an i64."""

    result: Value
    axis: int
    span: Span


@dataclass(frozen=True, slots=True)
class Elementwise:
    """A function applied element by element, with broadcasting of axes of size 1 and of scalars."""

    result: Value
    fn: Fn
    args: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Cast:
    """Conversion to the result's dtype; `implicit` where the source does not write `as`."""

    result: Value
    value: Value
    span: Span
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Reduce:
    """Reduction along `axis`, kept with size 1."""

    result: Value
    fn: ReduceFn
    axis: int
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Transpose:
    """Axes permuted: axis k of the result is axis `perm[k]` of the operand; a view."""

    result: Value
    value: Value
    perm: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Iota:
    """Each element is its own coordinate along `axis`."""

    result: Value
    axis: int
    span: Span


@dataclass(frozen=True, slots=True)
class MatMul:
    """`a @ b`, or `acc + a @ b` as one accumulate where `acc` is given (from `mma_acc`)."""

    result: Value
    a: Value
    b: Value
    acc: Value | None
    tf32: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Dot:
    """Inner product of two rows."""

    result: Value
    a: Value
    b: Value
    span: Span


@dataclass(frozen=True, slots=True)
class NewTensor:
    """A fresh tensor; `elements` in row-major order for `Init.ELEMENTS`, else empty."""

    result: Value
    init: Init
    elements: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ViewAxis:
    """One axis of a view: elements `[index * scale, index * scale + size)` of the base's axis.

    `index` None stands for 0. `keep` False drops the axis, whose size is then 1.
    """

    index: Value | None
    scale: Term
    size: Term
    keep: bool


@dataclass(frozen=True, slots=True)
class View:
    """A part of a tensor, without a copy: one `ViewAxis` for each axis of the base.

    `pad` is what out-of-range elements read as; out-of-range writes are dropped. `spelled` is
    `tile`, `slice` or `index`.
    """

    result: Value
    base: Value
    axes: tuple[ViewAxis, ...]
    pad: Value | None
    spelled: str
    span: Span
