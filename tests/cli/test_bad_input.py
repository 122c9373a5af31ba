"""Whatever a user hands in, the answer is a coded diagnostic and status 3, never a traceback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import COPY, Command


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E1001"),
        (b"// nothing but a comment\n", "E1001"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", "E0002"),
        (b"fn main() { let x = \xff; }", "E0002"),
        (b"fn main() -> i32 { return " + b"(" * 10_000 + b"1" + b")" * 10_000 + b"; }", "E0003"),
        (b"fn main() { " + b"{ " * 10_000 + b"} " * 10_000 + b"}", "E0003"),
        (b"Memory SCRATCH { capacity: 1 KB }", "E1001"),
        (b"Memory A { within: Memory::B }\nMemory B { within: Memory::A }\nfn f() {}", "E6006"),
        (b"fn f() {}\nfn f() {}", "E1003"),
        (b"x" * 1_000_000, "E0001"),
        (b"fn f( { }", "E1001"),
        (b"struct S {}\nfn f() {}", "E6190"),
    ],
    ids=lambda value: value if isinstance(value, str) else repr(value[:24]),
)
def test_bad_content(vxproof: Command, tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "k.vx"
    path.write_bytes(content)
    done = vxproof("verify", path)
    assert done.status == 3
    assert f"error[{code}]" in done.out
    assert done.err == ""


def test_missing_file(vxproof: Command, tmp_path: Path) -> None:
    done = vxproof("verify", tmp_path / "none.vx")
    assert (done.status, "error[E0001]" in done.out) == (3, True)


def test_directory(vxproof: Command, tmp_path: Path) -> None:
    done = vxproof("verify", tmp_path)
    assert (done.status, "error[E0001]" in done.out) == (3, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(vxproof: Command, copy: Path) -> None:
    copy.chmod(0)
    assert vxproof("verify", copy).status == 3


def test_one_bad_file_does_not_hide_the_others(
    vxproof: Command, tmp_path: Path, copy: Path
) -> None:
    bad = tmp_path / "bad.vx"
    bad.write_text("fn", encoding="utf-8")
    done = vxproof("verify", bad, copy)
    assert done.status == 3
    assert f"{bad}: error" in done.out
    assert str(copy) in done.out.splitlines()[-1]


USAGE = [
    (("--target", "sm_99"), "unknown target `sm_99`"),
    (("--target", "SM_80"), "did you mean `sm_80`"),
    (("--set", "Q=1"), "no function has a const generic or extent `Q`"),
    (("--set", "B=128"), "not among the values that `requires` of `copy` admits"),
    (("--set", "N=0"), "not among the values that `requires` of `copy` admits"),
    (("--set", "B=32", "--set", "N=33"), "B=32, N=33 is not among the values"),
    (("--set", "B"), "not NAME=INTEGER"),
    (("--set", "B=x"), "not NAME=INTEGER"),
    (("--set", "B=1.5"), "not NAME=INTEGER"),
    (("--set", "B=9223372036854775808"), "the value is no i64"),
    (("--set", "B=16", "--set", "B=32"), "given twice"),
    (("--budget", "0"), "--budget"),
    (("--budget", "many"), "--budget"),
    (("--jobs", "0"), "--jobs"),
    (("--format", "xml"), "--format"),
    (("--emit", "ptx"), "--emit"),
    (("--nonsense",), "--nonsense"),
]


@pytest.mark.parametrize(
    ("options", "fragment"), USAGE, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_usage_error(vxproof: Command, copy: Path, options: tuple[str, ...], fragment: str) -> None:
    target = () if "--target" in options else ("--target", "sm_80")
    done = vxproof("verify", copy, *target, *options)
    assert done.status == 3
    assert "error[E0004]" in done.err + done.out
    assert fragment in done.err + done.out


@pytest.mark.parametrize("arguments", [(), ("verify",), ("unknown",), ("explain",)])
def test_incomplete_command(vxproof: Command, arguments: tuple[str, ...]) -> None:
    done = vxproof(*arguments)
    assert done.status == 3
    assert done.out == ""
    assert done.err


def test_counterexamples_into_a_file_is_an_error_before_any_work(
    vxproof: Command, copy: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("x", encoding="utf-8")
    done = vxproof("verify", copy, "--counterexamples", taken / "below")
    assert done.status == 3
    assert "error[E0001]" in done.err
    assert done.out == ""


def test_wide_and_odd_source_is_shown(vxproof: Command, tmp_path: Path) -> None:
    path = tmp_path / "k.vx"
    path.write_text(COPY.replace("let t =", "let t = 漢字\t+"), encoding="utf-8")
    done = vxproof("verify", path)
    assert done.status == 3
    assert "^" in done.out
