"""Reads the fields of `Memory` and `Topology` items: units, whole numbers, words.

Each reader returns the value, or None with a finding recorded where the field is in error; a
field that is not written is None without a finding. Sizes are bytes.
"""

from __future__ import annotations

from dataclasses import field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from vxproof.diagnostics import Diagnostic, Label, Span
from vxproof.frontend import ast
from vxproof.ir.dtypes import DTYPES
from vxproof.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

SCOPES = ("device", "cluster", "sm", "cta", "warpgroup", "subcore", "warp", "thread")
"""From broad to narrow."""

MANAGED = ("explicit", "cached")
ACCESS = ("mma", "copy")
CROSSING = ("sequenced", "streamed")
EDGE_WORDS = ("sync", "relaxed", "copy_engine")
_RATES = frozenset(
    f"{size}/{time}"
    for size in ("B", *(f"{prefix}{end}" for prefix in "KMGT" for end in ("B", "iB")))
    for time in ("s", "cyc")
)
WIDER_DTYPES = frozenset({"i4", "u4", "i128", "u128"})
"""Element types of the language at large: machines list them, kernels cannot name them."""


@dataclass(slots=True)
class Findings:
    """Diagnostics in the order in which they were found."""

    found: list[Diagnostic] = field(default_factory=list)

    def add(
        self,
        code: str,
        headline: str,
        span: Span,
        *,
        label: str = "",
        secondary: tuple[Label, ...] = (),
        help_: str | None = None,
    ) -> None:
        """Record one."""
        self.found.append(
            Diagnostic(code, headline, Label(span, label), secondary=secondary, help=help_)
        )


@dataclass(frozen=True, slots=True)
class MemoryFields:
    """What a `Memory` item writes; None where it writes nothing, or something in error."""

    capacity: int | None
    granule: int | None
    managed: str | None
    scope: str | None
    addressable_by: frozenset[str] | None
    tile: tuple[int, ...] | None


def read_memory(item: ast.MemoryItem, findings: Findings) -> MemoryFields:
    """Read the fields of a `Memory` item, those that nothing later uses included."""
    name = item.name.text
    for what, quantity in (("bandwidth", item.bandwidth), ("clock", item.clock)):
        if quantity is not None and quantity.number <= 0:
            _not_positive(name, what, quantity.span, findings)
    if item.replicas is not None:
        _positive_integer(name, "replicas", item.replicas, findings)
    if item.shared_with is not None:
        _word(item.shared_with.kind, ("peers",), "shared_with", findings)
        _positive_integer(name, "shared_with", item.shared_with.count, findings)
    _word(item.crossing, CROSSING, "crossing", findings)
    return MemoryFields(
        capacity=_bytes(name, "capacity", item.capacity, findings),
        granule=_bytes(name, "granule", item.granule, findings),
        managed=_word(item.managed, MANAGED, "managed", findings),
        scope=_word(item.scope, SCOPES, "scope", findings),
        addressable_by=_words(item.addressable_by, ACCESS, "addressable_by", findings),
        tile=_tile(name, item.tile, findings),
    )


def read_cost(edge: ast.TransferEdge, findings: Findings) -> int | None:
    """Read an edge's cost: a whole number, 0 included, without a unit.

    A bandwidth in its place is checked and gives no cost: routes compare whole numbers.
    """
    cost = edge.cost
    if cost is None:
        return None
    if cost.unit in _RATES:
        if cost.number <= 0:
            between = f"{edge.source.name} -> {edge.destination.name}"
            _not_positive(between, "bandwidth", cost.span, findings)
        return None
    if cost.unit or cost.number.denominator != 1 or cost.number < 0:
        findings.add(
            "E3002",
            "the cost of a transfer is neither a whole number nor a bandwidth",
            cost.span,
            help_="write a relative cost such as `: 40`, or a bandwidth such as `: 63 GB/s`",
        )
        return None
    return int(cost.number)


