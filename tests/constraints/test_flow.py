"""Control flow: what is known of a variable after loops, branches, returns and calls."""

from __future__ import annotations

import pytest

from tests.constraints.asking import ask


def body(text: str, *, signature: str = "x: &mut Tensor<f32, [N]>, n: i64, k: i64") -> str:
    return f"fn f({signature}) {{\n  spawn on(Topology::GPU) {{\n{text}\n  }}\n}}\n"


PROVED = {
    "loop bounds the index": "for j in 0..N { x[j] = 0.0; }",
    "loop that may be empty": "for j in n..N { if 0 <= j { x[j] = 0.0; } }",
    "both ends in the condition": "if 0 <= n && n < N { x[n] = 0.0; }",
    "short circuit guards a read": "if 0 <= n && n < N && x[n] > 0.0 { x[n] = 0.0; }",
    "else of a disjunction": "if n < 0 || N <= n { } else { x[n] = 0.0; }",
    "minimum and maximum": "x[max(min(n, N - 1), 0)] = 0.0;",
    "index by cases": "let i = if 0 <= n && n < N { n } else { 0 };\n x[i] = 0.0;",
    "assigned in both arms": (
        "let mut i: i64 = 0;\n if n < 0 || N <= n { i = N - 1; } else { i = n; }\n x[i] = 0.0;"
    ),
    "assigned in one arm": "let mut i: i64 = 0;\n if 0 <= n && n < N { i = n; }\n x[i] = 0.0;",
    "grows by a constant": ("let mut i: i64 = 0;\n for j in 0..N / 3 { x[i] = 0.0; i += 3; }"),
    "grown value after the loop": (
        "let mut i: i64 = 0;\n for j in 0..N - 1 { i += 1; }\n x[i] = 0.0;"
    ),
    "invariant": (
        "let mut i: i64 = 0;\n"
        "for j in 0..N invariant(0 <= i && i <= j) { x[i] = 0.0; if x[j] > 0.0 { i += 1; } }"
    ),
    "shadowed by a smaller value": "let i = n;\n let i = 0;\n x[i] = 0.0;",
    "remainder of a non-negative": "if 0 <= n { x[n % N] = 0.0; }",
    "quotient": "if 0 <= n && n < 2 * N { x[n / 2] = 0.0; }",
    "narrow index type": "for j in 0..N { if j < 100 { let i = j as i32;\n x[i] = 0.0; } }",
    "nothing runs": "for j in 5..3 { x[0 - 1] = 0.0; }",
}

REFUTED = {
    "off by one": "for j in 0..N + 1 { x[j] = 0.0; }",
    "negative": "for j in 0..N { x[j - 1] = 0.0; }",
    "condition of one end": "if n < N { x[n] = 0.0; }",
    "disjunction is no guard": "if 0 <= n || n < N { x[n] = 0.0; }",
    "guard after the read": "if x[n] > 0.0 && 0 <= n && n < N { x[n] = 0.0; }",
    "negated guard": "if !(0 <= n && n < N) { x[n] = 0.0; }",
    "grows too fast": "let mut i: i64 = 0;\n for j in 0..N { x[i] = 0.0; i += 3; }",
    "grown value after the loop": "let mut i: i64 = 0;\n for j in 0..N { i += 1; }\n x[i] = 0.0;",
    "assigned in one arm": "let mut i: i64 = N;\n if 0 <= n && n < N { i = n; }\n x[i] = 0.0;",
    "shadowed by a larger value": "let i = 0;\n let i = n;\n x[i] = 0.0;",
    "truncation keeps the sign": "x[n % N] = 0.0;",
    "condition of an inner block": "if n == 0 { x[0] = 0.0; }\n x[n] = 0.0;",
    "empty loop does not prove its range": (
        "if -9 < n && n <= N { for j in 0..n { }\n x[n - 1] = 0.0; }"
    ),
}

UNKNOWN = {
    "grows under a condition": (
        "let mut i: i64 = 0;\n for j in 0..N { x[i] = 0.0; if x[j] > 0.0 { i += 1; } }"
    ),
    "changed by an inner loop": (
        "let mut i: i64 = 0;\n for j in 0..N { for l in 0..k { i += 1; }\n x[i] = 0.0; }"
    ),
    "changed twice": "let mut i: i64 = 0;\n for j in 0..N / 2 { i += 1; x[i] = 0.0; i += 1; }",
    "doubled": "let mut i: i64 = 1;\n for j in 0..3 { i = i * 2; }\n if N > 8 { x[i] = 0.0; }",
    "under a comparison of computed floats": "let a = x[0] * x[0];\n if a < 0.0 { x[N] = 0.0; }",
}


@pytest.mark.parametrize("text", PROVED.values(), ids=PROVED)
def test_access_is_proved(text: str) -> None:
    assert ask(body(text)).proved


@pytest.mark.parametrize("text", REFUTED.values(), ids=REFUTED)
def test_access_is_refuted(text: str) -> None:
    assert ask(body(text)).codes == {"E6150"}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_access_is_unknown(text: str) -> None:
    found = ask(body(text))
    assert not found.refuted
    assert {code for code, _ in found.unknown} & {"E6150", "E6153"}
