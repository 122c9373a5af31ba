"""Compiles `vx.lark` into `vx_table.json`: run `python -m vxproof.frontend.grammar_table`.

Building an LALR table takes lark some hundred milliseconds, so it is done once, here, and the
parser runs the table. This module is the only importer of lark and is not loaded by `verify`.

The table is a JSON object:
    `states`: a row a state, from a token kind, or `~` and a rule's name, to an action: a state to
        enter when >= 0, else the rule `~action` to reduce by; state 0 is the start;
    `end`: the state in which the end of the input accepts;
    `rules`: (`~` and the name of the result, length, builder method or "" for none, kept
        positions, spliced positions); a rule without a method passes its only value on or, where
        its name starts with `~_`, hands its values to the rule around it.
States are numbered breadth first over sorted symbols, so equal grammars give equal bytes.
"""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lark
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

if TYPE_CHECKING:
    from lark.grammar import Rule

GRAMMAR = Path(__file__).with_name("vx.lark")
TABLE = Path(__file__).with_name("vx_table.json")
END = "$END"


class GrammarConflictError(Exception):
    """The grammar is not LALR(1): lark would pick one reading in silence."""


def compile_grammar(text: str) -> str:
    """Return the table of a grammar as JSON text with a line end.

    Raises:
        GrammarConflictError: the grammar has a conflict.
        lark.exceptions.GrammarError: the grammar is malformed.
    """
    parser = _build_without_conflicts(text)
    kinds = {
        term.name: term.pattern.value
        for term in parser.terminals
        if isinstance(term.pattern, PatternStr)
    }
    terminals = {
        symbol.name for rule in parser.rules for symbol in rule.expansion if symbol.is_term
    }
    terminals.add(END)
    table: Any = parser.parser.parser._parse_table  # noqa: SLF001 - lark keeps it private
    rules: list[Rule] = sorted(parser.rules, key=lambda rule: (rule.origin.name, rule.order))
    rule_number = {_rule_key(rule): number for number, rule in enumerate(rules)}
    start = table.start_states["start"]
    numbering = {start: 0}
    queue = [start]
    rows: list[dict[str, int]] = []
    for state in queue:
        row: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            kind = kinds.get(symbol, symbol) if symbol in terminals else f"~{symbol}"
            if action is Shift:
                if argument not in numbering:
                    numbering[argument] = len(numbering)
                    queue.append(argument)
                row[kind] = numbering[argument]
            elif _rule_key(argument) in rule_number:
                row[kind] = ~rule_number[_rule_key(argument)]
        rows.append(row)
    out = ["{", '"states": [', ",\n".join(json.dumps(row, sort_keys=True) for row in rows), "],"]
    out += [f'"end": {numbering[table.end_states["start"]]},', '"rules": [']
    out += [",\n".join(json.dumps(_describe(rule)) for rule in rules), "]", "}"]
    return "\n".join(out) + "\n"


def _build_without_conflicts(text: str) -> lark.Lark:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    level = lark.logger.level
    lark.logger.addHandler(handler)
    lark.logger.setLevel(logging.DEBUG)
    try:
        parser = lark.Lark(text, parser="lalr", debug=True, maybe_placeholders=False)
    finally:
        lark.logger.removeHandler(handler)
        lark.logger.setLevel(level)
    if "conflict" in stream.getvalue().lower():
        raise GrammarConflictError(stream.getvalue())
    return parser


def _rule_key(rule: Rule) -> tuple[str, tuple[str, ...]]:
    return str(rule.origin.name), tuple(str(symbol.name) for symbol in rule.expansion)


def _describe(rule: Rule) -> tuple[str, int, str, list[int], list[int]]:
    name = str(rule.origin.name)
    kept = []
    spliced = []
    for position, symbol in enumerate(rule.expansion):
        dropped = symbol.is_term and getattr(symbol, "filter_out", False)
        if dropped and not rule.options.keep_all_tokens:
            continue
        kept.append(position)
        if not symbol.is_term and symbol.name.startswith("_"):
            spliced.append(position)
    if rule.alias is not None:
        method = str(rule.alias)
    elif name.startswith("_") or rule.options.expand1:
        method = ""
    else:
        method = name
    return f"~{name}", len(rule.expansion), method, kept, spliced


def main() -> None:
    """Write the table beside the grammar."""
    TABLE.write_text(compile_grammar(GRAMMAR.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
