"""What the threads of a block have to hold in registers, and between which operations.

A lower bound, so that what it refutes cannot be compiled: what can be recomputed is free (literals,
`iota`, broadcasts, bool tiles, elementwise results of what is held anyway), an elementwise chain
takes the place of one of its operands, and a narrower copy takes over once the wider value is dead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import pairwise

from vxproof.ir.dtypes import Kind
from vxproof.ir.ops import (
    Assign,
    Cast,
    Declare,
    Elementwise,
    MatMul,
    Operation,
    Read,
    Reduce,
)
from vxproof.ir.types import TensorType
from vxproof.ir.values import Value, Variable
from vxproof.logic.terms import Term
from vxproof.plan.arms import Arms
from vxproof.plan.context import Context
from vxproof.plan.nodes import Life, RegisterTile
from vxproof.plan.objects import Outside, Tracker
from vxproof.plan.products import Product
from vxproof.plan.spreads import Name, Spreads
from vxproof.plan.term_text import show_term
from vxproof.plan.timeline import Region, Step, operands
from vxproof.plan.uses import Uses
from vxproof.records import dataclass


@dataclass(slots=True, eq=False)
class Member:
    """A value that is held, or an elementwise function of it: where made, where last read.

    `need` is the registers that suffice to have it: its own, or those of what it is made from.
    """

    name: Name
    born: Step
    uses: list[int]
    need: Term

    @property
    def last(self) -> int:
        """The point of the last use."""
        return max(self.uses)


@dataclass(slots=True, eq=False)
class Root:
    """A value that has to be held, with what may take its place."""

    first: Member
    members: list[Member] = field(default_factory=list)


class Pressure:
    """Walks a kernel's timeline and finds what is held."""

    def __init__(
        self,
        context: Context,
        tracker: Tracker,
        uses: Uses,
        products: dict[int, Product],
        spreads: Spreads,
    ) -> None:
        self.context = context
        self.tracker = tracker
        self.uses = uses
        self.products = products
        self.spreads = spreads
        self.roots: list[Root] = []
        self.of: dict[int, tuple[Root, Member]] = {}
        self.residents: list[RegisterTile] = []
        self.arms = Arms(tracker.line)
        steps = tracker.line.steps
        self.assigned = {step.op.variable.id for step in steps if isinstance(step.op, Assign)}
        for step in steps:
            if not step.end:
                self.walk(step)

    def tiles(self) -> Iterator[RegisterTile]:
        """Yield what is held, residents first."""
        yield from self.residents
        yield from self.accumulators()
        for root in self.roots:
            yield from self.held(root)

    def accumulators(self) -> Iterator[RegisterTile]:
        """Yield variables that products add to and that no `resident` promises to keep."""
        homes = {
            step.op.variable.id: step
            for step in self.tracker.line.steps
            if isinstance(step.op, Declare)
        }
        births: dict[int, int] = {}
        for step in self.tracker.line.steps:
            into = self.products[step.op.result.id].into if isinstance(step.op, MatMul) else None
            if into is None or into.resident is not None or into.id not in homes:
                continue
            if self.spreads.register_tile(into):
                loop = step.scope.outermost_loop(homes[into.id].scope)
                births.setdefault(into.id, step.point if loop is None else loop.start)
        for key, birth in births.items():
            home = homes[key]
            assert isinstance(home.op, Declare)
            uses = [self.until(home.scope, step) for step in self.uses.named.get(key, [])]
            for start, end in self.phases(birth, uses, self.kills(home)):
                lines = (home.op.span.line, max(home.op.span.line, self.line_at(end)))
                yield self.tile(
                    home.op.variable, home.op.variable.name, Life(start, end - 1, *lines)
                )

    def kills(self, home: Step) -> list[int]:
        """Return where a variable is stored into as a whole, in its own scope, by no product."""
        assert isinstance(home.op, Declare)
        own = {i for one in self.products.values() for i in one.swallowed}
        return [
            step.point
            for step in self.tracker.line.steps
            if isinstance(step.op, Assign)
            and step.op.variable.id == home.op.variable.id
            and step.scope is home.scope
            and step.op.value.id not in own
        ]

    def phases(self, birth: int, uses: list[int], kills: list[int]) -> Iterator[tuple[int, int]]:
        """Yield the intervals from a point on in which what a variable holds is read again."""
        ends = self.arms.edges({birth, *(p for p in (*uses, *kills) if p > birth)})
        start = birth
        live = False
        for at in ends:
            open_ = [use for use in uses if not any(at < kill < use for kill in kills)]
            now = self.arms.ahead(at, open_)
            if live and not now:
                yield start, at
            if now and not live:
                start = at
            live = now

    def walk(self, step: Step) -> None:
        """Note what an operation reads and makes."""
        for value in operands(step.op):
            known = self.of.get(value.id)
            if known is not None:
                known[1].uses.append(self.until(known[1].born.scope, step))
        op = step.op
        match op:
            case Declare(variable=variable, init=init):
                self.declare(step, variable, init)
            case Read(result=result, variable=variable):
                known = self.of.get(variable.id)
                if known is not None:
                    self.of[result.id] = known
                    known[1].uses.append(self.until(known[1].born.scope, step))
            case MatMul(result=result):
                if self.products[result.id].into is None:
                    self.root(step, result)
            case Reduce(result=result) if self.spreads.register_tile(result):
                self.root(step, result)
            case Elementwise(result=result, args=args) if self.spreads.register_tile(result):
                self.chain(step, op, result, args)
            case Cast(result=result, value=value) if self.spreads.register_tile(result):
                self.chain(step, op, result, (value,))
            case _:
                pass

    def until(self, home: Region, step: Step) -> int:
        """Return the point to which a use keeps a value that was made in the region `home`."""
        loop = step.scope.outermost_loop(home)
        return step.point if loop is None else max(step.point, loop.end)

    def declare(self, step: Step, variable: Variable, init: Value | None) -> None:
        """A resident is held to its scope's end; any other name stands for its value."""
        if not self.spreads.register_tile(variable):
            return
        if variable.resident is not None:
            first, last = variable.span.line, self.line_at(step.scope.end)
            life = Life(step.point, max(step.scope.end, step.point), first, max(first, last))
            self.residents.append(self.tile(variable, variable.name, life))
        elif init is not None and variable.id not in self.assigned and init.id in self.of:
            self.of[variable.id] = self.of[init.id]

    def root(self, step: Step, result: Value) -> None:
        """Start a value that has to be held."""
        member = Member(result, step, [step.point], self.spreads.registers(result))
        root = Root(member, [member])
        self.roots.append(root)
        self.of[result.id] = (root, member)

    def chain(self, step: Step, op: Operation, result: Value, args: tuple[Value, ...]) -> None:
        """An elementwise result: a load of mutable memory is held, else one operand's place."""
        tensor = result.type
        if isinstance(tensor, TensorType) and tensor.dtype.kind is Kind.BOOL:
            return
        loads = any(
            isinstance(one, Outside) and one.mutable
            for arg in operands(op)
            for one in self.tracker.of(arg)
        )
        if loads:
            self.root(step, result)
            return
        known = [(arg, self.of[arg.id]) for arg in args if arg.id in self.of]
        if not known:
            return
        same = [one for arg, one in known if _shape(arg) == _shape(result)]
        root, parent = (same or [one for _, one in known])[0]
        need = self.context.ranges.min(self.spreads.registers(result), parent.need)
        member = Member(result, step, [step.point], need)
        root.members.append(member)
        self.of[result.id] = (root, member)

    def held(self, root: Root) -> Iterator[RegisterTile]:
        """Yield the intervals in which a root, or a narrower copy of it, has to be held."""
        wide = [m for m in root.members if m.need == root.first.need]
        narrow = [m for m in root.members if m not in wide]
        edges = {p for m in root.members for p in (m.born.point, *m.uses)}
        ends = self.arms.edges(edges)
        held: list[tuple[Member, int, int]] = []
        for start, end in pairwise(ends):
            live = [one for one in wide if self.live(one, start)]
            member = root.first if live else self.live_at(narrow, start)
            if member is None:
                continue
            if held and held[-1][0] is member and held[-1][2] == start:
                held[-1] = (member, held[-1][1], end)
            else:
                held.append((member, start, end))
        name = self.label(root)
        for member, start, end in held:
            text = name if member is root.first else self.label_of(member) or name
            yield self.interval(member, text, start, end)

    def live(self, member: Member, point: int) -> bool:
        """Whether a member is read on some way that leads on from a point."""
        return member.born.point <= point and self.arms.ahead(point, member.uses)

    def live_at(self, members: list[Member], point: int) -> Member | None:
        """Return the longest-lived of the members that are live after a point."""
        live = [one for one in members if self.live(one, point)]
        return max(live, key=lambda one: one.last, default=None)

    def interval(self, member: Member, name: str, start: int, end: int) -> RegisterTile:
        """Return what is held from one point to before another."""
        first = self.tracker.line.steps[start - 1].op.span.line
        life = Life(start, end - 1, first, max(first, self.line_at(end)))
        return self.tile(member.name, name, life, member.need)

    def tile(self, name: Name, text: str, life: Life, need: Term | None = None) -> RegisterTile:
        """Return a tile with its layout."""
        tensor = name.type
        assert isinstance(tensor, TensorType)
        by = self.spreads.split(name)
        layout = self.spreads.spread(name).value
        return RegisterTile(
            name=text,
            layout=f"{layout} {show_term(by.rows)} x {show_term(by.columns)} warps",
            shape=tensor.shape or (),
            dtype=tensor.dtype.name,
            per_thread=self.spreads.registers(name) if need is None else need,
            resident=isinstance(name, Variable) and name.resident is not None,
            life=life,
            span=name.span,
        )

    def line_at(self, point: int) -> int:
        """Return the source line of a point."""
        steps = self.tracker.line.steps
        step = steps[min(max(point, 1), len(steps)) - 1]
        if step.end:
            end = max(step.op.span.end - 1, 0)
            return self.context.module.source.position(end)[0]
        return step.op.span.line

    def label(self, root: Root) -> str:
        """Return the name of a held value: its own, that of its chain, or its source text."""
        for member in root.members:
            text = self.label_of(member)
            if text and _shape(member.name) == _shape(root.first.name):
                return text
        text = self.context.module.source.slice(root.first.born.op.span)
        return " ".join(text.split())[:40] or f"%{root.first.name.id}"

    def label_of(self, member: Member) -> str:
        """Return the name that a `let` gives a member, empty where none does."""
        step = self.uses.only(member.name) if isinstance(member.name, Value) else None
        if step is not None and isinstance(step.op, Declare):
            return step.op.variable.name
        return ""


def _shape(value: Name) -> tuple[Term, ...] | None:
    return value.type.shape if isinstance(value.type, TensorType) else None
