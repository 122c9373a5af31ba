"""Operands and blocks of operations, by form: what passes over the IR share."""

from __future__ import annotations

from vxproof.ir.ops import (
    Block,
    Declare,
    For,
    If,
    Operation,
    Spawn,
)
from vxproof.ir.values import Value, Variable


def operands(op: Operation) -> tuple[Value, ...]:
    """Return the values that an operation reads itself, in evaluation order.

    The values that the arms of an `If` end in belong to the arms, the index of a `For` and the
    result are defined by the operation.
    """
    match op:
        case For(lower=lower, upper=upper):
            return (lower, upper)
        case If(cond=cond):
            return (cond,)
        case Spawn(grid=grid):
            return grid
        case _:
            return tuple(_values(op))


def _values(op: Operation) -> list[Value]:
    found: list[Value] = []
    for name in op.__dataclass_fields__:
        if name == "result":
            continue
        part = getattr(op, name)
        match part:
            case Value():
                found.append(part)
            case tuple():
                found.extend(one for one in part if isinstance(one, Value))
                found.extend(
                    one.index for one in part if isinstance(getattr(one, "index", None), Value)
                )
            case _:
                pass
    return found


def blocks(op: Operation) -> tuple[Block, ...]:
    """Return the blocks that an operation holds."""
    match op:
        case For(body=body) | Spawn(body=body):
            return (body,)
        case If(then=then, orelse=orelse):
            return (then, orelse)
        case _:
            return ()


def variable_of(op: Operation) -> Variable | None:
    """Return the variable that an operation declares, reads or assigns."""
    if isinstance(op, Declare):
        return op.variable
    found = getattr(op, "variable", None)
    return found if isinstance(found, Variable) else None
