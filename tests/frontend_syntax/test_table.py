"""The compiled grammar: free of conflicts, complete, and quick to run."""

from __future__ import annotations

import pytest

from tests.frontend_syntax.trees import errors_of
from vxproof.frontend.grammar_table import GrammarConflictError, compile_grammar
from vxproof.frontend.syntax_examples import EXAMPLES


def test_a_grammar_with_a_conflict_is_refused() -> None:
    with pytest.raises(GrammarConflictError):
        compile_grammar('start: sum\nsum: sum "+" sum | "x"\n')


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text)
def test_every_example_of_an_error_gets_its_own_sentence(example: object) -> None:
    text, headline = example.text, example.headline  # type: ignore[attr-defined]
    assert errors_of(text)[0].headline == headline
