"""A question: symbols, hypotheses, goal, and the narrowed box in which the engines look at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vxproof.logic.box import Box
from vxproof.logic.digest import postorder
from vxproof.logic.evaluate import Undefined, holds
from vxproof.logic.facts import Fact, Reader
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Symbol
from vxproof.logic.terms import Formula, Sym
from vxproof.logic.tighten import full_box, narrow
from vxproof.smt.search import Axis


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Symbols and hypotheses; `box` holds every point where no hypothesis is false."""

    symbols: tuple[Symbol, ...]
    hypotheses: tuple[Formula, ...]
    facts: tuple[Fact, ...]
    box: Box
    empty: bool
    axes: tuple[Axis, ...]


class Settings:
    """Settings over one normaliser: work on terms and hypotheses is shared by all questions."""

    def __init__(self) -> None:
        self.reader = Reader(Normaliser())
        self._settings: dict[object, Setting] = {}
        self._free: dict[Formula, frozenset[str]] = {}

    def of(self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]) -> Setting:
        """The setting of these symbols and hypotheses."""
        key = (tuple((s.name, s.lo, s.hi) for s in symbols), hypotheses)
        known = self._settings.get(key)
        if known is None:
            known = self._settings[key] = self._build(symbols, hypotheses)
        return known

    def _build(self, symbols: tuple[Symbol, ...], hypotheses: tuple[Formula, ...]) -> Setting:
        norm = self.reader.normaliser
        facts = tuple(fact for h in hypotheses for fact in self.reader.read(h).facts)
        box = full_box(symbols, norm)
        empty = not narrow(box, facts)
        axes = tuple(Axis(s.name, norm.number(Sym(s.name))) for s in symbols)
        return Setting(symbols, hypotheses, facts, box, empty, axes)

    def free(self, formula: Formula) -> frozenset[str]:
        """Names of the symbols in a formula."""
        known = self._free.get(formula)
        if known is None:
            names = [node.name for node in postorder(formula, ()) if isinstance(node, Sym)]
            known = self._free[formula] = frozenset(names)
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
