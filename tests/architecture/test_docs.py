"""The programs in the documents are verified, and the README shows an example as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vxproof import driver

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NOTE = re.compile(r"\s*//.*")


def programs(document: str) -> list[str]:
    """The programs of a document, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for word, body in FENCE.findall(text) if word == "vx"]


def code_lines(text: str) -> list[str]:
    """The lines of a program without comments and empty lines."""
    lines = (NOTE.sub("", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line]


@pytest.mark.parametrize("text", programs("docs/language.md"))
def test_program_of_the_language_page_is_proved(text: str, tmp_path: Path) -> None:
    path = tmp_path / "program.vx"
    path.write_text(text, encoding="utf-8")
    assert driver.verify_file(path, targets=("sm_90a",)).outcome is driver.Outcome.PROVED


def test_the_readme_shows_the_wide_example() -> None:
    (shown,) = programs("README.md")
    example = (ROOT / "examples" / "flash_attention_wide80.vx").read_text(encoding="utf-8")
    assert code_lines(shown) == code_lines(example)
