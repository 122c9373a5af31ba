"""Text to tokens, in one pass of one regular expression, then words and angles in context.

A token's kind is `NAME`, `INT`, `FLOAT`, `STRING`, or its own text for keywords and signs. The
second pass settles what a single token cannot say:

- `resident grid semantics warps pipelined invariant role on comptime transfer Layout Scale` are
  keywords only where their neighbours show it, and names everywhere else;
- `<` and `>` become `_OPEN` and `_CLOSE` where they bracket arguments. After a plain name they do
  so only if what is between could be constant arguments and a call follows; a list with a comma
  also needs a function of that name with generics in the file, since `f(a < b, c > (d))` is legal;
- `&&` before an operand is two borrows;
- `return` in an `ensures` is the name of the result, and a word between a number and `/` a unit.

Brackets nest at most `NESTING_LIMIT` deep (E0003), which is checked here before anything recurses.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Source

NESTING_LIMIT = 256
END = "$END"

KEYWORDS = frozenset(
    [
        "fn",
        "let",
        "mut",
        "if",
        "else",
        "for",
        "in",
        "return",
        "as",
        "true",
        "false",
        "inf",
        "assert",
        "spawn",
        "where",
        "requires",
        "ensures",
        "import",
        "use",
        "const",
        "Memory",
        "Topology",
    ]
)
# Words of the language at large that the kernel subset has no use for; never names.
RESERVED = frozenset(
    [
        "struct",
        "enum",
        "trait",
        "impl",
        "extern",
        "mod",
        "pub",
        "static",
        "type",
        "unsafe",
        "while",
        "loop",
        "match",
        "break",
        "continue",
        "async",
        "await",
        "dyn",
        "move",
        "ref",
    ]
)
RESERVED_KIND = "reserved"

# A number ends where no letter or digit follows, or where a unit does (`228KB`).
_NUMBER_END = r"(?:(?![A-Za-z0-9_])|(?=(?:[KMGT]i?B|[KMGT]?Hz)(?![A-Za-z0-9_])))"
_TOKEN = re.compile(
    r"(?:[ \t\r\n]++|//[^\n]*+)*+"
    r"(?:([A-Za-z_][A-Za-z0-9_]*+)"
    r"|((?:[0-9][0-9_]*+\.(?:[0-9][0-9_]*+(?:[eE][+-]?[0-9_]++)?|(?![.A-Za-z_]))"
    r"|[0-9][0-9_]*+[eE][+-]?[0-9_]++)_?(?:f64|f32|f16|bf16)?"
    + _NUMBER_END
    + r"|[0-9][0-9_]*_?(?:f64|f32|f16|bf16)(?![A-Za-z0-9_]))"
    r"|((?:0x[0-9a-fA-F_]++|0o[0-7_]++|0b[01_]++|[0-9][0-9_]*+)"
    r"(?:[iu](?:8|16|32|64))?" + _NUMBER_END + r")"
    r'|("(?:[^"\\\n]|\\.)*+")'
    r"|(->|::|\.\.|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|/=|%=|(?!/\*)[-+*/%@=<>!&()\[\]{},;:.])"
    r"|(\Z)"
    r"|(/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|[0-9][0-9A-Za-z_.]*+|\"[^\n]*+|[^\x00-\x7f]++|.))",
    re.DOTALL,
)
_KINDS = ("", "", "FLOAT", "INT", "STRING", "", END, "")
_NAME_GROUP, _SIGN_GROUP, _BAD_GROUP = 1, 5, 7


def is_name(text: str) -> bool:
    """Tell whether a text is one identifier: ASCII, and no reserved word."""
    return text.isascii() and text.isidentifier() and text not in KEYWORDS | RESERVED


class Token(NamedTuple):
    """A token of characters `[start, end)`."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(source: Source) -> tuple[list[Token], list[Diagnostic]]:
    """Return the tokens, the last one of kind `END`, and what could not be read, once a line.

    Raises:
        DiagnosticError: E0003, brackets nested more than `NESTING_LIMIT` deep.
    """
    raw: list[Token] = []
    diagnostics: list[Diagnostic] = []
    keywords, reserved = KEYWORDS, RESERVED
    for match in _TOKEN.finditer(source.text):
        group = match.lastindex or _BAD_GROUP
        text = match[group]
        end = match.end()
        if group == _NAME_GROUP:
            kind = "NAME"
            if text in keywords:
                kind = text
            elif text in reserved:
                kind = RESERVED_KIND
        elif group == _SIGN_GROUP:
            kind = text
        elif group == _BAD_GROUP:
            found = _unreadable(source, text, end - len(text), end)
            if not diagnostics or _line(diagnostics[-1]) != _line(found):
                diagnostics.append(found)
            continue
        else:
            kind = _KINDS[group]
        raw.append(Token(kind, text, end - len(text), end))
    return _Context(source, raw).resolve(), diagnostics


