"""Text to AST to typed IR: syntax, names, types and shapes of Vx programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vxproof.frontend.elaborate import elaborate
from vxproof.frontend.parser import parse

if TYPE_CHECKING:
    from vxproof.diagnostics import Source
    from vxproof.ir.module import Module

__all__ = ["elaborate", "load_module", "parse"]


def load_module(source: Source, target: str | None) -> Module:
    """Return the typed IR of a program's text for one target, or for its own machine.

    Raises:
        DiagnosticError: the program is not well formed.
    """
    return elaborate(parse(source), source, target)
