"""Small kernels as data: tiles of one parameter `P`, and the statements that make and use them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

BITS = {"u8": 8, "i8": 8, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8e4m3": 8, "f4e2m1": 4}
SIDE = 4096


@dataclass(frozen=True)
class Extent:
    """`factor * P + plus`."""

    factor: int
    plus: int

    def at(self, p: int) -> int:
        return self.factor * p + self.plus

    @property
    def text(self) -> str:
        if not self.factor:
            return str(self.plus)
        head = "P" if self.factor == 1 else f"{self.factor} * P"
        return f"{head} + {self.plus}" if self.plus else head


@dataclass(frozen=True)
class Tile:
    """What a tile is: element type, extents, the layout that is asked for, its plane of scales."""

    dtype: str
    dims: tuple[Extent, ...]
    tiled: tuple[int, int] | None = None
    swizzled: bool = False
    scale: int | None = None

    @property
    def shape(self) -> str:
        return f"[{', '.join(one.text for one in self.dims)}]"

    def type(self, place: str) -> str:
        parts = [self.dtype, self.shape, f"Memory::{place}"]
        if self.tiled is not None:
            parts.append(f"Layout::Tiled<[{self.tiled[0]}, {self.tiled[1]}]>")
        if self.swizzled:
            parts.append("Layout::Swizzled<128>")
        return f"Tensor<{', '.join(parts)}>"


@dataclass(frozen=True)
class Make:
    """A tile is born: by `transfer`, `async` (then waited for), `uninit` or `resident`."""

    name: str
    tile: Tile
    how: str


@dataclass(frozen=True)
class Choose:
    """`let name = if c { transfer } else { transfer };`"""

    name: str
    tile: Tile


@dataclass(frozen=True)
class Use:
    """A tile is stored to a tensor, or summed with another of its shape first."""

    name: str
    tile: Tile
    other: str = ""


@dataclass(frozen=True)
class Write:
    """A part of a tile is overwritten."""

    name: str
    tile: Tile


@dataclass(frozen=True)
class Name:
    """`let view = slice(of, …);`: a use of the view is a use of the tile."""

    view: str
    of: str
    tile: Tile


@dataclass(frozen=True)
class Wait:
    """`let name = wait(token);`"""

    name: str
    token: str


@dataclass(frozen=True)
class Loop:
    """A loop of `trips` iterations, pipelined where `stages` is set."""

    body: tuple[Statement, ...]
    trips: str
    stages: int | None = None


@dataclass(frozen=True)
class Branch:
    """Two arms under a condition of the launch."""

    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True)
class Invoke:
    """A call of the device function `helper`."""

    helper: str


Statement = Make | Choose | Use | Write | Name | Wait | Loop | Branch | Invoke
Body = tuple[Statement, ...]


@dataclass(frozen=True)
class Case:
    """A program: kernels, helpers, the range of `P`, and the space in which tiles lie."""

    kernels: tuple[Body, ...]
    helpers: tuple[tuple[str, Body], ...]
    low: int
    high: int
    step: int
    target: str | None
    place: str
    capacity: int
    granule: int
    align: int
    overcommit: bool = False

    @property
    def points(self) -> range:
        """The admitted values of `P`."""
        return range(-(-self.low // self.step) * self.step, self.high + 1, self.step)

    def fixed(self, p: int) -> Case:
        """The same program for one value."""
        return replace(self, low=p, high=p)


def source(case: Case) -> str:
    """Return the program's text."""
    used = sorted(
        {
            (one.tile.dtype, one.tile.scale or 0)
            for body in (*case.kernels, *(b for _, b in case.helpers))
            for one in _leaves(body)
            if isinstance(one, Make | Choose | Use | Write)
        }
        | {("u8", 0)}
    )
    names = [_tensor(*one) for one in used]
    params = "c: i32, n: i64, " + ", ".join(f"x_{n}: {{ref}}{t}, y_{n}: &mut {t}" for n, t in names)
    arguments = "c, n, " + ", ".join(f"{{amp}}x_{n}, y_{n}" for n, _ in names)
    requires = f"  requires {case.low} <= P && P <= {case.high} && P % {case.step} == 0\n"
    device = "GPU" if case.target is not None else "Dev"
    lines = [_machine(case)]
    for name, body in case.helpers:
        lines.append(f"fn {name}<const P: i64>({params.format(ref='&')}) on Topology::{device}")
        lines.append(requires + "{")
        lines += _lines(body, case.place, "  ", arguments.format(amp=""))
        lines.append("}\n")
    lines.append(f"fn kernel<const P: i64>({params.format(ref='')})")
    lines.append(requires + "{")
    for body in case.kernels:
        lines.append(f"  spawn on(Topology::{device}) warps(4) {{")
        lines += _lines(body, case.place, "    ", arguments.format(amp="&"))
        lines.append("  }")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _leaves(body: Body) -> Iterator[Statement]:
    for one in body:
        match one:
            case Loop():
                yield from _leaves(one.body)
            case Branch():
                yield from _leaves((*one.then, *one.orelse))
            case _:
                yield one


