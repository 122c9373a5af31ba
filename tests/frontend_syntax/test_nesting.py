"""Depth: deep text is E0003, never a crash, and whatever parses is shallow enough to walk."""

from __future__ import annotations

import pytest

from tests.frontend_syntax.trees import depth, errors_of, parse_text
from vxproof.frontend.lexing import NESTING_LIMIT
from vxproof.frontend.printer import print_program

FORMS = {
    "parentheses": ("(", "1", ")"),
    "lists": ("[", "1", "]"),
    "sum": ("a + ", "a", ""),
    "sum of products": ("a * b + ", "a", ""),
    "conjunction": ("a < b && ", "c", ""),
    "minus": ("-", "a", ""),
    "spaced minus": ("- ", "a", ""),
    "not": ("!", "a", ""),
    "dereference": ("*", "a", ""),
    "borrow": ("&", "a", ""),
    "mutable borrow": ("&mut ", "a", ""),
    "index": ("", "a", "[0]"),
    "nested index": ("a[", "0", "]"),
    "method": ("", "a", ".exp()"),
    "cast": ("", "a", " as f32"),
    "path": ("a::", "a", ""),
    "call": ("f(", "a", ")"),
    "const argument": ("f::<", "1", ">()"),
    "conditional": ("if a { 1 } else { ", "2", " }"),
    "else if": ("if a { 1 } else ", "{ 2 }", ""),
    "mixture": ("-(a[f(&", "b", ")])"),
}


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("count", [NESTING_LIMIT + 1, 5_000])
def test_a_deep_expression_is_e0003(form: str, count: int) -> None:
    before, middle, after = FORMS[form]
    text = f"fn f() {{ x = {before * count}{middle}{after * count}; }}"
    codes = {found.code for found in errors_of(text)}
    assert codes == {"E0003"}


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_what_parses_is_within_the_limit_and_prints(form: str) -> None:
    before, middle, after = FORMS[form]
    for count in (1, 10, 50, 100, 200, 250):
        text = f"fn f() {{ x = {before * count}{middle}{after * count}; }}"
        if errors_of(text):
            assert count >= 50
            continue
        program = parse_text(text)
        assert depth(program) <= NESTING_LIMIT + 2
        assert not errors_of(print_program(program))


@pytest.mark.parametrize("text", ["{ ", "if a { ", "for i in 0..2 { ", "spawn on(Topology::T) { "])
def test_deep_blocks_are_e0003(text: str) -> None:
    for count in (NESTING_LIMIT + 1, 5_000):
        program = "fn f() { " + text * count + "} " * count + "}"
        assert {found.code for found in errors_of(program)} == {"E0003"}
    assert not errors_of("fn f() { " + text * 60 + "} " * 60 + "}")


def test_parentheses_up_to_the_limit_are_free() -> None:
    count = NESTING_LIMIT - 1  # the function's own brace is one
    assert not errors_of("fn f() { x = " + "(" * count + "a" + ")" * count + "; }")
    assert errors_of("fn f() { x = " + "(" * (count + 1) + "a" + ")" * (count + 1) + "; }")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        ")" * 10_000,
        "fn f() { x = " + "([{" * 10_000,
        "fn f() { x = " + "}])" * 10_000,
        "fn f() " + "{" * 10_000,
        "fn f(x: " + "&" * 10_000 + "f32) {}",
        "fn f(x: " + "Tensor<f32, [" * 10_000,
        "a<" * 10_000,
        "fn " * 10_000,
        "}" * 10_000 + "fn f() {" * 10_000,
        "fn f() { x = " + "(- a[" * 10_000,
    ],
    ids=lambda text: text[:24],
)
def test_unbalanced_text_is_refused_with_a_code(text: str) -> None:
    assert errors_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "fn f() {\n" + "  let x = a + b * c;\n" * 4_000 + "}\n",
        "fn f() { x = [" + "1, " * 20_000 + "]; }",
        "fn f() { x = g(" + "1, " * 20_000 + "); }",
        "fn f() { " + ";" * 60_000 + " }",
        "; " * 100_000,
        "$ " * 50_000,
        '"\n' * 40_000,
        "let = 3; " * 30_000,
        "fn f() { " + "a < b + " * 10_000 + " }",
        "x" * 200_000,
        "1" * 200_000,
        " \n" * 100_000 + "x" + " " * 100_000,
        "/*" * 100_000,
        '"' + "\\a" * 100_000,
    ],
    ids=lambda text: text[:16],
)
def test_large_nonsense_is_told_and_not_walked_without_end(text: str) -> None:
    errors_of(text)
