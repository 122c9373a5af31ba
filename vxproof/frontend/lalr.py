"""Runs the compiled LALR table: tokens in, built nodes out, without recursion.

The machine keeps, beside the stack of states, the value, the first and last character, and the
depth in nodes of every symbol, so that nodes get exact spans and no tree deeper than the nesting
limit is ever made.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from vxproof.diagnostics import DiagnosticError
from vxproof.frontend.lexing import END, NESTING_LIMIT, too_deep
from vxproof.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from vxproof.diagnostics import Source
    from vxproof.frontend.lexing import Token

Row: TypeAlias = dict[str, int]

# Rules whose value is a part of the node around it, not a level of its own.
_NO_LEVEL = frozenset(
    {
        *("annotation", "args", "const_params", "empty", "layout_args", "mutable", "on_clause"),
        *("params", "parenthesised", "path", "result_clause", "start", "string", "tail", "word"),
    }
)
# The rule whose method folds a sequence of operands and adds the height of the tree it made.
_FOLDED = "operation"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it is called, how many symbols it takes, and what becomes of their values.

    `method` is "" for a rule that passes its only value on or, where `gathers`, hands a list of
    values to the rule around it. `passes` marks a rule that only renames its one symbol.
    """

    name: str
    length: int
    method: str
    kept: tuple[int, ...]
    spliced: frozenset[int]
    gathers: bool
    level: int
    passes: bool


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
    data = json.loads(Path(__file__).with_name("vx_table.json").read_bytes())
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
                passes=length == 1 and not method and not name.startswith("~_"),
            )
            for name, length, method, kept, spliced in data["rules"]
        ),
        data["end"],
    )


class Machine:
    """One run over the tokens of one source.

    `builder` has a method `make_<name>` for every rule that names one, called with the first and
    last character and the kept values. `recover` is called with the machine and the index of a
    token that cannot stand where it does, may change the stacks, and returns the index to go on
    from, or None to give up.
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
        # One entry a symbol on each; the first stands for the bottom of the stack.
        self.states = [0]
        self.values: list[Any] = [None]
        self.starts = [0]
        self.ends = [0]
        self.depths = [0]
        self._recover = recover
        self._methods = [
            getattr(builder, f"make_{rule.method}") if rule.method else None for rule in table.rules
        ]

    def run(self, tokens: list[Token]) -> Any | None:
        """Return the value of the start rule, or None where recovery gave up.

        Raises:
            DiagnosticError: E0003, a node would lie deeper than `NESTING_LIMIT`.
        """
        rows, rules, accepted = self.table.states, self.table.rules, self.table.end
        states, values, starts = self.states, self.values, self.starts
        ends, depths = self.ends, self.depths
        index = 0
        kind, _, start, end = token = tokens[0]
        while True:
            action = rows[states[-1]].get(kind)
            if action is None:
                resumed = self._recover(self, index)
                if resumed is None:
                    return None
                index = resumed
            elif action >= 0:
                states.append(action)
                values.append(token)
                starts.append(start)
                ends.append(end)
                depths.append(0)
                index += 1
            else:
                rule = rules[~action]
                if rule.passes:
                    states[-1] = rows[states[-2]][rule.name]
                else:
                    self._reduce(rule, self._methods[~action])
                if states[-1] == accepted and kind == END:
                    return values[-1]
                continue
            kind, _, start, end = token = tokens[index]

    def unwind(self, height: int) -> None:
        """Drop everything above the first `height` symbols."""
        for stack in (self.states, self.values, self.starts, self.ends, self.depths):
            del stack[height:]

    def _reduce(self, rule: Rule, method: Callable[..., Any] | None) -> None:
        length = rule.length
        states, values, depths = self.states, self.values, self.depths
        if length == 1:
            # The symbol's place on every stack is taken over.
            states.pop()
            children = values[-1:]
            depth = depths[-1]
        elif length:
            children = values[-length:]
            depth = max(depths[-length:])
            del states[-length:], values[1 - length :], depths[1 - length :]
            del self.starts[1 - length :]
            self.ends[-length:] = self.ends[-1:]
        else:
            children, depth = [], 0
            values.append(None)
            depths.append(0)
            self.starts.append(self.ends[-1])
            self.ends.append(self.ends[-1])
        if rule.spliced or rule.gathers:
            children = _gather(rule, children)
        else:
            children = [children[i] for i in rule.kept]
        value: Any
        if rule.gathers:
            value = children
        elif method is None:
            (value,) = children
        elif rule.method == _FOLDED:
            value, height = method(self.starts[-1], self.ends[-1], children)
            depth += height
        else:
            value = method(self.starts[-1], self.ends[-1], *children)
            depth += rule.level
        if depth > NESTING_LIMIT:
            where = too_deep(self.source, self.starts[-1], self.ends[-1])
            raise DiagnosticError((where,))
        values[-1] = value
        depths[-1] = depth
        states.append(self.table.states[states[-1]][rule.name])


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
