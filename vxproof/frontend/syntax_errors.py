"""Says what is wrong at a token that cannot stand where it does.

Most messages are given by example: a piece of broken source and the sentence for it. At the first
error the examples are run through the same table, and the state and the kind of token at which
each breaks are the keys. What no example covers is told by what the table would have accepted.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label, Source
from vxproof.frontend.build_items import Builder
from vxproof.frontend.lalr import Machine, load_table
from vxproof.frontend.lexing import END, OPERAND_ENDS, RESERVED_KIND, Token, tokenize
from vxproof.frontend.syntax_examples import EXAMPLES, Example

if TYPE_CHECKING:
    from vxproof.diagnostics import Span

_OPENING = {")": "(", "]": "[", "}": "{", "_CLOSE": "<"}
_CLOSING = {"(": ")", "[": "]", "{": "}", "_OPEN": ">"}
_SPELLING = {"NAME": "a name", "INT": "a number", "FLOAT": "a number", "STRING": "a string"}
_SPELLING |= {"_OPEN": "`<`", "_CLOSE": "`>`", END: "the end of the file"}
_OPERATORS = frozenset(
    [
        "||",
        "&&",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "*",
        "/",
        "%",
        "@",
        "as",
        ".",
        "[",
        "::",
        "(",
        ":",
        "_OPEN",
        "!",
    ]
)
_ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "%="])

_REMEDIES = {
    "while": "loop over a range: `for i in 0..n { … }`",
    "loop": "loop over a range: `for i in 0..n { … }`",
    "break": "bound the range of the loop, or guard its body with `if`",
    "continue": "guard the rest of the body with `if`",
    "match": "write `if … { } else if … { } else { }`",
    "struct": "pass the parts as parameters of their own",
    "pub": "leave it out: every function of the file is verified",
    "static": "pass the value as a parameter or a const generic",
}


@cache
def _by_example() -> dict[tuple[int, str], Example]:
    """Return the example for each state and kind of token; the kind `*` is any token."""
    found: dict[tuple[int, str], Example] = {}
    for example in EXAMPLES:
        source = Source("", example.text)
        tokens, _ = tokenize(source)
        where: list[tuple[int, str]] = []

        def stop(
            machine: Machine,
            index: int,
            tokens: list[Token] = tokens,
            where: list[tuple[int, str]] = where,
        ) -> int | None:
            where.append((machine.states[-1], tokens[index].kind))
            return None

        Machine(source, load_table(), Builder(source), stop).run(tokens)
        if not where:
            raise AssertionError(f"this example of a syntax error parses: {example.text}")
        state, kind = where[0]
        found.setdefault((state, "*" if example.any_token else kind), example)
    return found


def explain(source: Source, tokens: list[Token], index: int, states: list[int]) -> Diagnostic:
    """Return the diagnostic of a token that the stack of states does not accept."""
    token = tokens[index]
    span = source.span(token.start, token.end)
    if token.kind == RESERVED_KIND:
        return Diagnostic(
            "E6190",
            f"`{token.text}` is outside the kernel subset",
            Label(span),
            help=_REMEDIES.get(token.text),
        )
    opened = innermost_open(tokens, index)
    if token.kind in _OPENING and opened is None:
        return Diagnostic("E1001", f"`{token.text}` closes nothing", Label(span))
    if opened is not None and opened.kind == "{" and _starts_line(source, token):
        at = source.span(opened.start, opened.end)
        return Diagnostic(
            "E1001",
            "`{` is not closed before the next item",
            Label(span, "an item begins here"),
            (Label(at, "this `{` is still open"),),
        )
    examples = _by_example()
    example = (
        examples.get((states[-1], token.kind))
        or _by_neighbour(tokens, index, opened)
        or examples.get((states[-1], "*"))
    )
    if example is not None:
        return Diagnostic(example.code, example.headline, Label(span), help=example.help)
    return _by_expectation(source, tokens, index, states)


def _starts_line(source: Source, token: Token) -> bool:
    """Tell whether a token is an item's first word in the first column."""
    return token.kind in {"fn", "import", "use"} and (
        not token.start or source.text[token.start - 1] == "\n"
    )


def _by_neighbour(tokens: list[Token], index: int, opened: Token | None) -> Example | None:
    """Recognise forms of the wider language by the token before and the bracket that is open."""
    before = tokens[index - 1].kind if index else END
    match before, tokens[index].kind:
        case _, "&" if before in OPERAND_ENDS:
            return Example("", "bitwise operators are outside the kernel subset", code="E6190")
        case "<", "<":
            return Example("", "shifts are outside the kernel subset", code="E6190")
        case _, "||" if before not in OPERAND_ENDS:
            return Example("", "closures are outside the kernel subset", code="E6190")
        case _, "=" if before in OPERAND_ENDS and opened is not None and opened.kind != "_OPEN":
            return Example("", "`=` cannot stand in an expression", "compare with `==`")
        case _, "STRING":
            return Example("", "only `print` and `assert` take a string")
        case _, "spawn":
            return Example("", "the value of a `spawn` is outside the kernel subset", code="E6190")
        case "NAME", "!":
            return Example("", "macros are outside the kernel subset", code="E6190")
        case _:
            return _wider_form(tokens[index - 1] if index else tokens[0], tokens[index])


