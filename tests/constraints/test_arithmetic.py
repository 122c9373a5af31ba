"""Arithmetic that reaches an index must not overflow; other integer arithmetic wraps."""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask


def body(text: str) -> str:
    return (
        "fn f(x: &mut Tensor<f32, [N]>, c: &mut Tensor<i32, [N]>, a: i32, b: i32, u: u32, n: i64)\n"
        f"{{\n  spawn on(Topology::GPU) {{\n{text}\n  }}\n}}\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "c[0] = a * b;",
        "let i = (n as i32) as i64;\n if -5 < n && n < 5 { c[0] = a; }"[24:],
        "if 0 <= a && a < 100 && 0 <= b && b < 100 { if a * b < 50 { c[0] = 1; } }",
        "if 0 <= n && n < 8 { c[0] = n as i32; }",
        "c[0] = min(max(n, 0), 7) as i32;",
        "if b != 0 { c[0] = a / b; }",
        "let v = iota(0, [64]);\n let w = v * 2 as i32;\n c[0] = 1;",
        "if u + 1u32 == 0u32 { c[0] = 1; }",
    ],
)
def test_arithmetic_is_proved(text: str) -> None:
    assert ask(body(text)).proved


@pytest.mark.parametrize(
    "text",
    [
        "if a * b < 50 { c[0] = 1; }",
        "if a + 1 < 50 { c[0] = 1; }",
        "if -a < 50 { c[0] = 1; }",
        "for j in 0..a * b { c[0] = 1; }",
        "c[0] = n as i32;",
        "c[0] = a / b;",
        "c[0] = a % b;",
        "if b < 5 { c[0] = a / (b - 4); }",
        "if a.abs() < 5 { c[0] = 1; }",
    ],
)
def test_arithmetic_is_refuted(text: str) -> None:
    assert ask(body(text)).codes == {"E6153"}


def test_wrapped_value_is_what_a_cast_sees() -> None:
    wraps = (
        "let s = u + 4294967295u32;\n if 1u32 <= u { c[0] = (s as i64 - u as i64 + 1i64) as i32; }"
    )
    assert ask(body(wraps)).proved


def test_offset_of_a_padded_view_is_a_number() -> None:
    text = "let t = slice(x, [%s], [64], pad: 0.0);\n slice(x, [0], [64], pad: 0.0) = t;"
    assert ask(body(text % "0 - 5")).proved
    assert ask(body(text % "n")).codes == {"E6153"}
