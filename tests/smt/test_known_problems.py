"""Problems of the kind that kernels ask, with the verdict that is known, and one-off twins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.logic.generators import obligation
from vxproof.logic import build as b
from vxproof.logic.evaluate import holds
from vxproof.logic.obligation import Measure, Obligation, Origin, Symbol
from vxproof.logic.terms import Formula, Sym, Term, term
from vxproof.logic.verdict import Proved, Refuted
from vxproof.smt.ladder import Prover

BM, BN, D, S, W, N, H, X, Y, Z = (
    Sym(n) for n in ("BM", "BN", "D", "S", "W", "N", "H", "x", "y", "z")
)


def multiple(name: str, step: int, lo: int, hi: int) -> tuple[Formula, ...]:
    value = Sym(name)
    return b.eq(b.mod(value, step), 0), b.le(lo, value), b.le(value, hi)


def symbols(*names: str, hi: int | None = 2**63 - 1) -> tuple[Symbol, ...]:
    return tuple(Symbol(n, 1, hi, Origin.GENERIC) for n in names)


def fits(
    names: tuple[str, ...], hypotheses: tuple[Formula, ...], need: Term, limit: int
) -> Obligation:
    asked = obligation(symbols(*names), hypotheses, b.le(need, limit))
    return replace(asked, measure=Measure("SMEM", need, term(limit), "bytes", "declared"))


FLASH = 2 * BM * D + 2 * S * (2 * BN * D)
FLASH_BOX = (
    *multiple("BM", 64, 64, 128),
    *multiple("BN", 16, 16, 64),
    *multiple("D", 16, 16, 64),
    b.le(2, S),
    b.le(S, 3),
)
BUDGET = (
    *multiple("BM", 16, 16, 256),
    *multiple("BN", 16, 16, 256),
    *multiple("D", 8, 8, 512),
    b.le(1, S),
    b.le(S, 4),
    b.le(2 * D * (BM + 2 * S * BN), 101376),
)
COLUMNS = b.pow2_ceil(b.max_(32, b.ceil_div(BN * 32, 32) + b.ceil_div(D * 16, 32) * 2))
TMEM_BOX = (*multiple("BN", 8, 8, 256), *multiple("D", 16, 16, 128))
REGISTERS = b.ceil_div(BM * D, 32 * W) + b.ceil_div(BM * BN, 32 * W) + 2 * b.ceil_div(BM, 32 * W)
REGISTER_BOX = (
    *multiple("BM", 16, 16, 128),
    *multiple("BN", 16, 16, 128),
    *multiple("D", 16, 16, 128),
    b.le(1, W),
    b.le(W, 8),
    b.le(BM * (D + BN), 8192 * W),
)
PADDED = (
    b.align_up(2 * BM * (D + 8), 128)
    + S * b.align_up(2 * BN * (D + 8), 128)
    + b.align_up(4 * BM * b.pow2_ceil(W), 1024)
)
PADDED_BOX = (
    *multiple("BM", 16, 16, 128),
    *multiple("BN", 8, 8, 128),
    *multiple("D", 16, 16, 256),
    b.le(1, S),
    b.le(S, 4),
    b.le(1, W),
    b.le(W, 16),
)
WIDE = tuple(b.le(v, 2**20) for v in (BM, BN, D, X, Y))

PROVED: dict[str, Obligation] = {
    "shared memory over a box": fits(("BM", "BN", "D", "S"), FLASH_BOX, FLASH, 65536),
    "shared memory under a nonlinear budget": fits(
        ("BM", "BN", "D", "S"), BUDGET, b.align_up(2 * BM * D, 16) + 4 * S * BN * D, 101376
    ),
    "five wide symbols, products of three": fits(
        ("BM", "BN", "D", "x", "y"),
        (*WIDE, b.le(BM * BN * D, 2**30), b.le(X * Y, 2**20)),
        BM * BN * D + X * Y,
        2**30 + 2**20,
    ),
    "four-symbol products, aligned": obligation(
        symbols("BM", "BN", "D", "x", hi=2**20),
        (b.le(BM * BN * D * X, 2**40),),
        b.le(b.align_up(BM * BN * D * X, 128), 2**40 + 127),
    ),
    "tensor memory columns": fits(("BN", "D"), TMEM_BOX, COLUMNS, 512),
    "registers a thread, symbolic warps": fits(
        ("BM", "BN", "D", "W"), REGISTER_BOX, REGISTERS, 512 + 10
    ),
    "six parameters, padding and powers of two": fits(
        ("BM", "BN", "D", "S", "W"), PADDED_BOX, PADDED, 346112
    ),
    "row-major addresses do not meet": obligation(
        symbols("N", "x", "y", "z", "H", hi=2**31),
        (b.lt(X, N), b.lt(Y, N), b.lt(H, Z)),
        b.ne(H * N + X, Z * N + Y),
    ),
}

REFUTED: dict[str, tuple[Obligation, dict[str, int]]] = {
    "one byte short": (
        fits(("BM", "BN", "D", "S"), FLASH_BOX, FLASH, 65535),
        {"BM": 128, "BN": 64, "D": 64, "S": 3},
    ),
    "tensor memory one column short": (
        fits(("BN", "D"), TMEM_BOX, COLUMNS, 511),
        {"BN": 136, "D": 128},
    ),
    "padding one byte short": (
        fits(("BM", "BN", "D", "S", "W"), PADDED_BOX, PADDED, 346111),
        {"BM": 128, "BN": 128, "D": 256, "S": 4, "W": 9},
    ),
    "row-major addresses with a row too long": (
        obligation(
            symbols("N", "x", "y", "z", "H", hi=2**31),
            (b.le(X, N), b.lt(Y, N), b.lt(H, Z)),
            b.ne(H * N + X, Z * N + Y - 1),
        ),
        {"N": 2, "x": 2, "y": 1, "z": 2, "H": 1},
    ),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    assert isinstance(Prover().decide(PROVED[name]), Proved)


@pytest.mark.parametrize("name", REFUTED)
def test_refuted_at_the_least_point(name: str) -> None:
    asked, witness = REFUTED[name]
    verdict = Prover().decide(asked)
    assert isinstance(verdict, Refuted)
    assert dict(verdict.witness) == witness
    assert all(holds(h, witness) for h in asked.hypotheses)
    assert not holds(asked.goal, witness)


@pytest.mark.parametrize("name", REFUTED)
def test_a_refutation_is_the_same_each_time(name: str) -> None:
    asked, _ = REFUTED[name]
    assert Prover().decide(asked) == Prover().decide(asked)


def flash_attention(limit: int) -> Obligation:
    """Tiles of up to 80 keys, head dimensions up to 256, and an extent that both tiles divide."""
    need = b.align_up(2 * BM * D, 128) + 2 * b.align_up(2 * BN * D, 128)
    hypotheses = (
        b.eq(BM, 64),
        *multiple("BN", 16, 16, 80),
        *multiple("D", 32, 32, 256),
        b.eq(b.mod(N, BM), 0),
        b.eq(b.mod(N, BN), 0),
        b.le(2 * H * N * D, 2**40),
    )
    declared = (
        *symbols("BM", "BN", "D"),
        Symbol("H", 1, None, Origin.EXTENT),
        Symbol("N", 1, None, Origin.EXTENT),
    )
    measure = Measure("SMEM", need, term(limit), "bytes", "opt-in shared memory per block")
    return replace(obligation(declared, hypotheses, b.le(need, limit)), measure=measure)


def test_flash_attention_fits_exactly() -> None:
    assert isinstance(Prover().decide(flash_attention(114688)), Proved)


@pytest.mark.parametrize(
    ("limit", "witness", "largest"),
    [
        (114687, {"BN": 80, "D": 256, "N": 320}, {"BM": None, "BN": 64, "D": 224}),
        (101376, {"BN": 80, "D": 256, "N": 320}, {"BM": None, "BN": 64, "D": 224}),
        (65536, {"BN": 48, "D": 224, "N": 192}, {"BM": None, "BN": 32, "D": 192}),
        (1000, {"BN": 16, "D": 32, "N": 64}, {"BM": None, "BN": None, "D": None}),
    ],
)
def test_largest_legal_values_respect_what_must_divide(
    limit: int, witness: dict[str, int], largest: dict[str, int | None]
) -> None:
    verdict = Prover().decide(flash_attention(limit))
    assert isinstance(verdict, Refuted)
    assert dict(verdict.witness) == {"BM": 64, "H": 1, **witness}
    assert dict(verdict.largest) == largest


def test_targets_share_one_answer() -> None:
    prover = Prover()
    first, second = flash_attention(101376), replace(flash_attention(101376), headline="other")
    assert prover.obligation_id(first) == prover.obligation_id(second)
    assert prover.obligation_id(first) != prover.obligation_id(flash_attention(101375))
    assert prover.decide_all([first])[0].verdict == prover.decide_all([second])[0].verdict
