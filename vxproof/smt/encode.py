"""Terms and formulas as z3 integers, each with the condition under which it has a value.

z3 totalises division: `x / 0` is some value of its choice. So every encoded node carries a
definedness condition (divisors are not 0, rounding units are at least 1), connectives evaluate
from the left as in exact evaluation, and the caller states what an undefined formula means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.logic.box import Box
from vxproof.logic.digest import Node, postorder
from vxproof.logic.interval import Interval
from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Op,
    Or,
    Rel,
    Sym,
    Term,
    Truth,
)

if TYPE_CHECKING:
    from types import ModuleType

    import z3

_MOST_POWERS = 128


class NotEncodableError(Exception):
    """The formula has no finite encoding: `pow2_ceil` of a term without an upper bound."""


class Encoder:
    """Encodes over one context; what it knows of ranges holds in `box`, which must be asserted."""

    def __init__(self, module: ModuleType, context: z3.Context, box: Box) -> None:
        self._z3 = module
        self._context = context
        self._box = box
        self._terms: dict[Term, z3.ArithRef] = {}
        self._formulas: dict[Formula, z3.BoolRef] = {}
        self._defined: dict[Node, z3.BoolRef | None] = {}
        self.symbols: dict[str, z3.ArithRef] = {}

    def symbol(self, name: str) -> z3.ArithRef:
        """The z3 constant of a symbol; its name is its number, not the source's."""
        known = self.symbols.get(name)
        if known is None:
            known = self._z3.Int(f"s{len(self.symbols)}", self._context)
            self.symbols[name] = known
        return known

    def formula(self, root: Formula) -> tuple[z3.BoolRef, z3.BoolRef | None]:
        """Truth of a formula where it is defined, and when it is (None: always).

        Raises:
            NotEncodableError: see there.
        """
        for node in postorder(root, self._defined):
            if isinstance(node, Term):
                self._terms[node], self._defined[node] = self._term(node)
            else:
                self._formulas[node], self._defined[node] = self._formula(node)
        return self._formulas[root], self._defined[root]

    # -- terms ---------------------------------------------------------------------------------

    def _term(self, node: Term) -> tuple[z3.ArithRef, z3.BoolRef | None]:
        module = self._z3
        match node:
            case Const(value=number):
                return module.IntVal(number, self._context), None
            case Sym(name=name):
                return self.symbol(name), None
            case Ite(cond=cond, then=then, orelse=orelse):
                test = self._formulas[cond]
                chosen = module.If(test, self._terms[then], self._terms[orelse])
                return chosen, self._all(
                    self._defined[cond],
                    self._unless(module.Not(test), self._defined[then]),
                    self._unless(test, self._defined[orelse]),
                )
            case App(op=op, args=args):
                parts = [self._terms[arg] for arg in args]
                value, own = self._apply(op, args, parts)
                return value, self._all(*(self._defined[arg] for arg in args), own)
            case _:
                raise TypeError(f"not a term: {node!r}")

    def _apply(
        self, op: Op, args: tuple[Term, ...], parts: list[z3.ArithRef]
    ) -> tuple[z3.ArithRef, z3.BoolRef | None]:
        module = self._z3
        match op:
            case Op.ADD:
                return module.Sum(parts), None
            case Op.MUL:
                return module.Product(parts), None
            case Op.MAX | Op.MIN:
                best = parts[0]
                for part in parts[1:]:
                    best = module.If(part > best if op is Op.MAX else part < best, part, best)
                return best, None
            case Op.POW2_CEIL:
                return self._power_of_two(parts[0], self._box.interval(args[0])), None
            case _:
                bounds = [self._box.interval(arg) or (None, None) for arg in args]
                return self._divide(op, parts, bounds)

    def _divide(
        self, op: Op, parts: list[z3.ArithRef], bounds: list[Interval]
    ) -> tuple[z3.ArithRef, z3.BoolRef | None]:
        module = self._z3
        (x, k), (dividend, divisor) = parts, bounds
        positive = divisor[0] is not None and divisor[0] >= 1
        if op in {Op.ALIGN_UP, Op.CEIL_DIV}:
            count: z3.ArithRef = -((-x) / k)  # z3 rounds down where the divisor is positive
            rounded: z3.ArithRef = count * k if op is Op.ALIGN_UP else count
            return rounded, None if positive else k >= 1
        truncating = op in {Op.TDIV, Op.TMOD}
        if truncating and dividend[0] is not None and dividend[0] >= 0:
            truncating = not positive
        remains = op in {Op.MOD, Op.TMOD}
        if positive and not truncating:
            return x % k if remains else x / k, None
        defined = None if positive or (divisor[1] is not None and divisor[1] < 0) else k != 0
        if truncating:  # z3 divides so that 0 <= remainder: on |x| and |k| both agree
            size = module.If(x >= 0, x, -x) / module.If(k >= 0, k, -k)
            quotient = module.If((x >= 0) == (k >= 0), size, -size)
            return x - k * quotient if remains else quotient, defined
        if remains:
            return module.If(k > 0, x % k, -((-x) % (-k))), defined
        return module.If(k > 0, x / k, (-x) / (-k)), defined

    def _power_of_two(self, x: z3.ArithRef, bounds: Interval | None) -> z3.ArithRef:
        if bounds is None or bounds[1] is None or bounds[1].bit_length() > _MOST_POWERS:
            raise NotEncodableError("pow2_ceil of a term that has no upper bound")
        power = 1 << (max(bounds[1], 1) - 1).bit_length()
        low = 1 if bounds[0] is None else bounds[0]
        value: z3.ArithRef = self._z3.IntVal(power, self._context)
        while power > 1 and power // 2 >= low:
            power //= 2
            value = self._z3.If(x <= power, self._z3.IntVal(power, self._context), value)
        return value

    # -- formulas ------------------------------------------------------------------------------

    def _formula(self, node: Formula) -> tuple[z3.BoolRef, z3.BoolRef | None]:
        module = self._z3
        match node:
            case Truth(value=value):
                return module.BoolVal(value, self._context), None
            case Cmp(rel=rel, left=left, right=right):
                holds = self._compare(rel, self._terms[left], self._terms[right])
                return holds, self._all(self._defined[left], self._defined[right])
            case Not(part=part):
                return module.Not(self._formulas[part]), self._defined[part]
            case And(parts=parts) | Or(parts=parts):
                inner = [self._formulas[part] for part in parts]
                inner.append(module.BoolVal(isinstance(node, And), self._context))
                joined = module.And(inner) if isinstance(node, And) else module.Or(inner)
                return joined, self._from_the_left(parts, stops=isinstance(node, Or))
            case _:
                raise TypeError(f"not a formula: {node!r}")

    def _compare(self, rel: Rel, left: z3.ArithRef, right: z3.ArithRef) -> z3.BoolRef:
        match rel:
            case Rel.LE:
                return left <= right
            case Rel.LT:
                return left < right
            case Rel.EQ:
                return left == right
            case Rel.NE:
                return left != right

    def _from_the_left(self, parts: tuple[Formula, ...], *, stops: bool) -> z3.BoolRef | None:
        """Defined: each part is, unless one before it has decided."""
        rest: z3.BoolRef | None = None
        for part in reversed(parts):
            value = self._formulas[part]
            decided = value if stops else self._z3.Not(value)
            rest = self._all(self._defined[part], self._unless(decided, rest))
        return rest

    def _all(self, *conditions: z3.BoolRef | None) -> z3.BoolRef | None:
        some = [c for c in conditions if c is not None]
        if len(some) < 2:
            return some[0] if some else None
        both: z3.BoolRef = self._z3.And(some)
        return both

    def _unless(self, skipped: z3.BoolRef, condition: z3.BoolRef | None) -> z3.BoolRef | None:
        if condition is None:
            return None
        either: z3.BoolRef = self._z3.Or(skipped, condition)
        return either
