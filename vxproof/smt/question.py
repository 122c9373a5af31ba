"""A question: symbols, hypotheses, goal, and the narrowed box in which the engines look at it."""

from __future__ import annotations

from collections.abc import Sequence

from vxproof.logic.box import Box
from vxproof.logic.digest import Node, children, postorder
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.facts import Fact, Reader
from vxproof.logic.interval import Interval
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Symbol
from vxproof.logic.terms import Formula, Sym
from vxproof.logic.tighten import full_box, narrow
from vxproof.records import dataclass
from vxproof.smt.search import Axis

_DEEPEST = 400


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Symbols and hypotheses; `box` holds every point where no hypothesis is false."""

    symbols: tuple[Symbol, ...]
    hypotheses: tuple[Formula, ...]
    facts: tuple[Fact, ...]
    box: Box
    empty: bool
    axes: tuple[Axis, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """What hypotheses leave of the ranges of symbols; longer lists of hypotheses start from it."""

    ranges: dict[str, Interval]
    facts: tuple[Fact, ...]
    box: Box
    empty: bool


class Settings:
    """Settings over one normaliser: work on terms and hypotheses is shared by all questions."""

    def __init__(self) -> None:
        self.reader = Reader(Normaliser())
        self._settings: dict[object, Setting] = {}
        self._bases: dict[tuple[Formula, ...], _Base] = {}
        self._last: tuple[tuple[Symbol, ...], tuple[Formula, ...]] = ((), ())
        self._free: dict[Node, frozenset[str]] = {}
        self._depth: dict[Node, int] = {}

    def of(self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]) -> Setting:
        """The setting of these symbols and hypotheses."""
        key = (tuple((s.name, s.lo, s.hi) for s in symbols), hypotheses)
        known = self._settings.get(key)
        if known is None:
            self._share(symbols, hypotheses)
            base = self._narrowed(symbols, hypotheses)
            number = self.reader.normaliser.number
            axes = tuple(Axis(s.name, number(Sym(s.name))) for s in symbols)
            known = Setting(symbols, hypotheses, base.facts, base.box, base.empty, axes)
            self._settings[key] = known
        return known

    def _share(self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]) -> None:
        """Prepare the hypotheses that this question begins with as the one before it did."""
        last_symbols, last = self._last
        self._last = symbols, hypotheses
        count = 0
        for one, other in zip(hypotheses, last, strict=False):
            if one != other:
                break
            count += 1
        common = hypotheses[:count]
        if 1 < count < len(hypotheses) and common not in self._bases:
            shared = set(last_symbols)
            self._narrowed(tuple(s for s in symbols if s in shared), common)

    def _narrowed(self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]) -> _Base:
        """Narrow from the longest prefix of the hypotheses whose box is known."""
        ranges = {s.name: (s.lo, s.hi) for s in symbols}
        known = self._longest(ranges, hypotheses)
        box = full_box(symbols, self.reader.normaliser)
        rest = hypotheses
        facts: tuple[Fact, ...] = ()
        empty = False
        if known is not None:
            prefix, base = known
            rest, facts, empty = hypotheses[len(prefix) :], base.facts, base.empty
            box = Box(box.normaliser, {**box.ranges, **base.box.ranges}, dict(base.box.classes))
        fresh = tuple(fact for h in rest for fact in self.reader.read(h).facts)
        facts = (*facts, *fresh)
        empty = empty or (bool(fresh) and not narrow(box, facts, fresh=fresh))
        found = self._bases[hypotheses] = _Base(ranges, facts, box, empty)
        return found

    def _longest(
        self, ranges: dict[str, Interval], hypotheses: tuple[Formula, ...]
    ) -> tuple[tuple[Formula, ...], _Base] | None:
        for count in range(len(hypotheses), 0, -1):
            base = self._bases.get(hypotheses[:count])
            if base is not None and base.ranges.items() <= ranges.items():
                return hypotheses[:count], base
        return None

    def free(self, formula: Node) -> frozenset[str]:
        """Names of the symbols in a term or formula.

        Raises:
            RecursionError: the formula is nested more deeply than the engines can follow.
        """
        known = self._free.get(formula)
        if known is None:
            for node in postorder(formula, self._free):
                parts = children(node)
                self._depth[node] = 1 + max((self._depth[part] for part in parts), default=0)
                if self._depth[node] > _DEEPEST:
                    raise RecursionError
                own = (node.name,) if isinstance(node, Sym) else ()
                self._free[node] = frozenset(own).union(*(self._free[part] for part in parts))
            known = self._free[formula]
        return known


def refutes(
    values: Sequence[tuple[str, int]], hypotheses: Sequence[Formula], goal: Formula
) -> bool:
    """Whether, in exact arithmetic, every hypothesis is true at a point and the goal false."""
    env = dict(values)
    try:
        return all(holds(h, env) for h in hypotheses) and not holds(goal, env)
    except (Undefined, KeyError):
        return False
