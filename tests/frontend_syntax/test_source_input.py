"""Reading a file: a Source, or one coded diagnostic."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from vxproof.diagnostics import DiagnosticError
from vxproof.frontend.parser import parse
from vxproof.frontend.source_input import MAX_BYTES, read_source

if TYPE_CHECKING:
    from pathlib import Path


def refusal(path: str | Path) -> tuple[str, str]:
    with pytest.raises(DiagnosticError) as caught:
        read_source(path)
    (found,) = caught.value.diagnostics
    return found.code, found.headline


def test_a_file_keeps_its_name_and_text(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_bytes("// é\r\nfn main() {}\r\n".encode())
    source = read_source(path)
    assert source.name == str(path)
    assert source.text == "// é\r\nfn main() {}\r\n"
    assert len(parse(source).items) == 1


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_bytes(b"\xef\xbb\xbffn main() {}")
    assert read_source(path).text == "fn main() {}"


def test_a_missing_file(tmp_path: Path) -> None:
    code, headline = refusal(tmp_path / "none.vx")
    assert code == "E0001"
    assert "no such file" in headline


def test_a_directory(tmp_path: Path) -> None:
    code, headline = refusal(tmp_path)
    assert code == "E0001"
    assert "directory" in headline


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert refusal(tmp_path / "file" / "kernel.vx")[0] == "E0001"


def test_a_path_with_a_zero_byte() -> None:
    assert refusal("a\0b")[0] == "E0001"


def test_a_path_that_is_too_long() -> None:
    assert refusal("x" * 5_000)[0] == "E0001"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all files")
def test_an_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_text("fn main() {}")
    path.chmod(0)
    assert refusal(path)[0] == "E0001"


def test_a_file_above_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    code, headline = refusal(path)
    assert code == "E0001"
    assert f"{MAX_BYTES // 1024} KiB" in headline
    path.write_bytes(b" " * MAX_BYTES)
    assert len(read_source(path).text) == MAX_BYTES


def test_bytes_that_are_not_utf8_are_placed(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_bytes(b"fn main() {}\xff\xfe")
    code, headline = refusal(path)
    assert code == "E0002"
    assert "byte 12 is 0xff" in headline


def test_a_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "kernel.vx"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00\x00")
    code, headline = refusal(path)
    assert code == "E0002"
    assert "byte 7 is zero" in headline
