"""Products that bounds imply: consequences of hypotheses, spelled out for linear reasoning.

From `s + c <= T` and `k >= 0` follows `k*s + k*c <= k*T`, and from `k >= 1` that `k * (X div k)` is
at most X. A goal about tiles that many grid points write is then linear in its products.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vxproof.constraints.ranges import Ranges
from vxproof.constraints.rewrite import Node, children
from vxproof.logic.build import conj, le
from vxproof.logic.terms import TRUE, And, App, Cmp, Const, Formula, Op, Rel, Sym, Term, add, mul

_ROUNDS = 4
Bound = tuple[Term, int, Formula]


def upper_bounds(hypotheses: Iterable[Formula]) -> dict[str, list[Bound]]:
    """Return for each symbol s the T, c and hypothesis that says `s + c <= T`."""
    found: dict[str, list[Bound]] = {}
    for formula in hypotheses:
        for atom in formula.parts if isinstance(formula, And) else (formula,):
            if not isinstance(atom, Cmp) or atom.rel is Rel.NE:
                continue
            gap = 1 if atom.rel is Rel.LT else 0
            _bound(atom.left, atom.right, gap, formula, found)
            if atom.rel is Rel.EQ:
                _bound(atom.right, atom.left, gap, formula, found)
    return found


def _bound(
    left: Term, right: Term, gap: int, source: Formula, found: dict[str, list[Bound]]
) -> None:
    match left:
        case Sym(name=name) if not isinstance(right, Const):
            tops = right.args if isinstance(right, App) and right.op is Op.MIN else (right,)
            found.setdefault(name, []).extend((top, gap, source) for top in tops)
        case App(op=Op.ADD, args=(Sym(name=name), Const(value=value))):
            found.setdefault(name, []).append((right, gap + value, source))
        case _:
            pass


def products(node: Node) -> Iterator[App]:
    """Yield the products in a term or formula, outermost first."""
    if isinstance(node, App) and node.op is Op.MUL:
        yield node
    for child in children(node):
        yield from products(child)


def hints(goal: Formula, hypotheses: Iterable[Formula], ranges: Ranges) -> dict[Formula, Formula]:
    """Return upper bounds of the products of a goal, each with the hypothesis it comes from."""
    bounds = upper_bounds(hypotheses)
    found: dict[Formula, Formula] = {}
    work: list[Node] = [goal]
    for _ in range(_ROUNDS):
        following: list[Node] = []
        for node in work:
            for product in products(node):
                for hint, top, source in _raised(product, bounds, ranges):
                    if hint not in found and hint != TRUE:
                        found[hint] = source
                        following.append(top)
        work = following
    return found


def _raised(
    product: App, bounds: dict[str, list[Bound]], ranges: Ranges
) -> Iterator[tuple[Formula, Term, Formula]]:
    for index, factor in enumerate(product.args):
        if not isinstance(factor, Sym):
            continue
        rest = mul(*product.args[:index], *product.args[index + 1 :])
        if not ranges.at_least(rest, 0):
            continue
        for top, gap, source in bounds.get(factor.name, ()):
            raised = _times(top, rest, ranges)
            yield le(add(product, mul(Const(gap), rest)), raised), raised, source


def _times(top: Term, factor: Term, ranges: Ranges) -> Term:
    """Return at least `top * factor`, for a factor of at least 0; quotients by it cancel."""
    if isinstance(top, App) and top.op is Op.ADD:
        return add(*(_times(part, factor, ranges) for part in top.args))
    parts = top.args if isinstance(top, App) and top.op is Op.MUL else (top,)
    if ranges.at_least(factor, 1):
        for index, part in enumerate(parts):
            if not isinstance(part, App) or part.args[-1] != factor:
                continue
            others = mul(Const(1), *parts[:index], *parts[index + 1 :])
            if not ranges.at_least(others, 0):
                continue
            if part.op is Op.DIV:
                return mul(others, part.args[0])
            if part.op is Op.CEIL_DIV:
                return mul(others, add(part.args[0], factor, Const(-1)))
    return mul(top, factor)


def cleared(goal: Formula, ranges: Ranges) -> Formula:
    """Return an equal goal: for k >= 1, `a div k + c <= b` is `a + 1 <= (b - c + 1) * k`."""
    if isinstance(goal, And):
        return conj(*(cleared(part, ranges) for part in goal.parts))
    if not isinstance(goal, Cmp) or goal.rel not in {Rel.LE, Rel.LT}:
        return goal
    gap = 1 if goal.rel is Rel.LT else 0
    match goal.left:
        case App(op=Op.ADD, args=(App(op=Op.DIV, args=(value, unit)), Const(value=more))):
            gap += more
        case App(op=Op.DIV, args=(value, unit)):
            pass
        case _:
            return goal
    if not ranges.at_least(unit, 1):
        return goal
    return le(add(value, Const(1)), mul(add(goal.right, Const(1 - gap)), unit))
