"""Messages of real programs: each answers the next question of the one who reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import vxproof as package
from tests.cli.conftest import Command

ROOT = Path(package.__file__).parents[1]
WIDE = (ROOT / "examples" / "flash_attention_wide80.vx").read_text(encoding="utf-8")
FINER = WIDE.replace("D % 32 == 0 && 32 <= D", "D % 16 == 0 && 16 <= D")


def said(vxproof: Command, program: str, *options: str) -> str:
    """The report about a program of tests/programs."""
    return vxproof("verify", ROOT / "tests" / "programs" / program, *options).out


@pytest.mark.parametrize(
    "fragment",
    [
        "need 107,520 B, limit 101,376 B",
        "counterexample: BM = 64, BN = 80, D = 240",
        "with the other values as above, the largest legal BN is 64; the largest legal D is 224",
        "over all of `requires` the need is up to 114,688 B, at BM = 64, BN = 80, D = 256, "
        "over by 13,312 B; there the largest legal BN is 64; the largest legal D is 224",
        "`D <= 224` in `requires` makes this fit in SMEM, whatever the other parameters are; "
        "so does `BN <= 64`",
        "at most 114,688 B = 2*BM*D + 4*BN*D  101,376 B",
    ],
)
def test_the_worst_case_is_told_beside_the_least(
    vxproof: Command, tmp_path: Path, fragment: str
) -> None:
    path = tmp_path / "k.vx"
    path.write_text(FINER, encoding="utf-8")
    assert fragment in vxproof("verify", path, "-t", "sm_86").out


@pytest.mark.parametrize("clause", ["D <= 224", "BN <= 64"])
def test_a_clause_that_is_offered_is_enough(vxproof: Command, tmp_path: Path, clause: str) -> None:
    path = tmp_path / "k.vx"
    path.write_text(FINER.replace("requires BM == 64", f"requires {clause} && BM == 64"))
    assert vxproof("verify", path, "-t", "sm_86").status == 0


def test_registers_by_value_and_the_number_of_warps_that_fits(vxproof: Command) -> None:
    shown = said(vxproof, "residency/e6104_symbolic.vx", "-t", "sm_80")
    assert "acc     8*ceil_div(BN, 8)  256 registers" in shown
    assert "`BN <= 240` in `requires` makes this hold" in shown
    assert "or launch it with `warps(8)`, where this lower bound is within the limit" in shown


def test_nothing_is_held_twice_or_not_at_all(vxproof: Command) -> None:
    shown = said(vxproof, "residency/e6104_product.vx", "-t", "sm_80")
    assert "0 registers" not in shown.replace("260 registers", "").replace("0 registers,", "")
    assert shown.count("\n       s  ") == 1


@pytest.mark.parametrize(
    ("program", "fragments"),
    [
        (
            "bounds/e6151_partial.vx",
            (
                "indices 0 to 3, extent 1",
                "indices 0 to 3 (`i*BM`), 4 elements (`BM`); the axis has 1 element (`M`): "
                "3 elements past the last",
                "`M % BM == 0` in `requires` makes this hold",
                "or give the view a `pad:`",
            ),
        ),
        (
            "bounds/e6150_guarded.vx",
            ("index 1, extent 1", "1 element past the last", "`0 <= i && i < N` in `requires`"),
        ),
        ("bounds/e6150_negative.vx", ("index -1, extent 1", "1 element before the first")),
        ("arithmetic/e6153_divisor.vx", ("`step != 0` in `requires` makes this hold",)),
        ("contracts/e8006.vx", ("`0 <= n` in `requires` makes this hold",)),
    ],
)
def test_how_far_out_and_what_to_require(
    vxproof: Command, program: str, fragments: tuple[str, ...]
) -> None:
    shown = said(vxproof, program, "-t", "sm_80")
    assert [fragment for fragment in fragments if fragment not in shown] == []
    assert "largest legal N is" not in shown


def test_two_grid_points_stand_side_by_side(vxproof: Command) -> None:
    shown = said(vxproof, "grid/e6140_missing_head.vx", "-t", "sm_80")
    assert "which one of them writes: `o[0][0][0]`" in shown
    assert "grid point  h = 0, i = 0    h = 1, i = 0" in shown
    assert "touches     `o[0][0][0]`    `o[0][0][0]`" in shown
    assert "`o` is written here by both points" in shown


def test_both_accesses_are_underlined(vxproof: Command) -> None:
    shown = said(vxproof, "grid/e6140_transpose_in_place.vx", "-t", "sm_80")
    assert "- `x` is read here by the other point" in shown
    assert "^ `x` is written here by one point" in shown
    assert "first, line 11  second, line 10" in shown


@pytest.mark.parametrize(
    ("options", "step"),
    [(("--budget", "1"), "raise `--budget`"), ((), "a plain `transfer` in a loop without")],
)
def test_unknown_says_what_to_do_next(
    vxproof: Command, options: tuple[str, ...], step: str
) -> None:
    kernel = "flash_attention.vx" if options else "flash_attention_pipelined.vx"
    done = vxproof("verify", ROOT / "examples" / kernel, "-t", "sm_80", *options)
    assert done.status == 2
    assert step in done.out


@pytest.mark.parametrize(
    ("setting", "fragments"),
    [
        ("BN=72", ("`BN % 16 == 0` excludes it", "the nearest that is admitted: BN = 64")),
        ("BM=32", ("`BM % 64 == 0` excludes it", "^^^^^^^^^^^^ excludes it", "BM = 64")),
        ("N=100", ("`N % BM == 0` excludes it",)),
        ("BM=128,N=64", ("BM=128, N=64", "`N % BM == 0` excludes it")),
        ("N=0", ("`N` is at least 1",)),
    ],
)
def test_the_clause_that_excludes_a_setting_is_named(
    vxproof: Command, setting: str, fragments: tuple[str, ...]
) -> None:
    kernel = ROOT / "examples" / "flash_attention.vx"
    done = vxproof("verify", kernel, "-t", "sm_80", "--set", setting)
    assert done.status == 3
    assert [fragment for fragment in fragments if fragment not in done.out] == []


@pytest.mark.parametrize(
    ("program", "fragments"),
    [
        ("residency/e6101_call.vx", ("argument 1 of `add`  argument 2 of `add`", "read   ")),
        ("residency/e6101_view.vx", ("written on line 8  used on line 10", "`top` names it")),
    ],
)
def test_two_names_of_a_resident_stand_side_by_side(
    vxproof: Command, program: str, fragments: tuple[str, ...]
) -> None:
    shown = said(vxproof, program, "-t", "sm_80")
    assert [fragment for fragment in fragments if fragment not in shown] == []
    assert "the two names\n" in shown