def _line(diagnostic: Diagnostic) -> int:
    return diagnostic.primary.span.line if diagnostic.primary is not None else 0


def _unreadable(source: Source, text: str, start: int, end: int) -> Diagnostic:
    """Say what is wrong with a piece of text that is no token."""
    code, advice = "E1001", None
    if text.startswith("/*"):
        code, headline = "E6190", "block comments are outside the kernel subset"
        advice = "write `//` before each line of the comment"
    elif text.startswith('"'):
        headline, advice = "this string is not closed", 'end it with `"` on the same line'
    elif text[0].isdigit():
        headline = f"`{text[:40]}` is not a number"
        advice = "integers may end in i8 to u64, floats in f16, bf16, f32 or f64"
    elif text == "|":
        code, headline = "E6190", "`|` (a closure or a bitwise operator) is outside the subset"
    elif text == "?":
        code, headline = "E6190", "unnamed sizes are outside the kernel subset"
        advice = "give the size a name, as in `Tensor<f32, [M, N]>`"
    elif text in {"^", "~"}:
        code, headline = "E6190", "bitwise operators are outside the kernel subset"
    elif text == "'":
        headline, advice = "unexpected `'`", 'strings stand in `"`; there are no characters'
    elif text == "$":
        code, headline = "E6190", "macros are outside the kernel subset"
    elif text == "#":
        code, headline = "E6190", "attributes are outside the kernel subset"
    elif not text.isascii() and text[:40].isprintable():
        headline = f"`{text[:40]}` cannot stand outside a comment or a string"
        advice = "names are made of ASCII letters, digits and `_`"
    else:
        headline = f"unexpected character {text[:1]!a}"
    return Diagnostic(code, headline, Label(source.span(start, end)), help=advice)


OPERAND_ENDS = frozenset(
    ["NAME", "INT", "FLOAT", "STRING", "true", "false", "inf", ")", "]", "_CLOSE"]
)
_STATEMENT_STARTS = frozenset(["{", "}", ";"])
_CONST_ARGUMENT_KINDS = frozenset(["NAME", "INT", ",", "+", "-", "*", "/", "%"])
_CLAUSES_AFTER_PAREN = frozenset(["grid", "semantics", "warps"])
_CLAUSES = frozenset(["pipelined", "invariant"])
_CONTEXTUAL = (
    _CLAUSES_AFTER_PAREN
    | _CLAUSES
    | frozenset(["resident", "role", "on", "comptime", "transfer", "Tensor", "Layout", "Scale"])
)
_ENSURES_ENDS = frozenset(["requires", "ensures", "where", "on", "->", "{"])
_OPENERS = frozenset("([{")
_CLOSERS = {")": "(", "]": "[", "}": "{"}
_SPECIAL = frozenset(["<", ">", ">=", "&&", ";"]) | _OPENERS | frozenset(_CLOSERS)