def _wider_form(before: Token, token: Token) -> Example | None:
    """Recognise forms of the wider language that other tokens of the subset spell."""
    what = None
    match before.kind, token.kind:
        case "NAME", "{" | "NAME" | "(" if before.text == "comptime":
            what = "compile-time values and branches are"
        case "NAME", "{" if before.text[:1].isupper():
            what = "struct values are"
        case "NAME", "<" | "_OPEN":
            what = f"the type `{before.text}<…>` is"
        case "NAME", ":" if before.text[:1].isupper():
            what = "type parameters are"
        case ("<", "<" | "<=") | (">", ">" | ">="):
            what = "shifts are"
        case ":" | "->", "*":
            what = "raw pointers are"
        case ":" | "->", "<":
            what = "vector types are"
        case ":" | "->", "fn":
            what = "function types are"
        case _ if token.text == "macro_rules":
            what = "macros are"
        case _:
            pass
    return None if what is None else Example("", f"{what} outside the kernel subset", code="E6190")


def _by_expectation(
    source: Source, tokens: list[Token], index: int, states: list[int]
) -> Diagnostic:
    """Tell what could have stood here, and which bracket is still open."""
    token = tokens[index]
    table = load_table()
    kinds = {kind for kind in table.states[states[-1]] if not kind.startswith("~")}
    expected = {kind for kind in kinds if table.accepts(states, kind)}
    found = "the end of the file" if token.kind == END else f"`{token.text}`"
    headline = f"expected {_list(expected)}, found {found}"
    secondary: tuple[Label, ...] = ()
    opened = innermost_open(tokens, index)
    closes = opened is not None and opened.kind != "{" and _CLOSING[opened.kind]
    if opened is not None and (token.kind == END or closes in _closers(expected)):
        at = source.span(opened.start, opened.end)
        secondary = (Label(at, f"this `{opened.text}` is still open"),)
        if token.kind == END:
            headline = f"`{opened.text}` is never closed"
    elif token.kind in _OPENING and opened is not None and _OPENING[token.kind] != opened.text:
        headline = f"`{token.text}` closes nothing"
    return Diagnostic("E1001", headline, Label(_visible(source, tokens, index)), secondary)


def _closers(expected: set[str]) -> set[str]:
    return {">" if kind == "_CLOSE" else kind for kind in expected}


def _visible(source: Source, tokens: list[Token], index: int) -> Span:
    """Return a token's span; for the end of the file that of the last token, which can be seen."""
    token = tokens[index]
    if token.kind == END and index:
        token = tokens[index - 1]
    return source.span(token.start, token.end)


def _list(expected: set[str]) -> str:
    """Spell a set of kinds in a few words."""
    names: list[str] = []
    rest = set(expected)
    if {"INT", "NAME"} <= rest:
        if "let" in rest:
            names.append("a statement")
            rest &= {"}"}
        else:
            names.append("an expression")
            rest &= {")", "]", "}", ";", ",", "_CLOSE", "{"}
    elif {"Tensor", "NAME"} <= rest:
        names.append("a type")
        rest -= {"Tensor", "NAME", "&"}
    if {"requires", "{"} <= rest:
        rest = {"{"}
    elif "+" in rest or ("." in rest and "[" in rest):
        rest -= _OPERATORS
        if rest - _ASSIGNMENTS:
            rest -= _ASSIGNMENTS
        if ";" in rest:
            rest = {";"}
        names += [] if rest else ["an operator"]
    order = sorted(rest, key=lambda kind: (kind.isalpha(), kind))
    names += [_SPELLING.get(kind, f"`{kind}`") for kind in order]
    names = list(dict.fromkeys(names))
    if len(names) > 5:
        names = [*names[:4], "something else"]
    if len(names) < 2:
        return names[0] if names else "nothing more"
    return f"{', '.join(names[:-1])} or {names[-1]}"


def innermost_open(tokens: list[Token], index: int) -> Token | None:
    """Return the bracket that is open at a token, or None."""
    stack: list[Token] = []
    for token in tokens[:index]:
        if token.kind in _CLOSING:
            stack.append(token)
        elif token.kind in _OPENING:
            while stack and _OPENING[token.kind] != stack[-1].text:
                stack.pop()
            if stack:
                stack.pop()
    return stack[-1] if stack else None


def missing_semicolon(source: Source, before: Token) -> Diagnostic:
    """Return the diagnostic of a statement that a new line or a word ends instead of a `;`."""
    return Diagnostic(
        "E1001",
        "expected `;` after this statement",
        Label(source.span(before.start, before.end), "add `;` here"),
    )
