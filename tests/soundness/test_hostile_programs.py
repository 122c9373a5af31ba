"""Programs written to be proved although they are wrong: none of them may be.

Each has a fault that a rule once overlooked, or that a narrower rule would overlook; twins without
the fault show that the rule is not merely "unknown".
"""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask

SPAWN = "spawn on(Topology::GPU) grid([N]) semantics([parallel])"
HELPERS = """
fn bump(x: &mut i64) on Topology::GPU { *x = 1000; }
fn set(x: &mut i64) { *x = 5; }
fn dev(t: Tensor<f32, [4]>) on Topology::GPU -> f32 { let u = t; u[0] = 1.0; u[0] }
fn same(t: Tensor<f32, [4]>) on Topology::GPU -> f32 { let u = t; u[0] }
"""

HOSTILE = {
    "an invariant about a variable that a reference writes": """
fn k(n: i64) requires 0 <= n && n < 10 {
  let mut c: i64 = 0;
  for i in 0..n invariant(c == 0) { set(&mut c); }
}""",
    "a step that a reference writes": """
fn k(o: &mut Tensor<f32, [100]>) {
  spawn on(Topology::GPU) {
    let mut s: i64 = 1;
    let mut x: i64 = 0;
    for i in 0..50 { o[x] = 1.0; x = x + s; bump(&mut s); }
  }
}""",
    "a scalar from outside, borrowed at every point": f"""
fn k(o: &mut Tensor<f32, [N]>) {{
  let mut c: i64 = 0;
  {SPAWN} {{ bump(&mut c); o[grid_index(0)] = 1.0; }}
}}""",
    "a scalar from outside, written through a reference from outside": f"""
fn k(o: &mut Tensor<f32, [N]>) {{
  let mut c: i64 = 0;
  let r = &mut c;
  {SPAWN} {{ *r = 5; o[grid_index(0)] = 1.0; }}
}}""",
    "a parameter, written through a reference": f"""
fn k(r: &mut i64, o: &mut Tensor<f32, [N]>) {{
  {SPAWN} {{ *r = 5; o[grid_index(0)] = 1.0; }}
}}""",
    "a reference handed on at every point": f"""
fn k(r: &mut i64, o: &mut Tensor<f32, [N]>) {{
  {SPAWN} {{ bump(r); o[grid_index(0)] = 1.0; }}
}}""",
    "an input under another name": f"""
fn k(q: Tensor<f32, [P]>, o: &mut Tensor<f32, [N]>) requires P == N + 1 {{
  let u = q;
  {SPAWN} {{ let i = grid_index(0); u[i + 1] = u[i]; }}
}}""",
    "an input through a view": f"""
fn k(q: Tensor<f32, [P]>, o: &mut Tensor<f32, [N]>) requires P == N + 1 {{
  {SPAWN} {{ let v = slice(q, [grid_index(0)], [2]); v[1] = v[0]; }}
}}""",
    "a view passed by value to what writes it": f"""
fn k(q: Tensor<f32, [P]>, o: &mut Tensor<f32, [N]>) requires 4 <= P {{
  {SPAWN} {{ let v = slice(q, [0], [4]); o[grid_index(0)] = dev(v); }}
}}""",
    "an element of an input, written through a reference": """
fn k(q: Tensor<i64, [4]>, o: &mut Tensor<f32, [100]>) {
  spawn on(Topology::GPU) {
    let u = q;
    if 0 <= u[0] && u[0] < 100 { bump(&mut u[0]); o[u[0]] = 1.0; }
  }
}""",
    "an invariant about a difference that wraps around": """
fn k(a: u32, b: u32, o: &mut Tensor<f32, [100]>) {
  spawn on(Topology::GPU) {
    let x = a - b;
    for i in 0..10 invariant(x == a - b) { o[i] = 1.0; }
  }
}""",
    "an invariant about a product that overflows": """
fn k(a: i32, b: i32, o: &mut Tensor<f32, [100]>) {
  spawn on(Topology::GPU) {
    let x = a * b;
    for i in 0..10 invariant(x == a * b) { o[i] = 1.0; }
  }
}""",
    "coordinates that are written over": """
fn k(o: &mut Tensor<i8, [8]>) {
  spawn on(Topology::GPU) { let t = iota(0, [8]); t[0] = 1000; let u = t as i8; o[0] = u[0]; }
}""",
    "a symbol named like a grid coordinate": """
fn k<const grid0: i64>(o: &mut Tensor<f32, [P]>, a: Tensor<f32, [M]>)
  requires 0 <= grid0 && grid0 < P {
  spawn on(Topology::GPU) grid([M]) { o[grid_index(0)] = 1.0; }
}""",
    "a test of floats that the point decides": f"""
fn k(x: Tensor<f32, [N]>, o: &mut Tensor<f32, [P]>) requires P == N + 1 && N <= 1000 {{
  {SPAWN} {{
    let i = grid_index(0);
    let mut d: i64 = 1;
    if x[0] < x[i] {{ d = 0; }}
    o[i + d] = 1.0;
  }}
}}""",
}
HONEST = {
    "an invariant about a variable that nothing else writes": """
fn k(n: i64) requires 0 <= n && n < 10 {
  let mut c: i64 = 0;
  for i in 0..n invariant(c == i) { c = c + 1; }
}""",
    "a step that nothing writes": """
fn k(o: &mut Tensor<f32, [100]>) {
  spawn on(Topology::GPU) {
    let mut s: i64 = 1;
    let mut x: i64 = 0;
    for i in 0..50 { o[x] = 1.0; x = x + s; }
  }
}""",
    "a scalar of the point's own": f"""
fn k(o: &mut Tensor<f32, [N]>) {{
  {SPAWN} {{ let mut c: i64 = 0; bump(&mut c); o[grid_index(0)] = 1.0; }}
}}""",
    "a scalar from outside that a reference reads": f"""
fn k(r: &mut i64, o: &mut Tensor<f32, [N]>) {{
  {SPAWN} {{ let c = *r; o[grid_index(0)] = 1.0; }}
}}""",
    "an input under another name, read": f"""
fn k(q: Tensor<f32, [P]>, o: &mut Tensor<f32, [N]>) requires P == N + 1 {{
  let u = q;
  {SPAWN} {{ let i = grid_index(0); o[i] = u[i + 1] + u[i]; }}
}}""",
    "a view passed by value to what reads it": f"""
fn k(q: Tensor<f32, [P]>, o: &mut Tensor<f32, [N]>) requires 4 <= P {{
  {SPAWN} {{ let v = slice(q, [0], [4]); o[grid_index(0)] = same(v); }}
}}""",
    "an invariant about a difference that stays in range": """
fn k(a: u32, b: u32, o: &mut Tensor<f32, [100]>) requires b <= a {
  spawn on(Topology::GPU) {
    let x = a - b;
    for i in 0..10 invariant(x == a - b) { o[i] = 1.0; }
  }
}""",
    "coordinates that nobody writes": """
fn k(o: &mut Tensor<i8, [8]>) {
  spawn on(Topology::GPU) { let t = iota(0, [8]); let u = t as i8; o[0] = u[0]; }
}""",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_program_is_not_proved(text: str) -> None:
    assert not ask(HELPERS + text).proved


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_its_honest_twin_is_proved(text: str) -> None:
    found = ask(HELPERS + text)
    assert found.proved, (found.refuted, found.unknown)


def test_a_callees_contract_is_not_read_with_the_callers_names() -> None:
    """The callee's first parameter has the number that the caller's first one has."""
    promised = ask("""
fn put(x: &mut i64) on Topology::GPU ensures x == 5 { *x = 5; }
fn k(n: i64, o: &mut Tensor<f32, [10]>) {
  spawn on(Topology::GPU) { let mut c: i64 = 0; put(&mut c); o[n] = 1.0; }
}""")
    assert "E6150" in promised.codes
    wanted = ask("""
fn need(x: &mut i64) on Topology::GPU requires 0 <= x && x < 10 {}
fn k(n: i64) requires 0 <= n && n < 10 {
  spawn on(Topology::GPU) { let mut c: i64 = 100; need(&mut c); }
}""")
    assert "E8006" in {code for code, _ in wanted.unknown}
