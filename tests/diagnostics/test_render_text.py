"""Diagnostics as text: headline, location, underlines, tables, notes, help."""

from __future__ import annotations

import pytest

from vxproof.diagnostics import Diagnostic, Label, Source, Table
from vxproof.diagnostics.render_text import Role, render, table_lines


def show(text: str, *labels: tuple[str, str], code: str = "E1001", **fields: object) -> list[str]:
    """Lines of a diagnostic whose labels point at the first occurrence of a fragment each."""
    source = Source("k.vx", text)
    made = []
    for fragment, words in labels:
        at = text.index(fragment)
        made.append(Label(source.span(at, at + len(fragment)), words))
    diagnostic = Diagnostic(code, "the headline", made[0], tuple(made[1:]), **fields)  # type: ignore[arg-type]
    return render(diagnostic, {"k.vx": source}).splitlines()


def test_error_has_code_place_line_and_caret() -> None:
    lines = show("let x = 1;\nlet y = z;\n", ("z", "not declared"), help="declare it")
    assert lines == [
        "error[E1001]: the headline",
        " --> k.vx:2:9",
        "  |",
        "2 | let y = z;",
        "  |         ^ not declared",
        "  = help: declare it",
    ]


@pytest.mark.parametrize(
    ("code", "start"),
    [("E6010", "E6010 refuted: "), ("E6180", "E6180 unknown: "), ("W1022", "warning[W1022]: ")],
)
def test_first_line_says_what_the_code_does_to_the_verdict(code: str, start: str) -> None:
    assert show("a", ("a", ""), code=code)[0] == start + "the headline"


def test_both_parties_are_underlined_and_a_distance_is_a_gap() -> None:
    lines = show("one\ntwo\nthree\nfour\n", ("one", "write"), ("four", "read"))
    assert lines[3:] == ["1 | one", "  | ^^^ write", "...", "4 | four", "  | ---- read"]


def test_one_line_between_two_marks_is_printed() -> None:
    lines = show("one\ntwo\nthree\n", ("one", ""), ("three", ""))
    assert "2 | two" in lines


def test_two_marks_on_one_line_get_a_row_each_the_primary_first() -> None:
    lines = show("a[i] = a[j];", ("a[j]", "second"), ("a[i]", "first"))
    assert lines[3:] == ["1 | a[i] = a[j];", "  |        ^^^^ second", "  | ---- first"]


def test_a_span_over_several_lines_shows_the_first_and_says_where_it_ends() -> None:
    lines = show("f(\n  a,\n  b,\n  c)\nend", ("f(\n  a,\n  b,\n  c)", "here"))
    assert lines[3:] == ["1 | f(", "  | ^^ here (to line 4)"]


def test_tabs_take_four_cells() -> None:
    assert show("\tx = y", ("y", ""))[3:] == ["1 |     x = y", "  |         ^"]


def test_wide_and_combining_characters_keep_the_caret_in_place() -> None:
    assert show("漢 e\u0301 z", ("z", ""))[4] == "  |      ^"


def test_carriage_returns_do_not_show() -> None:
    assert show("a\r\nb\r\n", ("b", ""))[3:] == ["2 | b", "  | ^"]


def test_control_and_bidirectional_characters_cannot_reach_a_terminal() -> None:
    text = "\n".join(show("a\x1b[31m\u202e b", ("b", ""), notes=("\x07",)))
    assert not set(text) & {"\x1b", "\u202e", "\x07"}


def test_a_long_line_is_cut_around_the_caret() -> None:
    lines = show("x" * 500 + "HERE" + "y" * 500, ("HERE", "found"))
    assert len(lines[3]) < 120
    assert lines[3].startswith("1 | …")
    assert lines[3].endswith("…")
    at = lines[4].index("^")
    assert lines[3][at : at + 4] == "HERE"
    assert lines[4].endswith("^^^^ found")


def test_a_caret_can_stand_in_an_empty_source_and_behind_the_last_line() -> None:
    for text in ("", "a\n", "a"):
        source = Source("k.vx", text)
        end = Label(source.span(len(text), len(text)), "expected an item")
        lines = render(Diagnostic("E1001", "ends", end), {"k.vx": source}).splitlines()
        assert lines[-1].lstrip(" |") == "^ expected an item"


def test_a_span_beyond_the_text_is_clamped() -> None:
    source = Source("k.vx", "ab")
    label = Label(Source("k.vx", "ab" + " " * 50).span(40, 45), "gone")
    assert "gone" in render(Diagnostic("E1001", "x", label), {"k.vx": source})


def test_a_file_that_is_not_at_hand_is_located() -> None:
    label = Label(Source("other.vx", "abc").span(1, 2), "this")
    lines = render(Diagnostic("E1001", "x", label), {}).splitlines()
    assert lines[1:] == [" --> other.vx:1:2", "     this"]


def test_a_diagnostic_without_a_place_is_its_headline() -> None:
    assert render(Diagnostic("E0004", "no such option", None), {}) == "error[E0004]: no such option"


def test_tables_align_words_left_and_amounts_right() -> None:
    table = Table("title", ("buffer", "bytes"), (("q_s", "32,768 B"), ("longer", "1 B")))
    assert list(table_lines(table)) == [
        "title",
        "  buffer     bytes",
        "  q_s     32,768 B",
        "  longer       1 B",
    ]


def test_help_comes_last() -> None:
    table = Table("", ("a",), (("1",),))
    lines = show("a", ("a", ""), tables=(table,), notes=("first\nsecond",), help="do this")
    assert lines[-1] == "  = help: do this"
    assert lines[-3:-1] == ["  = note: first", "          second"]


def test_paint_sees_roles_and_changes_nothing_else() -> None:
    source = Source("k.vx", "a")
    diagnostic = Diagnostic("E6010", "x", Label(source.span(0, 1), "y"), help="z")
    seen: set[Role] = set()

    def paint(role: Role, text: str) -> str:
        seen.add(role)
        return text

    assert render(diagnostic, {"k.vx": source}, paint) == render(diagnostic, {"k.vx": source})
    assert {Role.REFUTED, Role.HEADLINE, Role.GUTTER, Role.HELP} <= seen
