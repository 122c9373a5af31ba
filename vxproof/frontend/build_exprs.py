"""Builds expressions and types from what the grammar recognises.

Each `make_<rule>` method takes the first and last character of the rule and its kept values. What
the grammar admits but the language does not becomes a diagnostic beside a best-effort node, so
that one run reports several.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label
from vxproof.frontend import ast
from vxproof.frontend.ast_operators import PRECEDENCE, Precedence
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Source, Span
    from vxproof.frontend.lexing import Token

_SUFFIX = re.compile(r"_?([iu](?:8|16|32|64)|bf16|f(?:16|32|64))$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "'": "'"}
_MAX_INT = 2**64 - 1
_MAX_DIGITS = 80  # longer than any literal that fits, with its prefix and separators


@dataclass(frozen=True, slots=True)
class Arguments:
    """What stands between the parentheses of a call."""

    args: tuple[ast.Expr, ...]
    named: tuple[ast.NamedArg, ...]


class ExprBuilder:
    """Expressions; also the place of the diagnostics of the whole build."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []

    def span(self, start: int, end: int) -> Span:
        """Return a span of this source."""
        return self.source.span(start, end)

    def name(self, token: Token) -> ast.Name:
        """Return a token as a name."""
        return ast.Name(token.text, self.span(token.start, token.end))

    def report(
        self,
        headline: str,
        span: Span,
        text: str = "",
        advice: str | None = None,
        code: str = "E1001",
    ) -> None:
        """Note a diagnostic and let the build go on."""
        self.diagnostics.append(Diagnostic(code, headline, Label(span, text), help=advice))

    # ---- literals and names

    def make_integer(self, start: int, end: int, token: Token) -> ast.Expr:
        """Read `12`, `1_000i64`, `0xff`; more than 64 bits is an error at the literal."""
        span = self.span(start, end)
        text, suffix = token.text, None
        is_hex = text.startswith("0x")
        if found := _SUFFIX.search(text):
            text, suffix = text[: found.start()], found[1]
        digits = text.replace("_", "")
        value = (
            int(digits, 16 if is_hex else 0 if digits[1:2].isalpha() else 10)
            if (len(digits) <= _MAX_DIGITS)
            else _MAX_INT + 1
        )
        if value > _MAX_INT:
            self.report("integer literal does not fit 64 bits", span, "the largest u64 is 2^64 - 1")
            value = 0
        return ast.IntLit(value, suffix, span)

    def make_floating(self, start: int, end: int, token: Token) -> ast.Expr:
        """Read `0.5`, `1e-5`, `2f32`; a value that rounds to infinity is an error."""
        span = self.span(start, end)
        text, suffix = token.text, None
        if found := _SUFFIX.search(text):
            text, suffix = text[: found.start()], found[1]
        value = float(text.replace("_", ""))
        if math.isinf(value):
            self.report("float literal is larger than any f64", span, advice="write `inf`")
        return ast.FloatLit(value, suffix, span)

    def make_infinity(self, start: int, end: int) -> ast.Expr:
        """Read `inf`."""
        return ast.FloatLit(math.inf, None, self.span(start, end))

    def make_true(self, start: int, end: int) -> ast.Expr:
        """Read `true`."""
        return ast.BoolLit(value=True, span=self.span(start, end))

    def make_false(self, start: int, end: int) -> ast.Expr:
        """Read `false`."""
        return ast.BoolLit(value=False, span=self.span(start, end))

    def make_string(self, start: int, end: int, token: Token) -> ast.StrLit:
        """Read a string and resolve its escapes."""

        def escape(found: re.Match[str]) -> str:
            if found[1] not in _ESCAPES:
                at = start + 1 + found.start()
                self.report(f"unknown escape {found[0]!a} in a string", self.span(at, at + 2))
            return _ESCAPES.get(found[1], "")

        value = re.sub(r"\\(.)", escape, token.text[1:-1], flags=re.DOTALL)
        return ast.StrLit(value, self.span(start, end))

    def make_word(self, _start: int, _end: int, token: Token) -> ast.Name:
        """Read a name that is no expression."""
        return self.name(token)

    def make_path(self, start: int, end: int, token: Token) -> ast.Path:
        """Read a path of one segment."""
        return ast.Path((token.text,), self.span(start, end))

    def make_longer_path(self, start: int, end: int, path: ast.Path, token: Token) -> ast.Path:
        """Read one more segment of a path."""
        return ast.Path((*path.segments, token.text), self.span(start, end))

    def make_variable(self, _start: int, _end: int, path: ast.Path) -> ast.Expr:
        """Read a path as a value."""
        return ast.Var(path.segments[0], path.span) if len(path.segments) == 1 else path

    def make_memory_ref(self, start: int, end: int, token: Token) -> ast.MemoryRef:
        """Read `Memory::X`."""
        return ast.MemoryRef(token.text, self.span(start, end))

    def make_topology_ref(self, start: int, end: int, token: Token) -> ast.TopologyRef:
        """Read `Topology::X`."""
        return ast.TopologyRef(token.text, self.span(start, end))

    def make_instance(
        self, start: int, end: int, topology: ast.TopologyRef, *index: ast.Expr
    ) -> ast.TopologyRef:
        """Read `Topology::X[0]`, the one device of its kind; others are outside the subset."""
        span = self.span(start, end)
        if not (len(index) == 1 and isinstance(index[0], ast.IntLit) and index[0].value == 0):
            self.report(
                "several devices of one kind are outside the kernel subset",
                span,
                advice=f"write `Topology::{topology.name}`",
                code="E6190",
            )
        return ast.TopologyRef(topology.name, span)

    def make_list(self, start: int, end: int, *items: ast.Expr) -> ast.ListLit:
        """Read `[a, b]`."""
        return ast.ListLit(items, self.span(start, end))

    # ---- calls and postfix forms

    def make_args(self, _start: int, _end: int, *values: ast.Expr | ast.NamedArg) -> Arguments:
        """Sort an argument list into positional and named; the latter come last."""
        args: list[ast.Expr] = []
        named: list[ast.NamedArg] = []
        for value in values:
            if isinstance(value, ast.NamedArg):
                named.append(value)
                continue
            if named:
                self.report("an argument without a name stands after a named one", value.span)
            args.append(value)
        return Arguments(tuple(args), tuple(named))

    def make_named_arg(self, start: int, end: int, token: Token, value: ast.Expr) -> ast.NamedArg:
        """Read `pad: 0.0`."""
        return ast.NamedArg(self.name(token), value, self.span(start, end))

    def make_call(self, start: int, end: int, path: ast.Path, args: Arguments) -> ast.Expr:
        """Read `f(x)`."""
        if path.segments != ("print",):
            self.refuse_strings(args)
        return ast.Call(path, None, args.args, args.named, self.span(start, end))

    def make_macro_call(self, start: int, end: int, path: ast.Path, args: Arguments) -> ast.Expr:
        """Read `print!("…")`, which prints as `print` does; other macros are refused."""
        if path.segments != ("print",):
            self.report("macros are outside the kernel subset", path.span, code="E6190")
        return ast.Call(path, None, args.args, args.named, self.span(start, end))

    def make_generic_call(self, start: int, end: int, path: ast.Path, *rest: object) -> ast.Expr:
        """Read `f<8192>(x)`."""
        *const_args, args = rest
        assert isinstance(args, Arguments)
        self.refuse_strings(args)
        consts: tuple[ast.Expr, ...] = tuple(const_args)  # type: ignore[arg-type]
        return ast.Call(path, consts, args.args, args.named, self.span(start, end))

    def refuse_strings(self, args: Arguments) -> None:
        """Report strings in an argument list that is not that of `print`."""
        for value in args.args:
            if isinstance(value, ast.StrLit):
                self.report("only `print` and `assert` take a string", value.span)

    def refuse_named(self, args: Arguments, what: str) -> None:
        """Report named arguments where there are none."""
        for value in args.named:
            self.report(f"{what} takes no named argument", value.span)

    def make_index(self, start: int, end: int, base: ast.Expr, index: ast.Expr) -> ast.Expr:
        """Read `a[i]`."""
        return ast.Index(base, index, self.span(start, end))

    def make_method(
        self, start: int, end: int, receiver: ast.Expr, token: Token, args: Arguments
    ) -> ast.Expr:
        """Read `x.max(1)`."""
        self.refuse_strings(args)
        span = self.span(start, end)
        return ast.MethodCall(receiver, self.name(token), args.args, args.named, span)

    def make_tensor_new(
        self, start: int, end: int, made: ast.TensorType, args: Arguments
    ) -> ast.Expr:
        """Read `Tensor<f32>([64, 128])`."""
        self.refuse_strings(args)
        self.refuse_named(args, "a tensor constructor")
        return ast.TensorNew(made, args.args, self.span(start, end))

    def make_tensor_associated(
        self, start: int, end: int, made: ast.TensorType, token: Token, args: Arguments
    ) -> ast.Expr:
        """Read `Tensor<f32, [M, N]>::uninit()`, or `::new()` for zeros."""
        span = self.span(start, end)
        self.refuse_strings(args)
        if token.text not in {"uninit", "new"}:
            self.report(
                f"`Tensor::{token.text}` is outside the kernel subset",
                span,
                advice="write `Tensor<…>::uninit()`, or `Tensor<…>([shape])` for zeros",
                code="E6190",
            )
        elif args.args or args.named:
            self.report(
                f"`Tensor::{token.text}` takes no argument: the type has the shape",
                span,
                advice=f"write `Tensor<f32, [M, N]>::{token.text}()`",
                code="E3010",
            )
        if token.text == "new":
            return ast.TensorNew(made, (), span)
        return ast.TensorUninit(made, span)

    # ---- operators

    def make_parenthesised(self, start: int, end: int, inner: ast.Expr) -> ast.Expr:
        """Widen an expression's span to the parentheses around it."""
        return replace(inner, span=self.span(start, end))

    def make_negate(self, start: int, end: int, operand: ast.Expr) -> ast.Expr:
        """Read `-x`."""
        return ast.Unary(ast.UnaryOp.NEG, operand, self.span(start, end))

    def make_invert(self, start: int, end: int, operand: ast.Expr) -> ast.Expr:
        """Read `!x`."""
        return ast.Unary(ast.UnaryOp.NOT, operand, self.span(start, end))

    def make_dereference(self, start: int, end: int, operand: ast.Expr) -> ast.Expr:
        """Read `*x`."""
        return ast.Unary(ast.UnaryOp.DEREF, operand, self.span(start, end))

    def make_borrow(self, start: int, end: int, mutable: bool, operand: ast.Expr) -> ast.Expr:
        """Read `&x` or `&mut x`."""
        return ast.Borrow(operand, mutable, self.span(start, end))

    def make_converted(self, start: int, end: int, operand: ast.Expr, to: ast.Type) -> ast.Expr:
        """Read `x as T`."""
        return ast.Cast(operand, to, self.span(start, end))

    def make_operation(
        self, _start: int, _end: int, children: list[ast.Expr | Token]
    ) -> tuple[ast.Expr, int]:
        """Fold operands and operators by precedence; return the tree and its height."""
        operands: list[tuple[ast.Expr, int]] = []
        pending: list[Token] = []
        chained = False

        def fold() -> None:
            token = pending.pop()
            right, right_height = operands.pop()
            left, left_height = operands.pop()
            at = self.span(token.start, token.end)
            span = left.span.to(right.span)
            node = ast.Binary(ast.BinaryOp(token.kind), left, right, at, span)
            operands.append((node, 1 + max(left_height, right_height)))

        for position, child in enumerate(children):
            if position % 2 == 0:
                operands.append((child, 0))  # type: ignore[arg-type]
                continue
            token: Token = child  # type: ignore[assignment]
            binds = PRECEDENCE[ast.BinaryOp(token.kind)]
            while pending and PRECEDENCE[ast.BinaryOp(pending[-1].kind)] >= binds:
                last = PRECEDENCE[ast.BinaryOp(pending[-1].kind)]
                if binds is Precedence.COMPARISON is last and not chained:
                    chained = True
                    self.report(
                        "comparisons do not chain",
                        self.span(token.start, token.end),
                        "a second comparison of one operand",
                        "write `a < b && b < c`",
                    )
                fold()
            pending.append(token)
        while pending:
            fold()
        return operands[0]