def read_edge_words(edge: ast.TransferEdge, findings: Findings) -> tuple[bool, bool]:
    """Read the words of an edge as (sync, copy_engine); an edge is sync unless it is `relaxed`."""
    given: dict[str, ast.Name] = {}
    for word in edge.words:
        if word.text in given:
            findings.add("E1003", f"`{word.text}` is written twice", word.span)
        elif _word(word, EDGE_WORDS, "transfer", findings) is not None:
            given[word.text] = word
    if "sync" in given and "relaxed" in given:
        findings.add(
            "E3002",
            "a transfer is either `sync` or `relaxed`",
            given["relaxed"].span,
            label="contradicts `sync`",
            secondary=(Label(given["sync"].span, "`sync` here"),),
            help_="keep one of the two words",
        )
    return "relaxed" not in given, "copy_engine" in given


def read_elements(item: ast.TopologyItem, findings: Findings) -> frozenset[str] | None:
    """Read a topology's list of element types, None where it has none."""
    if item.dtypes is None:
        return None
    for name in item.dtypes:
        if name.text not in DTYPES and name.text not in WIDER_DTYPES:
            near = get_close_matches(name.text, DTYPES, n=1)
            findings.add(
                "E3029",
                f"unknown type name `{name.text}`",
                name.span,
                label="not an element type",
                help_=f"did you mean `{near[0]}`?" if near else None,
            )
    return frozenset(name.text for name in item.dtypes if name.text in DTYPES)


def _word(
    word: ast.Name | None, allowed: Collection[str], what: str, findings: Findings
) -> str | None:
    if word is None or word.text in allowed:
        return None if word is None else word.text
    near = get_close_matches(word.text, allowed, n=1)
    choices = ", ".join(f"`{one}`" for one in allowed)
    findings.add(
        "E3002",
        f"unknown word `{word.text}` in `{what}`",
        word.span,
        label=f"did you mean `{near[0]}`?" if near else "",
        help_=f"write one of {choices}" if len(allowed) > 1 else f"write {choices}",
    )
    return None


def _words(
    words: tuple[ast.Name, ...] | None, allowed: Collection[str], what: str, findings: Findings
) -> frozenset[str] | None:
    if words is None:
        return None
    read = [_word(word, allowed, what, findings) for word in words]
    return frozenset(word for word in read if word is not None)


def _bytes(name: str, what: str, quantity: ast.Quantity | None, findings: Findings) -> int | None:
    if quantity is None:
        return None
    size = quantity.bytes
    if size is None:
        findings.add(
            "E3002",
            f"the {what} of `{name}` is not a size",
            quantity.span,
            label=f"`{quantity.unit}` is not a unit of size",
            help_="use KB, KiB, MB, MiB, GB, GiB, TB or TiB, or bytes without a unit",
        )
    elif size <= 0:
        _not_positive(name, what, quantity.span, findings)
    elif size.denominator != 1:
        findings.add(
            "E3002",
            f"the {what} of `{name}` is not a whole number of bytes",
            quantity.span,
            label=f"{float(size):g} bytes",
        )
    else:
        return int(size)
    return None


def _not_positive(name: str, what: str, span: Span, findings: Findings) -> None:
    findings.add(
        "E6008",
        f"the {what} of `{name}` is not positive",
        span,
        label="has to be above 0",
        help_=f"write a positive {what}, or leave the field out",
    )


def _positive_integer(name: str, what: str, value: ast.Expr, findings: Findings) -> int | None:
    negative = isinstance(value, ast.Unary) and value.op is ast.UnaryOp.NEG
    if negative or (isinstance(value, ast.IntLit) and value.value == 0):
        _not_positive(name, what, value.span, findings)
    elif not isinstance(value, ast.IntLit):
        findings.add(
            "E3002",
            f"`{what}` of `{name}` is not a number",
            value.span,
            label="has to be an integer literal",
        )
    else:
        return value.value
    return None


def _tile(
    name: str, tile: tuple[ast.Expr, ...] | None, findings: Findings
) -> tuple[int, ...] | None:
    if tile is None:
        return None
    sizes = [_positive_integer(name, "tile", size, findings) for size in tile]
    return tuple(size for size in sizes if size is not None)
