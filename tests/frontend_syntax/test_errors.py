"""Syntax errors: the code, the place, and the words of each."""

from __future__ import annotations

import pytest

from tests.frontend_syntax.trees import codes_and_lines, errors_of
from vxproof.frontend.recovery import MAX_ERRORS

# The text, what the headline holds, and the text under the first caret.
CASES = [
    ("fn f() { let x = 1\n let y = 2; }", "expected `;` after this statement", "1"),
    ("fn f() { let x = (1 + 2; }", "expected `)`", ";"),
    ("fn f() { let x = f(a, b; }", "expected `)` or `,`", ";"),
    ("fn f() { let x = [1, 2; }", "", ";"),
    ("fn f() { let x = 1 + ; }", "expected an expression", ";"),
    ("fn f() { let x = 4 5; }", "expected `;`", "5"),
    ("fn f() { let = 3; }", "a `let` needs a name", "="),
    ("fn f() { let x; }", "a `let` needs a value", ";"),
    ("fn f() { let x: f32; }", "a `let` needs a value", ";"),
    ("fn f() { if x = 3 { } }", "`=` cannot stand in an expression", "="),
    ("fn f() { x = y = z; }", "`=` cannot stand in an expression", "="),
    ("fn f() { a[i, j] = 3; }", "each bracket takes one index", ","),
    ("fn f() { for i in 0..=3 {} }", "ranges are half-open", "="),
    ("fn f() { for i in n {} }", "a loop runs over a range", "{"),
    ("fn f() { for i 0..3 {} }", "expected `in` after the loop variable", "0"),
    ("fn f() { else { } }", "this `else` belongs to no `if`", "else"),
    ("fn f() { x++; }", "there is no unary `+` and no `++`", "+"),
    ("fn f() { spawn on(GPU) {} }", "a topology is written `Topology::…`", "GPU"),
    ("fn f() { resident<RF> let x = 1; }", "a place is written `Memory::…`", "RF"),
    ("fn f() { spawn on(Topology::GPU) warps(1) warps(2) {} }", "given twice", "warps(2)"),
    ("fn f() { tile(a, pad = 0.0); }", "a named argument is written `pad: 0.0`", "="),
    ("fn f() { f(pad: 1, b); }", "an argument without a name stands after a named one", "b"),
    ("fn f() { let x = 18446744073709551616; }", "does not fit 64 bits", "18446744073709551616"),
    ("fn f() { let x = 1e999; }", "larger than any f64", "1e999"),
    ("fn f() { let x = 12ab; }", "`12ab` is not a number", "12ab"),
    ('fn f() { print("abc); }', "this string is not closed", '"abc); }'),
    ('fn f() { print("a\\q"); }', "unknown escape", "\\q"),
    ('fn f() { let x = "abc"; }', "only `print` and `assert` take a string", '"abc"'),
    ('fn f() { g("abc"); }', "only `print` and `assert` take a string", '"abc"'),
    ("fn f() { let é = 3; }", "cannot stand outside a comment", "é"),
    ("fn f() { let x = 3 ` 4; }", "unexpected character", "`"),
    ("fn f(x) {}", "a parameter needs a type", ")"),
    ("fn f<const N>() {}", "a const generic needs a type", ">"),
    ("fn f();", "a function needs a body", ";"),
    ("fn f() {", "`{` is never closed", "{"),
    ("fn f() { }\n}", "`}` closes nothing", "}"),
    ("fn f() {\nfn g() {\n}\n", "`{` is not closed before the next item", "fn"),
    ("let x = 3;", "only functions, places and imports stand at the top", "let"),
    ("fn f() -> i32 -> i32 {}", "`->` is given twice", "-> i32"),
    ("fn f(x: Tensor<f32, Memory::S, [3]>) {}", "out of order", "[3]"),
    ("fn f(x: Tensor<[3]>) {}", "begins with its dtype", "[3]"),
    ("fn f(x: Tensor) {}", "names its dtype", "Tensor"),
    ("fn f(x: Tensor<f32, Layout::Blocked>) {}", "this is not a layout", "Layout::Blocked"),
    ("Memory M { capcity: 3 KB }", "`capcity` is not a field of a Memory", "capcity: 3 KB"),
    ("Memory M { capacity: x }", "`capacity` needs a number", "capacity: x"),
    ("Memory M { capacity: 1e9999999999 KB }", "plain decimal number", "1e9999999999 KB"),
    ("Memory M { tile: [1], tile: [2] }", "`tile` is given twice", "tile: [2]"),
    ("Topology T { memory: M }", "`memory` needs a place", "memory: M"),
]

