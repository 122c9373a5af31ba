"""Runs the compiled LALR table: tokens in, built nodes out, without recursion.

The machine keeps, beside the stack of states, the value, the first and last character, and the
depth in nodes of every symbol, so that nodes get exact spans and no tree deeper than the nesting
limit is ever made.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from vxproof.diagnostics import DiagnosticError
from vxproof.frontend.lexing import END, NESTING_LIMIT, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable

    from vxproof.diagnostics import Source
    from vxproof.frontend.lexing import Token

Row: TypeAlias = dict[str, int]

# Rules whose value is a part of the node around it, not a level of its own.
_NO_LEVEL = frozenset(
    ["annotation", "args", "const_params", "empty", "mutable", "params", "parenthesised", "path"]
    + ["on_clause", "result_clause", "string", "tail", "word", "layout_args", "start"]
)
# The rule whose method folds a sequence of operands and adds the height of the tree it made.
_FOLDED = "operation"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it is called, how many symbols it takes, and what becomes of their values.

    `method` is "" for a rule that passes its only value on or, where `gathers`, hands a list of
    values to the rule around it.
    """

    name: str
    length: int
    method: str
    kept: tuple[int, ...]
    spliced: frozenset[int]
    gathers: bool
    level: int


@dataclass(frozen=True, slots=True)
class Table:
    """The compiled grammar."""

    states: tuple[Row, ...]
    rules: tuple[Rule, ...]
    end: int

    def accepts(self, stack: list[int], kind: str) -> bool:
        """Tell whether a token of this kind would be shifted on this stack of states."""
        path = list(stack)
        while True:
            action = self.states[path[-1]].get(kind)
            if action is None:
                return False
            if action >= 0:
                return True
            rule = self.rules[~action]
            if rule.length:
                del path[-rule.length :]
            path.append(self.states[path[-1]][rule.name])
            if kind == END and path[-1] == self.end:
                return True


@cache
def load_table() -> Table:
    """Return the table that ships with the package."""
    text = resources.files("vxproof.frontend").joinpath("vx_table.json").read_text("utf-8")
    data = json.loads(text)
    return Table(
        tuple(data["states"]),
        tuple(
            Rule(
                name,
                length,
                method,
                tuple(kept),
                frozenset(spliced),
                gathers=name.startswith("~_"),
                level=0 if not method or method in _NO_LEVEL else 1,
            )
            for name, length, method, kept, spliced in data["rules"]
        ),
        data["end"],
    )


class Machine:
    """One run over the tokens of one source.

    `builder` has a method `make_<name>` for every rule that names one, called with the first and
    last character and the kept values. `recover` is called with the machine and the index of a token that cannot
    stand where it does, may change the stacks, and returns the index to go on from, or None to
    give up.
    """

    def __init__(
        self,
        source: Source,
        table: Table,
        builder: object,
        recover: Callable[[Machine, int], int | None],
    ) -> None:
        self.source = source
        self.table = table
        self.states = [0]
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = [0]
        self.depths: list[int] = []
        self._recover = recover
        self._methods = [
            getattr(builder, f"make_{rule.method}") if rule.method else None for rule in table.rules
        ]

    def run(self, tokens: list[Token]) -> Any | None:  # noqa: ANN401 - the start rule's value
        """Return the value of the start rule, or None where recovery gave up.

        Raises:
            DiagnosticError: E0003, a node would lie deeper than `NESTING_LIMIT`.
        """
        rows, rules, states = self.table.states, self.table.rules, self.states
        index = 0
        while True:
            token = tokens[index]
            kind = token.kind
            action = rows[states[-1]].get(kind)
            if action is None:
                resumed = self._recover(self, index)
                if resumed is None:
                    return None
                index = resumed
            elif action >= 0:
                self.shift(action, token)
                index += 1
            else:
                rule = rules[~action]
                if rule.length == 1 and not rule.method and not rule.gathers:
                    states[-1] = rows[states[-2]][rule.name]
                else:
                    self._reduce(rule, ~action)
                if kind == END and states[-1] == self.table.end:
                    return self.values[-1]

    def shift(self, state: int, token: Token) -> None:
        """Enter a state by a token."""
        self.states.append(state)
        self.values.append(token)
        self.starts.append(token.start)
        self.ends.append(token.end)
        self.depths.append(0)

    def unwind(self, height: int) -> None:
        """Drop everything above the first `height` states."""
        del self.states[height:], self.ends[height:]
        del self.values[height - 1 :], self.starts[height - 1 :], self.depths[height - 1 :]

    def _reduce(self, rule: Rule, number: int) -> None:
        length = rule.length
        end = self.ends[-1]
        if length:
            start = self.starts[-length]
            values = self.values[-length:]
            depths = self.depths[-length:]
            self.unwind(len(self.states) - length)
            depth = max(depths)
        else:
            start, values, depths, depth = end, [], [], 0
        value: Any
        if rule.gathers:
            value = _gather(rule, values)
        else:
            children = [values[i] for i in rule.kept] if not rule.spliced else _gather(rule, values)
            method = self._methods[number]
            if rule.method == _FOLDED:
                value, height = method(start, end, children)
                depth += height
            elif method is None:
                (value,) = children
            else:
                value = method(start, end, *children)
                depth += rule.level
            if depth > NESTING_LIMIT:
                raise DiagnosticError((too_deep(self.source, start, end),))
        self.states.append(self.table.states[self.states[-1]][rule.name])
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)
        self.depths.append(depth)


def _gather(rule: Rule, values: list[Any]) -> list[Any]:
    """Return the kept values as one list, reusing the list that a repetition began."""
    out: list[Any] = []
    for i in rule.kept:
        if i not in rule.spliced:
            out.append(values[i])
        elif out:
            out += values[i]
        else:
            out = values[i]
    return out
