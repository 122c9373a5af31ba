"""Canonical text of expressions and types, parenthesised by the table of precedence.

A level of the tree costs at most two levels of Python's recursion, so that the deepest tree that
the parser makes prints within the interpreter's default limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias, assert_never

from vxproof.frontend import ast
from vxproof.frontend.ast_operators import PRECEDENCE, Precedence

BlockText: TypeAlias = Callable[[ast.Block], str]
"""Prints a block that stands inside an expression, braces included."""

_ESCAPES = str.maketrans(
    {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
)
_PLAIN_CONST = (ast.IntLit, ast.Var)


def precedence(expr: ast.Expr) -> Precedence:
    """Return how tightly an expression's outermost form binds."""
    match expr:
        case ast.Binary(op=op):
            return PRECEDENCE[op]
        case ast.Cast():
            return Precedence.CAST
        case ast.Unary() | ast.Borrow():
            return Precedence.PREFIX
        case ast.If():
            return Precedence.CONDITIONAL
        case _:
            return Precedence.POSTFIX


class ExprPrinter:
    """Prints expressions and types; `block` prints the blocks of an `if` among them."""

    def __init__(self, block: BlockText) -> None:
        self._block = block

    def text(self, expr: ast.Expr, least: Precedence = Precedence.CONDITIONAL) -> str:  # noqa: C901, PLR0912 - one arm a node keeps the recursion flat
        """Return the text of an expression, in parentheses where it binds more loosely."""
        match expr:
            case ast.IntLit() | ast.FloatLit() | ast.BoolLit() | ast.StrLit():
                out = literal_text(expr)
            case ast.Var(name=out):
                pass
            case ast.Path():
                out = expr.text
            case ast.MemoryRef(name=name):
                out = f"Memory::{name}"
            case ast.TopologyRef(name=name):
                out = f"Topology::{name}"
            case ast.ListLit(items=items):
                out = f"[{', '.join(map(self.text, items))}]"
            case ast.Call(callee=callee, const_args=const_args):
                angled = ""
                if const_args is not None:
                    inner = ", ".join(map(self._angled, const_args))
                    # The lexer tells one name or number from a comparison; others need `::`.
                    plain = len(const_args) == 1 and isinstance(const_args[0], _PLAIN_CONST)
                    angled = f"<{inner}>" if plain else f"::<{inner}>"
                out = f"{callee.text}{angled}{self._args(expr)}"
            case ast.MethodCall(receiver=receiver, method=method):
                out = f"{self.text(receiver, Precedence.POSTFIX)}.{method.text}{self._args(expr)}"
            case ast.Index(base=base, index=index):
                out = f"{self.text(base, Precedence.POSTFIX)}[{self.text(index)}]"
            case ast.TensorNew(type=made, args=args):
                out = f"{self.type(made)}({', '.join(map(self.text, args))})"
            case ast.TensorUninit(type=made):
                out = f"{self.type(made)}::uninit()"
            case ast.Unary(op=op, operand=operand):
                out = f"{op.value}{self.text(operand, Precedence.PREFIX)}"
            case ast.Borrow(operand=operand, mutable=mutable):
                inner = self.text(operand, Precedence.PREFIX)
                # `&&` would be the logical operator after some statements.
                space = " " if inner.startswith("&") else ""
                out = f"&mut {inner}" if mutable else f"&{space}{inner}"
            case ast.Cast(operand=operand, type=to):
                out = f"{self.text(operand, Precedence.CAST)} as {self.type(to)}"
            case ast.Binary(op=op, left=left, right=right):
                own = PRECEDENCE[op]
                # Comparisons do not chain, so that neither side may be one.
                least_left = Precedence.SUM if own is Precedence.COMPARISON else own
                right_text = self.text(right, Precedence(own + 1))
                out = f"{self.text(left, least_left)} {op.value} {right_text}"
            case ast.If(condition=condition, then=then, otherwise=otherwise):
                out = f"if {self.text(condition)} {self._block(then)}"
                if isinstance(otherwise, ast.If):
                    out += f" else {self.text(otherwise)}"
                elif otherwise is not None:
                    out += f" else {self._block(otherwise)}"
            case _:
                assert_never(expr)
        return out if precedence(expr) >= least else f"({out})"

    def _args(self, call: ast.Call | ast.MethodCall) -> str:
        parts = list(map(self.text, call.args))
        for arg in call.named:
            parts.append(f"{arg.name.text}: {self.text(arg.value)}")  # noqa: PERF401 - a comprehension is a level of recursion
        return f"({', '.join(parts)})"

    def type(self, of: ast.Type) -> str:
        """Return the text of a type."""
        match of:
            case ast.NamedType(name=name):
                return name
            case ast.RefType(target=target, mutable=mutable):
                return f"{'&mut ' if mutable else '&'}{self.type(target)}"
            case ast.TensorType():
                parts = [of.dtype.text]
                if of.dims is not None:
                    parts.append(f"[{', '.join(map(self.text, of.dims))}]")
                if of.place is not None:
                    parts.append(f"Memory::{of.place.name}")
                if of.layout is not None:
                    parts.append(self._layout(of.layout))
                if of.scale is not None:
                    block = self._angled(of.scale.block)
                    parts.append(f"Scale<{of.scale.dtype.text}, block: {block}>")
                return f"Tensor<{', '.join(parts)}>"
            case _:
                assert_never(of)

    def _layout(self, layout: ast.Layout) -> str:
        match layout:
            case ast.TiledLayout(tile=tile):
                return f"Layout::Tiled<[{', '.join(map(self.text, tile))}]>"
            case ast.SwizzledLayout(width=width):
                return f"Layout::Swizzled<{self._angled(width)}>"
            case ast.StridedLayout():
                return "Layout::Strided"
            case _:
                assert_never(layout)

    def _angled(self, expr: ast.Expr) -> str:
        """Return an expression between angle brackets, where a bare `>` would close them."""
        return self.text(expr, Precedence.SUM)


def literal_text(expr: ast.IntLit | ast.FloatLit | ast.BoolLit | ast.StrLit) -> str:
    """Return the text of a literal."""
    match expr:
        case ast.IntLit(value=value, suffix=suffix):
            return f"{value}{suffix or ''}"
        case ast.FloatLit(value=value) if math.isinf(value):
            return "inf"
        case ast.FloatLit(value=value, suffix=suffix):
            return f"{value!r}{suffix or ''}"
        case ast.BoolLit(value=value):
            return "true" if value else "false"
        case ast.StrLit(value=value):
            return f'"{value.translate(_ESCAPES)}"'
        case _:
            assert_never(expr)
