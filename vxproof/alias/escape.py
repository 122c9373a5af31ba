"""Aliases (E6101) and escapes (E6102) of residents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.alias.faults import Fault
from vxproof.alias.naming import AliasGraph, Node
from vxproof.alias.order import Order
from vxproof.diagnostics import Label, Span, Table
from vxproof.ir.module import walk
from vxproof.ir.ops import (
    Assign,
    Call,
    Declare,
    Operation,
    Read,
    Return,
    Spawn,
    StoreElement,
    StoreTile,
)
from vxproof.ir.types import RefType, TensorType
from vxproof.ir.values import Value

if TYPE_CHECKING:
    from vxproof.ir.module import Function
    from vxproof.ir.values import Variable


def _argument(op: Call, value: Value) -> str:
    """Which argument of a call a value is, from 1."""
    place = next(at for at, arg in enumerate(op.args, start=1) if arg is value)
    return f"argument {place} of `{op.function}`"


def _may(value: Value) -> str:
    return "write" if isinstance(value.type, RefType) and value.type.mutable else "read"


def escape_faults(function: Function, graph: AliasGraph, order: Order) -> tuple[Fault, ...]:
    """Return the aliases and escapes of every resident of a function, in program order."""
    faults: list[Fault] = []
    for op in walk(function.body):
        if isinstance(op, Declare) and op.variable.resident is not None:
            search = _Search(function, graph, order, op)
            faults.extend(search.run())
    return tuple(sorted(faults, key=lambda f: (f.span.start, f.code)))


class _Search:
    def __init__(
        self, function: Function, graph: AliasGraph, order: Order, declared: Declare
    ) -> None:
        self._function = function
        self._graph = graph
        self._order = order
        self._declared = declared
        self._root = declared.variable
        self._names = graph.names_of(self._root)
        self._faults: list[Fault] = []

    def run(self) -> list[Fault]:
        for op in walk(self._function.body):
            self._operation(op)
        self._regions()
        return self._faults

    def _named(self, value: Value | None) -> bool:
        return value is not None and value in self._names and not _is_scalar(value)

    def _operation(self, op: Operation) -> None:
        match op:
            case Declare(variable=variable, init=init) if variable != self._root and self._named(
                init
            ):
                assert init is not None
                if self._is_view(init):
                    self._named_view(op)
                else:
                    self._escape(op.span, init, f"bound to `{variable.name}`", variable)
            case Assign(variable=variable, value=value) if (
                variable != self._root and self._named(value) and not self._is_view(value)
            ):
                self._escape(op.span, value, f"stored into `{variable.name}`", variable)
            case Return(value=value) if self._named(value):
                assert value is not None
                if isinstance(value.type, RefType | TensorType):
                    self._escape(op.span, value, "returned", value)
            case Call():
                self._call(op)
            case _:
                pass

    def _is_view(self, value: Value) -> bool:
        came = self._names[value]
        while came is not None:
            node, step = came
            if step.text.startswith("bound"):
                return False
            if step.text.startswith(("seen", "indexed", "transposed")):
                return True
            came = self._names[node]
        return False

    def _escape(self, span: Span, value: Value, how: str, goal: Node) -> None:
        place = self._root.resident
        self._fault(
            "E6102",
            f"resident `{self._root.name}` is {how}",
            span,
            goal if goal in self._names else value,
            f"`{self._root.name}` has to stay in {place}: copy it by an operation, such as "
            f"`{self._root.name} * 1.0`, or use it under its own name",
        )

    def _fault(
        self,
        code: str,
        headline: str,
        span: Span,
        goal: Node,
        help_: str,
        labels: tuple[Label, ...] = (),
        parties: Table | None = None,
    ) -> None:
        declared = Label(self._root.span, f"`{self._root.name}` is resident here")
        path = self._graph.path(self._root, goal)
        self._faults.append(
            Fault(code, self._root, headline, span, (declared, *labels), path, help_, parties)
        )

    def _call(self, op: Call) -> None:
        named = [arg for arg in op.args if self._named(arg)]
        for arg in named:
            if isinstance(arg.type, TensorType) and not self._is_view(arg):
                self._escape(op.span, arg, f"passed by value to `{op.function}`", arg)
                return
        mutable = [a for a in named if isinstance(a.type, RefType) and a.type.mutable]
        if len(named) > 1 and mutable:
            second = mutable[0]
            first = next(arg for arg in named if arg is not second)
            self._fault(
                "E6101",
                f"resident `{self._root.name}` has two names in the call of `{op.function}`, "
                "which writes it",
                op.span,
                second,
                "give the call a copy for one of the two parameters",
                (Label(first.span, "the first name"), Label(second.span, "the second name")),
                Table(
                    "the two names",
                    ("", "first", "second"),
                    (
                        ("is", *(_argument(op, arg) for arg in (first, second))),
                        ("may", *(_may(arg) for arg in (first, second))),
                    ),
                ),
            )

    def _named_view(self, op: Declare) -> None:
        view = op.variable
        write = self._order.write_before_use(op, view, self._writes())
        if write is None:
            return
        target, use = write
        self._fault(
            "E6101",
            f"resident `{self._root.name}` is written while `{view.name}` still names a part of it",
            target.span,
            view,
            f"use `{view.name}` before the write, or take the view again after it",
            (Label(op.span, f"`{view.name}` names it"), Label(use, "used after the write")),
            Table(
                "the two names",
                ("", "first", "second"),
                (
                    ("is", f"`{self._root.name}` itself", f"`{view.name}`, of line {op.span.line}"),
                    ("", f"written on line {target.span.line}", f"used on line {use.line}"),
                ),
            ),
        )

    def _writes(self) -> tuple[Operation, ...]:
        out: list[Operation] = []
        for op in walk(self._function.body):
            match op:
                case Assign(variable=variable) if variable == self._root:
                    out.append(op)
                case StoreTile(target=target) if self._named(target):
                    out.append(op)
                case StoreElement(base=base) if self._named(base):
                    out.append(op)
                case Call(args=args) if any(
                    self._named(a) and isinstance(a.type, RefType) and a.type.mutable for a in args
                ):
                    out.append(op)
                case _:
                    pass
        return tuple(out)

    def _regions(self) -> None:
        """A resident declared before a kernel belongs to that one kernel."""
        if not any(isinstance(op, Spawn) for op in self._function.body):
            return
        owner = self._order.region_of(self._declared)
        first: Spawn | None = None
        for op in walk(self._function.body):
            if not isinstance(op, Read | Assign) or op.variable != self._root:
                continue
            region = self._order.region_of(op)
            if region is owner:
                if owner is None:
                    self._captured(op, first, "the host")
                    return
                continue
            if first is None:
                first = region
            elif region is not first:
                self._captured(op, first, "another kernel")
                return

    def _captured(self, op: Read | Assign, first: Spawn | None, who: str) -> None:
        labels = () if first is None else (Label(_opening(first.span), "its kernel"),)
        declared = Label(self._root.span, f"`{self._root.name}` is resident here")
        self._faults.append(
            Fault(
                "E6102",
                self._root,
                f"resident `{self._root.name}` is captured by {who}",
                op.span,
                (declared, *labels),
                (),
                f"what {who} needs of `{self._root.name}` has to be written to memory by its "
                "own kernel",
            )
        )


def _opening(span: Span) -> Span:
    """Return the place where a region starts: its word, not its whole body."""
    return Span(span.file, span.start, min(span.end, span.start + 5), span.line, span.column)


def _is_scalar(value: Value) -> bool:
    return not isinstance(value.type, RefType | TensorType)


def resident_variables(function: Function) -> tuple[Variable, ...]:
    """Return the residents of a function, in program order."""
    return tuple(
        op.variable
        for op in walk(function.body)
        if isinstance(op, Declare) and op.variable.resident is not None
    )