OUTSIDE = [
    ("fn f(x: Tensor<f32, []>) {}", "[]"),
    ("fn f(x: Tensor<f32, [?, 4]>) {}", "?"),
    ("fn f(x: Tensor<f32, [4], Topology::GPU>) {}", "Topology::GPU"),
    ("fn f() { spawn on(Topology::NPU[1]) {} }", "Topology::NPU[1]"),
    ("fn f() { spawn on(Topology::NPU[0..4]) {} }", "Topology::NPU[0..4]"),
    ("fn f() { let x = spawn on(Topology::GPU) { 1 }; }", "let x = spawn on(Topology::GPU) { 1 };"),
    ("fn f() { comptime { let x = 1; } }", "comptime { let x = 1; }"),
    ("fn f() { let x = comptime { 1 }; }", "{"),
    ("fn f() { return spawn on(Topology::GPU) { 1 }; }", "spawn"),
    ("fn f<const N: i32>() { if comptime N == 0 {} }", "N"),
    ("fn f<D: Topology>() {}", ":"),
    ("fn f(x: Pinned<i32>) {}", "<"),
    ("fn f(x: *mut f32) {}", "*"),
    ("fn f(x: <4 x f32>) {}", "<"),
    ("fn f(g: fn(i32) -> i32) {}", "fn"),
    ("macro_rules! m {}", "macro_rules"),
    ("fn f() { let p = Pair { a: 1 }; }", "{"),
    ("fn f() { x <<= 2; }", "<="),
    ("fn f() { let a = Tensor<f32, [4]>::fill(1.0); }", "Tensor<f32, [4]>::fill(1.0)"),
    ("struct P { a: i32 }", "struct"),
    ("enum E { A, B }", "enum"),
    ("trait T { fn f(); }", "trait"),
    ("impl P { fn f() { x } }", "impl"),
    ('extern "C" { fn f(); }', "extern"),
    ("pub fn f() {}", "pub"),
    ("import std::net;", "std::net"),
    ("use std::math::{exp};", "{"),
    ("const N: i64 = 4;", "const"),
    ("fn f<T>() {}", "T"),
    ("fn f(x: [f32; 4]) {}", "["),
    ("fn f(x: (f32, f32)) {}", "("),
    ("fn f() { fn g() {} }", "fn"),
    ("fn f() { while a { b = 1; } }", "while"),
    ("fn f() { loop { b = 1; } }", "loop"),
    ("fn f() { match a { 1 => 2 } }", "match"),
    ("fn f() { break; }", "break"),
    ("fn f() { let g = |x| x + 1; }", "|"),
    ("fn f() { let g = || 1; }", "||"),
    ("fn f() { let x = a & b; }", "&"),
    ("fn f() { let x = a << 1; }", "<"),
    ("fn f() { println!(1); }", "println"),
    ("fn f() { let x = a.b; }", ";"),
    ("fn f() { let (a, b) = c; }", "("),
    ("fn f() { let x = (a, b); }", ","),
    ("fn f() { let x = [0; 4]; }", ";"),
    ("fn f() { if let a = b { } }", "let"),
    ("fn f() { let a = 1 /* c */; }", "/* c */"),
]


@pytest.mark.parametrize(("text", "headline", "under"), CASES, ids=[case[0] for case in CASES])
def test_a_syntax_error_says_what_is_wrong_and_where(text: str, headline: str, under: str) -> None:
    (found, *_more) = errors_of(text)
    assert found.code == "E1001"
    assert headline in found.headline
    assert found.primary is not None
    assert text[found.primary.span.start : found.primary.span.end] == under


@pytest.mark.parametrize(("text", "under"), OUTSIDE, ids=[case[0] for case in OUTSIDE])
def test_a_construct_outside_the_subset_is_named_once(text: str, under: str) -> None:
    (found,) = errors_of(text)
    assert found.code == "E6190"
    assert "outside the" in found.headline
    assert found.primary is not None
    assert text[found.primary.span.start : found.primary.span.end] == under


@pytest.mark.parametrize("text", [text for text, _ in OUTSIDE if text.startswith("fn") is False])
def test_parsing_goes_on_after_an_item_outside_the_subset(text: str) -> None:
    found = errors_of(f"{text}\nfn g() {{\n  let = 3;\n}}\n")
    assert [d.code for d in found] == ["E6190", "E1001"]
    assert found[-1].primary is not None
    assert found[-1].primary.span.line == 3


def test_several_errors_in_one_run_each_at_its_line() -> None:
    text = """fn f() {
  let = 3;
  let y;
  while a { b = c; }
  for i in 0..3 {
    let x = ;
  }
  z = = 3;
  let good = 1;
  let q = 4 5;
  if a { b = } else { c = 1; }
}
struct P { x: i32 }
fn g(x) {
  let lost = ;
}
fn h() {
  let kept = 1
  let last = ];
}
"""
    assert codes_and_lines(text) == [
        ("E1001", 2),
        ("E1001", 3),
        ("E6190", 4),
        ("E1001", 6),
        ("E1001", 8),
        ("E1001", 10),
        ("E1001", 11),
        ("E6190", 13),
        ("E1001", 14),
        ("E1001", 18),
        ("E1001", 19),
    ]


def test_an_unclosed_bracket_is_shown_beside_the_error() -> None:
    text = "fn f() { let x = g(a, (b; }"
    (found,) = errors_of(text)
    (label,) = found.secondary
    assert label.span.start == text.index("(b")


def test_a_missing_brace_costs_one_error() -> None:
    text = "fn f() {\n  if a {\n    b = 1;\n}\n\nfn g() {\n  c = 1;\n}\n\nfn h() {\n  let = 1;\n}\n"
    assert codes_and_lines(text) == [("E1001", 6), ("E1001", 11)]


def test_the_number_of_errors_is_bounded() -> None:
    text = "fn f() {\n" + "let = 3;\n" * 500 + "}\n"
    assert len(errors_of(text)) == MAX_ERRORS


def test_errors_come_in_the_order_of_the_text() -> None:
    text = "fn f() { let a = ; }\nfn g() { x = a < b < c; }\nfn h() { let b = `; }\n"
    assert codes_and_lines(text) == [("E1001", 1), ("E1001", 2), ("E1001", 3)]


@pytest.mark.parametrize("text", ["", "\n", "  // nothing here\n"])
def test_an_empty_file_has_no_function(text: str) -> None:
    (found,) = errors_of(text)
    assert (found.code, found.headline[:21]) == ("E1001", "no function to verify")
