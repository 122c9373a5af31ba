"""Properties: any tree survives its text, and any text gets a tree or a code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.frontend_syntax.generated import exprs, programs
from tests.frontend_syntax.trees import depth, errors_of, expression, parse_text, without_spans
from vxproof.frontend import ast
from vxproof.frontend.lexing import KEYWORDS, NESTING_LIMIT, RESERVED
from vxproof.frontend.printer import print_program

_PIECES = [
    *sorted(KEYWORDS),
    *sorted(RESERVED),
    "resident",
    "grid",
    "role",
    "Tensor",
    "Layout",
    "Scale",
]
_PIECES += [*"+-*/%@=<>!&|()[]{},;:.#'\"\\?~^ \n", "->", "::", "..", "&&", "||", "==", "<="]
_PIECES += [
    "x",
    "f32",
    "1",
    "0.5",
    "1e-5",
    '"s"',
    "// c\n",
    "/*",
    "Memory::S",
    "Topology::T",
    "é",
    "\t",
]
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join)


@given(programs)
def test_a_tree_survives_its_text(program: ast.Program) -> None:
    text = print_program(program)
    assert without_spans(parse_text(text)) == without_spans(program), text


@given(exprs)
def test_parentheses_say_nothing_that_the_canonical_text_leaves_out(expr: ast.Expr) -> None:
    program = parse_text(f"fn f() {{ x = {_text(expr)}; }}")
    assert without_spans(expression(f"({_text(expr)})")) == without_spans(expr)
    assert print_program(program) == print_program(parse_text(print_program(program)))


@given(_TEXTS)
def test_any_text_is_parsed_or_refused_with_a_code(text: str) -> None:
    for attempt in (text, f"fn f() {{ {text} }}", f"fn f() {{ let x = {text}; }}\nfn g() {{}}"):
        found = errors_of(attempt)
        assert {d.code for d in found} <= {"E0003", "E1001", "E6190"}
        for diagnostic in found:
            assert diagnostic.primary is not None
            assert 0 <= diagnostic.primary.span.start <= diagnostic.primary.span.end <= len(attempt)
        if not found:
            program = parse_text(attempt)
            assert depth(program) <= NESTING_LIMIT + 2
            assert without_spans(parse_text(print_program(program))) == without_spans(program)


def _text(expr: ast.Expr) -> str:
    """Return an expression as a statement's right side prints it."""
    block = ast.Block((ast.Return(expr, expr.span),), None, expr.span)
    name = ast.Name("f", expr.span)
    function = ast.Function(name, (), (), None, None, (), block, expr.span)
    printed = print_program(ast.Program((function,), expr.span))
    return printed.removeprefix("fn f() {\n  return ").removesuffix(";\n}\n")
