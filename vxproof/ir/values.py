"""Values, variables and contract clauses of the typed IR."""

from __future__ import annotations

from vxproof.diagnostics import Span
from vxproof.ir.types import Type
from vxproof.logic.terms import Formula, Sym
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The result of one operation: defined once, identified by `id` within its function.

    `name` is the source's name, empty for an intermediate result.
    """

    id: int
    type: Type
    span: Span
    name: str = ""

    def __eq__(self, other: object) -> bool:
        """Compare by identity within a function."""
        return isinstance(other, Value) and other.id == self.id

    def __hash__(self) -> int:
        """Hash by id."""
        return hash(("value", self.id))

    @property
    def symbol(self) -> Sym:
        """The symbol that stands for an integer or bool value in clauses (invariants, ensures)."""
        return Sym(f"%{self.id}")


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A named place: a `let`, a `let mut`, or a parameter.

    `resident` names the space that a `resident<Memory::X>` promises, else None.
    """

    id: int
    name: str
    type: Type
    span: Span
    mutable: bool = False
    resident: str | None = None

    def __eq__(self, other: object) -> bool:
        """Compare by identity within a function."""
        return isinstance(other, Variable) and other.id == self.id

    def __hash__(self) -> int:
        """Hash by id."""
        return hash(("variable", self.id))

    @property
    def symbol(self) -> Sym:
        """The symbol that stands for the variable's current value in clauses."""
        return Sym(f"${self.id}")


@dataclass(frozen=True, slots=True)
class Clause:
    """A contract: a formula over the function's symbols and over `Value.symbol`, `Variable.symbol`.

    Its arithmetic is that of mathematical integers; `text` is the source's own wording.
    """

    formula: Formula
    text: str
    span: Span
