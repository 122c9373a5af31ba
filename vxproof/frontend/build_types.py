"""Builds types: tensors with their place, layout and scale plane, references, dtype names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from vxproof.frontend import ast
from vxproof.frontend.build_exprs import ExprBuilder

if TYPE_CHECKING:
    from vxproof.frontend.lexing import Token

_TensorArg: TypeAlias = (
    ast.Name | ast.ListLit | ast.MemoryRef | ast.TopologyRef | ast.Layout | ast.ScalePlane
)


class TypeBuilder(ExprBuilder):
    """Types, on top of expressions, which stand in dimensions."""

    def make_named_type(self, start: int, end: int, token: Token) -> ast.Type:
        """Read a type that is one name."""
        span = self.span(start, end)
        if token.text == "Tensor":
            self.report("a tensor type names its dtype", span, advice="write `Tensor<f32>`")
        return ast.NamedType(token.text, span)

    def make_ref_type(self, start: int, end: int, mutable: bool, target: ast.Type) -> ast.Type:
        """Read `&T` or `&mut T`."""
        return ast.RefType(target, mutable, self.span(start, end))

    def make_tensor_type(self, start: int, end: int, *args: _TensorArg) -> ast.TensorType:
        """Read `Tensor<…>`: dtype, shape, place in this order, then layout and scale in any."""
        span = self.span(start, end)
        dtype = args[0]
        if not isinstance(dtype, ast.Name):
            self.report(
                "a tensor type begins with its dtype", dtype.span, advice="as in `Tensor<f32>`"
            )
            return ast.TensorType(ast.Name("f32", dtype.span), None, None, None, None, span)
        dims: tuple[ast.Expr, ...] | None = None
        place: ast.MemoryRef | None = None
        layout: ast.Layout | None = None
        scale: ast.ScalePlane | None = None
        for arg in args[1:]:
            is_early = layout is None and scale is None and place is None
            match arg:
                case ast.ListLit() if is_early and dims is None:
                    dims = arg.items
                    if not dims:
                        self.report(
                            "a tensor without axes is outside the kernel subset",
                            arg.span,
                            advice="write a scalar, or a shape of at least one dimension",
                            code="E6190",
                        )
                        dims = None
                case ast.MemoryRef() if is_early:
                    place = arg
                case ast.TopologyRef():
                    self.report(
                        "a place named by its topology is outside the kernel subset",
                        arg.span,
                        advice="name the memory space: `Memory::…`",
                        code="E6190",
                    )
                case ast.TiledLayout() | ast.SwizzledLayout() | ast.StridedLayout() if (
                    layout is None
                ):
                    layout = arg
                case ast.ScalePlane() if scale is None:
                    scale = arg
                case _:
                    self.report(
                        "this part of a tensor type is repeated or out of order",
                        arg.span,
                        advice="the order is dtype, shape, place, then layout and scale",
                    )
        return ast.TensorType(dtype, dims, place, layout, scale, span)

    def make_layout_args(self, _start: int, _end: int, *args: ast.Expr) -> tuple[ast.Expr, ...]:
        """Read what stands between the angles of a layout."""
        return args

    def make_layout(
        self, start: int, end: int, token: Token, args: tuple[ast.Expr, ...]
    ) -> ast.Layout:
        """Read `Layout::Tiled<[8, 128]>`, `Layout::Swizzled<128>` or `Layout::Strided`."""
        span = self.span(start, end)
        match token.text, args:
            case "Tiled", (ast.ListLit(items=items),) if items:
                return ast.TiledLayout(items, span)
            case "Swizzled", (width,):
                return ast.SwizzledLayout(width, span)
            case "Strided", ():
                return ast.StridedLayout(span)
            case _:
                self.report(
                    "this is not a layout",
                    span,
                    advice="layouts are `Layout::Tiled<[8, 128]>`, `Layout::Swizzled<128>` and "
                    "`Layout::Strided`",
                )
                return ast.StridedLayout(span)

    def make_scale(
        self, start: int, end: int, dtype: Token, word: Token, block: ast.Expr
    ) -> ast.ScalePlane:
        """Read `Scale<f8e4m3, block: 16>`."""
        if word.text != "block":
            at = self.span(word.start, word.end)
            self.report(f"a scale plane has no `{word.text}:`", at, advice="write `block: 16`")
        return ast.ScalePlane(self.name(dtype), block, self.span(start, end))
