"""The symbolic run of a function: every statement once, every loop body for any iteration.

Each family is asked at the operation that it is about. Before a loop, what its body assigns becomes
unknown, but for invariants and for variables that grow by a fixed amount; after it, the same. Both
arms of an `if` are run under its condition. A kernel is run for any one grid point.
"""

from __future__ import annotations

from collections.abc import Mapping

from vxproof.constraints import contracts, grid, launch, places
from vxproof.constraints.changes import Changes, merged, steps, unknown_value
from vxproof.constraints.operations import Operations
from vxproof.constraints.state import State
from vxproof.constraints.values import Abstract, Bool, Int, Tile
from vxproof.diagnostics import Span
from vxproof.ir.module import walk
from vxproof.ir.ops import Block, Declare, For, GridIndex, If, Return, Spawn
from vxproof.ir.types import ScalarType, TensorType
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import conj, ge, implies, le, lt, max_, neg
from vxproof.logic.obligation import Origin
from vxproof.logic.terms import TRUE, Formula, Term, Truth, mul
from vxproof.records import dataclass


@dataclass(slots=True)
class Executor:
    """Runs the blocks of one function over a state; `units` numbers the kernels by identity."""

    state: State
    operations: Operations
    changes: Changes
    units: Mapping[int, int]
    regions: int = 0

    def run(self, block: Block) -> bool:
        """Run a block; return whether control reaches its end."""
        for op in block:
            match op:
                case If():
                    if not self._if(op):
                        return False
                case For():
                    self._loop(op)
                case Spawn():
                    self._spawn(op)
                case Return(value=value, span=span):
                    self._return(value, span)
                    return False
                case _:
                    self.operations.run(op)
        return True

    def _return(self, value: Value | None, span: Span) -> None:
        found = None if value is None else self.state.values.get(value.id)
        if value is not None:
            places.read(self.state, (value,), span)
        contracts.at_return(self.state, found, span)

    def _if(self, op: If) -> bool:
        state = self.state
        cond = state.formula(op.cond)
        if isinstance(cond, Truth):
            alive = self.run(op.then if cond == TRUE else op.orelse)
            chosen = op.then_value if cond == TRUE else op.else_value
            if alive and op.result is not None and chosen is not None:
                state.values[op.result.id] = state.values[chosen.id]
            return alive
        changed = [i for i in self.changes.of(op.then, op.orelse) if i in state.variables]
        before = {identity: state.variables[identity] for identity in changed}
        then = self._arm(op.then, cond, op.then_value, changed)
        state.variables.update(before)
        orelse = self._arm(op.orelse, neg(cond), op.else_value, changed)
        return self._join(op, cond, then, orelse)

    def _arm(self, block: Block, cond: Formula, value: Value | None, changed: list[int]) -> _Arm:
        state = self.state
        with state.scope() as learned:
            state.assume(cond, guard=True)
            alive = self.run(block)
        after = {identity: state.variables[identity] for identity in changed}
        result = state.values.get(value.id) if value is not None and alive else None
        facts = tuple(fact.formula for fact in learned if not fact.guard)
        return _Arm(alive, after, result, facts)

    def _join(self, op: If, cond: Formula, then: _Arm, orelse: _Arm) -> bool:
        state = self.state
        if not then.alive or not orelse.alive:
            left, holds = (orelse, neg(cond)) if not then.alive else (then, cond)
            if not left.alive:
                return False
            state.variables.update(left.after)
            state.assume(holds)
            for fact in left.facts:
                state.assume(fact)
            if op.result is not None and left.result is not None:
                state.values[op.result.id] = left.result
            return True
        joined: list[Abstract] = []
        for identity, one in then.after.items():
            two = orelse.after[identity]
            found = merged(state, cond, one, two, f"${identity}", op.span)
            state.variables[identity] = found
            joined.append(found)
        if op.result is not None and then.result is not None and orelse.result is not None:
            name = op.result.symbol.name
            found = merged(state, cond, then.result, orelse.result, name, op.span)
            state.values[op.result.id] = found
            joined.append(found)
        self._keep_facts(cond, then.facts, joined)
        self._keep_facts(neg(cond), orelse.facts, joined)
        return True

    def _keep_facts(
        self, cond: Formula, facts: tuple[Formula, ...], joined: list[Abstract]
    ) -> None:
        """Keep what an arm learned about values that leave it, under the arm's condition."""
        if not facts or not joined:
            return
        free = self.state.walker.free
        names: set[str] = set()
        for value in joined:
            if isinstance(value, Int):
                names |= free(value.term)
            elif isinstance(value, Bool):
                names |= free(value.formula)
        names &= self.state.symbols.keys()
        for fact in reversed(facts):
            mentioned = free(fact) & self.state.symbols.keys()
            if mentioned & names:
                names |= mentioned
                self.state.assume(implies(cond, fact))

    def _loop(self, op: For) -> None:
        state = self.state
        lower, upper = state.term(op.lower), state.term(op.upper)
        index = op.index.symbol.name
        entry = contracts.invariants(state, op.invariants, index, lower)
        contracts.invariants_hold(state, entry, op.span, "on entry")
        low, high = state.ranges.bounds(lower)[0], state.ranges.bounds(upper)[1]
        if low is not None and high is not None and low >= high:
            return
        changed = {
            identity: variable
            for identity, variable in self.changes.of(op.body).items()
            if identity in state.variables
        }
        grows = {k: step for k, step in steps(state, op, self.changes).items() if k in changed}
        before = {identity: state.variables[identity] for identity in changed}
        counter = state.fresh(
            index, (low, None if high is None else high - 1), Origin.LOOP, op.index.name
        )
        self._forget(op, changed)
        if any(isinstance(one, Return) for one in walk(op.body)):
            note = f"the loop on line {op.span.line} may return, and is taken to go on"
            state.exits = tuple(dict.fromkeys((*state.exits, note)))
        with state.scope():
            state.assume(conj(le(lower, counter), lt(counter, upper)), guard=True)
            for identity, step in grows.items():
                self._advance(identity, before[identity], mul(counter - lower, step))
            contracts.learn(state, contracts.invariants(state, op.invariants, index, counter))
            state.values[op.index.id] = Int(counter)
            if self.run(op.body) and op.invariants:
                after = contracts.invariants(state, op.invariants, index, counter + 1)
                contracts.invariants_hold(state, after, op.span, "after an iteration")
        state.variables.update(before)
        self._forget(op, changed)
        last = max_(lower, upper)
        for identity, step in grows.items():
            self._advance(identity, before[identity], mul(last - lower, step))
        contracts.learn(state, contracts.invariants(state, op.invariants, index, last))

    def _advance(self, identity: int, before: Abstract, growth: Term) -> None:
        if isinstance(before, Int):
            self.state.variables[identity] = Int(before.term + growth)

    def _forget(self, op: For | Spawn, changed: Mapping[int, Variable]) -> None:
        what = "loop" if isinstance(op, For) else "kernel"
        for identity, variable in changed.items():
            note = (
                f"`{variable.name}` changes in the {what} on line {op.span.line}, "
                "and only its invariants say how"
            )
            self.state.variables[identity] = unknown_value(self.state, variable, note)

    def _spawn(self, op: Spawn) -> None:
        state = self.state
        extents = tuple(state.term(extent) for extent in op.grid)
        state.unit = self.units[id(op)]
        self.regions += 1
        launch.launch(state, op, extents)
        highs = [state.ranges.bounds(extent)[1] for extent in extents]
        if any(high is not None and high < 1 for high in highs):
            state.unit = None
            return
        changed = {
            identity: variable
            for identity, variable in self.changes.of(op.body).items()
            if identity in state.variables
        }
        before = dict(state.variables)
        shared = frozenset(state.symbols)
        scalars = _shared_scalars(state, changed)
        state.region = self.regions
        names = _axis_names(op)
        coordinates = tuple(
            state.fresh(
                f"grid{axis}",
                (0, None if high is None else high - 1),
                Origin.GRID,
                names.get(axis, f"grid_index({axis})"),
            )
            for axis, high in enumerate(highs)
        )
        state.point = grid.Point(op, coordinates, shared, scalars)
        device, state.device = state.device, True
        self._forget(op, changed)
        with state.scope():
            for coordinate, extent in zip(coordinates, extents, strict=True):
                state.assume(conj(ge(coordinate, 0), lt(coordinate, extent)), guard=True)
            self.run(op.body)
            grid.independence(state, state.point)
        state.device, state.point = device, None
        state.region, state.unit = 0, None
        state.variables = before
        self._forget(op, changed)


@dataclass(frozen=True, slots=True)
class _Arm:
    """How one arm of an `if` ends."""

    alive: bool
    after: dict[int, Abstract]
    result: Abstract | None
    facts: tuple[Formula, ...]


def _axis_names(op: Spawn) -> dict[int, str]:
    """Return the source's name of each grid coordinate that a variable is declared with."""
    axes = {one.result.id: one.axis for one in op.body if isinstance(one, GridIndex)}
    names: dict[int, str] = {}
    for one in op.body:
        if isinstance(one, Declare) and one.init is not None and one.init.id in axes:
            names.setdefault(axes[one.init.id], one.variable.name)
    return names


def _shared_scalars(state: State, changed: Mapping[int, Variable]) -> dict[int, Tile]:
    """Return a place for each scalar from outside that the kernel may write, but residents."""
    written = {one.id: one for one in state.untracked.values() if one.id in state.variables}
    return {
        identity: places.new_tile(
            state, TensorType(variable.type.dtype, ()), variable.span, None, variable.name
        )
        for identity, variable in {**changed, **written}.items()
        if isinstance(variable.type, ScalarType) and variable.resident is None
    }
