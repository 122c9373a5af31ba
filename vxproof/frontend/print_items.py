"""Canonical text of places and of the words and quantities in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.frontend import ast
from vxproof.frontend.lexing import is_name
from vxproof.frontend.print_exprs import literal_text

if TYPE_CHECKING:
    from vxproof.frontend.print_exprs import ExprPrinter

INDENT = "  "
_MOST_PLACES = 400


def memory_lines(item: ast.MemoryItem, printer: ExprPrinter) -> list[str]:
    """Return the lines of a Memory item, its fields in their declared order."""
    fields = [
        ("within", None if item.within is None else printer.text(item.within)),
        ("capacity", quantity_text(item.capacity)),
        ("granule", quantity_text(item.granule)),
        ("managed", _word(item.managed)),
        ("scope", _word(item.scope)),
        ("addressable_by", words_text(item.addressable_by)),
        ("tile", None if item.tile is None else f"[{', '.join(map(printer.text, item.tile))}]"),
        ("bandwidth", quantity_text(item.bandwidth)),
        ("clock", quantity_text(item.clock)),
        ("replicas", None if item.replicas is None else printer.text(item.replicas)),
        ("shared_with", _shared(item.shared_with, printer)),
        ("crossing", _word(item.crossing)),
    ]
    entries = [f"{name}: {value}" for name, value in fields if value is not None]
    if item.overcommit:
        entries.append("overcommit")
    return _braced(f"Memory {item.name.text}", entries)


def topology_lines(item: ast.TopologyItem, printer: ExprPrinter) -> list[str]:
    """Return the lines of a Topology item, its transfers last."""
    entries = []
    if item.memory is not None:
        entries.append(f"memory: {printer.text(item.memory)}")
    if item.visible is not None:
        entries.append(f"visible: [{', '.join(map(printer.text, item.visible))}]")
    if item.arch is not None:
        entries.append(f"arch: {_word(item.arch)}")
    if item.dtypes is not None:
        entries.append(f"dtypes: {words_text(item.dtypes)}")
    for edge in item.transfers:
        line = f"transfer {printer.text(edge.source)} -> {printer.text(edge.destination)}"
        tail = [quantity_text(edge.cost) or "", *(word.text for word in edge.words)]
        words = " ".join(word for word in tail if word)
        entries.append(f"{line} : {words}" if words else line)
    return _braced(f"Topology {item.name.text}", entries)


def quantity_text(quantity: ast.Quantity | None) -> str | None:
    """Return a number as an exact decimal, then its unit; None for none.

    Raises:
        ValueError: the number has no finite decimal form; the parser makes no such quantity.
    """
    if quantity is None:
        return None
    number, places = quantity.number, 0
    while number.denominator != 1:
        number, places = number * 10, places + 1
        if places > _MOST_PLACES:
            raise ValueError(f"{quantity.number} has no finite decimal form")
    digits = str(abs(number.numerator)).rjust(places + 1, "0")
    if places:
        digits = f"{digits[:-places]}.{digits[-places:]}"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits} {quantity.unit}".rstrip()


def words_text(words: tuple[ast.Name, ...] | None) -> str | None:
    """Return a list of names; None for none."""
    return None if words is None else f"[{', '.join(word.text for word in words)}]"


def _braced(head: str, entries: list[str]) -> list[str]:
    if not entries:
        return [f"{head} {{}}"]
    return [f"{head} {{", *(f"{INDENT}{entry}," for entry in entries), "}"]


def _word(word: ast.Name | None) -> str | None:
    if word is None or is_name(word.text):
        return None if word is None else word.text
    return literal_text(ast.StrLit(word.text, word.span))


def _shared(shared: ast.SharedWith | None, printer: ExprPrinter) -> str | None:
    return None if shared is None else f"{shared.kind.text}({printer.text(shared.count)})"
