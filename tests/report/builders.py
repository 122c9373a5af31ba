"""Small obligations and runs, made by hand."""

from __future__ import annotations

from vxproof.diagnostics import Label, Source
from vxproof.logic.build import le
from vxproof.logic.obligation import Contribution, Measure, Obligation, Origin, Symbol
from vxproof.logic.terms import Const, Sym
from vxproof.logic.verdict import Decision, Refuted, Verdict
from vxproof.report.model import Assumption, RunReport, SpaceUse, TargetReport, UnitReport

TEXT = "let q = a;\nlet k = b;\nlet v = c;\n"
SOURCE = Source("k.vx", TEXT)
BN, D = Sym("g0"), Sym("g1")
SYMBOLS = (
    Symbol("g0", 16, 80, Origin.GENERIC, "BN"),
    Symbol("g1", 32, 256, Origin.GENERIC, "D"),
)
NEED = BN * D * 4 + D * 128
REFUTED = Refuted(
    (("g0", 80), ("g1", 256)),
    "enumeration",
    "exact evaluation",
    (("g0", 64), ("g1", 224)),
    remedies=("D <= 224", "BN <= 64"),
)


def too_large() -> Obligation:
    """Two tiles of a space of 101,376 bytes."""
    q, k = SOURCE.span(4, 5), SOURCE.span(15, 16)
    return Obligation(
        "E6010",
        "capacity",
        "tiles exceed `SMEM`",
        k,
        SYMBOLS,
        (),
        le(NEED, 101_376),
        measure=Measure("SMEM", NEED, Const(101_376), "bytes", "one block, opt-in"),
        contributions=(
            Contribution("q", "64*D*2", D * 128, "line 1", q),
            Contribution("k", "BN*D*4", BN * D * 4, "line 2", k),
        ),
        labels=(Label(q, "`q` lives here"),),
        help="make one smaller",
    )


def run(
    *verdicts: Verdict, targets: tuple[str | None, ...] = ("sm_86",), spaces: bool = False
) -> RunReport:
    """A run of one kernel whose capacity obligations have these verdicts, on each target."""
    use = SpaceUse("SMEM", "4*BN*D", 98_304, False, 101_376, "bytes", "opt-in")
    unit = UnitReport(
        "flash",
        0,
        SOURCE.span(0, 9),
        tuple(Decision(too_large(), verdict) for verdict in verdicts),
        ("capacity", "grid"),
        (),
        (use,) if spaces else (),
        ("acc",),
        (Assumption("extents are at least 1", "shapes"),),
    )
    reports = tuple(TargetReport(target, (), (unit,)) for target in targets)
    return RunReport("k.vx", {"k.vx": SOURCE}, (), reports)