def _tensor(dtype: str, scale: int) -> tuple[str, str]:
    if scale:
        return f"{dtype}_s{scale}", (
            f"Tensor<{dtype}, [{SIDE}, {SIDE}], Scale<f8e8m0, block: {scale}>>"
        )
    return dtype, f"Tensor<{dtype}, [{SIDE}, {SIDE}]>"


def _machine(case: Case) -> str:
    if case.target is not None:
        return ""
    more = "managed: explicit, scope: cta" + (", overcommit" if case.overcommit else "")
    granule = f", granule: {case.granule // 1024} KB" if case.granule >= 1024 else ""
    return (
        "Memory DRAM { capacity: 16 GB, scope: device }\n"
        f"Memory {case.place} {{ within: Memory::DRAM,"
        f" capacity: {case.capacity // 1024} KB{granule}, {more} }}\n"
        "Topology Dev {\n"
        f"  memory: Memory::DRAM, visible: [Memory::DRAM, Memory::{case.place}],\n"
        f"  transfer Memory::DRAM -> Memory::{case.place} : 40 sync copy_engine\n"
        f"  transfer Memory::{case.place} -> Memory::DRAM : 40 sync\n}}\n"
    )


def _from(tile: Tile) -> str:
    name, _ = _tensor(tile.dtype, tile.scale or 0)
    return f"slice(x_{name}, [0, 0], {_flat(tile)})"


def _flat(tile: Tile) -> str:
    return f"[{', '.join(one.text for one in tile.dims[-2:])}]"


def _to(tile: Tile) -> str:
    name, _ = _tensor(tile.dtype, tile.scale or 0)
    return f"slice(y_{name}, [0, 0], {_flat(tile)})"


def _lines(body: Body, place: str, pad: str, arguments: str) -> Iterator[str]:
    for one in body:
        match one:
            case Make(name, tile, "uninit"):
                yield f"{pad}let mut {name} = {tile.type(place)}::uninit();"
            case Make(name, tile, "resident"):
                made = f"Tensor<{tile.dtype}>({tile.shape})"
                yield f"{pad}resident<Memory::{place}> let mut {name} = {made};"
            case Make(name, tile, how):
                verb = "transfer_async" if how == "async" else "transfer"
                asked = f": {tile.type(place)}" if tile.tiled or tile.swizzled else ""
                yield f"{pad}let {name}{asked} = {verb}({_from(tile)}, Memory::{place});"
            case Choose(name, tile):
                copy = f"transfer({_from(tile)}, Memory::{place})"
                yield f"{pad}let {name} = if c > 0 {{ {copy} }} else {{ {copy} }};"
            case Use(name, tile, other):
                value = f"{name}[0]" if len(tile.dims) == 3 else name
                yield f"{pad}{_to(tile)} = {value}{f' + {other}' if other else ''};"
            case Write(name, tile):
                goal = f"{name}[0]" if len(tile.dims) == 3 else name
                yield f"{pad}slice({goal}, [0, 0], {_flat(tile)}) = {_from(tile)};"
            case Name(view, of, tile):
                base = f"{of}[1]" if len(tile.dims) == 3 else of
                yield f"{pad}let {view} = slice({base}, [0, 0], {_flat(tile)});"
            case Wait(name, token):
                yield f"{pad}let {name} = wait({token});"
            case Invoke(helper):
                yield f"{pad}{helper}<P>({arguments});"
            case Loop(inner, trips, stages):
                ring = f" pipelined({stages})" if stages else ""
                yield f"{pad}for j in 0..{trips}{ring} {{"
                yield from _lines(inner, place, pad + "  ", arguments)
                yield f"{pad}}}"
            case Branch(then, orelse):
                yield f"{pad}if c > 0 {{"
                yield from _lines(then, place, pad + "  ", arguments)
                yield f"{pad}}} else {{"
                yield from _lines(orelse, place, pad + "  ", arguments)
                yield f"{pad}}}"
