"""The IR's verifier finds broken rules, and its text depends on meaning alone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from vxproof.diagnostics import DiagnosticError, Source
from vxproof.frontend import load_module
from vxproof.ir.module import Module, walk
from vxproof.ir.ops import Assign, Block, Declare, For, If, Operation, Read, Spawn
from vxproof.ir.text import digest, module_text
from vxproof.ir.verifier import InvalidIrError, verify_module

_ROOT = Path(__file__).resolve().parents[2]
_EXAMPLES = sorted((_ROOT / "examples").glob("*.vx"))
_FLASH = (_ROOT / "examples" / "flash_attention.vx").read_text(encoding="utf-8")


def _module(text: str = _FLASH, target: str | None = "sm_100a") -> Module:
    return load_module(Source("kernel.vx", text), target)


def _with_body(module: Module, body: Block) -> Module:
    function = replace(module.functions[0], body=body)
    return replace(module, functions=(function, *module.functions[1:]))


def _edit(body: Block, change: object) -> Block:
    """Return a block with `change(op)` in place of each operation, innermost first."""
    out: list[Operation] = []
    for op in body:
        inner: Operation = op
        match op:
            case For() | Spawn():
                inner = replace(op, body=_edit(op.body, change))
            case If():
                inner = replace(op, then=_edit(op.then, change), orelse=_edit(op.orelse, change))
            case _:
                pass
        out.extend(change(inner))  # type: ignore[operator]
    return tuple(out)


@pytest.mark.parametrize("path", _EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_valid_ir(path: Path) -> None:
    for target in (None, "sm_80", "sm_100a"):
        with suppress(DiagnosticError):
            verify_module(_module(path.read_text(encoding="utf-8"), target))


def _without_declarations(op: Operation) -> list[Operation]:
    return [] if isinstance(op, Declare) and op.variable.name == "m" else [op]


def _defined_twice(op: Operation) -> list[Operation]:
    return [op, op] if isinstance(op, Read) else [op]


def _assigns_what_is_fixed(op: Operation) -> list[Operation]:
    if isinstance(op, Assign):
        return [replace(op, variable=replace(op.variable, mutable=False))]
    return [op]


def _one_semantics_short(op: Operation) -> list[Operation]:
    return [replace(op, semantics=op.semantics[1:])] if isinstance(op, Spawn) else [op]


def _nested_kernels(op: Operation) -> list[Operation]:
    return [replace(op, body=(*op.body, op))] if isinstance(op, Spawn) else [op]


@pytest.mark.parametrize(
    "change",
    [
        _without_declarations,
        _defined_twice,
        _assigns_what_is_fixed,
        _one_semantics_short,
        _nested_kernels,
    ],
)
def test_a_broken_rule_is_found(change: object) -> None:
    module = _module()
    verify_module(module)
    broken = _with_body(module, _edit(module.functions[0].body, change))
    with pytest.raises(InvalidIrError):
        verify_module(broken)


def test_a_value_from_an_inner_block_is_out_of_reach() -> None:
    module = _module()
    function = module.functions[0]
    inner = next(op for op in walk(function.body) if isinstance(op, For))
    last = next(op for op in reversed(inner.body) if isinstance(op, Assign))
    with pytest.raises(InvalidIrError, match="not defined here"):
        verify_module(_with_body(module, (*function.body, last)))


def test_layout_and_comments_do_not_change_the_digest() -> None:
    spread = _FLASH.replace("{\n", "{  // a comment\n\n").replace(" = ", "\n = ")
    assert digest(_module(spread)) == digest(_module())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BM <= 128", "BM <= 129"),
        ("exp()", "exp2()"),
        ("warps(4)", "warps(8)"),
        ("[parallel, parallel]", "[parallel, arbitrary]"),
        ("Memory::SMEM", "Memory::RF"),
        ("[j, 0], [BN, D]", "[0, 0], [BN, D]"),
        ("= -inf", "= 0.0"),
    ],
)
def test_a_change_of_meaning_changes_the_text(old: str, new: str) -> None:
    assert old in _FLASH
    assert module_text(_module(_FLASH.replace(old, new))) != module_text(_module())


def test_the_target_is_part_of_the_text() -> None:
    assert digest(_module(target="sm_80")) != digest(_module(target="sm_86"))
