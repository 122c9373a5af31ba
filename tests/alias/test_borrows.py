"""Calls that give a function two names of one thing, of which it writes one."""

from __future__ import annotations

import pytest

from vxproof.alias.borrows import borrow_findings
from vxproof.alias.naming import module_graphs
from vxproof.alias.writes import Writes
from vxproof.diagnostics import Source
from vxproof.frontend import load_module

HELPERS = """
fn put(x: &mut Tensor<f32, [4]>, y: &Tensor<f32, [4]>) { x[0] = y[1]; }
fn two(x: &Tensor<f32, [4]>, y: &Tensor<f32, [4]>) -> f32 { x[0] + y[1] }
fn eat(x: Tensor<f32, [4]>, y: &Tensor<f32, [4]>) -> f32 { let u = x; u[0] = 1.0; y[0] }
fn see(x: Tensor<f32, [4]>, y: &Tensor<f32, [4]>) -> f32 { x[0] + y[0] }
fn add(x: &mut i64, y: &mut i64) { *x = 1; *y = 2; }
fn one(x: &mut f32, y: &Tensor<f32, [4]>) { *x = y[0]; }
fn back(x: &mut Tensor<f32, [4]>) -> &mut Tensor<f32, [4]> { x }
"""


def codes(body: str) -> list[str]:
    text = f"{HELPERS}\nfn k(a: &mut Tensor<f32, [4]>, b: &mut Tensor<f32, [4]>) {{\n{body}\n}}\n"
    module = load_module(Source("t.vx", text), "sm_90a")
    writes = Writes({one.name: one for one in module.functions})
    graphs = module_graphs(module)
    function = module.function("k")
    return [one.code for one in borrow_findings(function, graphs["k"], writes)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("put(a, a);", ["E4004"]),
        ("let v = tile(a, [0], [4]); put(a, &v);", ["E4004"]),
        ("let v = tile(a, [0], [4]); let w = tile(a, [0], [4]); eat(v, &w);", ["E4004"]),
        ("let mut n: i64 = 0; add(&mut n, &mut n);", ["E4004"]),
        ("let mut n: i64 = 0; let r = &mut n; add(&mut n, r);", ["E4004"]),
        ("let t = Tensor<f32>([4]); one(&mut t[0], &t);", ["E4004"]),
        ("let r = back(a); put(r, a);", ["E4004"]),
        ("put(if true { a } else { b }, b);", ["E4004"]),
        ("put(a, b);", []),
        ("two(a, a);", []),
        ("let v = tile(a, [0], [4]); let w = tile(a, [0], [4]); see(v, &w);", []),
        ("let mut n: i64 = 0; let mut m: i64 = n; add(&mut n, &mut m);", []),
        ("let t = Tensor<f32>([4]); let mut x = t[0]; one(&mut x, &t);", []),
    ],
)
def test_two_names_in_a_call(body: str, found: list[str]) -> None:
    assert codes(body) == found
