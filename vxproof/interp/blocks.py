"""What a block of operations reads, assigns and hands on, looked at without running it."""

from __future__ import annotations

from vxproof.ir.module import walk
from vxproof.ir.ops import Assign, Block, Declare, If, Operation, Return
from vxproof.ir.types import ScalarType
from vxproof.ir.values import Value, Variable


def operands(op: Operation) -> list[Value]:
    """Return the values that an operation reads."""
    found: list[Value] = []
    for name in op.__dataclass_fields__:
        value = getattr(op, name)
        if name != "result" and isinstance(value, Value):
            found.append(value)
    return found


def assigned(body: Block) -> set[Variable]:
    """Return the variables that a block assigns."""
    return {op.variable for op in walk(body) if isinstance(op, Assign)}


def has_state(body: Block) -> bool:
    """Whether an iteration leaves an integer or condition for the next one, or may be the last."""
    if any(isinstance(op, Return) for op in walk(body)):
        return True
    inner = {op.variable for op in walk(body) if isinstance(op, Declare)}
    return any(
        isinstance(v.type, ScalarType) and not v.type.dtype.is_float for v in assigned(body) - inner
    )


def arm_with(op: If, target: int) -> bool | None:
    """Return which arm holds the statement that starts at an offset, None where neither does."""
    for arm, taken in ((op.then, True), (op.orelse, False)):
        if any(inner.span.start == target for inner in walk(arm)):
            return taken
    return None
