"""Why a `--set` is refused (E0004): the clause that excludes the value, and the nearest ones.

A clause over set names alone is evaluated; where every such clause holds, the first clause that
leaves nothing together with those before it is the one that is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label
from vxproof.ir.module import Function
from vxproof.ir.values import Clause
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.obligation import Symbol
from vxproof.logic.substitute import symbols_of

_FARTHEST = 4096
"""How far away a value that would be admitted is looked for."""

_NAMED = 4
"""Clauses that are underlined where none of them alone is to blame."""


def by_value(function: Function, values: Mapping[str, int]) -> DiagnosticError:
    """Return the fault of values, by symbol, that a clause or the range of a symbol excludes."""
    broken = [one for one in _written(function) if _truth(one, values) is False]
    if not broken:
        return _outside(function, values)
    return _fault(function, values, broken[:1], _nearest(function, values, broken[0]))


def together(
    function: Function, values: Mapping[str, int], admits: Callable[[Function], bool]
) -> DiagnosticError:
    """Return the fault of values that `requires` excludes; `admits` asks it of a function."""
    written = _written(function)
    if any(_truth(one, values) is False for one in written):
        return by_value(function, values)
    given = tuple(one for one in function.requires if not one.text)
    for count in range(1, len(written) + 1):
        if not admits(replace(function, requires=(*given, *written[:count]))):
            return _fault(function, values, written[count - 1 : count], "")
    return _fault(function, values, written[:_NAMED], "")


def _written(function: Function) -> list[Clause]:
    return [clause for clause in function.requires if clause.text]


def _truth(clause: Clause, values: Mapping[str, int]) -> bool | None:
    """Whether a clause holds, None where it is about more than the values."""
    if not symbols_of(clause.formula) <= values.keys():
        return None
    try:
        return holds(clause.formula, dict(values))
    except Undefined:
        return False


def _outside(function: Function, values: Mapping[str, int]) -> DiagnosticError:
    """The fault of a value outside of the range that every such symbol has."""
    for symbol in function.symbols:
        value = values.get(symbol.name)
        if value is not None and not _in_range(symbol, value):
            least = symbol.lo is not None and value < symbol.lo
            bound = f"at least {symbol.lo:,}" if least else f"at most {symbol.hi:,}"
            return _fault(function, values, [], f"`{_name(symbol)}` is {bound}")
    return _fault(function, values, _written(function)[:_NAMED], "")


def _in_range(symbol: Symbol, value: int) -> bool:
    return (symbol.lo is None or symbol.lo <= value) and (symbol.hi is None or value <= symbol.hi)


def _nearest(function: Function, values: Mapping[str, int], broken: Clause) -> str:
    """The nearest values of the one symbol to blame that every clause about set names admits."""
    blamed = [one for one in function.symbols if one.name in symbols_of(broken.formula)]
    if len(blamed) != 1:
        return ""
    (symbol,) = blamed
    found = [
        value
        for sign in (-1, 1)
        if (value := next(_admitted(function, values, symbol, sign), None)) is not None
    ]
    if not found:
        return ""
    shown = " and ".join(f"{value:,}" for value in found)
    return f"the nearest that is admitted: {_name(symbol)} = {shown}"


def _admitted(
    function: Function, values: Mapping[str, int], symbol: Symbol, sign: int
) -> Iterator[int]:
    for step in range(1, _FARTHEST):
        value = values[symbol.name] + sign * step
        moved = {**values, symbol.name: value}
        if _in_range(symbol, value) and all(
            _truth(one, moved) is not False for one in _written(function)
        ):
            yield value


def _fault(
    function: Function, values: Mapping[str, int], clauses: list[Clause], hint: str
) -> DiagnosticError:
    settings = ", ".join(
        f"{_name(s)}={values[s.name]}" for s in function.symbols if s.name in values
    )
    headline = (
        f"--set {settings} is not among the values that `requires` of `{function.name}` admits"
    )
    if len(clauses) == 1:
        headline += f": `{clauses[0].text}` excludes it"
    words = "excludes it" if len(clauses) == 1 else "this has to hold"
    places = [Label(clause.span, words) for clause in clauses]
    return DiagnosticError(
        (
            Diagnostic(
                "E0004",
                headline,
                places[0] if places else Label(function.span),
                tuple(places[1:]),
                help=hint or "choose values that every clause admits",
            ),
        )
    )


def _name(symbol: Symbol) -> str:
    return symbol.display or symbol.name
