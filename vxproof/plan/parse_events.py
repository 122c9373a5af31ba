"""Events of the plan's text, read back."""

from __future__ import annotations

from vxproof.diagnostics import Span
from vxproof.logic.terms import Term
from vxproof.plan.lexer import Cursor, refuse
from vxproof.plan.nodes import (
    Access,
    Act,
    Await,
    Barrier,
    Branch,
    Commit,
    Event,
    Loop,
    WaitGroup,
)
from vxproof.plan.parse_terms import Terms

MAX_NESTING = 64
"""Loops and branches inside each other up to which a plan is read."""


class Events:
    """Recursive descent over blocks of events."""

    def __init__(self, cursor: Cursor, terms: Terms) -> None:
        self.cursor = cursor
        self.terms = terms
        self.depth = 0

    def block(self) -> tuple[Event, ...]:
        """Read events in braces."""
        self.depth += 1
        start = self.cursor.expect("{").span
        if self.depth > MAX_NESTING:
            raise refuse(start, f"events are nested deeper than {MAX_NESTING}")
        events: list[Event] = []
        while not self.cursor.sees("}"):
            events.append(self.event())
        self.cursor.expect("}")
        self.depth -= 1
        return tuple(events)

    def event(self) -> Event:
        """Read one event."""
        cursor = self.cursor
        start = cursor.next.span
        word = cursor.word()
        match word:
            case "do":
                return self.act(start)
            case "barrier":
                return Barrier(cursor.string() if cursor.next.kind == "string" else "")
            case "await":
                return Await(cursor.string())
            case "commit":
                return Commit()
            case "wait_group":
                return WaitGroup(self.terms.term())
            case "loop":
                return self.loop()
            case "if":
                return self.branch()
            case _:
                raise refuse(start, f"`{word}` is no event")

    def line(self) -> int:
        """Read `line N`, 0 where there is none."""
        return self.cursor.number() if self.cursor.accept("line") else 0

    def act(self, start: Span) -> Act:
        """Read `do verb "result" key "text" … line N { accesses }`."""
        cursor = self.cursor
        verb = cursor.word()
        result = cursor.string() if cursor.next.kind == "string" else ""
        details: list[tuple[str, str]] = []
        while cursor.next.kind == "name" and self.is_detail():
            details.append((cursor.word(), cursor.string()))
        line = self.line()
        accesses: list[Access] = []
        if cursor.accept("{"):
            while cursor.sees("reads", "writes"):
                accesses.append(self.access())
            cursor.expect("}")
        end = cursor.tokens[cursor.at - 1].span
        return Act(verb, result, tuple(details), tuple(accesses), line, start.to(end))

    def is_detail(self) -> bool:
        """Whether a word and a string come next."""
        cursor = self.cursor
        return cursor.tokens[cursor.at + 1].kind == "string" and not cursor.sees("await", "loop")

    def access(self) -> Access:
        """Read `reads "object" by "map"`."""
        cursor = self.cursor
        write = cursor.take().text == "writes"
        name = cursor.string()
        shared = cursor.string() if cursor.accept("by") else "all"
        return Access(name, write, shared)

    def loop(self) -> Loop:
        """Read `loop "j" trips T [stages S] { … }`."""
        cursor = self.cursor
        index = cursor.string()
        cursor.expect("trips")
        trips = self.terms.term()
        stages: Term | None = self.terms.term() if cursor.accept("stages") else None
        line = self.line()
        return Loop(index, trips, stages, self.block(), line)

    def branch(self) -> Branch:
        """Read `if "c" uniform { … } else { … }`."""
        cursor = self.cursor
        condition = cursor.string()
        where = cursor.next.span
        kind = cursor.word()
        if kind not in {"uniform", "divergent"}:
            raise refuse(where, "a condition is `uniform` or `divergent`")
        line = self.line()
        then = self.block()
        orelse = self.block() if cursor.accept("else") else ()
        return Branch(condition, kind == "uniform", then, orelse, line)
