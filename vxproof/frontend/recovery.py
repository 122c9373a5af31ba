"""Gets the parser going again after a syntax error, so that one run reports several.

A missing `;` is supplied where a line or a word shows that a statement has ended. Otherwise the
statement at fault is dropped: the stacks go back to the innermost block that is still open and the
tokens on to the statement's end. Outside blocks the whole item is dropped. An item's first word in
the first column ends whatever is open. Every step either moves on in the tokens or shortens the
stacks, so the work is linear in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.frontend.lexing import END, RESERVED_KIND, Token
from vxproof.frontend.syntax_errors import explain, missing_semicolon

if TYPE_CHECKING:
    from vxproof.diagnostics import Diagnostic, Source
    from vxproof.frontend.lalr import Machine

MAX_ERRORS = 20

_STATEMENT_WORDS = frozenset(
    ["let", "for", "if", "return", "assert", "spawn", "resident", "role", "comptime", "}"]
)
_ITEM_KINDS = frozenset(["fn", "import", "use"])
_PLACE_KINDS = frozenset(["Memory", "Topology"])
_ITEM_WORDS = frozenset(
    ["struct", "enum", "trait", "impl", "extern", "mod", "static", "type", "pub"]
)
_PREFIXES = frozenset(["pub", "unsafe", "async"])
_BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}
_CONTINUES = frozenset(["else", ";", ".", ")", "]", ","])


class Recovery:
    """The recovery of one run; `diagnostics` are what it reported."""

    def __init__(self, source: Source, tokens: list[Token], bad_lines: frozenset[int]) -> None:
        """Take the tokens, which may grow by a `;`, and the lines that were already reported."""
        self.diagnostics: list[Diagnostic] = []
        self._source = source
        self._tokens = tokens
        self._bad_lines = bad_lines
        self._supplied = -1
        self._resumed = -1

    def __call__(self, machine: Machine, index: int) -> int | None:
        """Return the token to go on from, or None to give up; see `Machine`."""
        tokens = self._tokens
        if len(self.diagnostics) >= MAX_ERRORS:
            return None
        if self._ends_statement(machine, index):
            before = tokens[index - 1]
            self.diagnostics.append(missing_semicolon(self._source, before))
            tokens.insert(index, Token(";", ";", before.end, before.end))
            self._supplied = index + 1
            return index
        token = tokens[index]
        line, _ = self._source.position(token.start)
        # What follows a statement that ran to the end of the file is no second error.
        muted = token.kind == END and index == self._resumed
        if not muted and line not in self._bad_lines:
            self.diagnostics.append(explain(self._source, tokens, index, machine.states))
        if token.kind == END:
            return None
        height = self._height(machine, "let")
        if height is None or self._is_item(index):
            self._resumed = self._skip_item(machine, index)
        else:
            self._resumed = self._skip_statement(machine, index, height)
        return self._resumed

    def _ends_statement(self, machine: Machine, index: int) -> bool:
        """Tell whether a `;` is all that is missing before a token."""
        if index in {0, self._supplied} or not machine.table.accepts(machine.states, ";"):
            return False
        before, token = self._tokens[index - 1], self._tokens[index]
        if (before.kind, token.kind) == ("return", "spawn"):
            return False
        if before.kind in {";", "{", "}"} or token.kind in {END, RESERVED_KIND, ")", "]"}:
            return False
        return token.kind in _STATEMENT_WORDS or self._ends_line(index - 1)

    def _height(self, machine: Machine, word: str) -> int | None:
        """Return how many states to keep so that a statement or an item can begin."""
        rows = machine.table.states
        for height in range(len(machine.states), 0, -1):
            row = rows[machine.states[height - 1]]
            if row.get(word, -1) >= 0 and (word != "let" or row.get(";", -1) >= 0):
                return height
        return None

    def _is_item(self, index: int) -> bool:
        """Tell whether an item begins at a token in the first column."""
        token = self._tokens[index]
        if token.start and self._source.text[token.start - 1] != "\n":
            return False
        return self._begins_item(index)

    def _begins_item(self, index: int) -> bool:
        token = self._tokens[index]
        following = self._tokens[min(index + 1, len(self._tokens) - 1)]
        return (
            token.kind in _ITEM_KINDS
            or (token.kind in _PLACE_KINDS and following.kind == "NAME")
            or (token.kind == RESERVED_KIND and token.text in _ITEM_WORDS)
        )

    def _skip_statement(self, machine: Machine, index: int, height: int) -> int:
        brackets = _unwind(machine, height)
        depth = 0
        while True:
            kind = self._tokens[index].kind
            if kind == END:
                return index
            if self._is_item(index):
                return self._skip_item(machine, index)
            brackets += _BRACKETS.get(kind, 0)
            if kind == "{":
                depth += 1
            elif kind == "}":
                if depth == 0:
                    return index
                depth -= 1
                if depth == 0 and self._tokens[index + 1].kind not in _CONTINUES:
                    return index + 1
            elif kind == ";" and depth == 0 and (brackets <= 0 or self._ends_line(index)):
                return index + 1
            index += 1

    def _ends_line(self, index: int) -> bool:
        """Tell whether a token is the last one of its line."""
        here, after = self._tokens[index], self._tokens[index + 1]
        return after.kind == END or "\n" in self._source.text[here.end : after.start]

    def _skip_item(self, machine: Machine, index: int) -> int:
        height = self._height(machine, "fn")
        assert height is not None, "the bottom of the stack begins an item"
        shortened = height < len(machine.states)
        brackets = _unwind(machine, height)
        token = self._tokens[index]
        if token.kind == RESERVED_KIND and token.text in _PREFIXES:
            return index + 1
        if shortened and token.kind != RESERVED_KIND and self._is_item(index):
            return index
        depth = 0
        while True:
            kind = self._tokens[index].kind
            if kind == END:
                return index
            brackets += _BRACKETS.get(kind, 0)
            depth += (kind == "{") - (kind == "}")
            index += 1
            following = self._tokens[index].kind
            ends = following != ";" if kind == "}" else kind == ";" and brackets <= 0
            if self._is_item(index) or (depth <= 0 and (ends or self._begins_item(index))):
                return index


def _unwind(machine: Machine, height: int) -> int:
    """Shorten the stacks; return how many `(` and `[` were open in what is dropped."""
    dropped = machine.values[height:]
    machine.unwind(height)
    return sum(_BRACKETS.get(value.kind, 0) for value in dropped if isinstance(value, Token))
