"""Integer terms and formulas: the language in which obligations are stated.

Terms denote mathematical integers. `div` and `mod` are floor division and its remainder, `tdiv`
and `tmod` truncate towards zero; a divisor is only ever used under a proof that it is not zero.
`align_up(x, k)` is the least multiple of k that is at least x, `ceil_div(x, k)` the quotient
rounded up, `pow2_ceil(x)` the least power of two that is at least max(x, 1).
Nodes are immutable, compare by structure, and cache their hash, so that shared subterms stay cheap.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from vxproof.records import dataclass

TermLike = "Term | int"


class Op(Enum):
    """Operators of terms; the value is the spelling in the canonical text."""

    ADD = "+"
    MUL = "*"
    DIV = "div"
    MOD = "mod"
    TDIV = "tdiv"
    TMOD = "tmod"
    ALIGN_UP = "align_up"
    CEIL_DIV = "ceil_div"
    MAX = "max"
    MIN = "min"
    POW2_CEIL = "pow2_ceil"


class Rel(Enum):
    """Relations between terms."""

    LE = "<="
    LT = "<"
    EQ = "=="
    NE = "!="


class _Node:
    """Shared by terms and formulas: a structural hash that is computed once."""

    __slots__ = ()
    _hash: int

    def __hash__(self) -> int:
        return self._hash


class Term(_Node):
    """An integer term; one of `Const`, `Sym`, `App`, `Ite`."""

    __slots__ = ()

    def __add__(self, other: Term | int) -> Term:
        from_int = term(other)
        return add(self, from_int)

    def __radd__(self, other: int) -> Term:
        return add(term(other), self)

    def __sub__(self, other: Term | int) -> Term:
        return add(self, mul(Const(-1), term(other)))

    def __rsub__(self, other: int) -> Term:
        return add(term(other), mul(Const(-1), self))

    def __mul__(self, other: Term | int) -> Term:
        return mul(self, term(other))

    def __rmul__(self, other: int) -> Term:
        return mul(term(other), self)

    def __neg__(self) -> Term:
        return mul(Const(-1), self)


class Formula(_Node):
    """A formula; one of `Truth`, `Cmp`, `And`, `Or`, `Not`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Const(Term):
    """An integer literal."""

    value: int
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("c", self.value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and other.value == self.value

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class Sym(Term):
    """A symbol, by its unique name; its range stands in a `Symbol` declaration."""

    name: str
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("s", self.name)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sym) and other.name == self.name

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class App(Term):
    """An operator applied to terms: `+ * max min` take two or more, `pow2_ceil` one, others two."""

    op: Op
    args: tuple[Term, ...]
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.op.value, self.args)))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, App)
            and other._hash == self._hash
            and other.op is self.op
            and other.args == self.args
        )

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class Ite(Term):
    """`then` where the condition holds, else `orelse`."""

    cond: Formula
    then: Term
    orelse: Term
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("ite", self.cond, self.then, self.orelse)))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Ite)
            and (other.cond, other.then, other.orelse) == (self.cond, self.then, self.orelse)
        )

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class Truth(Formula):
    """True or false."""

    value: bool
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("t", self.value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Truth) and other.value == self.value

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class Cmp(Formula):
    """A comparison of two terms."""

    rel: Rel
    left: Term
    right: Term
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.rel.value, self.left, self.right)))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Cmp)
            and (other.rel, other.left, other.right) == (self.rel, self.left, self.right)
        )

    __hash__ = _Node.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class _Connective(Formula):
    parts: tuple[Formula, ...]
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((type(self).__name__, self.parts)))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, _Connective)
            and type(other) is type(self)
            and other.parts == self.parts
        )

    __hash__ = _Node.__hash__


class And(_Connective):
    """All parts hold; true when there are none."""

    __slots__ = ()


class Or(_Connective):
    """Some part holds; false when there are none."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Not(Formula):
    """The part does not hold."""

    part: Formula
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash(("not", self.part)))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Not) and other.part == self.part)

    __hash__ = _Node.__hash__


TRUE = Truth(True)
FALSE = Truth(False)


def term(value: Term | int) -> Term:
    """Return a term as it is, an int as a literal."""
    return value if isinstance(value, Term) else Const(value)


def add(*args: Term) -> Term:
    """Sum, with nested sums flattened and literals folded."""
    total = 0
    rest: list[Term] = []
    for arg in args:
        parts = arg.args if isinstance(arg, App) and arg.op is Op.ADD else (arg,)
        for part in parts:
            if isinstance(part, Const):
                total += part.value
            else:
                rest.append(part)
    if total or not rest:
        rest.append(Const(total))
    return rest[0] if len(rest) == 1 else App(Op.ADD, tuple(rest))


def mul(*args: Term) -> Term:
    """Product, with nested products flattened and literals folded to the front."""
    factor = 1
    rest: list[Term] = []
    for arg in args:
        parts = arg.args if isinstance(arg, App) and arg.op is Op.MUL else (arg,)
        for part in parts:
            if isinstance(part, Const):
                factor *= part.value
            else:
                rest.append(part)
    if factor == 0:
        return Const(0)
    if not rest:
        return Const(factor)
    if factor != 1:
        rest.insert(0, Const(factor))
    return rest[0] if len(rest) == 1 else App(Op.MUL, tuple(rest))
