"""Which memory each value names, and from where to where each tile lives.

A tile is born where it is transferred or declared, and dies at its last use: reads, writes, views,
borrows and pending copies are uses. A use inside a loop of a tile from outside keeps it to the
loop's end; a resident lives to the end of its scope; a ring spans its whole loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vxproof.diagnostics import Span
from vxproof.ir.dtypes import U8
from vxproof.ir.module import Machine, Space
from vxproof.ir.ops import (
    Assign,
    Borrow,
    Call,
    Declare,
    Deref,
    If,
    NewTensor,
    Read,
    Transfer,
    TransferAsync,
    Transpose,
    View,
    Wait,
)
from vxproof.ir.types import RefType, TensorType, TokenType, Type
from vxproof.ir.values import Value, Variable
from vxproof.logic.terms import Term
from vxproof.plan.nodes import BufferKind, Case
from vxproof.plan.timeline import Region, Step, Timeline, operands
from vxproof.records import dataclass

REGISTER_SCOPES = frozenset({"warpgroup", "subcore", "warp", "thread"})
"""Scopes whose spaces are spread over threads: no arena, no addresses."""


@dataclass(slots=True, eq=False)
class Draft:
    """A tile in memory whose life is still growing."""

    name: str
    kind: BufferKind
    space: str
    type: TensorType
    birth: int
    death: int
    scope: Region
    span: Span
    depth: Term | None = None
    amount: Term | None = None
    text: str = ""
    alignment: int = 0
    layout: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """A tensor that the kernel does not make: a parameter, or a variable of the function around."""

    name: str
    mutable: bool


@dataclass(frozen=True, slots=True)
class OuterName:
    """A name from around the kernel that stands for another variable, or a part of it."""

    root: Variable
    part: bool


Object = Draft | Outside
NOTHING: tuple[Object, ...] = ()


def tensor_of(kind: Type) -> TensorType | None:
    """Return the tensor type behind references and tokens."""
    match kind:
        case TensorType():
            return kind
        case RefType(target=TensorType() as target):
            return target
        case TokenType(tensor=tensor):
            return tensor
        case _:
            return None


class Tracker:
    """Walks a timeline once; `drafts`, `value` and `variable` are its result."""

    def __init__(
        self, machine: Machine, line: Timeline, outer: Mapping[int, OuterName] | None = None
    ) -> None:
        self.outer = {} if outer is None else outer
        self.machine = machine
        self.line = line
        self.drafts: list[Draft] = []
        self.values: dict[int, tuple[Object, ...]] = {}
        self.variables: dict[int, tuple[Object, ...]] = {}
        self.homes: dict[int, Region] = {}
        self.outside: dict[int, Outside] = {}
        self.sources: dict[Draft, tuple[Object, ...]] = {}
        self.names: set[str] = set()

    def space(self, place: str | None) -> Space | None:
        """Return the space of a place, through aliases."""
        if place is None:
            return None
        return self.machine.spaces.get(self.machine.aliases.get(place, place))

    def arena_space(self, place: str | None) -> str | None:
        """Return the name of a place's space where it has addresses, else None."""
        space = self.space(place)
        return None if space is None or space.scope in REGISTER_SCOPES else space.name

    def of(self, value: Value | None) -> tuple[Object, ...]:
        """Return the memory that a value names; empty for registers and scalars."""
        return NOTHING if value is None else self.values.get(value.id, NOTHING)

    def objects_of(self, name: Value | Variable) -> tuple[Object, ...]:
        """Return the memory that a value or variable names."""
        known = self.values if isinstance(name, Value) else self.variables
        return known.get(name.id, NOTHING)

    def run(self, on_step: Callable[[Step], None] | None = None) -> None:
        """Walk the timeline; `on_step` is called for every step, after its effect is known."""
        for step in self.line.steps:
            if not step.end:
                for value in operands(step.op):
                    self.use(self.of(value), step)
            self.effect(step)
            if on_step is not None:
                on_step(step)

    def use(self, objects: tuple[Object, ...], step: Step) -> None:
        """Keep tiles alive up to a step."""
        for one in objects:
            if isinstance(one, Draft):
                one.death = max(one.death, step.point)
                loop = step.scope.outermost_loop(one.scope)
                if loop is not None:
                    one.death = max(one.death, loop.end)

    def effect(self, step: Step) -> None:
        """Note what an operation makes and what its result names."""
        op = step.op
        if step.end:
            if isinstance(op, If) and op.result is not None:
                left, right = self.of(op.then_value), self.of(op.else_value)
                self.values[op.result.id] = self.one_place(step, left, right) or _union(left, right)
            return
        match op:
            case Declare(variable=variable, init=init):
                self.declare(step, variable, init)
            case Assign(variable=variable, value=value):
                self.assign(step, variable, value)
            case Read(result=result, variable=variable):
                objects = self.named(variable)
                self.use(objects, step)
                self.values[result.id] = objects
            case (
                View(result=result, base=base)
                | Transpose(result=result, value=base)
                | Borrow(result=result, of=base)
                | Deref(result=result, ref=base)
            ):
                self.values[result.id] = self.of(base)
            case Wait(result=result, token=base):
                self.values[result.id] = self.of(base)
                for one in self.of(base):
                    if isinstance(one, Draft):
                        self.use(self.sources.get(one, NOTHING), step)
            case Transfer(result=result, place=place) | TransferAsync(result=result, place=place):
                self.transfer(step, result, place)
            case NewTensor(result=result):
                self.make(step, result, BufferKind.TILE)
            case Call(args=args):
                self.call(step, op, args)
            case _:
                pass

    def one_place(
        self, step: Step, left: tuple[Object, ...], right: tuple[Object, ...]
    ) -> tuple[Object, ...]:
        """Give the tiles that the two arms of an `if` make for its value one place.

        Only one of the arms runs, so the second tile takes the place of the first. Empty where an
        arm hands out something that it did not make, or a tile of another kind.
        """
        match left, right:
            case (Draft() as one,), (Draft() as other,):
                pass
            case _:
                return NOTHING
        if one is other or not (self.inside(one, step) and self.inside(other, step)):
            return NOTHING
        if (one.kind, one.space, one.type, one.depth) != (
            other.kind,
            other.space,
            other.type,
            other.depth,
        ):
            return NOTHING
        one.death, one.scope = max(one.death, other.death), step.scope
        self.drafts.remove(other)
        if other in self.sources:
            self.sources[one] = _union(self.sources.get(one, NOTHING), self.sources.pop(other))
        for known in (self.values, self.variables):
            for key, objects in known.items():
                if other in objects:
                    known[key] = _union(tuple(one if o is other else o for o in objects))
        return (one,)

    def inside(self, draft: Draft, step: Step) -> bool:
        """Whether a tile is made between the head of a branch and its end."""
        head = next(s.point for s in self.line.steps if s.op is step.op)
        return head < draft.birth

    def named(self, variable: Variable) -> tuple[Object, ...]:
        """Return the memory of a variable; one from outside names itself."""
        known = self.variables.get(variable.id)
        if known is not None:
            return known
        tensor = tensor_of(variable.type)
        if tensor is None or isinstance(variable.type, TokenType):
            return NOTHING
        outer = self.outer.get(variable.id)
        if outer is not None:
            variable = outer.root
        if variable.id not in self.outside:
            mutable = variable.mutable or (
                isinstance(variable.type, RefType) and variable.type.mutable
            )
            self.outside[variable.id] = Outside(self.fresh(variable.name), mutable)
        return (self.outside[variable.id],)

    def declare(self, step: Step, variable: Variable, init: Value | None) -> None:
        """A name takes over what its first value names, or gets a place of its own."""
        self.homes[variable.id] = step.scope
        objects = self.of(init)
        tensor = tensor_of(variable.type)
        place = variable.resident or (tensor.place if tensor else None)
        space = self.arena_space(place)
        if not objects and space is not None and isinstance(variable.type, TensorType):
            draft = self.draft(step, variable.name, BufferKind.TILE, space, variable.type)
            objects = (draft,)
        for one in objects:
            if not isinstance(one, Draft):
                continue
            if one.birth <= step.point and one.name.startswith("@"):
                one.name = self.fresh(variable.name)
                one.span = variable.span
            if variable.resident is not None and one.space == space:
                one.kind = BufferKind.RESIDENT
                one.death = max(one.death, step.scope.end)
        self.variables[variable.id] = objects

    def assign(self, step: Step, variable: Variable, value: Value) -> None:
        """A tile is copied into its variable; a token or reference changes what it names."""
        if isinstance(variable.type, TokenType | RefType):
            moved = self.of(value)
            self.escape(moved, step, self.homes.get(variable.id, self.line.root))
            self.variables[variable.id] = _union(self.named(variable), moved)
        self.use(self.named(variable), step)

    def escape(self, objects: tuple[Object, ...], step: Step, home: Region) -> None:
        """A name from outside a loop now holds what an iteration made: it lives all the loop."""
        loop = step.scope.outermost_loop(home)
        if loop is None:
            return
        for one in objects:
            if isinstance(one, Draft) and loop.encloses(one.scope):
                one.birth, one.death = min(one.birth, loop.start), max(one.death, loop.end)
                one.scope = loop.parent or self.line.root

    def transfer(self, step: Step, result: Value, place: str) -> None:
        """Start the tile, or the ring, that a transfer fills."""
        space = self.arena_space(place)
        tensor = tensor_of(result.type)
        if space is None or tensor is None:
            self.values[result.id] = NOTHING
            return
        draft = self.draft(step, result.name or f"@{result.id}", BufferKind.TILE, space, tensor)
        loop = next((r for r in step.scope.enclosing if r.loop is not None), None)
        if isinstance(step.op, TransferAsync) and loop is not None and loop.loop is not None:
            stages = loop.loop.stages
            if stages is not None:
                draft.kind, draft.depth = BufferKind.RING, stages
                draft.birth, draft.death = loop.start, loop.end
        if isinstance(step.op, TransferAsync):
            self.sources[draft] = self.of(step.op.source)
        self.values[result.id] = (draft,)

    def make(self, step: Step, result: Value, kind: BufferKind) -> None:
        """A new tensor that its type places."""
        tensor = result.type if isinstance(result.type, TensorType) else None
        space = self.arena_space(tensor.place) if tensor else None
        if tensor is None or space is None:
            return
        name = result.name or f"@{result.id}"
        self.values[result.id] = (self.draft(step, name, kind, space, tensor),)

    def call(self, step: Step, op: Call, args: tuple[Value, ...]) -> None:
        """A tensor that is returned has a place; a reference may name any argument."""
        match op.result.type:
            case TensorType():
                self.make(step, op.result, BufferKind.TILE)
            case RefType():
                self.values[op.result.id] = _union(*(self.of(arg) for arg in args))
            case _:
                pass

    def draft(
        self, step: Step, name: str, kind: BufferKind, space: str, tensor: TensorType
    ) -> Draft:
        """Start a tile at a step."""
        name = name if name.startswith("@") else self.fresh(name)
        point = step.point
        draft = Draft(name, kind, space, tensor, point, point, step.scope, step.op.span)
        self.drafts.append(draft)
        return draft

    def draft_amount(self, step: Step, name: str, kind: BufferKind, space: str) -> Draft:
        """Start a buffer of raw bytes or columns that is there for one step."""
        return self.draft(step, name, kind, space, TensorType(U8, ()))

    def fresh(self, name: str) -> str:
        """Return the name, made unique by a number where it is taken."""
        base, count = name.lstrip("@") or "tile", 1
        name = base
        while name in self.names:
            count += 1
            name = f"{base}#{count}"
        self.names.add(name)
        return name


def _union(*parts: tuple[Object, ...]) -> tuple[Object, ...]:
    return tuple(dict.fromkeys(one for part in parts for one in part))
