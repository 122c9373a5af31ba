"""Seeded kernels: tiles born and dying in odd orders, loops, arms, rings, calls, several spawns."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.oracle_capacity.model import (
    Branch,
    Case,
    Choose,
    Extent,
    Invoke,
    Loop,
    Make,
    Name,
    Statement,
    Tile,
    Use,
    Wait,
    Write,
)
from vxproof.target import load

_TARGETS = ("sm_75", "sm_80", "sm_86", "sm_90a", "sm_120a")
_SUMMABLE = {"f32", "f16"}


@dataclass
class _Scope:
    """Names that statements may use: tiles, views of them, tokens."""

    tiles: list[tuple[str, Tile]] = field(default_factory=list)
    views: list[tuple[str, Tile]] = field(default_factory=list)
    blank: list[tuple[str, Tile]] = field(default_factory=list)

    def inner(self) -> _Scope:
        return _Scope(list(self.tiles), list(self.views), list(self.blank))


class Generator:
    """Draws one program."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.count = 0
        self.asynchronous = self.chance.random() < 0.25
        self.helpers: list[str] = []

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def case(self) -> Case:
        chance = self.chance
        target = chance.choice((*_TARGETS, None, None))
        if target == "sm_75":
            self.asynchronous = False
        if target is None:
            granule = chance.choice((1, 1024, 4096))
            place, capacity, align = "SRAM", 1024 * chance.choice((48, 64, 99, 128)), granule
        else:
            facts = load(target)
            place, capacity, align, granule = "SMEM", facts.smem_optin_per_block, 128, 1
        step = chance.choice((1, 1, 4, 8))
        helpers = []
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            name = self.name("helper")
            helpers.append((name, self.body(_Scope(), chance.randint(1, 4), 1)))
            self.helpers.append(name)
        kernels = tuple(
            self.body(_Scope(), chance.randint(2, 9), 0) for _ in range(chance.choice((1, 1, 1, 2)))
        )
        low = chance.choice((1, 2, 8))
        high = chance.choice((8, 33, 64, 120))
        return Case(
            kernels, tuple(helpers), low, high, step, target, place, capacity, granule, align
        )

    def body(self, scope: _Scope, length: int, depth: int) -> tuple[Statement, ...]:
        out: list[Statement] = []
        for _ in range(length):
            out += self.statement(scope, depth)
        return tuple(out)

    def tile(self) -> Tile:
        chance = self.chance
        dtype = chance.choice(("f32", "f32", "f16", "u8", "bf16", "f64", "f8e4m3", "f4e2m1"))
        rows = Extent(chance.choice((0, 1, 1, 2)), chance.choice((0, 0, 8, 3)))
        if not rows.factor:
            rows = Extent(0, chance.choice((1, 16, 40, 96, 100)))
        cols = Extent(0, chance.choice((1, 2, 32, 64, 100, 128, 256)))
        if chance.random() < 0.15:
            cols = Extent(1, 0)
        if dtype == "f4e2m1":
            cols = Extent(0, chance.choice((32, 64, 128)))
        kind = chance.random()
        if kind < 0.1:
            return Tile(dtype, (rows, cols), tiled=chance.choice(((8, 128), (16, 16))))
        if kind < 0.2:
            return Tile(dtype, (rows, cols), swizzled=True)
        if kind < 0.3 and dtype in {"f8e4m3", "f4e2m1"}:
            return Tile(dtype, (rows, cols), scale=chance.choice((16, 32)))
        return Tile(dtype, (rows, cols))

    def statement(self, scope: _Scope, depth: int) -> list[Statement]:
        chance = self.chance
        kind = chance.random()
        known = [*scope.tiles, *scope.views]
        if scope.blank and chance.random() < 0.3:
            name, tile = chance.choice(scope.blank)
            return [Write(name, tile)] if chance.random() < 0.5 else [self.use([(name, tile)])]
        if kind < 0.35 or not known:
            return [self.make(scope, depth)]
        if kind < 0.55:
            return [self.use(known)]
        if kind < 0.62:
            name, tile = chance.choice(scope.tiles)
            if tile.scale is None:
                view = self.name("v")
                part = Tile(tile.dtype, tile.dims[-2:])
                scope.views.append((view, part))
                named = Name(view, name, tile)
                return [named, *([Use(view, part)] * chance.randint(0, 1))]
            return [self.use(known)]
        if kind < 0.68 and self.helpers and depth == 0:
            return [Invoke(chance.choice(self.helpers))]
        if kind < 0.74 and self.asynchronous:
            return self.ring(scope, depth)
        if kind < 0.88 and depth < 3:
            trips = chance.choice(("3", "n", "80"))
            return [Loop(self.body(scope.inner(), chance.randint(1, 4), depth + 1), trips)]
        if depth < 3:
            then = self.body(scope.inner(), chance.randint(1, 3), depth + 1)
            orelse = self.body(scope.inner(), chance.randint(1, 3), depth + 1)
            return [Branch(then, orelse)]
        return [self.use(known)]

    def make(self, scope: _Scope, depth: int) -> Statement:
        chance = self.chance
        tile, name = self.tile(), self.name("t")
        scope.tiles.append((name, tile))
        how = chance.random()
        plain = tile.tiled is None and not tile.swizzled and tile.scale is None
        if how < 0.1 and plain and tile.dtype in _SUMMABLE:
            scope.tiles.pop()
            return Make(name, tile, "resident")
        if how < 0.3 and plain:
            if chance.random() < 0.5:
                tile = Tile(tile.dtype, (Extent(0, chance.choice((2, 3))), *tile.dims))
                scope.tiles[-1] = (name, tile)
            if depth == 0:
                scope.blank.append(scope.tiles.pop())
            return Make(name, tile, "uninit")
        if how < 0.36 and plain:
            return Choose(name, tile)
        return Make(name, tile, "transfer")

    def use(self, known: list[tuple[str, Tile]]) -> Statement:
        name, tile = self.chance.choice(known)
        same = [n for n, t in known if t == tile and n != name and tile.dtype in _SUMMABLE]
        if same and len(tile.dims) == 2:
            return Use(name, tile, self.chance.choice(same))
        return Use(name, tile)

    def ring(self, scope: _Scope, depth: int) -> list[Statement]:
        """A pipelined loop, or a copy that is waited for a while later."""
        chance = self.chance
        tile = Tile("f16", (Extent(1, 0), Extent(0, chance.choice((32, 64, 128)))))
        token, name = self.name("k"), self.name("w")
        if depth or chance.random() < 0.3:
            between = self.body(scope.inner(), chance.randint(0, 2), 9)
            return [Make(token, tile, "async"), *between, Wait(name, token), Use(name, tile)]
        inner: list[Statement] = [Make(token, tile, "async")]
        inner += self.body(scope.inner(), chance.randint(0, 2), 9)
        inner += [Wait(name, token), Use(name, tile)]
        return [Loop(tuple(inner), "8", chance.choice((1, 2, 3)))]


def draw(seed: int) -> Case:
    """The program of a seed."""
    return Generator(seed).case()
