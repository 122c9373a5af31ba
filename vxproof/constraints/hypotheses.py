"""What is assumed of every call of a function: `requires`, and the hypotheses of every kernel.

Each hypothesis that the host has to provide is also listed as a sentence, with the check of the
launcher that discharges it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from vxproof.constraints.ranges import Ranges, is_empty, meet
from vxproof.constraints.rewrite import Node, Rewriter, Walker, divisions
from vxproof.diagnostics import Span
from vxproof.ir.module import Function, Module, walk
from vxproof.ir.ops import (
    Block,
    For,
    Iota,
    Literal,
    NewTensor,
    Operation,
    Return,
    Semantics,
    Spawn,
    View,
)
from vxproof.ir.types import RefType, ScalarType, Strided, TensorType, Tiled, Type, tile_bytes
from vxproof.ir.values import Variable
from vxproof.logic.build import conj, ge, le, ne
from vxproof.logic.obligation import Obligation, Origin, Symbol
from vxproof.logic.terms import FALSE, TRUE, And, App, Cmp, Const, Formula, Op, Rel, Sym, Term, add
from vxproof.records import dataclass

MAX_TENSOR_BYTES = 1 << 40
"""Largest tensor that a kernel is verified for; the launcher checks it."""

_REMEMBERED = 256
"""Functions whose hypotheses are at hand: every family of obligations asks for them."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Symbols with their narrowest plain ranges, and the formulas that ranges cannot say.

    `given` holds for every call without regard to `requires`; `required` is `requires`, in order.
    `contradiction` is set where the ranges that follow leave a symbol no value.
    """

    symbols: tuple[Symbol, ...]
    given: tuple[Formula, ...]
    required: tuple[Formula, ...]
    contradiction: bool

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas."""
        return (*self.given, *self.required)

    def ranges(self) -> Ranges:
        """Return fresh ranges of the symbols."""
        return Ranges(None, {one.name: (one.lo, one.hi) for one in self.symbols})


def function_hypotheses(
    function: Function, module: Module
) -> tuple[tuple[Symbol, ...], tuple[Formula, ...]]:
    """Return the symbols of a function and what holds of them in every call.

    Comparisons of a symbol with a literal are in the symbol's range and not repeated. Divisors in
    `requires` are the subject of `contract_divisors`.
    """
    found = hypotheses(function, module)
    return found.symbols, found.formulas


def hypotheses(function: Function, module: Module) -> Hypotheses:
    """Return the hypotheses of a function, `requires` apart from the rest."""
    del module
    return _hypotheses(function)


@lru_cache(maxsize=_REMEMBERED)
def _hypotheses(function: Function) -> Hypotheses:
    return _following(function, (*_given(function), *_sizes(positive_sizes(function))))


def _following(function: Function, facts: Iterable[Formula]) -> Hypotheses:
    """What `requires` and some facts say together."""
    declared = tuple(_declared(function))
    plain = Ranges(None, {one.name: (one.lo, one.hi) for one in declared})
    given = tuple(dict.fromkeys(one for one in facts if one != TRUE))
    plain.assume(given)
    requires = conj(*(clause.formula for clause in function.requires))
    narrow = Ranges(plain)
    narrow.assume((requires,))
    ends = {one.name: narrow.symbol(one.name) for one in declared}
    if any(is_empty(interval) for interval in ends.values()):
        return Hypotheses(declared, given, _parts(requires), contradiction=True)
    ranges = Ranges(None, ends)
    rewriter = Rewriter({}, ranges)
    symbols = tuple(replace(one, lo=ends[one.name][0], hi=ends[one.name][1]) for one in declared)
    return Hypotheses(
        symbols,
        tuple(one for one in map(rewriter.formula, given) if not _is_range(one, ranges)),
        tuple(one for one in _parts(rewriter.formula(requires)) if not _is_range(one, ranges)),
        contradiction=False,
    )


def _parts(formula: Formula) -> tuple[Formula, ...]:
    if formula == TRUE:
        return ()
    return formula.parts if isinstance(formula, And) else (formula,)


def _is_range(formula: Formula, ranges: Ranges) -> bool:
    """Whether a formula compares a symbol with a literal, and the ranges say as much."""
    if not isinstance(formula, Cmp) or formula.rel is Rel.NE:
        return False
    sides = (formula.left, formula.right)
    if not any(isinstance(a, Sym) and isinstance(b, Const) for a, b in (sides, sides[::-1])):
        return False
    (low, high), (least, most) = map(ranges.bounds, sides)
    if formula.rel is Rel.EQ:
        return low is not None and low == high == least == most
    gap = 1 if formula.rel is Rel.LT else 0
    return high is not None and least is not None and high + gap <= least


def scalar_parameters(function: Function) -> dict[str, Variable]:
    """Return the integer parameters by the name of their symbol."""
    return {
        one.symbol.name: one
        for one in function.params
        if isinstance(one.type, ScalarType) and one.type.dtype.is_integer
    }


