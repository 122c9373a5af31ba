"""No obligation is proved because its hypotheses contradict each other, but where the source does.

Every obligation of every program in the tree is asked whether its hypotheses admit a value. Those
of a grid are about two points: it is enough that each point exists, since that no pair of them does
is the proof. E6113 is asked where the tiles fit as a sum, which E6010 asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vxproof.diagnostics import DiagnosticError, Source
from vxproof.driver.devices import device_kernels
from vxproof.driver.wiring import findings, kernel_obligations
from vxproof.frontend import load_module
from vxproof.ir.module import Module, kernels
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import Formula
from vxproof.smt.ladder import Prover, Sat

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/programs", "tests/cases", "examples", "counterexamples")
CONTRADICTING = {
    ("e6152", "*"): "`requires` admits no value, and E6152 says so first",
    ("e6152_extents", "*"): "the extents leave `requires` no value, and E6152 says so first",
    ("e8010_entry", "E6150"): "a loop invariant is false on entry, which E8010 refutes",
    ("extent_of_branch.ok", "E6150"): "every admitted value takes the other branch",
}
PROGRAMS = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.vx"))


def asked(module: Module, target: str | None) -> Iterator[Obligation]:
    """Every obligation of a module, its plans' included."""
    for own in findings(module).values():
        yield from (one for one in own if isinstance(one, Obligation))
    found = [kernel for function in module.functions for kernel in kernels(function)]
    found += [body.kernel for bodies in device_kernels(module).values() for body in bodies]
    for kernel in found:
        yield from kernel_obligations(kernel, module, target).obligations


def points(obligation: Obligation, sums: set[Formula]) -> tuple[tuple[Formula, ...], ...]:
    """The hypotheses but for what others ask, or those about each of two grid points."""
    if obligation.code != "E6140":
        return (tuple(one for one in obligation.hypotheses if one not in sums),)
    free = Prover()._settings.free
    second = [any(name.endswith("@2") for name in free(one)) for one in obligation.hypotheses]
    pairs = list(zip(obligation.hypotheses, second, strict=True))
    alone = tuple(one for one, other in pairs if not other)
    other = tuple(
        one
        for one, is_second in pairs
        if is_second and all(name.endswith("@2") for name in free(one))
    )
    return (alone, other)


@pytest.mark.slow
@pytest.mark.parametrize("target", [None, "sm_80", "sm_90a", "sm_100a"])
def test_hypotheses_admit_a_value(target: str | None) -> None:
    prover = Prover()
    seen: set[object] = set()
    contradicting: set[tuple[str, str]] = set()
    count = 0
    for path in PROGRAMS:
        try:
            module = load_module(Source(path.name, path.read_text("utf-8")), target)
            obligations = list(asked(module, target))
        except DiagnosticError:
            continue
        sums = {one.goal for one in obligations if one.code == "E6010"}
        for one in obligations:
            for hypotheses in points(one, sums):
                key = (one.symbols, hypotheses)
                if one.reason_unknown is not None or key in seen:
                    continue
                seen.add(key)
                count += 1
                if not isinstance(prover.satisfiable(*key), Sat):
                    contradicting.add((path.stem, one.code))
    unexpected = {
        (stem, code)
        for stem, code in contradicting
        if not {(stem, code), (stem, "*")} & CONTRADICTING.keys()
    }
    assert not unexpected
    assert count > 250
