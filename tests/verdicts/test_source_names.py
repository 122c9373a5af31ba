"""What a report says is in the source's names: never those of the IR, the plan or the solver."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.verdicts.expectations import expectations
from vxproof.driver import Options, verify_files
from vxproof.report.text import report_text

_ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("examples", "tests/cases", "tests/programs", "counterexamples")

_INTERNAL = re.compile(
    r"""
      (?<![\w)\]\s])[%$][A-Za-z_0-9]        # values and variables of the IR
    | (?<![\w)\]])[ ]?[%$][0-9]
    | @[0-9]+                              # objects without a name, the second of two points
    | \#[0-9]+                             # objects of one name
    | (?<!\.)\b(?:grid|stride|dim|trip|loop|load)_?[0-9]+\b   # not `x.stride0`
    | \b(?:tdiv|tmod|pow2_ceil|ite|Sym|Const)\b
    | \bNone\b | \bTrue\b | \bFalse\b
    | \bvxproof\.[a-z]+\.                  # places in vxproof
    """,
    re.VERBOSE,
)
_NOT_SAID = re.compile(r"^\s*\d* *\||^\s*(-->|:::) ")
"""Lines of the source, their underlines without words, and places."""


def _said(text: str) -> Iterator[str]:
    """The words of a report: without the lines of the source that it quotes."""
    for line in text.splitlines():
        match = _NOT_SAID.match(line)
        if match is None:
            yield line
        elif line.lstrip().startswith("|"):
            yield re.sub(r"^\s*\| *[-^]* ?", "", line)


def _without_source(line: str, source: str) -> str:
    """Drop quoted text that stands in the source as it is."""
    return re.sub(r"`([^`]*)`", lambda m: "" if m[1] in source else m[0], line)


def _programs() -> list[Path]:
    files = [path for folder in _FOLDERS for path in sorted((_ROOT / folder).rglob("*.vx"))]
    return [path for path in files if "//# target" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", _programs(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_report_speaks_of_the_source(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    by_answer = {(one.verdict, one.code): one for one in expectations(path)}
    for one in by_answer.values():
        options = Options(
            targets=() if one.target is None else (one.target,), settings=dict(one.settings)
        )
        for report in verify_files((path, *one.also), options):
            words = [_without_source(line, source) for line in _said(report_text(report))]
            assert [line for line in words if _INTERNAL.search(line)] == []


@pytest.mark.parametrize(
    "line",
    ["  = note: with: %12 = 3", "`@9`: 4 B", "need $3", "grid0 = 1", "s#2", "tdiv(N, 4)", "i@2"],
)
def test_the_check_finds_internal_names(line: str) -> None:
    assert _INTERNAL.search(line) is not None


@pytest.mark.parametrize("line", ["N % 16 == 0", "`BM % BN == 0` in `requires`", "50% of", "(S2)"])
def test_the_check_lets_the_source_pass(line: str) -> None:
    assert _INTERNAL.search(line) is None
