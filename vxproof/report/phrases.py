"""Amounts and counts in words, and the source's names of symbols."""

from __future__ import annotations

from collections.abc import Iterable

from vxproof.logic.obligation import Symbol


def names_of(symbols: Iterable[Symbol]) -> dict[str, str]:
    """Map the unique name of each symbol to the source's name for it."""
    return {symbol.name: symbol.display or symbol.name for symbol in symbols}


def amount(value: int, unit: str) -> str:
    """Return a number with thousands separators and its unit; bytes are written `B`."""
    if unit in {"bytes", "byte", "B"}:
        return f"{value:,} B"
    word = unit.removesuffix("s") if value == 1 else unit
    return f"{value:,} {word}".rstrip()


def counted(count: int, noun: str) -> str:
    """Return `1 kernel`, `2 kernels`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
