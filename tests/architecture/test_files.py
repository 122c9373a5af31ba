"""Size of the source files: at 400 lines a file is split by family."""

from __future__ import annotations

from pathlib import Path

import pytest

import vxproof

ROOT = Path(vxproof.__file__).parent
LIMIT = 400


def line_count(path: Path) -> int:
    """Lines of a text file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def source_files() -> list[Path]:
    """Every file of the package that somebody wrote as source text."""
    return sorted(p for p in ROOT.rglob("*") if p.suffix in {".py", ".lark"})


def test_the_package_is_found() -> None:
    assert ROOT / "cli.py" in source_files()


@pytest.mark.parametrize("path", source_files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_source_file_is_short(path: Path) -> None:
    assert line_count(path) <= LIMIT, f"{path.name}: split by family at {LIMIT} lines"
