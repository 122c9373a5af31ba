"""Moves through branches, loops and rebinding."""

from __future__ import annotations

import pytest

from vxproof.alias.moves import move_findings
from vxproof.diagnostics import Source
from vxproof.frontend import load_module

_FRAME = """
fn eat(t: Tensor<f32, [2]>) -> f32 {{
  return t[0];
}}

fn see(t: &Tensor<f32, [2]>) -> f32 {{
  return t[0];
}}

fn main() -> i32 {{
  let mut t = Tensor<f32>([2]);
  let c = see(&t) > 0.0;
{body}
  return 0;
}}
"""


def _lines(body: str) -> list[str]:
    text = _FRAME.format(body=body)
    module = load_module(Source("p.vx", text), None)
    lines = text.splitlines()
    found = [d for f in module.functions for d in move_findings(f)]
    assert {d.code for d in found} <= {"E4001"}
    return [lines[d.primary.span.line - 1].strip() for d in found if d.primary is not None]


@pytest.mark.parametrize(
    "body",
    [
        "  let a = eat(t);",
        "  let a = see(&t); let b = see(&t); let d = eat(t);",
        "  let a = eat(t); t = Tensor<f32>([2]); let b = see(&t);",
        "  if c { let a = eat(t); } else { let b = eat(t); }",
        "  for i in 0..3 { let u = Tensor<f32>([2]); let a = eat(u); }",
        "  for i in 0..3 { let a = eat(t); t = Tensor<f32>([2]); }",
        "  let row = t[0] + t[1]; let u = t; let b = see(&u);",
    ],
)
def test_legal_uses_are_accepted(body: str) -> None:
    assert _lines(body) == []


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("  let a = eat(t);\n  let b = see(&t);", "let b = see(&t);"),
        ("  if c { let a = eat(t); }\n  let b = see(&t);", "let b = see(&t);"),
        ("  for i in 0..3 {\n  let a = eat(t);\n  }", "let a = eat(t);"),
        ("  let u = t;\n  let b = t[0];", "let b = t[0];"),
        ("  let a = eat(t);\n  t[0] = 1.0;", "t[0] = 1.0;"),
    ],
)
def test_a_use_after_a_move_is_found_where_it_stands(body: str, line: str) -> None:
    assert _lines(body) == [line]


def test_every_use_of_a_moved_value_is_found_in_the_order_of_the_text() -> None:
    body = "  let a = eat(t);\n  let b = see(&t);\n  let d = t[1];"
    assert _lines(body) == ["let b = see(&t);", "let d = t[1];"]
