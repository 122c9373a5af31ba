"""Types as the source writes them, resolved: elements, sizes, places, layouts, scale planes."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label
from vxproof.frontend import ast
from vxproof.frontend.place_fields import WIDER_DTYPES
from vxproof.frontend.sizes import NotStatic, size_term
from vxproof.ir.dtypes import DTYPES, I64, DType
from vxproof.ir.machine_query import resolve_space
from vxproof.ir.types import (
    Layout,
    RefType,
    ScalarType,
    Scale,
    Strided,
    Swizzled,
    TensorType,
    Tiled,
    Type,
)
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Const, Sym, Term

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.scope import Scope
    from vxproof.ir.module import Machine

_LARGEST_STRIDE = 1 << 40
_SWIZZLES = (32, 64, 128)
_MACHINES_OWN = frozenset({"HBM", "L2", "SMEM", "RF", "TMEM"})


class TypeReader:
    """Resolves types; a fault is a finding, and the type read on stands in for the wrong part."""

    def __init__(self, machine: Machine, findings: list[Diagnostic]) -> None:
        """Keep the machine, whose spaces types may name, and the list that findings go to."""
        self._machine = machine
        self._findings = findings

    def _fault(self, code: str, headline: str, span: Span, help_: str | None = None) -> None:
        self._findings.append(Diagnostic(code, headline, Label(span), help=help_))

    def dtype(self, name: str, span: Span) -> DType:
        """Return an element type by name; E3029 where there is none."""
        found = DTYPES.get(name)
        if name in WIDER_DTYPES:
            self._fault("E6190", f"the element type `{name}` is outside the kernel subset", span)
            return I64
        if found is None:
            near = get_close_matches(name, DTYPES, n=1)
            self._fault(
                "E3029",
                f"unknown type name `{name}`",
                span,
                f"did you mean `{near[0]}`?" if near else None,
            )
            return I64
        return found

    def read(
        self,
        type_: ast.Type,
        scope: Scope,
        *,
        owner: str | None = None,
        symbols: list[Symbol] | None = None,
    ) -> Type:
        """Return the meaning of a written type.

        `owner` is the parameter that has the type, and `symbols` the list that its run-time
        strides are declared in.
        """
        match type_:
            case ast.NamedType(name=name, span=span):
                return ScalarType(self.dtype(name, span))
            case ast.RefType(target=target, mutable=mutable, span=span):
                inner = self.read(target, scope, owner=owner, symbols=symbols)
                if not isinstance(inner, ScalarType | TensorType):
                    self._fault("E3002", "a reference to a reference is not supported", span)
                    inner = ScalarType(I64)
                return RefType(inner, mutable)
            case ast.TensorType():
                return self.tensor(type_, scope, owner=owner, symbols=symbols)

    def size(self, expr: ast.Expr, scope: Scope) -> Term:
        """Return a dimension; a constant one is at least 1."""
        try:
            size = size_term(scope, expr)
        except NotStatic as fault:
            self._fault(fault.code, fault.reason, fault.span)
            return Const(1)
        if isinstance(size, Const) and size.value < 1:
            self._fault("E3002", f"a dimension is at least 1, this one is {size.value}", expr.span)
            return Const(1)
        return size

    def tensor(
        self,
        type_: ast.TensorType,
        scope: Scope,
        *,
        owner: str | None = None,
        symbols: list[Symbol] | None = None,
    ) -> TensorType:
        """Return the meaning of a written tensor type."""
        shape = None
        if type_.dims is not None:
            shape = tuple(self.size(dim, scope) for dim in type_.dims)
        place = None
        if type_.place is not None:
            space = resolve_space(self._machine, type_.place.name)
            if space is None:
                self._unknown_space(type_.place, "E6025")
            else:
                place = space.name
        layout = self._layout(type_.layout, scope, shape, owner, symbols)
        return TensorType(
            self.dtype(type_.dtype.text, type_.dtype.span),
            shape,
            place,
            layout,
            self._scale(type_.scale, scope),
        )

    def place(self, ref: ast.MemoryRef) -> str:
        """Return the canonical name of a space in an expression; E1011 where there is none."""
        space = resolve_space(self._machine, ref.name)
        if space is None:
            self._unknown_space(ref, "E1011")
            return ref.name
        return space.name

    def _unknown_space(self, ref: ast.MemoryRef, code: str) -> None:
        known = sorted({*self._machine.spaces, *self._machine.aliases})
        near = get_close_matches(ref.name, known, n=1)
        where = f" on {self._machine.target}" if self._machine.target else ""
        help_ = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(known)}"
        if self._machine.target is None and ref.name in _MACHINES_OWN:
            help_ = (
                f"`{ref.name}` is a machine's own: give `--target sm_90a` (or another, or `all`), "
                f"or declare `Memory {ref.name} {{ … }}`"
            )
        self._fault(code, f"unknown memory space `{ref.name}`{where}", ref.span, help_)

    def _layout(
        self,
        layout: ast.Layout | None,
        scope: Scope,
        shape: tuple[Term, ...] | None,
        owner: str | None,
        symbols: list[Symbol] | None,
    ) -> Layout | None:
        match layout:
            case None:
                return None
            case ast.TiledLayout(tile=tile, span=span):
                if shape is None or len(tile) > len(shape):
                    self._fault("E3002", "the layout's tile has more axes than the tensor", span)
                    return None
                return Tiled(tuple(self.size(size, scope) for size in tile))
            case ast.SwizzledLayout(width=width, span=span):
                size = self.size(width, scope)
                if not (isinstance(size, Const) and size.value in _SWIZZLES):
                    self._fault("E3002", "a swizzle is 32, 64 or 128 bytes wide", span)
                    return None
                return Swizzled(size.value)
            case ast.StridedLayout(span=span):
                if owner is None or symbols is None or shape is None:
                    self._fault("E3002", "only a shaped tensor parameter can be strided", span)
                    return None
                strides: list[Term] = []
                for axis in range(len(shape) - 1):
                    name = f"{owner}.stride{axis}"
                    symbols.append(Symbol(name, 0, _LARGEST_STRIDE, Origin.STRIDE, name))
                    strides.append(Sym(name))
                return Strided((*strides, Const(1)))

    def _scale(self, scale: ast.ScalePlane | None, scope: Scope) -> Scale | None:
        if scale is None:
            return None
        block = self.size(scale.block, scope)
        if not isinstance(block, Const):
            self._fault("E3002", "a scale block has a constant size", scale.block.span)
            return None
        return Scale(self.dtype(scale.dtype.text, scale.dtype.span), block.value)
