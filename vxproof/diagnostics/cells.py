"""How many terminal cells a piece of source text takes, and how it is shown safely.

Tabs become four cells, wide characters take two, combining characters none; a character that would
move the cursor, reorder text or ring a bell is shown as one replacement mark.
"""

from __future__ import annotations

import unicodedata

TAB = "    "
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def shown(ch: str) -> str:
    """Return what stands for one character of the source."""
    if " " <= ch <= "~":
        return ch
    if ch == "\t":
        return TAB
    # Cc, Cf, Cs, Co, Cn; Zl and Zp separate lines.
    category = unicodedata.category(ch)
    return REPLACEMENT if category[0] == "C" or category in {"Zl", "Zp"} else ch


def cells(text: str) -> int:
    """Return the number of terminal cells of text that `shown` has made safe."""
    if text.isascii():
        return len(text)
    return sum(_width(ch) for ch in text)


def _width(ch: str) -> int:
    if unicodedata.combining(ch):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in {"W", "F"} else 1


def safe(text: str) -> str:
    """Return a text in which every character is shown safely; its lines stay lines."""
    return "\n".join("".join(map(shown, line)) for line in text.split("\n"))
