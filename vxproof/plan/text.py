"""The plan's text form: stable, a line a fact, complete enough to be read back.

Terms are written as in `term_text`; a string stands in double quotes. Points of lives, source lines
and accesses are written out, so that a plan can be checked and run without its program.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import assert_never

from vxproof.logic.obligation import Symbol
from vxproof.plan.nodes import (
    Access,
    Act,
    Arena,
    Await,
    Barrier,
    Branch,
    Buffer,
    Case,
    Commit,
    Event,
    Loop,
    Plan,
    RegisterTile,
    WaitGroup,
)
from vxproof.plan.term_text import show_formula, show_term

VERSION = 1


def show_plan(plan: Plan) -> str:
    """Return the text of a plan."""
    return "\n".join(_plan(plan)) + "\n"


def digest(plan: Plan) -> str:
    """Return the sha256 of a plan's text, in hexadecimal."""
    return sha256(show_plan(plan).encode()).hexdigest()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _plan(plan: Plan) -> Iterator[str]:
    yield f"plan {VERSION}"
    yield f"kernel {_quoted(plan.kernel)} index {plan.index}"
    yield f"target {'none' if plan.target is None else plan.target}"
    yield f"warps {show_term(plan.warps)}"
    yield f"family {plan.family}"
    for symbol in plan.symbols:
        yield _symbol(symbol)
    for formula in plan.requires:
        yield f"require {show_formula(formula)}"
    for arena in plan.arenas:
        yield from _arena(arena)
    for tile in plan.registers:
        yield _register_tile(tile)
    yield "events {"
    for event in plan.events:
        yield from _event(event, "  ")
    yield "}"


def _end(value: int | None) -> str:
    return "open" if value is None else str(value)


def _symbol(symbol: Symbol) -> str:
    text = f"symbol {symbol.name} from {_end(symbol.lo)} to {_end(symbol.hi)}"
    display = f" shown {_quoted(symbol.display)}" if symbol.display else ""
    return f"{text} is {_quoted(symbol.origin.value)}{display}"


def _arena(arena: Arena) -> Iterator[str]:
    capacity = "none" if arena.capacity is None else str(arena.capacity)
    yield (
        f"arena {arena.space} {arena.unit} capacity {capacity} granule {arena.granule}"
        f" bound {_quoted(arena.bound)}{' spread' if arena.spread else ''} {{"
    )
    for buffer in arena.buffers:
        yield "  " + _buffer(buffer)
    for layout in arena.layouts:
        yield f"  layout {_quoted(layout.rule)} total {show_term(layout.total)} {{"
        for buffer, offset in zip(arena.buffers, layout.offsets, strict=True):
            yield f"    {_quoted(buffer.name)} at {show_term(offset)}"
        yield "  }"
    yield "}"


def _buffer(buffer: Buffer) -> str:
    life = buffer.life
    text = (
        f"buffer {_quoted(buffer.name)} {buffer.kind.value} size {show_term(buffer.size)}"
        f" written {_quoted(buffer.expression)} align {buffer.alignment}"
        f" life {life.birth} {life.death} lines {life.first_line} {life.last_line}"
    )
    if buffer.depth is not None:
        text += f" depth {show_term(buffer.depth)}"
    if buffer.shape:
        text += f" shape [{', '.join(map(show_term, buffer.shape))}]"
    if buffer.dtype:
        text += f" dtype {buffer.dtype}"
    if buffer.layout:
        text += f" rows {_cases(buffer.layout)}"
    return text


def _cases(cases: tuple[Case, ...]) -> str:
    return " ".join(f"{_quoted(case.choice)} when {show_formula(case.guard)}" for case in cases)


def _register_tile(tile: RegisterTile) -> str:
    shape = ", ".join(map(show_term, tile.shape))
    resident = " resident" if tile.resident else ""
    if tile.life is not None:
        life = tile.life
        resident += f" life {life.birth} {life.death} lines {life.first_line} {life.last_line}"
    return (
        f"registers {_quoted(tile.name)} shape [{shape}] dtype {tile.dtype}"
        f" layout {_quoted(tile.layout)} per_thread {show_term(tile.per_thread)}{resident}"
    )


def _access(access: Access) -> str:
    verb = "writes" if access.write else "reads"
    return f"{verb} {_quoted(access.object)} by {_quoted(access.map)}"


def _event(event: Event, indent: str) -> Iterator[str]:
    match event:
        case Act(verb=verb, result=result, details=details, accesses=accesses, line=line):
            parts = [verb]
            if result:
                parts.append(_quoted(result))
            parts.extend(f"{key} {_quoted(text)}" for key, text in details)
            head = " ".join(parts) + (f" line {line}" if line else "")
            yield f"{indent}do {head}" + (" {" if accesses else "")
            if accesses:
                for access in accesses:
                    yield f"{indent}  {_access(access)}"
                yield f"{indent}}}"
        case Barrier(reason=reason):
            yield f"{indent}barrier" + (f" {_quoted(reason)}" if reason else "")
        case Await(barrier=barrier):
            yield f"{indent}await {_quoted(barrier)}"
        case Commit():
            yield f"{indent}commit"
        case WaitGroup(pending=pending):
            yield f"{indent}wait_group {show_term(pending)}"
        case Loop(index=index, trips=trips, stages=stages, body=body, line=line):
            ring = "" if stages is None else f" stages {show_term(stages)}"
            at = f" line {line}" if line else ""
            yield f"{indent}loop {_quoted(index)} trips {show_term(trips)}{ring}{at} {{"
            for inner in body:
                yield from _event(inner, indent + "  ")
            yield f"{indent}}}"
        case Branch():
            yield from _branch(event, indent)
        case _:
            assert_never(event)


def _branch(branch: Branch, indent: str) -> Iterator[str]:
    kind = "uniform" if branch.uniform else "divergent"
    at = f" line {branch.line}" if branch.line else ""
    yield f"{indent}if {_quoted(branch.condition)} {kind}{at} {{"
    for inner in branch.then:
        yield from _event(inner, indent + "  ")
    if branch.orelse:
        yield f"{indent}}} else {{"
        for inner in branch.orelse:
            yield from _event(inner, indent + "  ")
    yield f"{indent}}}"
