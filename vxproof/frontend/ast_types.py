"""AST of names, places and types. Names are unresolved text; dimensions are expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.ast_exprs import Expr


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier where it is declared, or a contextual word such as `parallel` or `mma`."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """`Memory::X`, in a type, a clause, or as an expression."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class TopologyRef:
    """`Topology::X`, in a clause or as an expression."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class NamedType:
    """A type that is one name: a dtype such as `f32`, or something the elaborator refuses."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class RefType:
    """`&T` or `&mut T`."""

    target: Type
    mutable: bool
    span: Span


@dataclass(frozen=True, slots=True)
class TiledLayout:
    """`Layout::Tiled<[8, 128]>`: axes round up to the tile."""

    tile: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SwizzledLayout:
    """`Layout::Swizzled<128>`: the width is in bytes."""

    width: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class StridedLayout:
    """`Layout::Strided`: strides are run-time symbols."""

    span: Span


@dataclass(frozen=True, slots=True)
class ScalePlane:
    """`Scale<f8e4m3, block: 16>`: one scale of `dtype` for each `block` elements."""

    dtype: Name
    block: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class TensorType:
    """`Tensor<dtype, [dims], Memory::X, Layout::…, Scale<…>>`; all but the dtype are optional.

    `dims` is None where no shape is written, and never empty.
    """

    dtype: Name
    dims: tuple[Expr, ...] | None
    place: MemoryRef | None
    layout: Layout | None
    scale: ScalePlane | None
    span: Span


Layout: TypeAlias = TiledLayout | SwizzledLayout | StridedLayout
Type: TypeAlias = NamedType | TensorType | RefType