class _Context:
    """The second pass: one run over the tokens with a stack of open brackets."""

    def __init__(self, source: Source, raw: list[Token]) -> None:
        self._source = source
        end = raw[-1] if raw else Token(END, "", len(source.text), len(source.text))
        self._raw = [*raw, end, end, end, end]
        self._count = len(raw)
        self._out: list[Token] = []
        self._open: list[str] = []
        self._generic_functions = frozenset(
            raw[i].text
            for i in range(1, len(raw) - 1)
            if raw[i - 1].kind == "fn" and raw[i + 1].kind == "<"
        )

    def resolve(self) -> list[Token]:
        """Return the tokens with the kinds that their context gives them."""
        out = self._out
        special, contextual = _SPECIAL, _CONTEXTUAL
        for i in range(self._count):
            token = self._raw[i]
            if token.kind in special:
                self._bracket(i, token)
            elif token.text in contextual and self._is_keyword(i, token.text):
                out.append(token._replace(kind=token.text))
            elif token.kind == "return" and self._in_ensures():
                out.append(token._replace(kind="NAME"))
            elif token.kind == "NAME" and self._raw[i + 1].kind == "/" and self._is_unit():
                out.append(token._replace(kind="RATE"))
            else:
                out.append(token)
        return out

    def _previous(self, back: int = 1) -> str:
        return self._out[-back].kind if len(self._out) >= back else END

    def _is_unit(self) -> bool:
        """Tell whether a word stands right after a number, as the first half of `GB/s` does."""
        return self._previous() in {"INT", "FLOAT"}

    def _in_ensures(self) -> bool:
        """Tell whether the innermost clause word so far is `ensures`."""
        for token in reversed(self._out):
            if token.kind in _ENSURES_ENDS or token.kind in {";", "}"}:
                return token.kind == "ensures"
        return False

    def _is_keyword(self, i: int, word: str) -> bool:
        following, after = self._raw[i + 1], self._raw[i + 2]
        previous = self._previous()
        if previous in {".", "fn"}:
            return False
        if word in _CLAUSES_AFTER_PAREN:
            return previous == ")" and following.kind == "("
        if word in _CLAUSES:
            return previous in OPERAND_ENDS and following.kind == "("
        answers = {
            "resident": previous in _STATEMENT_STARTS
            and (
                following.kind == "let"
                or (following.kind == "<" and after.kind == "Memory")
                or (following.kind == "<" and self._raw[i + 4].kind == "let")
            ),
            "role": previous in _STATEMENT_STARTS
            and following.kind == "NAME"
            and after.kind in {"(", "{"},
            "on": previous == "spawn"
            or following.kind == "Topology"
            or (previous in OPERAND_ENDS and following.kind == "NAME"),
            "comptime": following.kind == "assert"
            or (following.kind == "{" and previous in _STATEMENT_STARTS),
            "transfer": following.kind == "Memory",
            "Tensor": following.kind == "<",
            "Layout": following.kind == "::" and self._open[-1:] == ["<"],
            "Scale": following.kind == "<" and self._open[-1:] == ["<"],
        }
        return answers[word]

    def _bracket(self, i: int, token: Token) -> None:
        """Append a bracket, a comparison, `&&` or `;`, keeping the stack of what is open."""
        out, stack = self._out, self._open
        kind = token.kind
        match kind:
            case "<" if self._opens_arguments(i):
                self._push("<", token)
                out.append(token._replace(kind="_OPEN"))
                return
            case ">" | ">=" if stack and stack[-1] == "<":
                stack.pop()
                out.append(Token("_CLOSE", ">", token.start, token.start + 1))
                if kind == ">=":
                    out.append(Token("=", "=", token.start + 1, token.end))
                return
            case "&&" if self._previous() not in OPERAND_ENDS and self._previous() != "}":
                out.append(Token("&", "&", token.start, token.start + 1))
                out.append(Token("&", "&", token.start + 1, token.end))
                return
            case "(" | "[":
                self._push(kind, token)
            case "{" | ";" | ")" | "]" | "}":
                while stack and stack[-1] == "<":
                    stack.pop()
                if kind == "{":
                    self._push(kind, token)
                elif kind != ";" and stack and stack[-1] == _CLOSERS[kind]:
                    stack.pop()
            case _:
                pass
        out.append(token)

    def _push(self, kind: str, token: Token) -> None:
        self._open.append(kind)
        if len(self._open) > NESTING_LIMIT:
            raise DiagnosticError((too_deep(self._source, token.start, token.end),))

    def _opens_arguments(self, i: int) -> bool:
        previous = self._previous()
        if previous in {"Tensor", "Scale", "resident", "::"}:
            return True
        if previous != "NAME":
            return False
        before = self._previous(2)
        if before == "fn" or (before == "::" and self._previous(3) == "Layout"):
            return True
        end = i + 1
        while self._raw[end].kind in _CONST_ARGUMENT_KINDS:
            end += 1
        between = self._raw[i + 1 : end]
        if not between or self._raw[end].kind != ">" or self._raw[end + 1].kind != "(":
            return False
        return (
            all(token.kind != "," for token in between)
            or self._out[-1].text in self._generic_functions
        )


def too_deep(source: Source, start: int, end: int) -> Diagnostic:
    """Return the diagnostic of a construct below the nesting limit."""
    return Diagnostic(
        "E0003",
        f"nesting is deeper than {NESTING_LIMIT}",
        Label(source.span(start, end), "this lies too deep"),
        notes=("brackets, blocks, `else if` and every operator of a chain count",),
        help="name parts of it with `let`, or split it into several clauses",
    )
