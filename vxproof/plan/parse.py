"""Reads a plan's text, written by `text` or by hand.

By hand a plan may leave out what it does not speak of: symbols, requirements, arenas, registers.
Comments start with `//`. Every line of an event may carry `line N`; without one, messages point at
the plan's own text.
"""

from __future__ import annotations

from vxproof.diagnostics import Source
from vxproof.logic.obligation import Origin, Symbol
from vxproof.logic.terms import Const, Formula, Term
from vxproof.plan.lexer import Cursor, refuse
from vxproof.plan.nodes import (
    Arena,
    ArenaLayout,
    Buffer,
    BufferKind,
    Case,
    Life,
    Plan,
    RegisterTile,
)
from vxproof.plan.parse_events import Events
from vxproof.plan.parse_terms import Terms
from vxproof.plan.text import VERSION

_ORIGINS = {origin.value: origin for origin in Origin}
_KINDS = {kind.value: kind for kind in BufferKind}


def parse_plan(source: Source) -> Plan:
    """Return the plan that a text describes.

    Raises:
        DiagnosticError: E1001, the text is no plan of this version.
    """
    return _Parser(source).plan()


class _Parser:
    def __init__(self, source: Source) -> None:
        self.cursor = Cursor(source)
        self.terms = Terms(self.cursor)

    def plan(self) -> Plan:
        cursor = self.cursor
        cursor.expect("plan")
        start = cursor.next.span
        if cursor.number() != VERSION:
            raise refuse(start, f"this version reads plans of version {VERSION}")
        cursor.expect("kernel")
        kernel = cursor.string()
        index = cursor.number() if cursor.accept("index") else 0
        target: str | None = None
        if cursor.accept("target"):
            word = cursor.word()
            target = None if word == "none" else word
        warps: Term = Const(4)
        if cursor.accept("warps"):
            warps = self.terms.term()
        family = cursor.word() if cursor.accept("family") else "none"
        symbols: list[Symbol] = []
        requires: list[Formula] = []
        arenas: list[Arena] = []
        registers: list[RegisterTile] = []
        while not cursor.sees("events"):
            if cursor.accept("symbol"):
                symbols.append(self.symbol())
            elif cursor.accept("require"):
                requires.append(self.terms.formula())
            elif cursor.accept("arena"):
                arenas.append(self.arena())
            elif cursor.accept("registers"):
                registers.append(self.register_tile())
            else:
                raise refuse(cursor.next.span, f"a plan has no {cursor.found()} here")
        cursor.expect("events")
        events = Events(cursor, self.terms).block()
        if cursor.next.kind != "end":
            raise refuse(cursor.next.span, f"a plan ends after its events, found {cursor.found()}")
        return Plan(
            kernel,
            index,
            target,
            warps,
            family,
            tuple(symbols),
            tuple(requires),
            tuple(arenas),
            tuple(registers),
            events,
        )

    def symbol(self) -> Symbol:
        cursor = self.cursor
        start = cursor.next.span
        name = cursor.word()
        low = high = None
        if cursor.accept("from"):
            low = self.end()
            cursor.expect("to")
            high = self.end()
        origin = Origin.GENERIC
        if cursor.accept("is"):
            where = cursor.next.span
            text = cursor.string()
            if text not in _ORIGINS:
                raise refuse(where, f"a symbol is one of: {', '.join(_ORIGINS)}")
            origin = _ORIGINS[text]
        display = cursor.string() if cursor.accept("shown") else ""
        if low is not None and high is not None and low > high:
            raise refuse(start, f"`{name}` has no value between {low} and {high}")
        return Symbol(name, low, high, origin, display)

    def end(self) -> int | None:
        return None if self.cursor.accept("open") else self.cursor.number()

    def arena(self) -> Arena:
        cursor = self.cursor
        space, unit = cursor.word(), cursor.word()
        capacity = None
        if cursor.accept("capacity") and not cursor.accept("none"):
            capacity = cursor.number()
        granule = cursor.number() if cursor.accept("granule") else 1
        bound = cursor.string() if cursor.accept("bound") else ""
        spread = cursor.accept("spread")
        cursor.expect("{")
        buffers: list[Buffer] = []
        while cursor.accept("buffer"):
            buffers.append(self.buffer())
        layouts: list[ArenaLayout] = []
        while cursor.accept("layout"):
            layouts.append(self.layout(buffers))
        cursor.expect("}")
        return Arena(space, unit, capacity, granule, bound, tuple(buffers), tuple(layouts), spread)

    def layout(self, buffers: list[Buffer]) -> ArenaLayout:
        cursor = self.cursor
        rule = cursor.string()
        cursor.expect("total")
        total = self.terms.term()
        start = cursor.expect("{").span
        placed: dict[str, Term] = {}
        while cursor.next.kind == "string":
            name = cursor.string()
            cursor.expect("at")
            placed[name] = self.terms.term()
        cursor.expect("}")
        names = [buffer.name for buffer in buffers]
        if sorted(placed) != sorted(names):
            raise refuse(start, "a layout places every buffer of its arena, and no other")
        return ArenaLayout(rule, tuple(placed[name] for name in names), total)

    def buffer(self) -> Buffer:
        cursor = self.cursor
        start = cursor.next.span
        name = cursor.string()
        word = cursor.word()
        if word not in _KINDS:
            raise refuse(start, f"a buffer is one of: {', '.join(_KINDS)}")
        cursor.expect("size")
        size = self.terms.term()
        written = cursor.string() if cursor.accept("written") else ""
        alignment = cursor.number() if cursor.accept("align") else 1
        life = self.life()
        depth = self.terms.term() if cursor.accept("depth") else None
        shape = self.shape() if cursor.accept("shape") else ()
        dtype = cursor.word() if cursor.accept("dtype") else ""
        cases: list[Case] = []
        if cursor.accept("rows"):
            while cursor.next.kind == "string":
                choice = cursor.string()
                cursor.expect("when")
                cases.append(Case(self.terms.formula(), choice))
        if alignment < 1:
            raise refuse(start, "an alignment is at least 1")
        return Buffer(
            name,
            _KINDS[word],
            size,
            written,
            alignment,
            life,
            depth,
            tuple(cases),
            shape,
            dtype,
            start,
        )

    def life(self) -> Life:
        cursor = self.cursor
        where = cursor.expect("life").span
        birth, death = cursor.number(), cursor.number()
        first = last = where.line
        if cursor.accept("lines"):
            first, last = cursor.number(), cursor.number()
        if birth > death:
            raise refuse(where, "a life runs forwards")
        return Life(birth, death, first, last)

    def shape(self) -> tuple[Term, ...]:
        cursor = self.cursor
        cursor.expect("[")
        sizes: list[Term] = []
        while not cursor.sees("]"):
            sizes.append(self.terms.term())
            if not cursor.accept(","):
                break
        cursor.expect("]")
        return tuple(sizes)

    def register_tile(self) -> RegisterTile:
        cursor = self.cursor
        start = cursor.next.span
        name = cursor.string()
        cursor.expect("shape")
        shape = self.shape()
        cursor.expect("dtype")
        dtype = cursor.word()
        cursor.expect("layout")
        layout = cursor.string()
        cursor.expect("per_thread")
        per_thread = self.terms.term()
        resident = cursor.accept("resident")
        life = self.life() if cursor.sees("life") else None
        return RegisterTile(name, layout, shape, dtype, per_thread, resident, life, start)
