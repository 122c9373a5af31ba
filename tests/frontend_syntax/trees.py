"""What the tests of syntax share: parsing a text, and trees without their spans."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from vxproof.diagnostics import Diagnostic, DiagnosticError, Source
from vxproof.frontend import ast
from vxproof.frontend.parser import parse

_SPANS = frozenset(["span", "op_span"])


def parse_text(text: str) -> ast.Program:
    return parse(Source("test.vx", text))


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    """Return what parsing a text reports; nothing where it parses."""
    try:
        parse_text(text)
    except DiagnosticError as error:
        return error.diagnostics
    return ()


def codes_and_lines(text: str) -> list[tuple[str, int]]:
    found = errors_of(text)
    return [(d.code, d.primary.span.line if d.primary else 0) for d in found]


def body(text: str) -> ast.Block:
    """Return the block of a function with this body."""
    function = parse_text(f"fn f() {{ {text} }}").functions[0]
    return function.body


def expression(text: str) -> ast.Expr:
    statement = body(f"x = {text};").statements[0]
    assert isinstance(statement, ast.Assign)
    return statement.value


def without_spans(node: object) -> object:
    """Return a tree as nested tuples that say everything but where it stood."""
    if isinstance(node, tuple):
        return tuple(without_spans(item) for item in node)
    if is_dataclass(node) and not isinstance(node, type):
        parts = [without_spans(getattr(node, f.name)) for f in fields(node) if f.name not in _SPANS]
        return (type(node).__name__, *parts)
    return node


def depth(node: object) -> int:
    """Return the number of nodes on the longest path below a node, itself included."""
    deepest = 0
    stack = [(node, 0)]
    while stack:
        here, above = stack.pop()
        if isinstance(here, tuple):
            stack += [(item, above) for item in here]
        elif is_dataclass(here) and not isinstance(here, type):
            deepest = max(deepest, above + 1)
            stack += [
                (getattr(here, f.name), above + 1) for f in fields(here) if f.name not in _SPANS
            ]
    return deepest
