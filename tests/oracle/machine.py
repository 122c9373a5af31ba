"""A brute-force oracle: runs a kernel's syntax tree at concrete sizes, every point and iteration.

It shares nothing with what it judges but the parser. Contents of inputs come from a `World`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from typing_extensions import override

from tests.oracle.expressions import Expressions
from tests.oracle.numbers import exact
from tests.oracle.values import BITS, Part, Scalar, Storage, Tile, Value
from tests.oracle.world import Fault, ReturnError, SkipError, StopError, Touch
from vxproof.frontend import ast


@dataclass
class Machine(Expressions):
    """Runs a function statement by statement."""

    # ---- entry

    def admits(self, function: ast.Function) -> bool:
        """Whether the numbers satisfy `requires` and the hypotheses about sizes."""
        self.scopes = [self._arguments(function)]
        for param in function.params:
            part = self.scopes[0][param.name.text]
            if isinstance(part, Part) and any(size < 1 for _, size, _ in part.axes):
                return False
        for condition in function.preconditions:
            try:
                if not exact(condition, self._lookup):
                    return False
            except ZeroDivisionError:
                return False
        return True

    def run(self, function: ast.Function) -> None:
        """Run a function whose `requires` hold; faults and touches are kept."""
        self.scopes = [self._arguments(function)]
        self.device = function.topology is not None
        try:
            self._block(function.body)
        except StopError:
            pass
        except ReturnError as leave:
            self._ensures(function, leave.value)
            return

    def _ensures(self, function: ast.Function, value: Value | None) -> None:
        if value is not None:
            self.scopes = [{**self.scopes[0], "result": value}]
        try:
            for condition in function.postconditions:
                self._holds(condition, "E8001")
        except StopError:
            return

    def _holds(self, condition: ast.Expr, code: str) -> None:
        """Check a clause; nothing follows one that fails or divides by 0."""
        try:
            kept = exact(condition, self._lookup)
        except ZeroDivisionError:
            self._fault("E6153", condition.span.line)
        else:
            if not kept:
                self._fault(code, condition.span.line)

    def _arguments(self, function: ast.Function) -> dict[str, Value]:
        scope: dict[str, Value] = {}
        for name, number in self.numbers.items():
            scope[name] = Scalar(number, "i64")
        self.scopes = [scope]
        for param in function.params:
            name, type_ = param.name.text, param.type
            if isinstance(type_, ast.RefType):
                type_ = type_.target
            if isinstance(type_, ast.TensorType):
                scope[name] = self._tensor(name, type_, outside=True)
            elif isinstance(type_, ast.NamedType) and type_.name in BITS:
                scope[name] = Scalar(self.numbers[name], type_.name)
            elif isinstance(type_, ast.NamedType):
                scope[name] = Scalar(1.0, type_.name)
        return scope

    def _tensor(self, name: str, type_: ast.TensorType, *, outside: bool) -> Part:
        if type_.dims is None:
            raise SkipError("no shape")
        shape = tuple(exact(dim, self._lookup) for dim in type_.dims)
        return _whole(Storage(name, shape, type_.dtype.text, outside))

    # ---- statements

    @override
    def _block(self, block: ast.Block) -> Value | None:
        self.scopes.append({})
        try:
            for statement in block.statements:
                self._step()
                self._statement(statement)
            return None if block.tail is None else self._expr(block.tail)
        finally:
            self.scopes.pop()

    def _statement(self, node: ast.Stmt) -> None:
        match node:
            case ast.Let():
                self._let(node)
            case ast.Assign():
                self._assign(node)
            case ast.ExprStmt(value=value):
                self._expr(value)
            case ast.For():
                self._for(node)
            case ast.Return(value=value):
                raise ReturnError(None if value is None else self._expr(value))
            case ast.Assert(condition=condition):
                self._assert(node, condition)
            case ast.Spawn():
                self._spawn(node)
            case ast.Scope(body=body):
                self._block(body)
            case _:
                raise SkipError(type(node).__name__)

    def _let(self, node: ast.Let) -> None:
        value = self._expr(node.value)
        if isinstance(value, Scalar):
            wanted = value.dtype
            if isinstance(node.type, ast.NamedType):
                wanted = node.type.name
            elif wanted is None:
                wanted = "i32"
            value = Scalar(value.value, wanted, value.overflows)
        elif isinstance(value, Part) and node.resident is not None:
            self._touch(value, node.span.line, write=False)
            value = Tile()
        elif isinstance(value, Part) and not value.storage.name:
            value.storage.name = node.name.text
        self.scopes[-1][node.name.text] = value

    def _assign(self, node: ast.Assign) -> None:
        line = node.span.line
        operator = node.op.binary
        target = node.target
        if isinstance(target, ast.Var):
            before = self._lookup(target.name)
            if operator is not None:
                before = self._lookup(target.name)
                value = self._combine(operator, before, self._expr(node.value), line)
            else:
                value = self._expr(node.value)
            if isinstance(before, Part):
                self._consume(value, line)
                self._touch(before, line, write=True)
                return
            if isinstance(value, Scalar) and isinstance(before, Scalar):
                value = Scalar(value.value, before.dtype, value.overflows)
            self._store_variable(target.name, value)
            return
        if isinstance(target, ast.Index):
            base, at = self._element_place(target)
            self._consume(self._expr(node.value), line)
            if operator is not None:
                self._access(base, at, target.span.line, write=False)
            self._access(base, at, line, write=True)
            return
        if operator is not None:
            self._consume(self._expr(target), line)
        self._consume(self._expr(node.value), line)
        place = self._expr(target)
        if isinstance(place, Part):
            self._touch(place, line, write=True)

    def _for(self, node: ast.For) -> None:
        start, stop = self._integer(node.start), self._integer(node.stop)
        self._invariants(node, start)
        for index in range(start, stop):
            self._step()
            self.scopes.append({node.var.text: Scalar(index, "i64")})
            try:
                self._block(node.body)
            finally:
                self.scopes.pop()
            self._invariants(node, index + 1)

    def _invariants(self, node: ast.For, index: int) -> None:
        self.scopes.append({node.var.text: Scalar(index, "i64")})
        try:
            for condition in node.invariants:
                self._holds(condition, "E8010")
        finally:
            self.scopes.pop()

    def _assert(self, node: ast.Assert, condition: ast.Expr) -> None:
        if self._truth(condition):
            return
        if not self.device:
            raise StopError
        self._fault("E8011", node.span.line)

    def _spawn(self, node: ast.Spawn) -> None:
        extents = [self._integer(one) for one in node.grid or ()]
        self.outer = len(self.scopes)
        before = [dict(scope) for scope in self.scopes]
        device, self.device = self.device, True
        count = 1
        for extent in extents:
            count *= max(extent, 0)
        if count > 4096:
            raise SkipError("grid too large")
        for point in product(*(range(extent) for extent in extents)):
            self.scopes = [dict(scope) for scope in before]
            self.point = point
            try:
                self._block(node.body)
            except StopError:
                continue
        self.scopes, self.point, self.device = before, None, device
        self._conflicts(node)
        self.touches.clear()

    def _conflicts(self, node: ast.Spawn) -> None:
        words = [one.text for one in node.semantics or ()]
        parallel = [axis for axis, word in enumerate(words) if word == "parallel"]
        by_element: dict[tuple[int, tuple[int, ...]], dict[Touch, None]] = {}
        for touch in self.touches:
            key = (id(touch.storage), touch.element)
            by_element.setdefault(key, {})[touch] = None
        for touches in by_element.values():
            writes = [one for one in touches if one.write]
            for one in writes:
                for two in touches:
                    if any(one.point[axis] != two.point[axis] for axis in parallel):
                        self.faults.append(Fault("E6140", one.line))
                        self.faults.append(Fault("E6140", two.line))


def _whole(storage: Storage) -> Part:
    assert storage.shape is not None
    return Part(storage, tuple((0, size, True) for size in storage.shape))
