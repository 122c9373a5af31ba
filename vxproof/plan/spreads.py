"""The register layout of each tile: tiles that meet elementwise share one, products decide it."""

from __future__ import annotations

from vxproof.ir.ops import (
    Assign,
    Cast,
    Declare,
    Elementwise,
    If,
    MatMul,
    Read,
    Reduce,
    View,
    result_of,
)
from vxproof.ir.types import TensorType, Type
from vxproof.ir.values import Value, Variable
from vxproof.logic.terms import Const, Term, mul
from vxproof.plan.context import Context
from vxproof.plan.fragments import VECTOR_BITS, Split, Spread, registers, split, values_per_thread
from vxproof.plan.objects import Draft, Tracker
from vxproof.plan.products import Family, Product
from vxproof.plan.timeline import Step
from vxproof.records import dataclass

_RANK = (Spread.BLOCKED, Spread.EVEN, Spread.LANES, Spread.MMA)
_BY_FAMILY = {
    Family.NONE: Spread.EVEN,
    Family.FMA: Spread.BLOCKED,
    Family.MMA_SYNC: Spread.MMA,
    Family.TCGEN05: Spread.LANES,
}

Name = Value | Variable


@dataclass(slots=True)
class Group:
    """Tiles that share a layout: its family, the height that warps split, the widest tile.

    `bits` are those of the narrowest element, of which most lie in one vector.
    """

    spread: Spread
    height: Term | None = None
    width: Term | None = None
    fixed: bool = False
    bits: int = 32


class Spreads:
    """Union-find over values and variables, which share one space of ids."""

    def __init__(self, context: Context, tracker: Tracker, products: dict[int, Product]) -> None:
        self.context = context
        self.tracker = tracker
        self.products = products
        self.parent: dict[int, int] = {}
        self.groups: dict[int, Group] = {}
        for step in tracker.line.steps:
            self.note(step)

    def register_tile(self, name: Name | None) -> bool:
        """Whether a name stands for a tile in registers."""
        if name is None or not isinstance(name.type, TensorType):
            return False
        known = self.tracker.values if isinstance(name, Value) else self.tracker.variables
        return not known.get(name.id)

    def names_of(self, step: Step) -> tuple[Name, ...]:
        """Return the tiles that an operation makes or declares."""
        made = result_of(step.op)
        names: list[Name] = [] if made is None else [made]
        if isinstance(step.op, Declare):
            names.append(step.op.variable)
        return tuple(name for name in names if isinstance(name.type, TensorType))

    def note(self, step: Step) -> None:
        """Join what an operation lets meet."""
        op = step.op
        if step.end:
            return
        match op:
            case Elementwise(result=result, args=args):
                self.meet(result, *args)
            case Cast(result=result, value=value) | Reduce(result=result, value=value):
                self.meet(result, value)
            case View(result=result, base=base):
                self.meet(result, base)
            case Declare(variable=variable, init=Value() as init):
                self.meet(variable, init)
            case Assign(variable=variable, value=value):
                self.meet(variable, value)
            case Read(result=result, variable=variable):
                self.meet(result, variable)
            case If(result=Value() as result, then_value=Value() as a, else_value=Value() as b):
                self.meet(result, a, b)
            case MatMul():
                self.product(op)
            case _:
                pass

    def product(self, op: MatMul) -> None:
        """Let a product decide the layout of its result and of its left operand."""
        known = self.products[op.result.id]
        group = self.group(op.result)
        self.lift(group, _BY_FAMILY[known.family])
        shape = op.result.type.shape if isinstance(op.result.type, TensorType) else None
        if shape and not group.fixed:
            group.height, group.width, group.fixed = mul(*shape[:-1]), shape[-1], True
        self.meet(op.result, *(() if op.acc is None else (op.acc,)))
        if known.family is Family.MMA_SYNC and self.register_tile(op.a):
            left = self.group(op.a)
            self.lift(left, Spread.MMA)
            if shape and not left.fixed:
                left.height, left.fixed = mul(*shape[:-1]), True
        if known.into is not None:
            self.meet(op.result, known.into)

    def meet(self, *names: Name) -> None:
        """Put register tiles into one group; tensor memory among the names is read by lanes."""
        tiles = [name for name in names if self.register_tile(name)]
        for one in tiles[1:]:
            self.join(tiles[0], one)
        if tiles and any(self.in_tensor_memory(name) for name in names):
            self.lift(self.group(tiles[0]), Spread.LANES)

    def in_tensor_memory(self, name: Name) -> bool:
        """Whether a name stands for a tile in tensor memory."""
        known = self.tracker.values if isinstance(name, Value) else self.tracker.variables
        return any(
            isinstance(one, Draft) and self.context.space(one.space).columns is not None
            for one in known.get(name.id, ())
        )

    def group(self, name: Name) -> Group:
        """Return the group of a name, made where there is none."""
        return self.groups[self.root(name)]

    def root(self, name: Name) -> int:
        """Return the representative of a name's group."""
        at = name.id
        if at not in self.parent:
            self.parent[at] = at
            start = Spread.EVEN if self.context.target is None else Spread.BLOCKED
            self.groups[at] = Group(start, *_extent(name.type), bits=_bits(name.type))
        while self.parent[at] != at:
            self.parent[at] = self.parent[self.parent[at]]
            at = self.parent[at]
        return at

    def join(self, a: Name, b: Name) -> None:
        """Merge two groups."""
        left, right = self.root(a), self.root(b)
        if left == right:
            return
        one, other = self.groups[left], self.groups.pop(right)
        self.parent[right] = left
        one.bits = min(one.bits, other.bits)
        self.lift(one, other.spread)
        if other.fixed and not one.fixed:
            one.height, one.width, one.fixed = other.height, other.width, True
        one.height = other.height if one.height is None else one.height
        one.width = other.width if one.width is None else one.width

    def lift(self, group: Group, spread: Spread) -> None:
        """Give a group the stronger of two families."""
        group.spread = max(group.spread, spread, key=_RANK.index)

    def spread(self, name: Name) -> Spread:
        """Return the family of a tile's layout."""
        return self.group(name).spread

    def split(self, name: Name) -> Split:
        """Return how the warps divide a tile."""
        group = self.group(name)
        height = Const(1) if group.height is None else group.height
        width = Const(1) if group.width is None else group.width
        return split(group.spread, height, width, self.context.warps, self.context.ranges)

    def registers(self, name: Name) -> Term:
        """Return the registers that the fullest thread needs for a tile."""
        tensor = name.type
        if not isinstance(tensor, TensorType) or tensor.shape is None:
            return Const(0)
        group = self.group(name)
        values = values_per_thread(
            group.spread,
            tensor.shape,
            self.split(name),
            group.width,
            self.context.ranges,
            vector=VECTOR_BITS // group.bits,
        )
        return registers(values, tensor.dtype.bits, self.context.ranges)


def _extent(kind: Type) -> tuple[Term | None, Term | None]:
    """Height and width of a tile, None for an axis of size 1."""
    if not isinstance(kind, TensorType) or not kind.shape:
        return None, None
    height = mul(Const(1), *kind.shape[:-1])
    width = kind.shape[-1]
    return (None if height == Const(1) else height), (None if width == Const(1) else width)


def _bits(kind: Type) -> int:
    """Bits of an element, at least a byte and at most a word."""
    return min(max(kind.dtype.bits, 8), 32) if isinstance(kind, TensorType) else 32
