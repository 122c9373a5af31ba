"""Symbolic values: integers as terms, conditions as formulas, tensors as places with coordinates.

Contents of floats and of mutable tensors are not tracked. What a value cannot be known by is a
fresh symbol, which stands for any value of its range.
"""

from __future__ import annotations

from enum import Enum

from vxproof.diagnostics import Span
from vxproof.ir.dtypes import DType
from vxproof.ir.types import Layout
from vxproof.ir.values import Variable
from vxproof.logic.terms import Formula, Term
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Int:
    """An integer, or any element of an integer tile."""

    term: Term


@dataclass(frozen=True, slots=True)
class Bool:
    """A condition, or any element of a bool tile."""

    formula: Formula


class Known(Enum):
    """What is known of a float: a literal, an input that is used once, or what was computed."""

    LITERAL = "literal"
    INPUT = "input"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True, eq=False)
class Real:
    """A float; its value is not tracked. `region` is the kernel that makes it, 0 outside."""

    known: Known
    region: int = 0


Data = Int | Bool | Real


@dataclass(slots=True, eq=False)
class Root:
    """Storage of a tensor.

    `region` is the kernel that makes it, 0 outside of every kernel. `private` storage exists once
    a block though it is declared outside. `input` storage is never written in the function.
    """

    name: str
    span: Span
    dtype: DType
    shape: tuple[Term, ...] | None
    region: int
    layout: Layout | None = None
    input: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """Elements `[start, start + size)` of one axis of a root; `view` is the axis of the view."""

    start: Term
    size: Term
    view: int | None


Box = tuple[tuple[Term, Term], ...]
"""Start and size on each axis of a root."""


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A place: a box of a root's elements, None where its coordinates are not known.

    Where `clipped`, only elements inside the root are read or written, and of those only the ones
    inside every box of `clips`. `element` is what any element is, where that is known.
    """

    root: Root
    axes: tuple[Axis, ...] | None
    clipped: bool = False
    element: Data | None = None
    clips: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """The pending arrival of a tile."""

    tile: Tile


@dataclass(frozen=True, slots=True, eq=False)
class ScalarRef:
    """A reference to a scalar variable, None where it is not known which."""

    variable: Variable | None


@dataclass(frozen=True, slots=True, eq=False)
class Nothing:
    """The unit value."""


Abstract = Data | Tile | Token | ScalarRef | Nothing
