"""What one symbolic run of a function carries along: symbols, facts, ranges, obligations.

A *guard* is a condition under which the current statement runs; every obligation assumes it. Any
other fact is assumed where it shares a symbol with what is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING

from vxproof.alias.writes import Writes
from vxproof.constraints.hypotheses import Hypotheses
from vxproof.constraints.ranges import OPEN, Interval, Ranges
from vxproof.constraints.reach import Reach
from vxproof.constraints.rewrite import Node, Rewriter, Walker
from vxproof.constraints.values import Abstract, Bool, Data, Int, Known, Real
from vxproof.diagnostics import Span
from vxproof.ir.dtypes import DType
from vxproof.ir.module import Function, Module
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import conj, eq, implies, ite
from vxproof.logic.obligation import Obligation, Origin, Replay, Symbol
from vxproof.logic.terms import TRUE, Formula, Sym, Term
from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.constraints.grid import Point

_DEEP = 24
Element = tuple[int, tuple[Term, ...]]
"""One element of a tensor: the identity of its root, and its coordinates."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Elements of inputs, and what is done with them: nothing, or the test of that name."""

    test: str
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds here; a guard is the condition of being here."""

    formula: Formula
    guard: bool


@dataclass(frozen=True, slots=True)
class Premises:
    """What an obligation assumes: local facts, and the approximations that they rest on."""

    hypotheses: tuple[Formula, ...]
    names: frozenset[str]
    notes: tuple[str, ...]


@dataclass(slots=True)
class State:
    """The state of the run of one function.

    Attributes:
        reaches: the values whose overflow matters.
        ranges: what ranges hold here; `box` are the declared ranges, which hold everywhere.
        device: whether assertions have to be proved; `parallel` whether any kernel is parallel.
        region: the kernel that is being run, 0 outside; `point` its grid point; `unit` its index.
        symbols: declarations of the symbols that the run makes; `notes` their approximations.
        facts: what holds here.
        read_from: the variable that a value was read from.
        untracked: scalar variables that have a mutable reference, by id.
        writes: what functions write of what they are given; `written` the variables of this one
            whose elements may be written under some name.
        zeros: values that are a literal 0; `pads` what a view reads as outside of its base.
        loads: what was read from inputs, by root.
        shared: symbols made inside a kernel that have one value for all of its points.
        spent: inputs that a comparison has looked at.
        exits: why the run may have ended before here, which no fact says.
        origins: what alone decides a symbol's value; `elements` the same of a float, by identity.
        found: obligations by kernel; `gathered` goals of arithmetic that wait for a common one.
    """

    function: Function
    module: Module
    base: Hypotheses
    reaches: Reach
    ranges: Ranges
    box: Ranges
    device: bool = False
    parallel: bool = False
    region: int = 0
    point: Point | None = None
    unit: int | None = None
    walker: Walker = field(default_factory=Walker)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    values: dict[int, Abstract] = field(default_factory=dict)
    variables: dict[int, Abstract] = field(default_factory=dict)
    read_from: dict[int, Variable] = field(default_factory=dict)
    untracked: Mapping[int, Variable] = field(default_factory=dict)
    writes: Writes = field(default_factory=lambda: Writes({}))
    written: frozenset[int] = frozenset()
    zeros: set[int] = field(default_factory=set)
    pads: dict[int, int] = field(default_factory=dict)
    loads: dict[int, list[tuple[tuple[Term, ...], Data]]] = field(default_factory=dict)
    found: list[tuple[int | None, Obligation]] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    spent: set[int] = field(default_factory=set)
    exits: tuple[str, ...] = ()
    origins: dict[str, Origins] = field(default_factory=dict)
    elements: dict[int, Element] = field(default_factory=dict)
    gathered: dict[Formula, tuple[int | None, Span]] = field(default_factory=dict)
    _seen: set[tuple[str, Span, str, Formula, tuple[Formula, ...]]] = field(default_factory=set)
    _order: dict[str, int] = field(default_factory=dict)
    _counter: int = 0
    _own: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Look up the function's own symbols once."""
        self._own = frozenset(one.name for one in self.base.symbols)

    def knows(self, names: Set[str]) -> bool:
        """Whether each name is of a symbol of the function or of one that the run has made."""
        return all(name in self._own or name in self.symbols for name in names)

    def fresh(
        self,
        name: str,
        interval: Interval,
        origin: Origin,
        display: str,
        note: str | None = None,
    ) -> Sym:
        """Declare a symbol; a name that is taken gets a number.

        An empty range belongs to a place that is never reached, and is taken as no range.
        """
        unique = name
        while unique in self.symbols or unique in self._own:
            self._counter += 1
            unique = f"{name}.{self._counter}"
        lo, hi = interval
        if lo is not None and hi is not None and lo > hi:
            interval = OPEN
        self.symbols[unique] = Symbol(unique, *interval, origin, display)
        self._order[unique] = len(self._order)
        self.box.declare(unique, interval)
        if note is not None:
            self.notes[unique] = note
        return Sym(unique)

    def unknown(self, dtype: DType, name: str, display: str, note: str | None) -> Int | Bool | Real:
        """Return any value of a type."""
        if dtype.is_integer:
            return Int(self.fresh(name, dtype.int_range, Origin.VALUE, display, note))
        if dtype.name == "bool":
            return Bool(eq(self.fresh(name, (0, 1), Origin.VALUE, display, note), 1))
        return Real(Known.COMPUTED, self.region)

    def assume(self, formula: Formula, *, guard: bool = False) -> None:
        """Let a formula hold from here to the end of the scope."""
        parts = (formula,)
        for part in parts:
            if part != TRUE:
                self.facts.append(Fact(part, guard))
        self.ranges.assume(parts)

    @contextmanager
    def scope(self) -> Iterator[list[Fact]]:
        """Forget at the end what was learned inside; the list then holds what that was."""
        mark, outer = len(self.facts), self.ranges
        learned: list[Fact] = []
        self.ranges = Ranges(outer)
        try:
            yield learned
        finally:
            learned.extend(self.facts[mark:])
            del self.facts[mark:]
            self.ranges = outer

    def premises(self, *asked: Node) -> Premises:
        """Return the guards, and the facts that share a symbol with what is asked."""
        free = self.walker.free
        names: set[str] = set()
        for node in asked:
            names |= free(node)
        chosen = [False] * len(self.facts)
        waiting: dict[str, list[int]] = {}
        for index, fact in enumerate(self.facts):
            inside = free(fact.formula) & self.symbols.keys()
            if fact.guard or not inside:
                chosen[index] = True
                names |= free(fact.formula)
            else:
                for name in inside:
                    waiting.setdefault(name, []).append(index)
        work = [name for name in names if name in waiting]
        while work:
            for index in waiting.pop(work.pop(), ()):
                if not chosen[index]:
                    chosen[index] = True
                    new = free(self.facts[index].formula)
                    names |= new
                    work.extend(name for name in new if name in waiting)
        kept = [fact.formula for fact, take in zip(self.facts, chosen, strict=True) if take]
        notes = dict.fromkeys(
            self.notes[one.name] for one in self.local(names) if one.name in self.notes
        )
        return Premises(tuple(dict.fromkeys(kept)), frozenset(names), tuple(notes))

    def declared(self, names: Iterable[str]) -> tuple[Symbol, ...]:
        """Return the declarations of the function's symbols and of the named local ones."""
        return (*self.base.symbols, *self.local(names))

    def local(self, names: Iterable[str]) -> tuple[Symbol, ...]:
        """Return the declarations of the named symbols that the body made, in that order."""
        made = [name for name in frozenset(names) if name in self.symbols]
        return tuple(self.symbols[name] for name in sorted(made, key=self._order.__getitem__))

    def emit(self, draft: Obligation, *extra: Formula, exact: bool = False) -> None:
        """Close a draft, whose goal is set, over what holds here, and keep it.

        `extra` joins the hypotheses. With `exact`, approximations do not weaken a refutation.
        """
        if draft.goal == TRUE:
            return
        premises = self.premises(draft.goal, *extra)
        local = (*extra, *premises.hypotheses)
        key = (draft.code, draft.span, draft.headline, draft.goal, local)
        if key in self._seen:
            return
        self._seen.add(key)
        names = premises.names.union(*(self.walker.free(one) for one in extra))
        notes = () if exact else premises.notes
        if draft.replay is Replay.EXACT and not exact:
            notes = (*notes, *self.exits)
        self.keep(
            replace(
                draft,
                symbols=self.declared(names),
                hypotheses=(*self.base.formulas, *local),
                approximations=(*draft.approximations, *notes),
            )
        )

    def keep(self, obligation: Obligation) -> None:
        """Keep a closed obligation of the function, or of the kernel that is being run."""
        self.found.append((self.unit, obligation))

    def give_up(self, code: str, family: str, headline: str, span: Span, reason: str) -> None:
        """Keep an obligation that nothing decides, and say why."""
        self.keep(Obligation(code, family, headline, span, (), (), TRUE, reason_unknown=reason))

    def compact(self, value: Abstract, name: str, display: str) -> Abstract:
        """Give a deep term or formula a name of its own, defined by an equation."""
        if isinstance(value, Int) and self.walker.depth(value.term) > _DEEP:
            symbol = self.fresh(name, self.ranges.bounds(value.term), Origin.VALUE, display)
            self.facts.append(Fact(eq(symbol, value.term), guard=False))
            return Int(symbol)
        if isinstance(value, Bool) and self.walker.depth(value.formula) > _DEEP:
            symbol = self.fresh(name, (0, 1), Origin.VALUE, display)
            truth = eq(symbol, 1)
            same = conj(implies(truth, value.formula), implies(value.formula, truth))
            self.facts.append(Fact(same, guard=False))
            return Bool(truth)
        return value

    def current(self) -> Rewriter:
        """Return the substitution of current values for the symbols of variables in clauses.

        The symbol of a variable that may be written through a reference stays: it is not known.
        """
        mapping: dict[str, Term] = {}
        for identity, value in self.variables.items():
            if identity in self.untracked:
                continue
            if isinstance(value, Int):
                mapping[f"${identity}"] = value.term
            elif isinstance(value, Bool):
                mapping[f"${identity}"] = ite(value.formula, 1, 0)
        return Rewriter(mapping, self.ranges)

    def term(self, value: Value) -> Term:
        """Return an integer value as a term."""
        found = self.values[value.id]
        if isinstance(found, Int):
            return found.term
        if isinstance(found, Bool):
            return ite(found.formula, 1, 0)
        raise TypeError(f"{value.name or 'value'} is not an integer")

    def formula(self, value: Value) -> Formula:
        """Return a bool value as a formula."""
        found = self.values[value.id]
        if isinstance(found, Bool):
            return found.formula
        raise TypeError(f"{value.name or 'value'} is not a condition")
