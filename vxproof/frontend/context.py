"""What the elaboration of one function carries along: operations so far, names, findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from difflib import get_close_matches
from typing import TYPE_CHECKING, NoReturn

from vxproof.diagnostics import Diagnostic, Label, Span
from vxproof.frontend.scope import Poisoned, Scope
from vxproof.ir.values import Value, Variable
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.frontend import ast
    from vxproof.frontend.scope import Binding
    from vxproof.frontend.signatures import Program, Signature
    from vxproof.ir.dtypes import DType
    from vxproof.ir.ops import Block, Operation
    from vxproof.ir.types import ScalarType, TensorType, Type


class Abandoned(Exception):  # noqa: N818
    """The current statement is in error, and the finding is recorded; go on with the next one."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """The type of a variable whose literal initialiser leaves it open, until an assignment decides.

    It stands for a value that takes the dtype and shape of whatever it meets. A function in which
    one is left is elaborated again with the decided types, so it never reaches the IR.
    `dtype` is the element type, where scalars have told that much but not the shape.
    """

    dtype: DType | None = None


@dataclass(slots=True)
class Context:
    """State of one function's elaboration.

    `decided` maps the span of a `let` to the type that an assignment gave it in an earlier round.
    """

    program: Program
    expr: Callable[[Context, ast.Expr, Type | None], Value]
    block_value: Callable[[Context, ast.Block, Type | None], Value]
    signature: Callable[[Context, str, Span], Signature]
    decided: dict[Span, ScalarType | TensorType]
    topology: str | None = None
    parameters: frozenset[Variable] = frozenset()
    rank: int | None = None
    in_spawn: bool = False
    result: Type | None = None
    returns: list[tuple[Type, Span]] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    open_types: dict[int, ast.Let] = field(default_factory=dict)
    element_types: dict[Span, DType] = field(default_factory=dict)
    newly_decided: dict[Span, ScalarType | TensorType] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    roles: set[str] = field(default_factory=set)
    in_pipelined: bool = False
    in_role: bool = False
    _operations: list[Operation] = field(default_factory=list)
    _next_id: int = 0

    def fresh(self, type_: Type, span: Span, name: str = "") -> Value:
        """Make a value with the next id."""
        self._next_id += 1
        return Value(self._next_id, type_, span, name)

    def variable(
        self,
        name: str,
        type_: Type,
        span: Span,
        *,
        mutable: bool = False,
        resident: str | None = None,
    ) -> Variable:
        """Make a variable with the next id."""
        self._next_id += 1
        return Variable(self._next_id, name, type_, span, mutable, resident)

    def reserve(self, last_id: int) -> None:
        """Start ids after those that the signature has used."""
        self._next_id = last_id

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Go on after what is inside, also where it is in error."""
        with suppress(Abandoned):
            yield

    def emit(self, op: Operation) -> None:
        """Append an operation to the current block."""
        self._operations.append(op)

    @contextmanager
    def nested(self) -> Iterator[list[Operation]]:
        """Collect a nested block, with a scope of its own."""
        outer_ops, outer_scope = self._operations, self.scope
        inner: list[Operation] = []
        self._operations, self.scope = inner, Scope(outer_scope)
        try:
            yield inner
        finally:
            self._operations, self.scope = outer_ops, outer_scope

    def block(self) -> Block:
        """Return the operations of the current block so far."""
        return tuple(self._operations)

    def record(
        self,
        code: str,
        headline: str,
        span: Span,
        *,
        label: str = "",
        secondary: tuple[Label, ...] = (),
        help_: str | None = None,
    ) -> None:
        """Add a finding and go on."""
        self.findings.append(
            Diagnostic(code, headline, Label(span, label), secondary=secondary, help=help_)
        )

    def fail(
        self,
        code: str,
        headline: str,
        span: Span,
        *,
        label: str = "",
        secondary: tuple[Label, ...] = (),
        help_: str | None = None,
    ) -> NoReturn:
        """Add a finding and abandon the current statement.

        Raises:
            Abandoned: always.
        """
        self.record(code, headline, span, label=label, secondary=secondary, help_=help_)
        raise Abandoned

    def lookup(self, name: str, span: Span) -> Binding:
        """Return what a name is bound to.

        Raises:
            Abandoned: the name is unknown (E1002), or its declaration was in error.
        """
        binding = self.scope.find(name)
        if binding is None:
            near = get_close_matches(name, self.scope.visible(), n=1)
            self.fail(
                "E1002",
                f"unknown name `{name}`",
                span,
                label="not declared here",
                help_=f"did you mean `{near[0]}`?" if near else None,
            )
        if isinstance(binding, Poisoned):
            raise Abandoned
        return binding
