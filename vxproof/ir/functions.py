"""The words of operations: elementwise functions, reductions, initial contents, grid semantics."""

from __future__ import annotations

from enum import Enum


class Fn(Enum):
    """Elementwise functions; the value is the name in the text form."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    REM = "rem"
    NEG = "neg"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    MAX = "max"
    MIN = "min"
    SELECT = "select"
    EXP = "exp"
    EXP2 = "exp2"
    LOG = "log"
    LOG2 = "log2"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    TANH = "tanh"
    ABS = "abs"


class ReduceFn(Enum):
    """Reductions along one axis, which stays with size 1."""

    MAX = "max"
    SUM = "sum"


class Init(Enum):
    """What a new tensor holds."""

    ZERO = "zero"
    UNINIT = "uninit"
    ELEMENTS = "elements"


class Semantics(Enum):
    """How the points of a grid axis may be ordered."""

    PARALLEL = "parallel"
    ARBITRARY = "arbitrary"
