"""Names that a kernel uses from the function around it, resolved to the variable that they mean."""

from __future__ import annotations

from vxproof.ir.module import Function, walk
from vxproof.ir.ops import Borrow, Declare, Deref, Read, Transpose, View
from vxproof.ir.values import Value
from vxproof.plan.objects import OuterName


def outer_names(function: Function) -> dict[int, OuterName]:
    """Return the variables, by id, that stand for another one or for a part of it."""
    values: dict[int, OuterName] = {}
    names: dict[int, OuterName] = {}

    def known(value: Value | None) -> OuterName | None:
        return None if value is None else values.get(value.id)

    for op in walk(function.body):
        match op:
            case Read(result=result, variable=variable):
                values[result.id] = names.get(variable.id, OuterName(variable, part=False))
            case Borrow(result=result, of=base) | Deref(result=result, ref=base):
                _set(values, result, known(base), part=False)
            case View(result=result, base=base) | Transpose(result=result, value=base):
                _set(values, result, known(base), part=True)
            case Declare(variable=variable, init=init):
                found = known(init)
                if found is not None:
                    names[variable.id] = found
            case _:
                pass
    return {key: one for key, one in names.items() if one.root.id != key}


def _set(
    values: dict[int, OuterName], result: Value, base: OuterName | None, *, part: bool
) -> None:
    if base is not None:
        values[result.id] = OuterName(base.root, base.part or part)
