"""Broken pieces of source and the sentence that each deserves. Data for `syntax_errors`."""

from __future__ import annotations

from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A piece of source that breaks at one token, and what to say there.

    With `any_token` the sentence holds for every token that breaks in the same state.
    """

    text: str
    headline: str
    help: str | None = None
    code: str = "E1001"
    any_token: bool = False


def _outside(
    text: str, what: str, advice: str | None = None, *, any_token: bool = False
) -> Example:
    headline = f"{what} outside the kernel subset"
    return Example(text, headline, advice, code="E6190", any_token=any_token)


_TOP = "only functions, places and imports stand at the top of a file"
_RANGE = "ranges are half-open and their end is written out"
_PLACE = "a place is written `Memory::…`"
_TOPOLOGY = "a topology is written `Topology::…`"

EXAMPLES: tuple[Example, ...] = (
    # items
    _outside("const N: i64 = 4;", "constants at the top of a file are", "use a const generic"),
    _outside("fn f() {} const N: i64 = 4;", "constants at the top of a file are"),
    _outside("use std::math::{exp};", "imports of several names are", "import one path at a time"),
    _outside("use std::math::*;", "imports of several names are", "write `import std::math;`"),
    Example("x", _TOP, any_token=True),
    Example("fn f() {} x", _TOP, any_token=True),
    Example("fn (x: f32) {}", "a function needs a name", any_token=True),
    Example("fn f {}", "a function needs a parameter list", "write `fn f() { … }`"),
    Example("fn f();", "a function needs a body"),
    Example("fn f(x) {}", "a parameter needs a type", "write `x: f32`"),
    Example("fn f(x = 1) {}", "a parameter needs a type", "write `x: f32`"),
    Example("fn f(x, y: f32) {}", "a parameter needs a type", "write `x: f32`"),
    _outside("fn f(mut x: f32) {}", "`mut` parameters are", "write `let mut` in the body"),
    _outside("fn f(&self) {}", "methods are", "write a function"),
    _outside("fn f() -> () {}", "the type `()` is", "leave `-> ()` out"),
    _outside("fn f(x: [f32; 4]) {}", "array types are", "write `Tensor<f32, [4]>`"),
    _outside("fn f() { let x: [f32; 4] = y; }", "array types are", "write `Tensor<f32, [4]>`"),
    _outside("fn f(x: (f32, f32)) {}", "tuple types are", "pass the parts one by one"),
    Example("fn f<const N>() {}", "a const generic needs a type", "write `const N: i64`"),
    Example("fn f() on GPU {}", _TOPOLOGY, any_token=True),
    Example("fn f() { spawn on(GPU) {} }", _TOPOLOGY, any_token=True),
    Example("fn f() { spawn { } }", "a spawn needs a topology", "write `spawn on(Topology::GPU)`"),
    Example("fn f() { spawn on(Topology::GPU) grid(4) {} }", "`grid` takes a list: `grid([4])`"),
    Example("fn f() { spawn on(Topology::GPU) grid(n) {} }", "`grid` takes a list: `grid([n])`"),
    Example(
        "fn f() { spawn on(Topology::GPU) semantics(parallel) {} }",
        "`semantics` takes a list: `semantics([parallel])`",
    ),
    Example("fn f() { resident<RF> let x = 1; }", _PLACE, any_token=True),
    Example(
        "fn f() { resident let x = 1; }", "a resident names its place", "`resident<Memory::RF>`"
    ),
    # statements
    _outside("fn f() { fn g() {} }", "functions within functions are", "move it to the top"),
    _outside("fn f() { let x = 1; fn g() {} }", "functions within functions are"),
    _outside("fn f() { let (a, b) = x; }", "patterns are", "bind one name at a time"),
    Example("fn f() { let = 3; }", "a `let` needs a name", any_token=True),
    Example("fn f() { let x; }", "a `let` needs a value", "write `let x = …;`"),
    Example("fn f() { let x: f32; }", "a `let` needs a value", "write `let x: f32 = …;`"),
    Example("fn f() { let x == 3; }", "a value is bound with `=`"),
    Example("fn f() { else {} }", "this `else` belongs to no `if`"),
    Example("fn f() { let x = 1; else {} }", "this `else` belongs to no `if`"),
    _outside("fn f() { if let x = y {} }", "`if let` is"),
    Example("fn f() { for i of 0..3 {} }", "expected `in` after the loop variable", any_token=True),
    Example("fn f() { for 3 in x {} }", "a loop needs a variable", any_token=True),
    Example("fn f() { for i in n {} }", "a loop runs over a range", "write `0..n`"),
    Example("fn f() { for i in 0..=3 {} }", _RANGE, "write `0..n + 1` for `0..=n`"),
    Example("fn f() { for i in 0.. {} }", _RANGE, "write `0..n`"),
    # expressions
    Example("fn f() { x++; }", "there is no unary `+` and no `++`", "write `x += 1`"),
    Example("fn f() { a[i, j]; }", "each bracket takes one index", "write `a[i][j]`"),
    Example("fn f() { a[]; }", "an index is missing"),
    _outside("fn f() { a[0..4]; }", "ranges as an index are", "write `slice(a, [r, c], [M, N])`"),
    _outside("fn f() { let x = [0.0; 4]; }", "repeated lists are", "`Tensor<f32>([4])` is zeros"),
    Example("fn f() { x.y::<1>(); }", "a method takes no constant arguments"),
    _outside("fn f() { x.y; }", "fields are", "a method call has parentheses", any_token=True),
    _outside("fn f() { let x = (a, b); }", "tuples are", "bind one name at a time"),
    _outside("fn f() { let x = (); }", "the value `()` is"),
    Example("fn f() { tile(a, pad = 0.0); }", "a named argument is written `pad: 0.0`"),
    Example("fn f() { let x = Memory; }", _PLACE, any_token=True),
    Example("fn f() { let x = Topology; }", _TOPOLOGY, any_token=True),
)
