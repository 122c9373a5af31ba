"""Residency obligations: a `resident` keeps its place, its one name and its constant indices.

It has no alias, does not escape, and does not go through memory inside a loop. These promises are
decided on the alias graph alone; the path through it is the witness of a refutation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from vxproof.alias.escape import escape_faults, resident_variables
from vxproof.alias.indexing import IndexAnalysis, index_faults
from vxproof.alias.naming import AliasGraph, module_graphs
from vxproof.alias.order import Order
from vxproof.alias.round_trip import round_trip_faults
from vxproof.diagnostics import Table
from vxproof.logic.obligation import Obligation, Replay
from vxproof.logic.terms import FALSE, TRUE

if TYPE_CHECKING:
    from vxproof.alias.faults import Fault
    from vxproof.ir.module import Function, Module
    from vxproof.ir.values import Variable

_PROMISES = {
    "E6101": "has no alias",
    "E6102": "does not escape",
    "E6103": "is indexed by constants only",
    "E6105": "does not go through memory inside a loop",
}


def residency_obligations(
    function: Function, module: Module, graphs: dict[str, AliasGraph] | None = None
) -> tuple[Obligation, ...]:
    """Return one obligation for each promise of each resident, or one for each broken promise."""
    graph = (graphs if graphs is not None else module_graphs(module))[function.name]
    order = Order(function)
    analysis = IndexAnalysis(function, order)
    faults = (
        *escape_faults(function, graph, order),
        *index_faults(function, module.machine, order, analysis),
        *round_trip_faults(function, module.machine, analysis),
    )
    broken = {(fault.code, fault.variable) for fault in faults}
    kept = [
        _kept(code, variable)
        for variable in resident_variables(function)
        for code in _PROMISES
        if (code, variable) not in broken
    ]
    return (*_refuted(faults), *kept)


def _kept(code: str, variable: Variable) -> Obligation:
    return Obligation(
        code,
        "residency",
        f"resident `{variable.name}` {_PROMISES[code]}",
        variable.span,
        (),
        (),
        TRUE,
        replay=Replay.STRUCTURE,
        subject=(variable.name,),
    )


def _refuted(faults: Iterable[Fault]) -> Iterable[Obligation]:
    for fault in faults:
        rows = tuple(
            (str(number), step.text, f"line {step.span.line}")
            for number, step in enumerate(fault.path, start=1)
        )
        table = Table(f"how `{fault.variable.name}` gets there", ("step", "what", "where"), rows)
        parties = () if fault.parties is None else (fault.parties,)
        yield Obligation(
            fault.code,
            "residency",
            fault.headline,
            fault.span,
            (),
            (),
            FALSE,
            labels=fault.labels,
            tables=(*parties, *((table,) if rows else ())),
            replay=Replay.STRUCTURE,
            subject=(fault.variable.name,),
            help=fault.help,
        )
