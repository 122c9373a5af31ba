"""Tokens of the plan's text, each with its place."""

from __future__ import annotations

import re

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Source, Span
from vxproof.records import dataclass

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      |(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<number>\d+)
      |(?P<name>[%$A-Za-z_][\w.$#@%]*(?:-[A-Za-z_]\w*)*(?:\+[A-Za-z_][\w.]*)*)
      |(?P<sign><=|>=|==|!=|[-+*/%<>(){}\[\],])""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, string or sign; the text of a string is without quotes."""

    kind: str
    text: str
    span: Span


def refuse(span: Span, text: str) -> DiagnosticError:
    """Return a syntax error in a plan."""
    return DiagnosticError((Diagnostic("E1001", text, Label(span, "here")),))


def tokens(source: Source) -> list[Token]:
    """Split a plan's text; the last token is the end.

    Raises:
        DiagnosticError: E1001, a character that starts nothing.
    """
    found: list[Token] = []
    at, text = 0, source.text
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise refuse(source.span(at, at + 1), f"a plan has no `{text[at]}` here")
        if match.lastgroup != "space":
            word = match.group()
            if match.lastgroup == "string":
                word = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), word[1:-1])
            found.append(Token(match.lastgroup, word, source.span(at, match.end())))
        at = match.end()
    found.append(Token("end", "", source.span(len(text), len(text))))
    return found


class Cursor:
    """A position among tokens."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens = tokens(source)
        self.at = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.at]

    def sees(self, *texts: str) -> bool:
        """Whether the next token is one of these words or signs."""
        return self.next.kind in {"name", "sign"} and self.next.text in texts

    def take(self) -> Token:
        """Take the next token."""
        token = self.next
        if token.kind != "end":
            self.at += 1
        return token

    def accept(self, text: str) -> bool:
        """Take the next token if it is this word or sign."""
        if self.sees(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        """Take this word or sign.

        Raises:
            DiagnosticError: E1001, something else stands there.
        """
        if not self.sees(text):
            raise refuse(self.next.span, f"expected `{text}`, found {self.found()}")
        return self.take()

    def found(self) -> str:
        """Name the next token for a message."""
        return "the end" if self.next.kind == "end" else f"`{self.next.text}`"

    def kind(self, kind: str, what: str) -> str:
        """Take a token of a kind and return its text.

        Raises:
            DiagnosticError: E1001, the next token is of another kind.
        """
        if self.next.kind != kind:
            raise refuse(self.next.span, f"expected {what}, found {self.found()}")
        return self.take().text

    def string(self) -> str:
        """Take a string."""
        return self.kind("string", "a string")

    def word(self) -> str:
        """Take a word."""
        return self.kind("name", "a word")

    def number(self) -> int:
        """Take an integer, with its sign."""
        sign = -1 if self.accept("-") else 1
        return sign * int(self.kind("number", "a number"))
