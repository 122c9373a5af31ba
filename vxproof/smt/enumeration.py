"""All points of a small finite domain at once, in machine integers that cannot overflow."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from vxproof.logic.box import Box
from vxproof.logic.digest import Node, children, postorder
from vxproof.logic.interval import Interval
from vxproof.logic.terms import And, App, Cmp, Const, Formula, Ite, Not, Op, Or, Rel, Sym, Truth
from vxproof.smt.search import Axis

if TYPE_CHECKING:
    from types import ModuleType

MOST_POINTS = 500_000
_LIMIT = 1 << 62


def points(box: Box, axes: Sequence[Axis]) -> int | None:
    """Number of points of the box along these axes, None where it is not finite."""
    count = 1
    for axis in axes:
        values = _values(box, axis)
        if values is None:
            return None
        # `len` takes no more than a machine integer, and an i64 has more values.
        count *= max(0, (values.stop - 1 - values.start) // values.step + 1)
    return count


def _values(box: Box, axis: Axis) -> range | None:
    lo, hi = box.range(axis.atom) or (None, None)
    if lo is None or hi is None:
        return None
    own = box.classes.get(axis.atom)
    return range(lo, hi + 1, own[0] if own is not None else 1)


def holds_everywhere(
    box: Box, axes: Sequence[Axis], hypotheses: Sequence[Formula], goal: Formula
) -> bool | None:
    """Whether the goal is true wherever the hypotheses are; None where this cannot be computed.

    Every term must be defined in the box, and every symbol must have an axis.
    """
    if any(_magnitude(box, axes, formula) >= _LIMIT for formula in (*hypotheses, goal)):
        return None
    try:
        import numpy
    except ImportError:
        return None
    grid = _Grid(numpy, box, axes)
    admitted = True
    for formula in hypotheses:
        admitted = admitted & grid.value(formula)
    return bool(numpy.all(grid.value(goal) | numpy.logical_not(admitted)))


def _magnitude(box: Box, axes: Sequence[Axis], root: Formula) -> int:
    """A bound of every intermediate result, in absolute value."""
    known: dict[str, Interval] = {a.name: box.range(a.atom) or (None, None) for a in axes}
    size: dict[Node, int] = {}
    most = 0
    for node in postorder(root, ()):
        parts = [size[child] for child in children(node)]
        size[node] = _bound(node, parts, known)
        most = max(most, size[node])
    return most


def _bound(node: Node, parts: list[int], known: dict[str, Interval]) -> int:
    match node:
        case Const(value=value):
            return abs(value)
        case Sym(name=name):
            lo, hi = known.get(name, (None, None))
            return _LIMIT if lo is None or hi is None else max(abs(lo), abs(hi))
        case App(op=Op.ADD):
            return sum(parts)
        case App(op=Op.MUL):
            return prod(max(1, part) for part in parts)
        case App(op=Op.POW2_CEIL | Op.ALIGN_UP):
            return 4 * sum(parts) + 4
        case _:
            return sum(parts)


class _Grid:
    """Values of nodes over the grid, each node once."""

    def __init__(self, numpy: ModuleType, box: Box, axes: Sequence[Axis]) -> None:
        self._numpy = numpy
        self._memo: dict[Node, Any] = {}
        self._symbols: dict[str, Any] = {}
        for index, axis in enumerate(axes):
            values = _values(box, axis)
            if values is None:
                raise ValueError(f"{axis.name} is not bounded")
            shape = [1] * len(axes)
            shape[index] = len(values)
            line = numpy.arange(values.start, values.stop, values.step, dtype=numpy.int64)
            self._symbols[axis.name] = line.reshape(shape)

    def value(self, root: Node) -> Any:
        """The array of a term's or formula's values."""
        for node in postorder(root, self._memo):
            self._memo[node] = self._compute(node, [self._memo[c] for c in children(node)])
        return self._memo[root]

    def _compute(self, node: Node, parts: list[Any]) -> Any:
        np = self._numpy
        match node:
            case Const(value=value):
                return np.int64(value)
            case Truth(value=flag):
                return np.bool_(flag)
            case Sym(name=name):
                return self._symbols[name]
            case App(op=op):
                return self._apply(op, parts)
            case Ite():
                return np.where(parts[0], parts[1], parts[2])
            case Not():
                return np.logical_not(parts[0])
            case And() | Or():
                total = np.bool_(isinstance(node, And))
                for part in parts:
                    total = total & part if isinstance(node, And) else total | part
                return total
            case Cmp(rel=rel):
                return self._compare(rel, parts[0], parts[1])
            case _:
                raise TypeError(f"neither term nor formula: {node!r}")

    def _compare(self, rel: Rel, a: Any, b: Any) -> Any:
        match rel:
            case Rel.LE:
                return a <= b
            case Rel.LT:
                return a < b
            case Rel.EQ:
                return a == b
            case Rel.NE:
                return a != b

    def _apply(self, op: Op, parts: list[Any]) -> Any:
        np = self._numpy
        match op:
            case Op.ADD | Op.MUL | Op.MAX | Op.MIN:
                combine = {Op.ADD: np.add, Op.MUL: np.multiply}.get(
                    op, np.maximum if op is Op.MAX else np.minimum
                )
                total = parts[0]
                for part in parts[1:]:
                    total = combine(total, part)
                return total
            case Op.POW2_CEIL:
                filled = np.maximum(parts[0], 1) - 1
                for shift in (1, 2, 4, 8, 16, 32):
                    filled = filled | (filled >> shift)
                return filled + 1
            case Op.DIV:
                return parts[0] // parts[1]
            case Op.MOD:
                return parts[0] % parts[1]
            case Op.ALIGN_UP | Op.CEIL_DIV:
                count = -(-parts[0] // parts[1])
                return count * parts[1] if op is Op.ALIGN_UP else count
            case Op.TDIV | Op.TMOD:
                a, b = parts
                size = np.abs(a) // np.abs(b)
                quotient = np.where((a < 0) == (b < 0), size, -size)
                return quotient if op is Op.TDIV else a - b * quotient
