"""The committed parser table is the one that the grammar compiles to."""

from __future__ import annotations

from vxproof.frontend.grammar_table import GRAMMAR, TABLE, compile_grammar


def test_the_parser_table_is_up_to_date() -> None:
    compiled = compile_grammar(GRAMMAR.read_text(encoding="utf-8"))
    assert TABLE.read_text(encoding="utf-8") == compiled, (
        "run `python -m vxproof.frontend.grammar_table`"
    )
