"""Random integer expressions, conditions and indices over what is in scope."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

_I32 = (1 << 31) - 1


@dataclass
class Shape:
    """A tensor parameter: its dtype, dimensions as text, and whether it may be written."""

    name: str
    dtype: str
    dims: tuple[str, ...]
    writable: bool


@dataclass
class Terms:
    """What is in scope, and expressions over it; integers are kept with their type."""

    random: random.Random
    lines: list[str] = field(default_factory=list)
    scopes: list[dict[str, str]] = field(default_factory=list)
    mutable: list[set[str]] = field(default_factory=list)
    tensors: list[Shape] = field(default_factory=list)
    generics: list[str] = field(default_factory=list)
    extents: list[str] = field(default_factory=list)
    rank: int = 0
    grid: list[str] = field(default_factory=list)
    names: int = 0
    budget: int = 12

    def _type_of(self, name: str) -> str:
        return next(scope[name] for scope in reversed(self.scopes) if name in scope)

    def _variables(self, *types: str) -> list[str]:
        seen: dict[str, str] = {}
        for scope in self.scopes:
            seen |= scope
        return [name for name, type_ in seen.items() if not types or type_ in types]

    def _simple(self) -> str:
        return self.random.choice((*self._variables("i64", "i32"), "0", "1", "2"))

    def _index(self, dim: str) -> str:
        pick = self.random
        near = [f"g{axis}" for axis, extent in enumerate(self.grid) if extent == dim]
        loops = [one for one in self._variables() if one[0] in "gip"]
        index = pick.choice((*near, *near, *near, *near, *loops, *loops, "0", "0", self._simple()))
        kind = pick.random()
        if kind < 0.62:
            return index
        if kind < 0.70:
            return f"{dim} - 1 - {index}"
        if kind < 0.78:
            return f"max(0, min({index}, {dim} - 1))"
        if kind < 0.84:
            return f"{index} {pick.choice(('+', '-'))} 1"
        if kind < 0.89:
            return f"{index} {pick.choice(('/', '%'))} {pick.choice(('2', '3', dim))}"
        return self._integer(2)[0]

    def _integer(self, depth: int) -> tuple[str, str]:
        pick = self.random
        variables = self._variables()
        if depth == 0 or pick.random() < 0.25:
            if pick.random() < 0.3:
                type_ = pick.choice(("i64", "i32", "i32"))
                value = pick.choice((0, 1, 2, 3, 1, 2, _I32 if pick.random() < 0.1 else 1))
                suffix = type_ if type_ == "i64" or value > 3 else ""
                return f"{value}{suffix}", type_
            name = pick.choice(variables)
            return name, self._type_of(name)
        left, one = self._integer(depth - 1)
        right, two = self._integer(depth - 1)
        if pick.random() < 0.1:
            wide = pick.choice(("i64", "i64", "i32"))
            return f"({left}) as {wide}", wide
        if "u32" in (one, two) and one != two:
            left = left if one == "i64" else f"({left}) as i64"
            right = right if two == "i64" else f"({right}) as i64"
            one = two = "i64"
        type_ = one if _bits(one) >= _bits(two) else two
        kind = pick.random()
        if kind < 0.12:
            return f"{pick.choice(('max', 'min'))}({left}, {right})", type_
        if kind < 0.18:
            return f"select({self._condition(0)}, {left}, {right})", type_
        operator = pick.choice(("+", "+", "-", "-", "*", "/", "%"))
        return f"({left} {operator} {right})", type_

    def _condition(self, depth: int = 1) -> str:
        pick = self.random
        kind = pick.random()
        if depth and kind < 0.3:
            joiner = pick.choice(("&&", "||"))
            return f"({self._condition(0)}) {joiner} ({self._condition(0)})"
        if depth and kind < 0.36:
            return f"!({self._condition(0)})"
        left, one = self._integer(1)
        right, two = self._integer(0)
        if "u32" in (one, two) and one != two:
            left = left if one == "i64" else f"({left}) as i64"
            right = right if two == "i64" else f"({right}) as i64"
        return f"{left} {pick.choice(('<', '<=', '==', '!=', '>=', '>'))} {right}"


def _bits(type_: str) -> int:
    return int(type_[1:])
