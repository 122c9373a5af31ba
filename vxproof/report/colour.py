"""Colour for a terminal; imported only where the output is one."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.style import Style

from vxproof.diagnostics.render_text import Paint, Role, plain

_STYLES = {
    Role.ERROR: Style(color="red", bold=True),
    Role.REFUTED: Style(color="red", bold=True),
    Role.UNKNOWN: Style(color="magenta", bold=True),
    Role.WARNING: Style(color="yellow", bold=True),
    Role.HEADLINE: Style(bold=True),
    Role.GUTTER: Style(color="blue"),
    Role.SECONDARY: Style(color="cyan"),
    Role.HELP: Style(color="green"),
}


def painter(stream: TextIO) -> Paint:
    """Return what colours text for a stream; nothing where the stream takes no colour."""
    return plain if Console(file=stream).color_system is None else coloured


def coloured(role: Role, text: str) -> str:
    """Colour a piece of text by its role."""
    return _STYLES[role].render(text)
