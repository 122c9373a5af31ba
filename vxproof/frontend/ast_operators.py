"""The operators of the surface language and how tightly each one binds.

This is the one table of precedence: the parser folds flat operator sequences by it and the printer
parenthesises by it. A larger number binds tighter; all binary operators associate to the left,
except comparisons, which do not chain.
"""

from __future__ import annotations

from enum import Enum, IntEnum


class BinaryOp(Enum):
    """A binary operator; the value is its spelling."""

    OR = "||"
    AND = "&&"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    MATMUL = "@"


class UnaryOp(Enum):
    """A prefix operator other than a borrow; the value is its spelling."""

    NEG = "-"
    NOT = "!"
    DEREF = "*"


class AssignOp(Enum):
    """An assignment operator; the value is its spelling."""

    SET = "="
    ADD = "+="
    SUB = "-="
    MUL = "*="
    DIV = "/="
    REM = "%="

    @property
    def binary(self) -> BinaryOp | None:
        """The operator that a compound assignment applies; None for a plain one."""
        return None if self is AssignOp.SET else BinaryOp(self.value[:-1])


class Precedence(IntEnum):
    """How tightly a form binds, from loosest to tightest."""

    CONDITIONAL = 0
    OR = 1
    AND = 2
    COMPARISON = 3
    SUM = 4
    PRODUCT = 5
    CAST = 6
    PREFIX = 7
    POSTFIX = 8


PRECEDENCE: dict[BinaryOp, Precedence] = {
    BinaryOp.OR: Precedence.OR,
    BinaryOp.AND: Precedence.AND,
    BinaryOp.EQ: Precedence.COMPARISON,
    BinaryOp.NE: Precedence.COMPARISON,
    BinaryOp.LT: Precedence.COMPARISON,
    BinaryOp.LE: Precedence.COMPARISON,
    BinaryOp.GT: Precedence.COMPARISON,
    BinaryOp.GE: Precedence.COMPARISON,
    BinaryOp.ADD: Precedence.SUM,
    BinaryOp.SUB: Precedence.SUM,
    BinaryOp.MUL: Precedence.PRODUCT,
    BinaryOp.DIV: Precedence.PRODUCT,
    BinaryOp.REM: Precedence.PRODUCT,
    BinaryOp.MATMUL: Precedence.PRODUCT,
}
