"""Expressions of the oracle: scalars with overflow, views, element accesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.oracle.numbers import common, compare, exact, exact_binary
from tests.oracle.values import BITS, Part, Scalar, Tile, Value, int_range, truncated, wrap
from tests.oracle.world import MOST_STEPS, Fault, SkipError, StopError, Touch, World
from vxproof.frontend import ast


@dataclass
class Expressions:
    """The state of a run of one function, and its expressions.

    With `stops`, nothing follows a fault. With `exact`, an overflow keeps its mathematical value.
    """

    program: ast.Program
    numbers: Mapping[str, int]
    world: World
    stops: bool
    exact: bool = False
    faults: list[Fault] = field(default_factory=list)
    overflowed: set[int] = field(default_factory=set)
    touches: list[Touch] = field(default_factory=list)
    point: tuple[int, ...] | None = None
    device: bool = False
    steps: int = 0
    scopes: list[dict[str, Value]] = field(default_factory=list)
    outer: int = 0

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise SkipError("too many steps")

    def _block(self, block: ast.Block) -> Value | None:
        raise NotImplementedError

    def _expr(self, node: ast.Expr) -> Value:
        self._step()
        match node:
            case ast.IntLit() | ast.FloatLit() | ast.BoolLit():
                return _literal(node)
            case ast.Var(name=name):
                return self._lookup(name)
            case ast.Unary():
                return self._unary(node)
            case ast.Cast():
                return self._cast(node)
            case ast.Binary():
                return self._binary(node)
            case ast.If():
                return self._if(node)
            case ast.Index():
                return self._index(node)
            case ast.Call():
                return self._call(node)
            case ast.TensorNew() | ast.TensorUninit():
                return Tile()
            case ast.MethodCall(receiver=receiver):
                self._consume(self._expr(receiver), node.span.line)
                return Tile()
            case ast.Borrow(operand=operand):
                return self._expr(operand)
            case _:
                raise SkipError(type(node).__name__)

    def _if(self, node: ast.If) -> Value:
        if self._truth(node.condition):
            return self._block(node.then) or Tile()
        if isinstance(node.otherwise, ast.If):
            return self._if(node.otherwise)
        if node.otherwise is not None:
            return self._block(node.otherwise) or Tile()
        return Tile()

    def _unary(self, node: ast.Unary) -> Value:
        value = self._expr(node.operand)
        if not isinstance(value, Scalar) or value.value is None:
            return value
        if node.op is ast.UnaryOp.NOT:
            return Scalar(not value.value, "bool", value.overflows)
        if node.op is ast.UnaryOp.NEG:
            if isinstance(value.value, float):
                return Scalar(-value.value, value.dtype)
            return self._fitted(-value.value, value.dtype, value.overflows, node.span.line)
        return value

    def _cast(self, node: ast.Cast) -> Value:
        value = self._expr(node.operand)
        if not isinstance(value, Scalar) or not isinstance(node.type, ast.NamedType):
            self._consume(value, node.span.line)
            return Tile()
        dtype = node.type.name
        if dtype not in BITS:
            number = None if value.value is None else float(value.value)
            return Scalar(number, dtype)
        if value.value is None:
            return Scalar(self.world.random.choice(self.world.pool), dtype)
        if isinstance(value.value, float):
            low, high = int_range(dtype)
            return Scalar(min(max(int(value.value), low), high), dtype)
        low, high = int_range(dtype)
        if not low <= int(value.value) <= high:
            self._fault("E6153", node.span.line)
        return Scalar(int(value.value), dtype, value.overflows)

    def _binary(self, node: ast.Binary) -> Value:
        line = node.span.line
        if node.op in {ast.BinaryOp.AND, ast.BinaryOp.OR}:
            left = self._expr(node.left)
            if not isinstance(left, Scalar):
                raise SkipError("bool tiles")
            stops = node.op is ast.BinaryOp.OR
            # The lowering of a short circuit is a branch: the left side is a condition.
            self._sink(left)
            if bool(left.value) == stops:
                return left
            return self._expr(node.right)
        return self._combine(node.op, self._expr(node.left), self._expr(node.right), line)

    def _combine(self, op: ast.BinaryOp, left: Value, right: Value, line: int) -> Value:
        if not isinstance(left, Scalar) or not isinstance(right, Scalar):
            self._consume(left, line)
            self._consume(right, line)
            return Tile()
        overflows = left.overflows | right.overflows
        dtype = common(left.dtype, right.dtype)
        compared = op.value in {"==", "!=", "<", "<=", ">", ">="}
        a, b = left.value, right.value
        if a is None or b is None or dtype not in {*BITS, None, "bool"}:
            if not compared or a is None or b is None:
                unknown = self.world.random.random() < 0.5
                return Scalar(unknown if compared else None, "bool" if compared else dtype)
            return Scalar(compare(op, float(a), float(b)), "bool")
        if compared:
            return Scalar(compare(op, int(a), int(b)), "bool", overflows)
        if op in {ast.BinaryOp.DIV, ast.BinaryOp.REM}:
            if b == 0:
                self._fault("E6153", line)
                b = 1
            quotient, rest = truncated(int(a), int(b))
            if op is ast.BinaryOp.REM:
                return Scalar(rest, dtype, overflows)
            return self._fitted(quotient, dtype, overflows, line)
        return self._fitted(int(exact_binary(op, int(a), int(b))), dtype, overflows, line)

    def _fitted(
        self, exact: int, dtype: str | None, overflows: frozenset[int], line: int
    ) -> Scalar:
        kind = dtype or "i32"
        low, high = int_range(kind)
        if low <= exact <= high:
            return Scalar(exact, dtype, overflows)
        if kind[0] == "u":
            return Scalar(wrap(exact, kind), dtype, overflows)
        self.overflowed.add(line)
        return Scalar(exact if self.exact else wrap(exact, kind), dtype, overflows | {line})

    def _call(self, node: ast.Call) -> Value:
        name, line = node.callee.text, node.span.line
        if name == "grid_index":
            if self.point is None or not isinstance(node.args[0], ast.IntLit):
                raise SkipError("grid_index")
            return Scalar(self.point[node.args[0].value], "i64")
        if name in {"tile", "slice"}:
            return self._view(node, by_tile=name == "tile")
        args = [self._expr(arg) for arg in node.args]
        scalars = [arg for arg in args if isinstance(arg, Scalar)]
        if len(scalars) < len(args):
            for arg in args:
                self._consume(arg, line)
            return Tile()
        overflows = frozenset[int]().union(*(one.overflows for one in scalars))
        if name in {"max", "min"}:
            first, second = scalars
            dtype = common(first.dtype, second.dtype)
            if not isinstance(first.value, int) or not isinstance(second.value, int):
                return Scalar(None, dtype)
            pick = max if name == "max" else min
            return Scalar(pick(first.value, second.value), dtype, overflows)
        if name == "select":
            cond, first, second = scalars
            chosen = first if cond.value else second
            return Scalar(chosen.value, common(first.dtype, second.dtype), overflows)
        raise SkipError(name)

    # ---- places

    def _view(self, node: ast.Call, *, by_tile: bool) -> Value:
        base = self._expr(node.args[0])
        offsets, sizes = node.args[1], node.args[2]
        if not isinstance(base, Part) or not isinstance(offsets, ast.ListLit):
            raise SkipError("view")
        if not isinstance(sizes, ast.ListLit):
            raise SkipError("view")
        padded = bool(node.named)
        lengths = [exact(one, self._lookup) for one in sizes.items]
        if any(length < 1 for length in lengths):
            raise SkipError("an empty tile")
        axes = list(base.axes)
        kept = [axis for axis, one in enumerate(base.axes) if one[2]]
        for axis, item, length in zip(kept, offsets.items, lengths, strict=True):
            index = self._integer(item)
            start = index * length if by_tile else index
            first, extent, _ = base.axes[axis]
            if padded:
                low, high = int_range("i64")
                if not (low <= start <= high and low <= start + length <= high):
                    self._fault("E6153", node.span.line)
            elif start + length <= 0 or start >= extent:
                self._fault("E6150", node.span.line)
            elif start < 0 or start + length > extent:
                self._fault("E6151", node.span.line)
            axes[axis] = (first + start, length, True)
        clips = base.clips
        if padded:
            clips = (*clips, tuple((start, start + size) for start, size, _ in base.axes))
        return Part(base.storage, tuple(axes), clips)

    def _index(self, node: ast.Index) -> Value:
        chain: list[ast.Expr] = []
        inner: ast.Expr = node
        while isinstance(inner, ast.Index):
            chain.insert(0, inner.index)
            inner = inner.base
        base = self._expr(inner)
        if not isinstance(base, Part):
            raise SkipError("index")
        rank = sum(kept for _, _, kept in base.axes)
        at = [self._integer(one) for one in chain]
        if len(at) == rank:
            return self._access(base, at, node.span.line, write=False)
        axes, kept = list(base.axes), [axis for axis, one in enumerate(base.axes) if one[2]]
        for axis, index in zip(kept, at, strict=False):
            first, extent, _ = axes[axis]
            if not 0 <= index < extent:
                self._fault("E6150", node.span.line)
            axes[axis] = (first + index, 1, False)
        return Part(base.storage, tuple(axes), base.clips)

    def _element_place(self, node: ast.Index) -> tuple[Part, list[int]]:
        chain: list[ast.Expr] = []
        inner: ast.Expr = node
        while isinstance(inner, ast.Index):
            chain.insert(0, inner.index)
            inner = inner.base
        base = self._expr(inner)
        if not isinstance(base, Part):
            raise SkipError("store")
        at = [self._integer(one) for one in chain]
        if len(at) != sum(kept for _, _, kept in base.axes):
            raise SkipError("row store")
        return base, at

    def _access(self, base: Part, at: list[int], line: int, *, write: bool) -> Scalar:
        axes, kept = list(base.axes), [axis for axis, one in enumerate(base.axes) if one[2]]
        for axis, index in zip(kept, at, strict=True):
            first, extent, _ = axes[axis]
            if not 0 <= index < extent:
                self._fault("E6150", line)
            axes[axis] = (first + index, 1, False)
        place = Part(base.storage, tuple(axes), base.clips)
        self._touch(place, line, write=write)
        storage = place.storage
        if write:
            storage.written = True
        element = tuple(start for start, _, _ in axes)
        if storage.written or not storage.outside:
            fresh = self.world.random
            unknown = fresh.choice(self.world.pool) if storage.dtype in BITS else None
            return Scalar(unknown, storage.dtype)
        return Scalar(self.world.element(storage, element), storage.dtype)

    def _touch(self, part: Part, line: int, *, write: bool) -> None:
        if self.point is None or not part.storage.outside:
            return
        for element in part.elements():
            self.touches.append(Touch(part.storage, element, write, line, self.point))

    def _consume(self, value: Value, line: int) -> None:
        if isinstance(value, Part):
            self._touch(value, line, write=False)

    # ---- variables, conditions, faults

    def _lookup(self, name: str) -> Value:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise SkipError(name)

    def _store_variable(self, name: str, value: Value) -> None:
        for index in range(len(self.scopes) - 1, -1, -1):
            if name in self.scopes[index]:
                if self.point is not None and index < self.outer:
                    raise SkipError("captured scalars")
                self.scopes[index][name] = value
                return
        raise SkipError(name)

    def _integer(self, node: ast.Expr) -> int:
        value = self._expr(node)
        if not isinstance(value, Scalar) or not isinstance(value.value, int):
            raise SkipError("not an integer")
        self._sink(value)
        return int(value.value)

    def _truth(self, node: ast.Expr) -> bool:
        value = self._expr(node)
        if not isinstance(value, Scalar):
            raise SkipError("not a condition")
        self._sink(value)
        return bool(value.value)

    def _sink(self, value: Scalar) -> None:
        for line in sorted(value.overflows):
            self._fault("E6153", line)

    def _fault(self, code: str, line: int) -> None:
        self.faults.append(Fault(code, line))
        if self.stops:
            raise StopError


def _literal(node: ast.IntLit | ast.FloatLit | ast.BoolLit) -> Scalar:
    match node:
        case ast.IntLit(value=value, suffix=suffix):
            return Scalar(value, suffix)
        case ast.FloatLit(value=number):
            return Scalar(number, "f64")
        case ast.BoolLit(value=flag):
            return Scalar(flag, "bool")
