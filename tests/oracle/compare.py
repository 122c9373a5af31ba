"""Runs a program on the oracle and on the verifier, and says where they contradict each other."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.oracle.machine import Machine
from tests.oracle.values import BITS, int_range
from tests.oracle.world import Fault, SkipError, World
from vxproof.diagnostics import Source
from vxproof.driver import verify_file
from vxproof.frontend import ast, parse
from vxproof.logic.obligation import Obligation
from vxproof.logic.verdict import Proved, Refuted, Unknown
from vxproof.report.model import Outcome, RunReport

_BOUNDS = {"E6150", "E6151"}
_POINTS = 25
_TRIES = 400
_BUDGET = 100_000
_LARGEST = 1 << 16


@dataclass
class Comparison:
    """What was compared, and every contradiction as a sentence."""

    text: str
    outcome: Outcome
    contradictions: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    points: int = 0
    checked: int = 0


def group(code: str) -> str:
    """Codes that one rule may be reported under."""
    return "E6150" if code in _BOUNDS else code


def compare(text: str, path: Path, seed: int = 0) -> Comparison:
    """Compare verdicts with what happens at small sizes and at each counterexample."""
    path.write_text(text, encoding="utf-8")
    report = verify_file(path, budget=_BUDGET)
    found = Comparison(text, report.outcome)
    if report.outcome is Outcome.ERROR:
        found.contradictions += [
            f"error {d.code}: {d.headline}" for t in report.targets for d in t.diagnostics
        ]
        return found
    if not any(target.units for target in report.targets):
        return found
    program = parse(Source(str(path), text))
    function = program.functions[0]
    chance = random.Random(seed)
    faults = _observed(program, function, chance, found)
    doubted = _doubted(report)
    for fault in sorted(faults, key=lambda one: (one.line, one.code)):
        key = (group(fault.code), fault.line)
        verdict = doubted.get(key)
        if verdict is None and fault.code == "E6140":
            # Pairs of accesses that come to the same formula are asked about once.
            verdict = next((word for (code, _), word in doubted.items() if code == "E6140"), None)
        if verdict is None:
            numbers = faults[fault]
            found.contradictions.append(
                f"{fault.code} on line {fault.line} happens at {numbers} and is not reported"
            )
        elif verdict == "unknown":
            found.missed.append(f"{fault.code} on line {fault.line} is only unknown")
    for (code, line), verdict in doubted.items():
        if verdict == "unknown" and not any(
            (group(one.code), one.line) == (code, line) for one in faults
        ):
            found.refused.append(f"{code} on line {line} is unknown and does not happen")
    for obligation, refuted in _refuted(report):
        _confirm(program, function, obligation, refuted, chance, found)
    return found


def _observed(
    program: ast.Program, function: ast.Function, chance: random.Random, found: Comparison
) -> dict[Fault, dict[str, int]]:
    faults: dict[Fault, dict[str, int]] = {}
    for numbers in _numbers(function, chance):
        world = World(random.Random(chance.random()), (0, 1, 2, -1, 3))
        machine = Machine(program, numbers, world, stops=True)
        try:
            if not machine.admits(function):
                continue
            machine.run(function)
        except SkipError:
            continue
        found.points += 1
        for fault in machine.faults:
            faults.setdefault(fault, numbers)
    return faults


def _parameters(function: ast.Function) -> dict[str, str]:
    """Names that have a number, each with its type; `extent` and `generic` are i64."""
    found = {one.name.text: "generic" for one in function.const_params}
    for param in function.params:
        type_ = param.type.target if isinstance(param.type, ast.RefType) else param.type
        if isinstance(type_, ast.NamedType) and type_.name in BITS:
            found[param.name.text] = type_.name
        if isinstance(type_, ast.TensorType):
            for name in _names(type_.dims or ()):
                found.setdefault(name, "extent")
    return found


def _names(nodes: tuple[ast.Expr, ...]) -> list[str]:
    found: list[str] = []
    for node in nodes:
        match node:
            case ast.Var(name=name):
                found.append(name)
            case ast.Binary(left=left, right=right):
                found += _names((left, right))
            case _:
                pass
    return found


def _numbers(function: ast.Function, chance: random.Random) -> list[dict[str, int]]:
    kinds = _parameters(function)
    spans = {name: _small(kind) for name, kind in kinds.items()}
    kept: list[dict[str, int]] = []
    for _ in range(_TRIES):
        numbers = {name: chance.choice(span) for name, span in spans.items()}
        machine = Machine(ast.Program((), function.span), numbers, World(chance, (0,)), stops=True)
        try:
            if numbers not in kept and machine.admits(function):
                kept.append(numbers)
        except SkipError:
            continue
        if len(kept) >= _POINTS:
            break
    return kept


def _small(kind: str) -> list[int]:
    if kind in {"generic", "extent"}:
        return [1, 2, 3, 4, 5, 6]
    low, high = int_range(kind)
    ends = [low, low + 1, high - 1, high] if kind != "i64" else [low, high]
    return [value for value in (-3, -2, -1, 0, 1, 2, 3, 4, 5) if low <= value <= high] + ends


def _doubted(report: RunReport) -> dict[tuple[str, int], str]:
    found: dict[tuple[str, int], str] = {}
    for target in report.targets:
        for unit in target.units:
            for decision in unit.decisions:
                if isinstance(decision.verdict, Proved):
                    continue
                word = "unknown" if isinstance(decision.verdict, Unknown) else "refuted"
                obligation = decision.obligation
                lines = {obligation.span.line}
                if obligation.code == "E6140":
                    lines |= {label.span.line for label in obligation.labels}
                for line in lines:
                    key = (group(obligation.code), line)
                    if found.get(key) != "refuted":
                        found[key] = word
    return found


def _refuted(report: RunReport) -> list[tuple[Obligation, Refuted]]:
    return [
        (decision.obligation, decision.verdict)
        for target in report.targets
        for unit in target.units
        for decision in unit.decisions
        if isinstance(decision.verdict, Refuted)
    ]


def _confirm(
    program: ast.Program,
    function: ast.Function,
    obligation: Obligation,
    refuted: Refuted,
    chance: random.Random,
    found: Comparison,
) -> None:
    """Run the counterexample with several contents of the inputs.

    Where the run goes wrong in another way first (a division by 0, an element that does not exist),
    what would have come after it is not looked for.
    """
    if obligation.code in {"E6142", "E6152"}:
        return
    witness = dict(refuted.witness)
    shown = {
        one.display or one.name: witness[one.name]
        for one in obligation.symbols
        if one.name in witness and "@" not in one.name
    }
    numbers = {name: shown.get(name, 1) for name in _parameters(function)}
    if obligation.code == "E6153" and obligation.family == "contracts":
        return
    if any(
        abs(numbers[name]) > _LARGEST
        for name, kind in _parameters(function).items()
        if kind in {"generic", "extent"}
    ):
        return
    pool = tuple({*witness.values(), 0, 1})
    wanted = (group(obligation.code), obligation.span.line)
    skipped = masked = False
    for attempt in range(16):
        world = World(random.Random(chance.random()), pool)
        machine = Machine(program, numbers, world, stops=False, exact=attempt % 2 == 0)
        try:
            if not machine.admits(function):
                found.contradictions.append(f"{obligation.code}: {shown} is not admitted")
                return
            machine.run(function)
        except SkipError:
            skipped = True
            break
        seen = {(group(one.code), one.line) for one in machine.faults}
        seen |= {("E6153", line) for line in machine.overflowed}
        if wanted in seen:
            found.checked += 1
            return
        masked = masked or bool(seen)
    if not (skipped or masked):
        found.contradictions.append(
            f"{obligation.code} on line {obligation.span.line} is refuted at {shown} "
            "and does not happen there"
        )