def _declared(function: Function) -> Iterator[Symbol]:
    """The function's symbols, integer parameters within their type."""
    scalars = scalar_parameters(function)
    for one in function.symbols:
        variable = scalars.get(one.name)
        if variable is None or not isinstance(variable.type, ScalarType):
            yield one
        else:
            lo, hi = meet((one.lo, one.hi), variable.type.dtype.int_range)
            yield replace(one, lo=lo, hi=hi)
    known = {one.name for one in function.symbols}
    for name, variable in scalars.items():
        if name not in known and isinstance(variable.type, ScalarType):
            lo, hi = variable.type.dtype.int_range
            yield Symbol(name, lo, hi, Origin.PARAMETER, variable.name)


def tensor_of(type_: Type) -> TensorType | None:
    """Return the tensor that a type is or refers to."""
    if isinstance(type_, RefType):
        type_ = type_.target
    return type_ if isinstance(type_, TensorType) else None


def tensor_parameters(function: Function) -> tuple[tuple[Variable, TensorType], ...]:
    """Return the tensor parameters with their types, references included."""
    found = ((one, tensor_of(one.type)) for one in function.params)
    return tuple((variable, tensor) for variable, tensor in found if tensor is not None)


def _given(function: Function) -> Iterator[Formula]:
    for _, tensor in tensor_parameters(function):
        yield from _tensor_facts(tensor)


def _sizes(found: tuple[tuple[Term, Span], ...]) -> tuple[Formula, ...]:
    return tuple(ge(size, 1) for size, _ in found)


