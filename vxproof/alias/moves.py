"""Moves (E4001): a tensor that is passed, returned or bound by value is gone afterwards.

Flow-sensitive over the structured IR: the arms of an `if` that reach its end are joined, as are a
loop that makes no trip and one that does. The body of a loop or of a kernel with a grid is walked
twice where it moves something, so that a move in one iteration, or at one grid point, meets the use
in the next. Residents are left out: where they are bound or returned, E6102 says it better.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label, Span
from vxproof.ir.ops import (
    Assign,
    Block,
    Call,
    Declare,
    For,
    If,
    Operation,
    Read,
    Return,
    Spawn,
)
from vxproof.ir.types import TensorType

if TYPE_CHECKING:
    from vxproof.ir.module import Function
    from vxproof.ir.values import Value, Variable

Moved = dict["Variable", Span]
"""Variables that some path to here has moved, each with the place of the move.

None in its stead: no path gets here.
"""


class _Walk:
    def __init__(self) -> None:
        self.found: dict[Span, Diagnostic] = {}
        self._named: dict[int, tuple[Variable, ...]] = {}

    def block(self, body: Block, moved: Moved) -> Moved | None:
        for op in body:
            after = self._operation(op, moved)
            if after is None:
                return None
            moved = after
        return moved

    def _operation(self, op: Operation, moved: Moved) -> Moved | None:
        match op:
            case Read(result=result, variable=variable, span=span):
                if variable in moved:
                    self._report(variable, span, moved[variable])
                if isinstance(variable.type, TensorType) and variable.resident is None:
                    self._named[result.id] = (variable,)
                return moved
            case Declare(variable=variable, init=init):
                if init is not None:
                    moved = self._move(moved, init)
                return {v: s for v, s in moved.items() if v != variable}
            case Assign(variable=variable, value=value):
                moved = self._move(moved, value)
                return {v: s for v, s in moved.items() if v != variable}
            case Call(args=args):
                for arg in args:
                    moved = self._move(moved, arg)
                return moved
            case Return():
                return None
            case If():
                return self._branch(op, moved)
            case For(body=body):
                return self._repeated(body, moved)
            case Spawn(grid=grid, body=body):
                return self._repeated(body, moved) if grid else self.block(body, moved)
            case _:
                return moved

    def _repeated(self, body: Block, moved: Moved) -> Moved:
        once = self.block(body, dict(moved))
        if once is None:
            return moved
        if not once.keys() <= moved.keys():
            self.block(body, dict(once))
        return {**moved, **once}

    def _branch(self, op: If, moved: Moved) -> Moved | None:
        then = self.block(op.then, dict(moved))
        orelse = self.block(op.orelse, dict(moved))
        if op.result is not None and isinstance(op.result.type, TensorType):
            for value, arm in ((op.then_value, then), (op.else_value, orelse)):
                if value is not None and arm is not None:
                    arm.update(self._move(arm, value))
        if then is None or orelse is None:
            return orelse if then is None else then
        return {**orelse, **then}

    def _move(self, moved: Moved, value: Value) -> Moved:
        variables = self._named.get(value.id, ())
        if not variables or not isinstance(value.type, TensorType):
            return moved
        return {**moved, **dict.fromkeys(variables, value.span)}

    def _report(self, variable: Variable, span: Span, moved_at: Span) -> None:
        self.found.setdefault(
            span,
            Diagnostic(
                "E4001",
                f"`{variable.name}` is used after it has moved",
                Label(span, "used here"),
                secondary=(Label(moved_at, "moved here"),),
                help=f"pass `&{variable.name}`, or make the copy that is wanted",
            ),
        )


def move_findings(function: Function) -> tuple[Diagnostic, ...]:
    """Return a finding for each use of a moved tensor."""
    walk = _Walk()
    walk.block(function.body, {})
    spans = sorted(walk.found, key=lambda span: (span.start, span.end))
    return tuple(walk.found[span] for span in spans)
