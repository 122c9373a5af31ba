"""Contracts: calls, returns, invariants, assertions, and what may be assumed after them."""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask, obligations
from vxproof.constraints.program import vacuity
from vxproof.diagnostics import Source
from vxproof.frontend import load_module
from vxproof.logic.verdict import Proved
from vxproof.smt.ladder import Prover

HALF = (
    "fn half(n: i64) -> i64\n  requires 0 <= n\n  ensures 0 <= result && result <= n\n{ n / 2 }\n"
)


@pytest.mark.parametrize(
    ("call", "proved"),
    [
        ("half(4)", True),
        ("half(m)", True),
        ("half(m - 1)", False),
        ("half(half(m))", True),
        ("half(half(m) - m)", False),
    ],
)
def test_call_proves_requires(call: str, proved: bool) -> None:
    text = f"{HALF}fn f(m: i64) -> i64\n  requires 0 <= m\n{{ {call} }}\n"
    found = ask(text, None)
    assert found.proved is proved
    assert found.codes == (set() if proved else {"E8006"})


def test_ensures_is_proved_at_every_return() -> None:
    text = """fn clamp(n: i64) -> i64
  ensures 0 <= result
{
  if n < 0 { return %s; }
  return n;
}
"""
    assert ask(text % "0", None).proved
    assert ask(text % "n", None).refuted == (("E8001", 2),)


def test_recursion_uses_the_contract() -> None:
    text = """fn sum(n: i64) -> i64
  requires 0 <= n && n <= 1000
  ensures 0 <= result && result <= %s * n
{
  if n == 0 { return 0; }
  return sum(n - 1) + 2;
}
"""
    assert ask(text % "2", None).proved
    assert ask(text % "1", None).codes == {"E8001"} or ask(text % "1", None).unknown


@pytest.mark.parametrize(
    ("invariant", "codes"),
    [("0 <= s && s <= 2 * j", set()), ("s == 1", {"E8010"}), ("s <= j", {"E8010"})],
)
def test_invariant_holds_on_entry_and_is_preserved(invariant: str, codes: set[str]) -> None:
    text = f"""fn f(x: Tensor<i32, [N]>) -> i64 {{
  let mut s: i64 = 0;
  for j in 0..N invariant({invariant}) {{
    if x[j] > 0 {{ s += 2; }}
  }}
  s
}}
"""
    assert ask(text, None).codes == codes


def test_assertion_is_proved_on_the_device_and_a_fact_after_it() -> None:
    device = """fn f(x: &mut Tensor<f32, [N]>, n: i64) {
  spawn on(Topology::GPU) {
    assert(%s, "in range");
    x[n] = 0.0;
  }
}"""
    condition = "0 <= n && n < N"
    assert ask(device % condition).refuted == (("E8011", 3),)
    host = """fn main() -> i32 {
  let mut x = Tensor<f32>([8]);
  let n = at();
  assert(%s, "in range");
  x[n] = 0.0;
  return 0;
}
fn at() -> i64 { 3 }"""
    assert ask(host % "0 <= n && n < 8", None).proved
    assert ask(host % "0 <= n", None).unknown == (("E6150", 5),)


def test_divisor_in_a_contract_is_read_from_the_left() -> None:
    text = "fn f(x: Tensor<f32, [N]>, b: i64)\n  requires %s\n{ }\n"
    assert ask(text % "0 < b && N % b == 0").proved
    assert ask(text % "b != 0 && N % b == 0").proved
    assert ask(text % "N % b == 0 && 0 < b").codes == {"E6153"}


@pytest.mark.parametrize(
    ("requires", "satisfiable"),
    [
        ("64 <= B && B <= 64", True),
        ("65 <= B && B <= 64", False),
        ("B % 64 == 0 && 65 <= B && B <= 127", False),
        ("N * B <= 0 && 1 <= B", False),
        ("4 * N * B > 1099511627776 && B == 64", False),
    ],
)
def test_vacuity_is_refuted_exactly_where_a_value_is_admitted(
    requires: str, satisfiable: bool
) -> None:
    text = f"fn f<const B: i64>(x: Tensor<f32, [N, B]>)\n  requires {requires}\n{{ }}\n"
    module = load_module(Source("t.vx", text), None)
    verdict = Prover().decide(vacuity(module.functions[0], module))
    assert isinstance(verdict, Proved) is not satisfiable


def test_const_argument_below_one_is_refused() -> None:
    text = """fn t<const B: i64>(x: &mut Tensor<f32, [N]>) on Topology::GPU {
  let a = tile(x, [0], [B], pad: 0.0);
}
fn f<const C: i64>(x: &mut Tensor<f32, [N]>)
  requires %s
{
  spawn on(Topology::GPU) { t<C>(&mut x); }
}"""
    assert "E8006" in ask(text % "C <= 4").codes
    assert "E8006" not in ask(text % "1 <= C").codes


def test_each_obligation_is_closed() -> None:
    for one in obligations(f"{HALF}fn f(m: i64) -> i64\n  requires 0 <= m\n{{ half(m) }}\n", None):
        names = [symbol.name for symbol in one.symbols]
        assert len(names) == len(set(names))