def _tensor_facts(tensor: TensorType) -> Iterator[Formula]:
    if tensor.shape is None:
        return
    for size in tensor.shape:
        yield ge(size, 1)
    if isinstance(tensor.layout, Tiled):
        for unit in tensor.layout.tile:
            yield ge(unit, 1)
    yield le(tile_bytes(tensor), MAX_TENSOR_BYTES)
    if isinstance(tensor.layout, Strided):
        strides = tensor.layout.strides
        for stride in strides:
            yield ge(stride, 0)
        steps = ((size - 1) * step for size, step in zip(tensor.shape, strides, strict=True))
        yield le(add(Const(1), *steps), MAX_TENSOR_BYTES * 8 // tensor.dtype.bits)


@lru_cache(maxsize=_REMEMBERED)
def positive_sizes(function: Function) -> tuple[tuple[Term, Span], ...]:
    """Return the extents of tiles and depths of rings in a body: each is at least 1.

    Only those over the function's symbols count; the launcher can compare them. Literals do not.
    """
    return _made_in(function, walk(function.body))


def branch_sizes(function: Function, module: Module) -> tuple[Obligation, ...]:
    """Return that each extent of a tile that some run does not make is at least 1 all the same.

    Of an extent that every run makes, a value below 1 is no launch at all. Of one in a branch or a
    loop it may be: that is why the branch is not taken. As a hypothesis it would then leave out
    values that `requires` admits, and nothing would be said of them.
    """
    del module
    always = _made_in(function, _straight(function.body))
    known = {size for size, _ in always}
    rest = tuple(one for one in positive_sizes(function) if one[0] not in known)
    if not rest:
        return ()
    stated = _following(function, (*_given(function), *_sizes(always)))
    return tuple(
        Obligation(
            code="E6150",
            family="bounds",
            headline="the extent of a tile may be less than 1 where it is not made",
            span=span,
            symbols=stated.symbols,
            hypotheses=stated.formulas,
            goal=ge(size, 1),
            approximations=("an extent is taken to be at least 1 even where its tile is not made",),
            help="state in `requires` that it is at least 1, or make two kernels of the branches",
        )
        for size, span in rest
    )


def _straight(block: Block) -> Iterator[Operation]:
    """Yield the operations that every run of a block comes by."""
    for op in block:
        yield op
        if any(isinstance(one, Return) for one in walk((op,))):
            return
        if isinstance(op, Spawn):
            yield from _straight(op.body)


def _made_in(function: Function, body: Iterable[Operation]) -> tuple[tuple[Term, Span], ...]:
    names = {one.name for one in function.symbols}
    walker = Walker()
    found: dict[Term, Span] = {}
    for op in body:
        sizes: tuple[Term, ...] = ()
        match op:
            case View(axes=axes):
                sizes = tuple(axis.size for axis in axes)
            case NewTensor(result=result) | Iota(result=result) | Literal(result=result):
                if isinstance(result.type, TensorType):
                    sizes = result.type.shape or ()
            case For(stages=stages) if stages is not None:
                sizes = (stages,)
            case _:
                continue
        for size in sizes:
            if size not in found and not isinstance(size, Const) and walker.free(size) <= names:
                found[size] = op.span
    return tuple(found.items())


def layout_units(function: Function) -> tuple[tuple[Term, Span], ...]:
    """Return the extents of the tiles in which parameters are stored: each is at least 1."""
    return tuple(
        (unit, variable.span)
        for variable, tensor in tensor_parameters(function)
        if isinstance(tensor.layout, Tiled)
        for unit in tensor.layout.tile
        if not isinstance(unit, Const)
    )


def contract_divisors(function: Function, module: Module) -> tuple[Obligation, ...]:
    """Return E6153 for each divisor in `requires` and in sizes that may be 0.

    Clauses are read in the light of those before them, sizes in the light of all.
    """
    del module
    facts = (*_given(function), *_sizes(positive_sizes(function)))
    every = dict.fromkeys(one for one in facts if one != TRUE)
    given = tuple(one for one in every if not any(_open_divisors(one)))
    symbols = _symbols_before_requires(function, given)
    made: dict[tuple[Formula, tuple[Formula, ...]], Obligation] = {}

    def ask(node: Node, before: tuple[Formula, ...], span: Span, where: str) -> None:
        for goal, held in _open_divisors(node):
            premises = tuple(dict.fromkeys((*before, *held)))
            obligation = Obligation(
                code="E6153",
                family="contracts",
                headline=f"a divisor in {where} may be zero",
                span=span,
                symbols=symbols,
                hypotheses=premises,
                goal=goal,
                help="state in an earlier part of `requires` that it is positive",
            )
            made.setdefault((goal, premises), obligation)

    before = given
    for clause in function.requires:
        ask(clause.formula, before, clause.span, f"`{clause.text}`")
        before = (*before, *_parts(clause.formula))
    for variable, tensor in tensor_parameters(function):
        for size in tensor.shape or ():
            ask(size, before, variable.span, f"the type of `{variable.name}`")
    for size, span in positive_sizes(function):
        ask(size, before, span, "a size")
    return tuple(made.values())


def _open_divisors(node: Node) -> Iterator[tuple[Formula, tuple[Formula, ...]]]:
    """Yield what has to hold of each divisor that is not a literal, and what holds there."""
    for division, held in divisions(node):
        goal = divisor_goal(division)
        if goal != TRUE:
            yield goal, held


def _symbols_before_requires(function: Function, given: tuple[Formula, ...]) -> tuple[Symbol, ...]:
    """The function's symbols with ranges from all hypotheses but `requires`."""
    declared = tuple(_declared(function))
    plain = Ranges(None, {one.name: (one.lo, one.hi) for one in declared})
    plain.assume(given)
    ends = {one.name: plain.symbol(one.name) for one in declared}
    if any(is_empty(interval) for interval in ends.values()):
        return declared
    return tuple(replace(one, lo=ends[one.name][0], hi=ends[one.name][1]) for one in declared)


def divisor_goal(node: App) -> Formula:
    """Return what has to hold of the second operand of a division or rounding."""
    unit = node.args[1]
    return ge(unit, 1) if node.op in {Op.ALIGN_UP, Op.CEIL_DIV} else ne(unit, 0)


def vacuity(function: Function, module: Module) -> Obligation:
    """Return the obligation whose refutation shows that `requires` admits a value.

    Its goal is false: a witness is a value that `requires` and every hypothesis admit. Where it is
    *proved* instead, nothing would be proved of the function, and that is E6152.
    """
    found = hypotheses(function, module)
    where = function.requires[0].span if function.requires else function.span
    return Obligation(
        code="E6152",
        family="contracts",
        headline=f"`requires` of `{function.name}` admits no value",
        span=where,
        symbols=found.symbols,
        hypotheses=found.formulas,
        goal=FALSE,
        help="a kernel for no size proves nothing: relax one of the clauses that contradict",
    )


def assumptions(function: Function) -> tuple[tuple[str, str], ...]:
    """Return the sentences that a verdict assumes, each with the check that discharges it."""
    tensors = tensor_parameters(function)
    if not tensors:
        return ()
    rows = [
        ("every extent, of tiles too, is at least 1", "compare each dimension with 0"),
        ("every tensor is at most 2^40 bytes", "compare the size of each tensor"),
        ("the base of every tensor is 16-byte aligned", "test the low bits of each pointer"),
    ]
    outputs = [one.name for one, _ in tensors if isinstance(one.type, RefType) and one.type.mutable]
    if outputs:
        names = ", ".join(f"`{name}`" for name in outputs)
        verb = "overlaps" if len(outputs) == 1 else "overlap"
        rows.append((f"{names} {verb} no other tensor", "compare address ranges pairwise"))
    if any(
        isinstance(op, Spawn) and Semantics.PARALLEL in op.semantics for op in walk(function.body)
    ):
        rows.append(
            (
                "where `requires` leaves it open, the product of the parallel grid axes is at most "
                "2^31 - 1",
                "multiply the extents before the launch",
            )
        )
    for variable, tensor in tensors:
        if isinstance(tensor.layout, Strided) and variable.name in outputs:
            rows.append(
                (
                    f"no two elements of `{variable.name}` share an address",
                    "sort its axes by stride: each stride covers the axes below it",
                )
            )
    return tuple(rows)
