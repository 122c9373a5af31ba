"""Structural digests of terms and formulas: equal in every process, cheap on shared nodes."""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha256

from vxproof.logic.terms import (
    And,
    App,
    Cmp,
    Const,
    Formula,
    Ite,
    Not,
    Or,
    Sym,
    Term,
    Truth,
)

Node = Term | Formula


def head(node: Node) -> tuple[str | int, ...]:
    """What a node is, without its children; a tuple of JSON values."""
    match node:
        case Const(value=value):
            return "int", str(value)
        case Sym(name=name):
            return "sym", name
        case App(op=op):
            return (op.value,)
        case Ite():
            return ("ite",)
        case Truth(value=value):
            return ("true" if value else "false",)
        case Cmp(rel=rel):
            return (rel.value,)
        case And():
            return ("and",)
        case Or():
            return ("or",)
        case Not():
            return ("not",)
        case _:
            raise TypeError(f"neither term nor formula: {node!r}")


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node, from the left."""
    match node:
        case App(args=args):
            return args
        case Cmp(left=left, right=right):
            return left, right
        case And(parts=parts) | Or(parts=parts):
            return parts
        case Not(part=part):
            return (part,)
        case Ite(cond=cond, then=then, orelse=orelse):
            return cond, then, orelse
        case _:
            return ()


def postorder(root: Node, seen: Container[Node]) -> list[Node]:
    """Nodes below `root` that are not in `seen`, each once, children first; no recursion."""
    found: list[Node] = []
    done: set[Node] = set()
    stack: list[Node] = [root]
    while stack:
        node = stack[-1]
        if node in done or node in seen:
            stack.pop()
            continue
        missing = [c for c in children(node) if c not in done and c not in seen]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        done.add(node)
        found.append(node)
    return found


class Digests:
    """Digests by node, computed once."""

    def __init__(self) -> None:
        self._memo: dict[Node, str] = {}

    def of(self, root: Node) -> str:
        """Hexadecimal sha256 of a node's head and the digests of its children."""
        known = self._memo.get(root)
        if known is not None:
            return known
        memo = self._memo
        for node in postorder(root, memo):
            text = "\0".join((*map(str, head(node)), *(memo[c] for c in children(node))))
            memo[node] = sha256(text.encode()).hexdigest()
        return memo[root]
