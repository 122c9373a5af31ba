"""Lives, sizes and first fit for one value of `P`, from the rules alone.

A tile lives from the statement that makes it to the last one that reads, writes, views or waits for
it; a use in a loop keeps a tile from outside to the loop's end; a resident lives to the end of its
scope; a ring is there for its whole loop. Statements are numbered in program order, a loop has a
number for its head and one for its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.oracle_capacity.model import (
    BITS,
    Body,
    Branch,
    Case,
    Choose,
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


@dataclass
class Live:
    """A tile with its life; `frame` marks what a callee takes."""

    name: str
    size: int
    birth: int
    death: int
    loops: tuple[int, ...]
    frame: bool = False


def up(value: int, unit: int) -> int:
    """The next multiple."""
    return -(-value // unit) * unit


def tile_bytes(tile: Tile, p: int, depth: int, granule: int) -> int:
    """Bytes of a tile or ring, layout and scales included, rounded up to the granule once."""
    dims = [one.at(p) for one in tile.dims]
    bits = BITS[tile.dtype]
    if tile.tiled is not None:
        dims[-2:] = [up(size, unit) for size, unit in zip(dims[-2:], tile.tiled, strict=True)]
    rows = 1
    for size in dims[:-1]:
        rows *= size
    if tile.swizzled:
        rows = rows // dims[-2] * up(dims[-2], 8)
        size = rows * up(up(dims[-1] * bits, 8) // 8, 128)
    else:
        size = up(rows * dims[-1] * bits, 8) // 8
    if tile.scale is not None:
        size += rows * (up(dims[-1], tile.scale) // tile.scale)
    return up(size * depth, granule)


@dataclass
class _Walk:
    case: Case
    p: int
    frames: Callable[[str], int]
    at: int = 0
    tiles: dict[str, list[Live]] = field(default_factory=dict)
    found: list[Live] = field(default_factory=list)
    ends: dict[int, int] = field(default_factory=dict)
    kept: list[tuple[Live, int]] = field(default_factory=list)

    def size(self, tile: Tile, depth: int = 1) -> int:
        return tile_bytes(tile, self.p, depth, self.case.granule)

    def live(self, name: str, size: int, loops: tuple[int, ...]) -> Live:
        one = Live(name, size, self.at, self.at, loops)
        self.found.append(one)
        self.tiles[name] = [one]
        return one

    def use(self, name: str, loops: tuple[int, ...]) -> None:
        for one in self.tiles[name]:
            one.death = max(one.death, self.at)
            inner = [loop for loop in loops if loop not in one.loops]
            if inner:
                self.kept.append((one, inner[0]))

    def body(self, body: Body, loops: tuple[int, ...], ring: tuple[int, int] | None) -> None:
        residents: list[Live] = []
        for one in body:
            self.at += 1
            match one:
                case Make(name, tile, how):
                    made = self.make(name, tile, how, loops, ring)
                    residents += [made] if how == "resident" else []
                case Loop(inner, _, stages):
                    head = self.at
                    self.body(inner, (*loops, head), (head, stages) if stages else None)
                    self.at += 1
                    self.ends[head] = self.at
                case Branch(then, orelse):
                    self.body(then, loops, None)
                    self.body(orelse, loops, None)
                case _:
                    self.simple(one, loops)
        for made in residents:
            made.death = max(made.death, self.at)

    def make(
        self,
        name: str,
        tile: Tile,
        how: str,
        loops: tuple[int, ...],
        ring: tuple[int, int] | None,
    ) -> Live:
        made = self.live(name, self.size(tile), loops)
        if how == "async" and ring is not None:
            made.size = self.size(tile, ring[1])
            made.birth, made.loops = ring[0], loops[:-1]
            self.kept.append((made, ring[0]))
        return made

    def simple(self, one: Statement, loops: tuple[int, ...]) -> None:
        match one:
            case Choose(name, tile):
                self.live(name, self.size(tile), loops)
            case Use(name, _, other):
                self.use(name, loops)
                if other:
                    self.use(other, loops)
            case Write(name, _):
                self.use(name, loops)
            case Name(view, of, _):
                self.use(of, loops)
                self.tiles[view] = self.tiles[of]
            case Wait(name, token):
                self.use(token, loops)
                self.tiles[name] = self.tiles[token]
            case Invoke(helper):
                size = self.frames(helper)
                if size:
                    self.live(f"{helper}()", size, loops).frame = True
            case _:
                raise TypeError(f"not a simple statement: {one!r}")

    def done(self) -> list[Live]:
        for one, loop in self.kept:
            one.death = max(one.death, self.ends[loop])
        return self.found


def lives(case: Case, body: Body, p: int, frames: Callable[[str], int]) -> list[Live]:
    """Return the tiles of a body; `frames` says what a helper takes."""
    walk = _Walk(case, p, frames)
    walk.body(body, (), None)
    return walk.done()


def peak(tiles: Sequence[Live], *, frames: bool) -> int:
    """The largest sum of tiles that share a point."""
    counted = [one for one in tiles if frames or not one.frame]
    return max(
        (
            sum(two.size for two in counted if two.birth <= one.birth <= two.death)
            for one in counted
        ),
        default=0,
    )


def path_peak(case: Case, body: Body, p: int) -> int:
    """The peak of a body with its calls: what is live at a call, and the callee's peak."""
    helpers = dict(case.helpers)
    return peak(lives(case, body, p, lambda name: path_peak(case, helpers[name], p)), frames=True)


def first_fit(tiles: Sequence[Live], order: Sequence[Live], align: int) -> int:
    """Place tiles one by one, each at the lowest offset that no overlapping life uses."""
    placed: list[tuple[int, Live]] = []
    for one in order:
        rivals = [(o, t) for o, t in placed if t.birth <= one.death and one.birth <= t.death]
        starts = sorted({0, *(up(o + t.size, align) for o, t in rivals)})
        at = next(s for s in starts if all(s + one.size <= o or o + t.size <= s for o, t in rivals))
        placed.append((at, one))
    assert len(placed) == len(tiles)
    return max((o + t.size for o, t in placed), default=0)


def arena(case: Case, body: Body, p: int) -> int:
    """The best of the three layouts: by birth, longest life first, largest first."""
    helpers = dict(case.helpers)
    tiles = lives(case, body, p, lambda name: arena(case, helpers[name], p))
    born = sorted(tiles, key=lambda t: (t.birth, t.birth - t.death, t.name))
    length = sorted(born, key=lambda t: t.birth - t.death)
    size = sorted(born, key=lambda t: -t.size)
    return min(first_fit(tiles, order, case.align) for order in (born, length, size))
