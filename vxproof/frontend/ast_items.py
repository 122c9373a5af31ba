"""AST of items: functions, places and imports."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from vxproof.records import dataclass

if TYPE_CHECKING:
    from vxproof.diagnostics import Span
    from vxproof.frontend.ast_exprs import Expr, Path
    from vxproof.frontend.ast_stmts import Block
    from vxproof.frontend.ast_types import MemoryRef, Name, TopologyRef, Type


class ContractKind(Enum):
    """Which clause a contract expression stands in; the value is the clause's word."""

    WHERE = "where"
    REQUIRES = "requires"
    ENSURES = "ensures"


@dataclass(frozen=True, slots=True)
class ConstParam:
    """`const BM: i64` in a function's generics."""

    name: Name
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Param:
    """`q: Tensor<f16, [N, D]>`."""

    name: Name
    type: Type
    span: Span


@dataclass(frozen=True, slots=True)
class Contract:
    """One clause: `requires e`, `ensures e`, or one condition of a `where`."""

    kind: ContractKind
    condition: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Function:
    """A function with its contracts in the order in which they are written."""

    name: Name
    const_params: tuple[ConstParam, ...]
    params: tuple[Param, ...]
    topology: TopologyRef | None
    result: Type | None
    contracts: tuple[Contract, ...]
    body: Block
    span: Span

    @property
    def preconditions(self) -> tuple[Expr, ...]:
        """The conditions of `where` and `requires`, in source order."""
        return tuple(c.condition for c in self.contracts if c.kind is not ContractKind.ENSURES)

    @property
    def postconditions(self) -> tuple[Expr, ...]:
        """The conditions of `ensures`, in source order."""
        return tuple(c.condition for c in self.contracts if c.kind is ContractKind.ENSURES)


_SCALE = {
    prefix + ending: 1024**power
    for power, prefix in enumerate("KMGT", start=1)
    for ending in ("B", "iB")
} | {"B": 1}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with an optional unit: `228 KB`, `3350 GB/s`, `1.4 GHz`, `40`.

    `unit` is the text after the number without blanks (`GB/s`), or the empty string.
    """

    number: Fraction
    unit: str
    span: Span

    @property
    def bytes(self) -> Fraction | None:
        """The size in bytes (KB = KiB = 1024), or None where the unit is not one of size."""
        if not self.unit:
            return self.number
        factor = _SCALE.get(self.unit)
        return None if factor is None else self.number * factor


@dataclass(frozen=True, slots=True)
class SharedWith:
    """`shared_with: peers(16)`."""

    kind: Name
    count: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """`Memory N { … }`; a field that is not written is None, `overcommit` a flag."""

    name: Name
    within: MemoryRef | None
    capacity: Quantity | None
    granule: Quantity | None
    managed: Name | None
    scope: Name | None
    addressable_by: tuple[Name, ...] | None
    tile: tuple[Expr, ...] | None
    bandwidth: Quantity | None
    clock: Quantity | None
    replicas: Expr | None
    shared_with: SharedWith | None
    crossing: Name | None
    overcommit: bool
    span: Span


@dataclass(frozen=True, slots=True)
class TransferEdge:
    """`transfer Memory::A -> Memory::B : 40 sync copy_engine`.

    `words` are the names after the cost, such as `sync`, `relaxed` and `copy_engine`.
    """

    source: MemoryRef
    destination: MemoryRef
    cost: Quantity | None
    words: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TopologyItem:
    """`Topology N { … }`; a field that is not written is None."""

    name: Name
    memory: MemoryRef | None
    visible: tuple[MemoryRef, ...] | None
    arch: Name | None
    dtypes: tuple[Name, ...] | None
    transfers: tuple[TransferEdge, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Use:
    """`import std::math;`, or with `use`: the path is `std::math` or lies below it."""

    path: Path
    span: Span


Item: TypeAlias = Function | MemoryItem | TopologyItem | Use


@dataclass(frozen=True, slots=True)
class Program:
    """One file."""

    items: tuple[Item, ...]
    span: Span

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions, in source order."""
        return tuple(item for item in self.items if isinstance(item, Function))
