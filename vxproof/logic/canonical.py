"""Canonical JSON of an obligation's formula, and its sha256: the obligation's id.

The text holds symbols with their ranges, hypotheses and goal in normal form, as a list of nodes
in which each node names its children by position, so that shared terms are written once. Code,
headline, spans and tables are left out: equal questions have equal ids, whatever asks them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256

from vxproof.logic.digest import Node, children, head, postorder
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Obligation, Symbol
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

FORMAT = "vxproof-obligation/1"


def canonical_json(obligation: Obligation, normaliser: Normaliser | None = None) -> str:
    """The canonical text; a shared `normaliser` saves work over many obligations."""
    norm = normaliser or Normaliser()
    hypotheses = tuple(norm.formula(h) for h in obligation.hypotheses)
    return question_json(obligation.symbols, hypotheses, norm.formula(obligation.goal))


def obligation_id(obligation: Obligation, normaliser: Normaliser | None = None) -> str:
    """Hexadecimal sha256 of the canonical text."""
    return sha256(canonical_json(obligation, normaliser).encode()).hexdigest()


def question_json(symbols: Iterable[Symbol], hypotheses: Sequence[Formula], goal: Formula) -> str:
    """Symbols, hypotheses and goal as they are, as text that `read_question` takes."""
    numbers: dict[Node, int] = {}
    rows: list[list[str | int]] = []
    for formula in (*hypotheses, goal):
        for node in postorder(formula, numbers):
            numbers[node] = len(rows)
            rows.append([*head(node), *(numbers[child] for child in children(node))])
    data = {
        "format": FORMAT,
        "goal": numbers[goal],
        "hypotheses": [numbers[h] for h in hypotheses],
        "nodes": rows,
        "symbols": [[s.name, _text(s.lo), _text(s.hi)] for s in symbols],
    }
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _text(bound: int | None) -> str | None:
    """Integers are written as text: JSON readers lose those beyond 2^53."""
    return None if bound is None else str(bound)


Question = tuple[tuple[tuple[str, int | None, int | None], ...], tuple[Formula, ...], Formula]


def read_question(text: str) -> Question:
    """Symbols (name, lo, hi), hypotheses and goal of a canonical text.

    Raises:
        ValueError: the text is not one that `question_json` writes.
    """
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(f"unknown format {data['format']!r}")
        nodes: list[Node] = []
        for row in data["nodes"]:
            nodes.append(_node(row, nodes))
        symbols = tuple((name, _bound(lo), _bound(hi)) for name, lo, hi in data["symbols"])
        hypotheses = tuple(_formula(nodes[h]) for h in data["hypotheses"])
        return symbols, hypotheses, _formula(nodes[data["goal"]])
    except (KeyError, IndexError, TypeError) as error:
        raise ValueError(f"not a question: {error!r}") from error


def _bound(text: str | None) -> int | None:
    return None if text is None else int(text)


def _formula(node: Node) -> Formula:
    if not isinstance(node, Formula):
        raise ValueError("a term stands where a formula is needed")
    return node


def _node(row: Sequence[str | int], nodes: list[Node]) -> Node:
    kind = row[0]
    match kind:
        case "int":
            return Const(int(row[1]))
        case "sym":
            return Sym(str(row[1]))
        case "true" | "false":
            return Truth(kind == "true")
        case _:
            return _inner(str(kind), row, nodes)


def _inner(kind: str, row: Sequence[str | int], nodes: list[Node]) -> Node:
    if any(not isinstance(index, int) or not 0 <= index < len(nodes) for index in row[1:]):
        raise ValueError(f"a node names a child that does not stand before it: {row!r}")
    parts = tuple(nodes[int(index)] for index in row[1:])
    match kind:
        case "and" | "or":
            return (And if kind == "and" else Or)(tuple(map(_formula, parts)))
        case "not":
            return Not(_formula(parts[0]))
        case "ite":
            cond, then, orelse = parts
            return Ite(_formula(cond), _term(then), _term(orelse))
        case "<=" | "<" | "==" | "!=":
            left, right = parts
            return Cmp(Rel(kind), _term(left), _term(right))
        case _:
            return App(Op(kind), tuple(map(_term, parts)))


def _term(node: Node) -> Term:
    if not isinstance(node, Term):
        raise ValueError("a formula stands where a term is needed")
    return node
