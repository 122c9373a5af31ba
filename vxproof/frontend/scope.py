"""Lexical scopes of one function: what a name is bound to, and what is known of it statically."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from vxproof.ir.dtypes import I64
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.ir.dtypes import DType
    from vxproof.ir.values import Value, Variable
    from vxproof.logic.terms import Term


@dataclass(frozen=True, slots=True)
class Local:
    """A variable; `static` is its value as a term where it is an immutable integer that has one."""

    variable: Variable
    static: Term | None = None


@dataclass(frozen=True, slots=True)
class Counter:
    """A loop variable."""

    value: Value


@dataclass(frozen=True, slots=True)
class Size:
    """A const generic or run-time extent, of an integer type."""

    symbol: str
    dtype: DType = I64


@dataclass(frozen=True, slots=True)
class Poisoned:
    """A name whose declaration is in error: using it adds no further finding."""


Binding: TypeAlias = Local | Counter | Size | Poisoned


@dataclass(slots=True)
class Scope:
    """A block's names over those of the blocks around it; a later name hides an earlier one."""

    parent: Scope | None = None
    names: dict[str, Binding] = field(default_factory=dict)

    def find(self, name: str) -> Binding | None:
        """Return what a name is bound to, or None."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def visible(self) -> list[str]:
        """Return every name in sight, for suggestions."""
        found: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            found.extend(scope.names)
            scope = scope.parent
        return found
