"""Contracts: `requires` at calls, `ensures` at returns, loop invariants, device assertions.

Functions are verified one by one. A call proves the callee's `requires` and may then use its
`ensures`; what is not provable from contracts, literals and the conditions on the path is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.constraints.hypotheses import divisor_goal, layout_units, positive_sizes
from vxproof.constraints.rewrite import Node, Rewriter, divisions
from vxproof.constraints.state import State
from vxproof.constraints.values import Abstract, Bool, Int
from vxproof.diagnostics import Label, Span
from vxproof.ir.module import Function
from vxproof.ir.ops import Assert, Call
from vxproof.ir.values import Clause
from vxproof.logic.build import conj, ge, ite
from vxproof.logic.obligation import Obligation
from vxproof.logic.terms import Formula, Term


def _ask(
    state: State,
    code: str,
    headline: str,
    span: Span,
    goal: Formula,
    *,
    labels: tuple[Label, ...] = (),
    help_: str | None = None,
    exact: bool = False,
) -> None:
    draft = Obligation(code, "contracts", headline, span, (), (), goal, labels=labels, help=help_)
    state.emit(draft, exact=exact)


def defined(state: State, node: Node, span: Span, text: str) -> None:
    """Ask that no divisor in a term or formula is 0 where it is evaluated."""
    for division, given in divisions(node):
        draft = Obligation(
            "E6153",
            "contracts",
            f"a divisor in `{text}` may be 0",
            span,
            (),
            (),
            divisor_goal(division),
            help="require that the divisor is positive",
        )
        if not state.box.at_least(division.args[1], 1):
            state.emit(draft, *given)


def substitution(
    state: State, callee: Function, call: Call, args: tuple[Abstract, ...]
) -> dict[str, Term]:
    """Return what the callee's symbols stand for at a call."""
    current = state.current()
    found = {name: current.term(term) for name, term in call.generics}
    for parameter, arg in zip(callee.params, args, strict=True):
        match arg:
            case Int(term=term):
                found[parameter.symbol.name] = term
            case Bool(formula=formula):
                found[parameter.symbol.name] = ite(formula, 1, 0)
            case _:
                pass
    return found


def at_call(state: State, callee: Function, call: Call, given: Mapping[str, Term]) -> None:
    """Ask for the callee's `requires`, and that the tiles it makes have an extent."""
    rewriter = Rewriter(given, state.ranges)
    before: list[Formula] = []
    for clause in callee.requires:
        goal = rewriter.formula(clause.formula)
        if not (_given(state, clause.formula, given) and state.knows(state.walker.free(goal))):
            _not_known(state, call, callee)
            return
        draft = Obligation(
            "E8006",
            "contracts",
            f"call of `{callee.name}` may not meet `{clause.text}`",
            call.span,
            (),
            (),
            goal,
            labels=(Label(clause.span, f"`{callee.name}` requires this"),),
            help="state it in the caller's own `requires`, or assert it before the call",
        )
        state.emit(draft, *before, exact=True)
        before.append(goal)
    for size, span in (*positive_sizes(callee), *layout_units(callee)):
        if not _given(state, size, given):
            _not_known(state, call, callee)
            return
        _ask(
            state,
            "E8006",
            f"call of `{callee.name}` may make the extent of a tile less than 1",
            call.span,
            ge(rewriter.term(size), 1),
            labels=(Label(span, f"`{callee.name}` makes the tile here"),),
            exact=True,
        )


def _given(state: State, node: Node, given: Mapping[str, Term]) -> bool:
    """Whether each symbol of a callee has a meaning here; a name of the caller's is another one."""
    return state.walker.free(node) <= given.keys()


def _not_known(state: State, call: Call, callee: Function) -> None:
    state.give_up(
        "E8006",
        "contracts",
        f"call of `{callee.name}` may not meet its `requires`",
        call.span,
        "it is about a value that is not known at the call",
    )


def after_call(state: State, callee: Function, given: Mapping[str, Term], result: Abstract) -> None:
    """Learn the callee's `ensures`."""
    mapping = dict(given)
    if callee.result_variable is not None:
        name = callee.result_variable.symbol.name
        if isinstance(result, Int):
            mapping[name] = result.term
        elif isinstance(result, Bool):
            mapping[name] = ite(result.formula, 1, 0)
    rewriter = Rewriter(mapping, state.ranges)
    for clause in callee.ensures:
        formula = rewriter.formula(clause.formula)
        known = _given(state, clause.formula, mapping)
        if known and state.knows(state.walker.free(formula)):
            state.assume(formula)


def at_return(state: State, value: Abstract | None, span: Span) -> None:
    """Ask for the function's `ensures`."""
    function = state.function
    mapping: dict[str, Term] = {}
    if function.result_variable is not None:
        name = function.result_variable.symbol.name
        if isinstance(value, Int):
            mapping[name] = value.term
        elif isinstance(value, Bool):
            mapping[name] = ite(value.formula, 1, 0)
    rewriter = Rewriter(mapping, state.ranges)
    for clause in function.ensures:
        goal = rewriter.formula(clause.formula)
        headline = f"`{function.name}` may return without meeting `{clause.text}`"
        if not state.knows(state.walker.free(goal)):
            reason = "it is about a value that is not tracked"
            state.give_up("E8001", "contracts", headline, clause.span, reason)
            continue
        defined(state, goal, clause.span, clause.text)
        _ask(state, "E8001", headline, clause.span, goal, labels=(Label(span, "returns here"),))


def invariants(
    state: State, clauses: tuple[Clause, ...], index: str, at: Term
) -> tuple[tuple[Clause, Formula], ...]:
    """Return the invariants of a loop over current values, its index at a term."""
    if not clauses:
        return ()
    mapping = {**state.current().mapping, index: at}
    rewriter = Rewriter(mapping, state.ranges)
    return tuple((clause, rewriter.formula(clause.formula)) for clause in clauses)


def learn(state: State, found: tuple[tuple[Clause, Formula], ...]) -> None:
    """Assume the invariants that are about known values; the others are not decided."""
    for _, formula in found:
        if state.knows(state.walker.free(formula)):
            state.assume(formula)


def invariants_hold(
    state: State, found: tuple[tuple[Clause, Formula], ...], span: Span, when: str
) -> None:
    """Ask for the invariants of a loop, on entry or after an iteration."""
    for clause, goal in found:
        headline = f"invariant `{clause.text}` may not hold {when}"
        if not state.knows(state.walker.free(goal)):
            state.give_up(
                "E8010", "contracts", headline, clause.span, "it is about a value not tracked"
            )
            continue
        defined(state, goal, clause.span, clause.text)
        labels = (Label(span, "of this loop"),)
        _ask(state, "E8010", headline, clause.span, goal, labels=labels, exact=True)


def proved_assert(state: State, op: Assert) -> None:
    """Ask for an assertion of device code (E8011), or for a `comptime` one of any code (E8002)."""
    code, what = ("E8002", "compile-time assertion") if op.comptime else ("E8011", "assertion")
    why = "it is compile-time" if op.comptime else "device code has no run-time assertions"
    headline = f"{what} may fail: {op.message}" if op.message else f"{what} may fail"
    _ask(
        state,
        code,
        headline,
        op.span,
        conj(state.formula(op.cond)),
        help_=f"{why}: it has to follow from `requires` and constants",
    )
