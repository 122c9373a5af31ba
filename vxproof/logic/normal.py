"""Normal form: sorted sums of products over atoms; equal values are then often equal text.

An atom is a symbol or a node that is not a polynomial (`div`, `max`, `pow2_ceil`, a term by
cases ...) with normalised arguments. The rewriting keeps the value at every point, and keeps a
term undefined where it was undefined: a summand that may be undefined and cancels stays, with
the factor 0. A quotient by a term is simplified only where the divisor is a literal but zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from math import gcd

from vxproof.logic import build
from vxproof.logic.digest import Digests, Node, children
from vxproof.logic.poly import FOLD, ONE, Monomial, Poly, constant, split
from vxproof.logic.terms import (
    FALSE,
    TRUE,
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

_MOST_SUMMANDS = 2048
_HIGHEST_DEGREE = 12
_NEEDS_NONZERO = frozenset({Op.DIV, Op.MOD, Op.TDIV, Op.TMOD})
_NEEDS_POSITIVE = frozenset({Op.ALIGN_UP, Op.CEIL_DIV})


class Normaliser:
    """Turns terms into polynomials over numbered atoms; results are shared by node.

    Polynomials that it returns must not be changed.
    """

    def __init__(self) -> None:
        self.atoms: list[Term] = []
        self._number: dict[Term, int] = {}
        self._polys: dict[Term, Poly] = {}
        self._formulas: dict[Formula, Formula] = {}
        self._partial: list[bool] = []
        self._parts: dict[int, frozenset[int]] = {}
        self._digests = Digests()
        self._keys: dict[Term, tuple[int, str]] = {}

    # -- terms ---------------------------------------------------------------------------------

    def poly(self, root: Term) -> Poly:
        """The polynomial of a term."""
        memo = self._polys
        known = memo.get(root)
        if known is not None:
            return known
        stack = [root]
        while stack:
            node = stack[-1]
            if node in memo:
                stack.pop()
                continue
            missing = [child for child in _children(node) if child not in memo]
            if missing:
                stack.extend(missing)
                continue
            memo[node] = self._combine(node)
            stack.pop()
        return memo[root]

    def term(self, poly: Poly) -> Term:
        """The term of a polynomial, its summands sorted, the constant last."""
        if len(poly) == 1:
            ((monomial, factor),) = poly.items()
            return self._product(monomial, factor)
        if not poly:
            return Const(0)
        ordered = sorted(poly, key=self._rank)
        return App(Op.ADD, tuple(self._product(m, poly[m]) for m in ordered))

    def atom(self, node: Term) -> Poly:
        """A node taken as one unknown."""
        return {(self.number(node),): 1}

    def number(self, node: Term) -> int:
        """The number of an atom."""
        number = self._number.get(node)
        if number is None:
            partial = self._may_be_undefined(node)
            number = self._number[node] = len(self.atoms)
            self.atoms.append(node)
            self._partial.append(partial)
        return number

    def known_number(self, node: Term) -> int | None:
        """The number of an atom that was met before, else None."""
        return self._number.get(node)

    def parts(self, atom: int) -> frozenset[int]:
        """An atom and all atoms within it."""
        known = self._parts.get(atom)
        if known is None:
            inner = {
                b for part in _terms_below(self.atoms[atom]) for m in self.poly(part) for b in m
            }
            known = self._parts[atom] = frozenset({atom}).union(*map(self.parts, inner))
        return known

    def normalise(self, term: Term) -> Term:
        """The term in normal form."""
        return self.term(self.poly(term))

    def difference(self, left: Term, right: Term) -> Poly:
        """`left - right`."""
        return self.sum(self.poly(left), self.poly(right), -1)

    def sum(self, left: Poly, right: Poly, factor: int = 1) -> Poly:
        """`left + factor * right`."""
        result = dict(left)
        for monomial, value in right.items():
            total = result.get(monomial, 0) + factor * value
            if total or self._keeps(monomial):
                result[monomial] = total
            else:
                result.pop(monomial, None)
        return result

    def times(self, left: Poly, right: Poly) -> Poly:
        """The product of two polynomials, multiplied out."""
        result: Poly = {}
        for a, x in left.items():
            for b, y in right.items():
                monomial = tuple(sorted(a + b)) if a and b else a or b
                total = result.get(monomial, 0) + x * y
                if total or self._keeps(monomial):
                    result[monomial] = total
                else:
                    result.pop(monomial, None)
        return result

    # -- formulas ------------------------------------------------------------------------------

    def formula(self, root: Formula) -> Formula:
        """The formula in normal form: comparisons of a sum of products with its constant."""
        known = self._formulas.get(root)
        if known is None:
            known = self._formulas[root] = self._formula(root)
        return known

    def _formula(self, root: Formula) -> Formula:
        match root:
            case Cmp(rel=rel, left=left, right=right):
                return self._comparison(rel, self.difference(left, right))
            case And(parts=parts):
                return self._connective(And, FALSE, parts)
            case Or(parts=parts):
                return self._connective(Or, TRUE, parts)
            case Not(part=part):
                return build.neg(self.formula(part))
            case _:
                return root

    def _comparison(self, rel: Rel, poly: Poly) -> Formula:
        if rel is Rel.LT:
            poly, rel = self.sum(poly, {ONE: 1}), Rel.LE
        limit = -poly.get(ONE, 0)
        rest = {m: c for m, c in poly.items() if m}
        common = gcd(*rest.values())
        if common > 1:
            if rel is not Rel.LE and limit % common:
                if any(map(self._keeps, rest)):
                    return build.compare(rel, self.term(rest), Const(limit))
                return Truth(rel is Rel.NE)
            rest, limit = {m: c // common for m, c in rest.items()}, limit // common
        if rel is not Rel.LE and rest and self._leads_negative(rest):
            rest, limit = {m: -c for m, c in rest.items()}, -limit
        return build.compare(rel, self.term(rest), Const(limit))

    def _leads_negative(self, poly: Poly) -> bool:
        first = min(poly, key=self._rank)
        return poly[first] < 0

    def _connective(
        self, kind: type[And] | type[Or], absorbing: Truth, parts: tuple[Formula, ...]
    ) -> Formula:
        """Flatten; drop neutral and repeated parts, and what stands after an absorbing part."""
        kept: dict[Formula, None] = {}
        for part in map(self.formula, parts):
            for one in part.parts if isinstance(part, kind) else (part,):
                if one == absorbing:
                    total = [p for p in kept if not self.may_be_undefined(p)]
                    if len(total) == len(kept):
                        return absorbing
                    return kind((*kept, absorbing))
                if not isinstance(one, Truth):
                    kept[one] = None
        if not kept:
            return FALSE if absorbing == TRUE else TRUE
        rest = tuple(kept)
        return rest[0] if len(rest) == 1 else kind(rest)

    def may_be_undefined(self, formula: Formula) -> bool:
        """Whether some term of the formula may have no value."""
        match formula:
            case Cmp(left=left, right=right):
                polys = (self.poly(left), self.poly(right))
                return any(self._keeps(m) for p in polys for m in p)
            case And(parts=parts) | Or(parts=parts):
                return any(self.may_be_undefined(part) for part in parts)
            case Not(part=part):
                return self.may_be_undefined(part)
            case _:
                return False

    # -- parts ---------------------------------------------------------------------------------

    def _keeps(self, monomial: Monomial) -> bool:
        return any(self._partial[a] for a in monomial)

    def _may_be_undefined(self, node: Term) -> bool:
        match node:
            case Sym():
                return False
            case Ite(cond=cond, then=then, orelse=orelse):
                inner = (m for part in (then, orelse) for m in self.poly(part))
                return self.may_be_undefined(cond) or any(self._keeps(m) for m in inner)
            case App(op=op, args=args):
                if op in _NEEDS_NONZERO or op in _NEEDS_POSITIVE:
                    divisor = args[1]
                    least = 1 if op in _NEEDS_POSITIVE else None
                    if not isinstance(divisor, Const) or divisor.value == 0:
                        return True
                    if least is not None and divisor.value < least:
                        return True
                return any(self._keeps(m) for arg in args for m in self.poly(arg))
            case _:
                return True

    def _key(self, node: Term) -> tuple[int, str]:
        """A total order of atoms that does not depend on the order of construction."""
        known = self._keys.get(node)
        if known is None:
            known = (0, node.name) if isinstance(node, Sym) else (1, self._digests.of(node))
            self._keys[node] = known
        return known

    def _rank(self, monomial: Monomial) -> tuple[int, list[tuple[int, str]]]:
        return -len(monomial), sorted(self._key(self.atoms[a]) for a in monomial)

    def _product(self, monomial: Monomial, factor: int) -> Term:
        atoms = [self.atoms[a] for a in monomial]
        if len(atoms) > 1:
            atoms.sort(key=self._key)
        if factor != 1 or not atoms:
            atoms.insert(0, Const(factor))
        return atoms[0] if len(atoms) == 1 else App(Op.MUL, tuple(atoms))

    def _combine(self, node: Term) -> Poly:
        match node:
            case Const(value=value):
                return {ONE: value} if value else {}
            case Sym():
                return self.atom(node)
            case Ite(cond=cond, then=then, orelse=orelse):
                return self._choice(self.formula(cond), then, orelse)
            case App(op=Op.ADD, args=args):
                return self._opaque_if_long(node, self._total(map(self.poly, args)))
            case App(op=Op.MUL, args=args):
                return self._multiply(node, [self.poly(arg) for arg in args])
            case App(op=Op.MAX | Op.MIN as op, args=args):
                return self._extreme(op, [self.poly(arg) for arg in args])
            case App(op=Op.POW2_CEIL, args=(arg,)):
                inner = self.normalise(arg)
                return self._again(build.pow2_ceil(inner))
            case App(op=op, args=(left, right)):
                return self._quotient(op, self.poly(left), self.poly(right))
            case _:
                raise TypeError(f"not a term: {node!r}")

    def _again(self, node: Term) -> Poly:
        return self._combine(node) if isinstance(node, Const) else self.atom(node)

    def _choice(self, cond: Formula, then: Term, orelse: Term) -> Poly:
        if isinstance(cond, Truth):
            return self.poly(then if cond.value else orelse)
        return self.atom(Ite(cond, self.normalise(then), self.normalise(orelse)))

    def _total(self, polys: Iterable[Poly]) -> Poly:
        result: Poly = {}
        for poly in polys:
            for monomial, value in poly.items():
                total = result.get(monomial, 0) + value
                if total or self._keeps(monomial):
                    result[monomial] = total
                else:
                    result.pop(monomial, None)
        return result

    def _opaque_if_long(self, node: App, poly: Poly) -> Poly:
        if len(poly) <= _MOST_SUMMANDS:
            return poly
        return self.atom(App(node.op, tuple(self.normalise(arg) for arg in node.args)))

    def _multiply(self, node: App, polys: list[Poly]) -> Poly:
        summands, degree = 1, 0
        for poly in polys:
            summands *= max(1, len(poly))
            degree += max(map(len, poly), default=0)
        if summands > _MOST_SUMMANDS // 4 or degree > _HIGHEST_DEGREE:
            return self.atom(App(Op.MUL, tuple(self.normalise(arg) for arg in node.args)))
        if not all(polys):  # a factor 0, but the others may be undefined
            return self._total(map(self._vanished, polys))
        result: Poly = {ONE: 1}
        for poly in polys:
            result = self.times(result, poly)
        return result

    def _extreme(self, op: Op, polys: list[Poly]) -> Poly:
        """Drop an argument that another one dominates by a constant."""
        kept = list(polys)
        if len(kept) <= 16:
            dropped: set[int] = set()
            for i, k in combinations(range(len(polys)), 2):
                gap = constant(self.sum(polys[i], polys[k], -1))
                if gap is not None and not dropped & {i, k}:
                    dropped.add(k if (gap >= 0) == (op is Op.MAX) else i)
            kept = [poly for i, poly in enumerate(polys) if i not in dropped]
        if len(kept) == 1:
            return kept[0]
        terms = sorted(map(self.term, kept), key=self._key)
        return self._again(
            build.max_(*terms) if op is Op.MAX else build.min_(*terms),
        )

    def _quotient(self, op: Op, left: Poly, right: Poly) -> Poly:
        divisor = constant(right)
        least = 1 if op in _NEEDS_POSITIVE else None
        if divisor is None or divisor == 0 or (least is not None and divisor < least):
            return self.atom(App(op, (self.term(left), self.term(right))))
        whole, rest = split(left, divisor)
        if op in {Op.TDIV, Op.TMOD} and (rest or self._vanished(left)):
            return self._divided(op, left, divisor)
        ghost = self._vanished(left, rest)
        match op:
            case Op.MOD:
                return self._total((self._divided(op, rest, divisor), ghost))
            case Op.TMOD:
                return ghost
            case Op.ALIGN_UP:
                multiple = {m: c * divisor for m, c in whole.items()}
                return self._total((multiple, self._divided(op, rest, divisor), ghost))
            case _:
                return self._total((whole, self._divided(op, rest, divisor), ghost))

    def _vanished(self, poly: Poly, rest: Poly | None = None) -> Poly:
        """Summands that may be undefined, with the factor 0, so that they are not lost."""
        return {m: 0 for m in poly if self._keeps(m) and (rest is None or m not in rest)}

    def _divided(self, op: Op, left: Poly, divisor: int) -> Poly:
        inner = self.term(left)
        if isinstance(inner, Const):
            folded = FOLD[op](inner, Const(divisor))
            return self._combine(folded)
        if divisor == 1:
            whole = op in {Op.DIV, Op.TDIV, Op.ALIGN_UP, Op.CEIL_DIV}
            return left if whole else self._vanished(left)
        return self.atom(App(op, (inner, Const(divisor))))


def _children(node: Term) -> tuple[Term, ...]:
    match node:
        case App(args=args):
            return args
        case Ite(then=then, orelse=orelse):
            return then, orelse
        case _:
            return ()


def _terms_below(node: Node) -> list[Term]:
    """The terms next below a node, those of a condition included."""
    found: list[Term] = []
    for child in children(node):
        found.extend([child] if isinstance(child, Term) else _terms_below(child))
    return found
