"""Literals, widening, broadcasting and inference, seen through the types in the IR."""

from __future__ import annotations

import pytest

from vxproof.diagnostics import DiagnosticError, Source
from vxproof.frontend import load_module
from vxproof.ir.module import Module, walk
from vxproof.ir.ops import Cast, Declare
from vxproof.ir.text import type_text


def _host(body: str) -> Module:
    text = f"fn main() -> i32 {{\n{body}\n  return 0;\n}}\n"
    return load_module(Source("p.vx", text), None)


def _device(body: str, params: str = "x: Tensor<f32, [64, 32]>") -> Module:
    text = (
        f"fn k<const B: i64>({params}, s: f32, n: i64, c: i32) requires 1 <= B {{\n"
        f"spawn on(Topology::GPU) grid([4]) {{\n{body}\n}}\n}}\n"
    )
    return load_module(Source("p.vx", text), "sm_80")


def _type(module: Module, name: str) -> str:
    for op in walk(module.functions[0].body):
        if isinstance(op, Declare) and op.variable.name == name:
            return type_text(op.variable.type)
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let r = 1;", "i32"),
        ("let r = 1.5;", "f64"),
        ("let r = n + 1;", "i64"),
        ("let r = 1 + n;", "i64"),
        ("let r = c + 1;", "i32"),
        ("let r = c + n;", "i64"),
        ("let r = s * 2.0;", "f32"),
        ("let r = s * 2;", "f32"),
        ("let r = 3i64;", "i64"),
        ("let r = B;", "i64"),
        ("let r = n < 3;", "bool"),
        ("let r = if n < 3 { 1 } else { n };", "i64"),
        ("let r = x[0][1];", "f32"),
        ("let r = tile(x, [0, 0], [64, 32]).sum(1);", "tensor<f32, [64, 1]>"),
        ("let r = tile(x, [0, 0], [64, 32]) > 0.0;", "tensor<bool, [64, 32]>"),
        ("let r = tile(x, [0, 0], [64, 32]) - tile(x, [0, 0], [64, 1]);", "tensor<f32, [64, 32]>"),
        ("let r = iota(0, [64, 32]) + n;", "tensor<i64, [64, 32]>"),
        ("let r = iota(0, [64, 32]);", "tensor<i32, [64, 32]>"),
        ("let r = (tile(x, [0, 0], [64, 32]) as f16).transpose([1, 0]);", "tensor<f16, [32, 64]>"),
        ("let r: Tensor<f32, [B, 1]> = -inf;", "tensor<f32, [B, 1]>"),
        ("let mut r = -inf; r = tile(x, [0, 0], [64, 32]).max(1);", "tensor<f32, [64, 1]>"),
        ("let mut r = 0.0; for i in 0..4 { r = r + x[i][0]; }", "f32"),
        ("let mut r = 0; r += n;", "i64"),
        ("let mut r = 0; r += 1;", "i32"),
        ("let mut r = 0; r += 1; r += n;", "i64"),
        ("let mut r = 0; if r < 3 { r = n; }", "i64"),
        ("let r = select(n < 3, s, 0.0);", "f32"),
        ("let r = x[3];", "tensor<f32, [32], @HBM>"),
    ],
)
def test_what_a_value_is(body: str, expected: str) -> None:
    assert _type(_device(body), "r") == expected


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("let r = s + n;", "E3002"),
        ("let r = tile(x, [0, 0], [64, 32]) + tile(x, [0, 0], [32, 32]);", "E3002"),
        ("let r = tile(x, [0, 0], [64, 32]) + x[0];", "E3002"),
        ("let r = (s as f16) + s;", "E3002"),
        ("let r = s % 2.0;", "E3030"),
        ("let r: f32 = n;", "E3001"),
        ("let r: i32 = n;", "E3001"),
        ("let r: Tensor<f32, [4]> = s;", "E3023"),
        ("let r = 3000000000;", "E3002"),
        ("let r = tile(x, [0, 0], [64, 32]) @ tile(x, [0, 0], [64, 32]);", "E7001"),
        ("let r = tile(x, [0, 0], [64, 32]) @ (tile(x, [0, 0], [32, 8]) as f16);", "E7002"),
        ("let mut r = -inf;", "E3002"),
        ("let r = 1; r = 2;", "E3002"),
        ("n = 2;", "E3002"),
        ("x[0][0] = 1.0;", "E4006"),
        ("let r = missing;", "E1002"),
        ("if tile(x, [0, 0], [64, 32]) > 0.0 { }", "E3002"),
    ],
)
def test_what_is_refused(body: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        _device(body)
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_several_errors_are_told_in_one_run_and_a_poisoned_name_tells_nothing_more() -> None:
    with pytest.raises(DiagnosticError) as caught:
        _host("let a = missing;\nlet b = a + 1;\nlet c: f33 = 1.0;\nlet d = c;\nlet e = gone;")
    found = [(d.code, d.primary.span.line) for d in caught.value.diagnostics if d.primary]
    assert found == [("E1002", 2), ("E3029", 4), ("E1002", 6)]


def test_only_differing_integer_types_are_converted() -> None:
    def casts(body: str) -> int:
        function = _device(body).functions[0]
        return sum(isinstance(op, Cast) for op in walk(function.body))

    assert casts("let r = n + 1;") == 0
    assert casts("let r = n + c;") == 1
