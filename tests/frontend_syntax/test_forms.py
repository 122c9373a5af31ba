"""What each form of the language parses to."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tests.frontend_syntax.trees import body, codes_and_lines, expression, parse_text, without_spans
from vxproof.frontend import ast
from vxproof.frontend.ast_operators import PRECEDENCE, Precedence
from vxproof.frontend.printer import print_program

CONTEXTUAL = [
    *("resident", "grid", "semantics", "warps", "pipelined", "invariant", "role", "on"),
    *("comptime", "transfer", "Layout", "Scale", "uninit", "pad", "block", "parallel"),
]


@pytest.mark.parametrize("word", CONTEXTUAL)
def test_a_contextual_word_is_a_name_everywhere_else(word: str) -> None:
    text = f"""
    fn {word}<const B: i64>({word}: f32, other: Tensor<f32, [{word}, 2]>) requires {word} < 3 {{
      let mut {word} = {word} + {word} * 2;
      {word} = {word}({word}, {word}: 1)[{word}].{word}({word});
      {word} += 1;
      {word}({word});
      for {word} in 0..{word} {{ let x = {word} < 3; }}
      if {word} {{ {word} }} else {{ -{word} }}
    }}
    """
    program = parse_text(text)
    function = program.functions[0]
    assert function.name.text == word
    assert function.params[0].name.text == word
    names = [s.name.text for s in function.body.statements if isinstance(s, ast.Let)]
    assert names == [word]
    assert len(function.body.statements) == 5
    assert isinstance(function.body.tail, ast.If)
    assert without_spans(parse_text(print_program(program))) == without_spans(program)


def test_contextual_words_act_as_keywords_in_their_places() -> None:
    block = body(
        "resident<Memory::RF> let mut x = 1;"
        "spawn on(Topology::GPU) semantics([parallel]) warps(2) grid([4]) {"
        "  for i in 0..grid invariant(i < 3) pipelined(2) { }"
        "  role r(warps: 1) { }"
        "}"
    )
    resident, spawn = block.statements
    assert isinstance(resident, ast.Let)
    assert resident.resident is not None
    assert resident.resident.name == "RF"
    assert isinstance(spawn, ast.Spawn)
    assert spawn.semantics is not None
    assert [name.text for name in spawn.semantics] == ["parallel"]
    loop, role = spawn.body.statements
    assert isinstance(loop, ast.For)
    assert without_spans(loop.stop) == ("Var", "grid")
    assert without_spans(loop.pipelined) == ("IntLit", 2, None)
    assert len(loop.invariants) == 1
    assert isinstance(role, ast.Role)


TIGHTER = [
    (first, second)
    for first in ast.BinaryOp
    for second in ast.BinaryOp
    if PRECEDENCE[first] < PRECEDENCE[second]
]


@pytest.mark.parametrize(("loose", "tight"), TIGHTER, ids=lambda op: op.value)
def test_a_tighter_operator_takes_its_operands_on_either_side(
    loose: ast.BinaryOp, tight: ast.BinaryOp
) -> None:
    left = expression(f"a {loose.value} b {tight.value} c")
    right = expression(f"a {tight.value} b {loose.value} c")
    assert isinstance(left, ast.Binary)
    assert isinstance(right, ast.Binary)
    assert left.op is right.op is loose
    assert isinstance(left.right, ast.Binary)
    assert isinstance(right.left, ast.Binary)


@pytest.mark.parametrize(
    "op", [op for op in ast.BinaryOp if PRECEDENCE[op] != Precedence.COMPARISON]
)
def test_an_operator_associates_to_the_left(op: ast.BinaryOp) -> None:
    tree = expression(f"a {op.value} b {op.value} c")
    assert isinstance(tree, ast.Binary)
    assert isinstance(tree.left, ast.Binary)
    assert isinstance(tree.right, ast.Var)


def test_the_table_of_precedence_is_that_of_the_language() -> None:
    order = ["||", "&&", "<", "+", "*"]
    ranks = [PRECEDENCE[ast.BinaryOp(sign)] for sign in order]
    assert ranks == sorted(set(ranks))
    product = {op.value for op, rank in PRECEDENCE.items() if rank is Precedence.PRODUCT}
    assert product == {"*", "/", "%", "@"}


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("-a as f32 * b", "((-a) as f32) * b"),
        ("-a.exp()", "-(a.exp())"),
        ("!a[i] && b", "(!(a[i])) && b"),
        ("a as f16 @ b", "(a as f16) @ b"),
        ("-x[0] - -y", "(-(x[0])) - (-y)"),
        ("&mut a[i]", "&mut (a[i])"),
        ("*r + 1", "(*r) + 1"),
        ("a - b + c", "(a - b) + c"),
        ("a / b * c", "(a / b) * c"),
        ("a as i64 < b", "(a as i64) < b"),
        ("a + b < c * d && e", "((a + b) < (c * d)) && e"),
        ("f(a < b, c > (d))", "f((a < b), (c > d))"),
    ],
)
def test_binding(text: str, same: str) -> None:
    assert without_spans(expression(text)) == without_spans(expression(same))


def test_comparisons_do_not_chain() -> None:
    assert codes_and_lines("fn f() { x = a < b < c; }") == [("E1001", 1)]
    assert codes_and_lines("fn f() { x = (a < b) == c; }") == []


def test_angles_are_arguments_only_where_a_call_follows() -> None:
    call = expression("stage<8192>(x)")
    assert isinstance(call, ast.Call)
    assert without_spans(call.const_args) == (("IntLit", 8192, None),)
    assert isinstance(expression("stage < 8192"), ast.Binary)
    assert isinstance(expression("(a < b) == (c > d)"), ast.Binary)
    two = parse_text("fn g<const A: i64, const B: i64>() {} fn f() { x = g<1, 2>(); }")
    statement = two.functions[1].body.statements[0]
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Call)
    assert statement.value.const_args is not None
    assert len(statement.value.const_args) == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", ("IntLit", 12, None)),
        ("1_000i64", ("IntLit", 1000, "i64")),
        ("0xfF", ("IntLit", 255, None)),
        ("0b101u8", ("IntLit", 5, "u8")),
        ("18446744073709551615", ("IntLit", 2**64 - 1, None)),
        ("1.5", ("FloatLit", 1.5, None)),
        ("1.", ("FloatLit", 1.0, None)),
        ("1e-5", ("FloatLit", 1e-5, None)),
        ("2.5e3f16", ("FloatLit", 2500.0, "f16")),
        ("3f32", ("FloatLit", 3.0, "f32")),
        ("inf", ("FloatLit", math.inf, None)),
        ("true", ("BoolLit", True)),
    ],
)
def test_literals(text: str, value: object) -> None:
    assert without_spans(expression(text)) == value


def test_a_range_is_not_a_float() -> None:
    (loop,) = body("for i in 0..4 { }").statements
    assert isinstance(loop, ast.For)
    assert without_spans((loop.start, loop.stop)) == (("IntLit", 0, None), ("IntLit", 4, None))


def test_spans_are_those_of_the_text() -> None:
    text = "fn f() {\n  x = (a + b) * c;\n}\n"
    statement = parse_text(text).functions[0].body.statements[0]
    assert isinstance(statement, ast.Assign)
    product = statement.value
    assert isinstance(product, ast.Binary)
    assert text[product.span.start : product.span.end] == "(a + b) * c"
    assert text[product.op_span.start : product.op_span.end] == "*"
    assert (product.span.line, product.span.column) == (2, 7)
    assert text[statement.span.start : statement.span.end] == "x = (a + b) * c"


@pytest.mark.parametrize(
    ("text", "is_value"),
    [
        ("if a { 1 } else { 2 }", True),
        ("if a { 1 } else if b { 2 } else { 3 }", True),
        ("if a { 1 } else { 2 };", False),
        ("if a { f(); } else { g(); }", False),
        ("if a { 1 }", False),
        ("f()", True),
        ("f();", False),
        ("return 1", False),
    ],
)
def test_the_value_of_a_block(text: str, is_value: bool) -> None:
    block = body(text)
    assert (block.tail is not None) is is_value
    assert len(block.statements) == (0 if is_value else 1)


def test_the_signature_of_a_function() -> None:
    text = """fn f() requires a -> i32 ensures b, c on Topology::GPU where d { }
              fn g() on Topology::GPU -> i32 { }"""
    first, second = parse_text(text).functions
    assert without_spans(first.preconditions) == (("Var", "a"), ("Var", "d"))
    assert without_spans(first.postconditions) == (("Var", "b"), ("Var", "c"))
    assert [c.kind.value for c in first.contracts] == ["requires", "ensures", "ensures", "where"]
    for function in (first, second):
        assert without_spans(function.result) == ("NamedType", "i32")
        assert without_spans(function.topology) == ("TopologyRef", "GPU")


def test_sizes_of_a_memory_item() -> None:
    (item,) = parse_text("Memory M { capacity: 228 KB, granule: 1.5KiB, clock: 1.4 GHz }").items
    assert isinstance(item, ast.MemoryItem)
    assert item.capacity is not None
    assert item.granule is not None
    assert item.clock is not None
    assert item.capacity.bytes == 228 * 1024
    assert item.granule.bytes == 1536
    assert (item.clock.number, item.clock.unit) == (Fraction(7, 5), "GHz")
    assert item.clock.bytes is None
    assert not item.overcommit


def test_places_and_layouts_of_a_type_in_either_order() -> None:
    first = parse_text(
        "fn f(x: Tensor<f32, [4], Memory::S, Layout::Strided, Scale<f8e8m0, block: 32>>) {}"
    )
    second = parse_text(
        "fn f(x: Tensor<f32, [4], Memory::S, Scale<f8e8m0, block: 32>, Layout::Strided,>) {}"
    )
    assert without_spans(first) == without_spans(second)
    of = first.functions[0].params[0].type
    assert isinstance(of, ast.TensorType)
    assert of.place is not None
    assert of.scale is not None
    assert isinstance(of.layout, ast.StridedLayout)
