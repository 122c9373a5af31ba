"""`--set NAME=VALUE`: equalities that join `requires` before anything is derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches

from vxproof.diagnostics import Diagnostic, DiagnosticError
from vxproof.driver.excluded import by_value
from vxproof.ir.module import Function, Module
from vxproof.ir.values import Clause
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Cmp, Const, Rel, Sym

SETTABLE = frozenset({Origin.GENERIC, Origin.EXTENT, Origin.STRIDE})


def apply_settings(module: Module, settings: Mapping[str, int]) -> Module:
    """Return the module whose functions require each named symbol to have its value.

    Raises:
        DiagnosticError: E0004, no function has a symbol of that name, or the value is outside of
            the range of every such symbol.
    """
    if not settings:
        return module
    known = {
        shown(symbol)
        for function in module.functions
        for symbol in function.symbols
        if symbol.origin in SETTABLE
    }
    faults = tuple(_unknown(name, known) for name in settings if name not in known)
    if faults:
        raise DiagnosticError(faults)
    functions = tuple(_restrict(function, settings) for function in module.functions)
    return replace(module, functions=functions)


def shown(symbol: Symbol) -> str:
    """Return the source's name of a symbol."""
    return symbol.display or symbol.name


def set_symbols(function: Function, settings: Mapping[str, int]) -> tuple[Symbol, ...]:
    """Return the symbols of a function that the settings fix."""
    return tuple(
        symbol
        for symbol in function.symbols
        if symbol.origin in SETTABLE and shown(symbol) in settings
    )


def _unknown(name: str, known: set[str]) -> Diagnostic:
    near = get_close_matches(name, sorted(known), n=1)
    names = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
    hint = f"did you mean `{near[0]}`? " if near else ""
    return Diagnostic(
        "E0004",
        f"--set {name}: no function has a const generic or extent `{name}`",
        None,
        help=f"{hint}names that can be set: {names}",
    )


def _restrict(function: Function, settings: Mapping[str, int]) -> Function:
    fixed = set_symbols(function, settings)
    for symbol in fixed:
        value = settings[shown(symbol)]
        below = symbol.lo is not None and value < symbol.lo
        above = symbol.hi is not None and value > symbol.hi
        if below or above:
            raise by_value(function, {one.name: settings[shown(one)] for one in fixed})
    clauses = tuple(
        Clause(
            Cmp(Rel.EQ, Sym(symbol.name), Const(settings[shown(symbol)])),
            "",
            function.span,
        )
        for symbol in fixed
    )
    return replace(function, requires=(*clauses, *function.requires)) if clauses else function
