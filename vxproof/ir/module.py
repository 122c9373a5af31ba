"""Modules, functions, and the machine that a module is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from vxproof.diagnostics import Diagnostic, Source, Span
from vxproof.ir.ops import Block, Declare, For, If, Operation, Spawn
from vxproof.ir.types import Type
from vxproof.ir.values import Clause, Variable
from vxproof.logic.obligation import Symbol
from vxproof.records import dataclass


@dataclass(frozen=True, slots=True)
class Space:
    """A memory space; sizes in bytes, None where unbounded or not said.

    `capacity` is the bound that obligations use: the smaller of the program's declaration and what
    one instance of the scope may have on the target; `bound` says which of the two won and where
    it is stated. `tile_alignment` is the multiple at which tiles start. `columns` is set for
    tensor memory, where tiles take columns.
    `scope` is None where the declaration gives none. `native` names the target's own space.
    """

    name: str
    within: str | None
    capacity: int | None
    granule: int
    managed: str
    scope: str | None
    addressable_by: frozenset[str] | None
    overcommit: bool
    tile_alignment: int
    bound: str
    native: str | None
    span: Span | None
    columns: int | None = None
    tile: tuple[int, ...] | None = None
    unit: str = "bytes"


@dataclass(frozen=True, slots=True)
class Edge:
    """A way to copy from one space to another."""

    source: str
    destination: str
    cost: int | None
    sync: bool
    copy_engine: bool


@dataclass(frozen=True, slots=True)
class Topology:
    """A processor: its default space, and the spaces that it sees."""

    name: str
    memory: str | None
    visible: frozenset[str]
    span: Span | None


@dataclass(frozen=True, slots=True)
class Machine:
    """Every space, topology and edge that a module may name; `target` is None without one."""

    target: str | None
    spaces: Mapping[str, Space]
    topologies: Mapping[str, Topology]
    edges: tuple[Edge, ...]
    aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function; equal to itself only, so that what is derived from it can be remembered.

    `symbols` declares its const generics, extents and strides, in order of declaration, then its
    scalar integer parameters (named by `Variable.symbol`); a `&mut` tensor parameter is an output.
    `result_variable` stands for the returned value in `ensures`.
    """

    name: str
    span: Span
    generics: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    params: tuple[Variable, ...]
    result: Type
    topology: str | None
    requires: tuple[Clause, ...]
    ensures: tuple[Clause, ...]
    result_variable: Variable | None
    body: Block


@dataclass(frozen=True, slots=True)
class Module:
    """A program for one machine, and the warnings that making it gave."""

    source: Source
    machine: Machine
    functions: tuple[Function, ...]
    warnings: tuple[Diagnostic, ...] = ()

    def function(self, name: str) -> Function:
        """Return a function by name; KeyError if there is none."""
        for one in self.functions:
            if one.name == name:
                return one
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Kernel:
    """One `spawn` of a function, with the residents declared before it (per-block state)."""

    function: Function
    spawn: Spawn
    residents: tuple[Declare, ...]
    index: int


def walk(block: Block) -> Iterator[Operation]:
    """Yield every operation of a block and of the blocks inside it, in program order."""
    work = [iter(block)]
    while work:
        for op in work[-1]:
            yield op
            if isinstance(op, _NESTING):
                work.append(chain.from_iterable(_blocks(op)))
                break
        else:
            work.pop()


_NESTING = (For, If, Spawn)


def _blocks(op: For | If | Spawn) -> tuple[Block, ...]:
    return (op.then, op.orelse) if isinstance(op, If) else (op.body,)


def kernels(function: Function) -> tuple[Kernel, ...]:
    """Return the spawns of a function in program order, each with the residents before it."""
    found: list[Kernel] = []
    residents: list[Declare] = []

    def collect(block: Block) -> None:
        for op in block:
            match op:
                case Declare(variable=variable) if variable.resident is not None:
                    residents.append(op)
                case Spawn():
                    found.append(Kernel(function, op, tuple(residents), len(found)))
                case For(body=body):
                    collect(body)
                case If(then=then, orelse=orelse):
                    collect(then)
                    collect(orelse)
                case _:
                    pass

    collect(function.body)
    return tuple(found)
