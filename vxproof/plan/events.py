"""The events of a kernel: what its threads do, in order, with every access named.

Each tile operation becomes an act, or several where values pass through scratch; scalar arithmetic,
which every thread repeats, becomes none. Barriers are put in afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from vxproof.ir.ops import (
    Assign,
    Block,
    Call,
    Cast,
    Declare,
    Dot,
    Elementwise,
    For,
    If,
    Init,
    Literal,
    LoadElement,
    MatMul,
    NewTensor,
    Operation,
    Reduce,
    Semantics,
    Spawn,
    StoreElement,
    StoreTile,
    Transfer,
    TransferAsync,
    Transpose,
    Wait,
)
from vxproof.ir.types import RefType, TensorType
from vxproof.ir.values import Value, Variable
from vxproof.logic.build import max_
from vxproof.logic.terms import Const, Term, mul
from vxproof.plan.accesses import Accesses
from vxproof.plan.barriers import ALL, ONE
from vxproof.plan.context import Context
from vxproof.plan.moves import Moves
from vxproof.plan.nodes import Access, Branch, Commit, Event, Loop, WaitGroup
from vxproof.plan.objects import Draft, Tracker, tensor_of
from vxproof.plan.products import Product
from vxproof.plan.scalars import Scalars
from vxproof.plan.scratch import Scratch
from vxproof.plan.spreads import Spreads
from vxproof.plan.tensor_products import TensorProducts
from vxproof.plan.timeline import Step, operands
from vxproof.plan.uses import Uses


class EventBuilder:
    """Walks a kernel once, in step with its timeline."""

    def __init__(
        self,
        context: Context,
        tracker: Tracker,
        uses: Uses,
        products: dict[int, Product],
        spreads: Spreads,
    ) -> None:
        self.context = context
        self.tracker = tracker
        self.uses = uses
        self.products = products
        self.spreads = spreads
        self.scalars = Scalars(context.kernel.function.params)
        self.accesses = Accesses(context, tracker, uses, self.scalars)
        self.scratch = Scratch(context, tracker)
        self.moves = Moves(self.accesses, spreads, uses)
        self.units = TensorProducts(context, self.accesses, spreads, self.scratch, self.moves)
        self.steps: Iterator[Step] = iter(tracker.line.steps)
        self.swallowed = {i for one in products.values() for i in one.swallowed}
        self.tokens: dict[int, int] = {}

    def build(self) -> tuple[Event, ...]:
        """Return the events without barriers."""
        kernel = self.context.kernel
        for op in kernel.function.body:
            self.scalars.note(Step(0, op, self.tracker.line.root))
        first = self.block(kernel.residents)
        body = self.points(kernel.spawn, self.block(kernel.spawn.body))
        return (*self.units.prologue(), *first, *body, *self.units.epilogue())

    def points(self, spawn: Spawn, body: list[Event]) -> list[Event]:
        """Run the body once for each point of the `arbitrary` axes, in order, inside one block."""
        axes = zip(spawn.grid, spawn.semantics, strict=True)
        extents = [self.scalars.of(size) for size, kind in axes if kind is Semantics.ARBITRARY]
        if not extents:
            return body
        return [Loop("arbitrary axes", mul(*extents), None, tuple(body), spawn.span.line)]

    def block(self, block: Block | tuple[Declare, ...]) -> list[Event]:
        """Return the events of a block."""
        events: list[Event] = []
        for op in block:
            step = next(self.steps)
            assert step.op is op
            self.scalars.note(step)
            match op:
                case For():
                    events.append(self.loop(op))
                case If():
                    events.append(self.branch(op))
                case _:
                    events.extend(self.act(step, op))
        return events

    def loop(self, op: For) -> Loop:
        """Return a loop with its body."""
        lower, upper = self.scalars.of(op.lower), self.scalars.of(op.upper)
        body = self.block(op.body)
        next(self.steps)
        trips = upper if lower == Const(0) else max_(0, upper - lower)
        return Loop(op.index.name or "_", trips, op.stages, tuple(body), op.span.line)

    def branch(self, op: If) -> Branch:
        """Return a branch; scalars are the same in every thread, so it is uniform."""
        then = self.block(op.then)
        orelse = self.block(op.orelse)
        next(self.steps)
        text = self.context.module.source.slice(op.cond.span).split("\n", 1)[0]
        return Branch(text, True, tuple(then), tuple(orelse), op.span.line)

    def act(self, step: Step, op: Operation) -> Iterator[Event]:
        """Return the events of an operation without a body of its own."""
        match op:
            case Transfer() | TransferAsync():
                yield from self.transfer(op)
            case Wait(token=token):
                yield WaitGroup(self.pending(step, token))
            case Declare() | Assign():
                yield from self.store_variable(op)
            case StoreTile(target=target, value=value):
                yield from self.moves.store(target, value, op)
            case NewTensor(result=result, init=init):
                yield from self.moves.fresh(result, init, op)
            case LoadElement(base=base):
                if self.accesses.objects(base):
                    yield self.moves.act("load", "", op, self.accesses.access(base, False, ALL))
            case StoreElement(base=base):
                if self.accesses.objects(base):
                    yield self.moves.act("store", "", op, self.accesses.access(base, True, ONE))
            case _:
                yield from self.work(step, op)

    def work(self, step: Step, op: Operation) -> Iterator[Event]:
        """Return the events of an operation that computes."""
        match op:
            case MatMul():
                yield from self.units.product(step, self.products[op.result.id])
            case Reduce(result=result) if isinstance(result.type, TensorType):
                yield from self.reduce(step, op)
            case Elementwise(result=result) if isinstance(result.type, TensorType):
                if result.id not in self.swallowed:
                    yield from self.compute(op)
            case Cast(result=result) if isinstance(result.type, TensorType):
                yield from self.compute(op)
            case Transpose(result=result, value=value) if self.spreads.register_tile(value):
                yield from self.convert(step, op)
            case Dot(result=result, a=a, b=b):
                reads = [a for v in (a, b) for a in self.accesses.access(v, False, ALL)]
                yield self.moves.act("dot", self.name(result), op, tuple(reads))
            case Call():
                yield from self.call(step, op)
            case _:
                pass

    def name(self, value: Value | Variable) -> str:
        """Return what the plan calls a value."""
        return self.moves.name(value)

    def transfer(self, op: Transfer | TransferAsync) -> Iterator[Event]:
        """Return the copy of a transfer, or its load into registers."""
        made = self.accesses.objects(op.result)
        if not made:
            yield self.moves.act("load", self.name(op.result), op, self.moves.read(op.source, None))
            return
        if isinstance(op, Transfer):
            yield from self.moves.copy_in(op, made, "copy", ())
            return
        ring = [one.depth for one in made if isinstance(one, Draft) and one.depth is not None]
        details = tuple(("ring", self.moves.term(depth)) for depth in ring[:1])
        yield from self.moves.copy_in(op, made, "copy.async", details)
        yield Commit()

    def pending(self, step: Step, token: Value) -> Term:
        """Groups that may still be on their way: one a token, S - 1 iterations ahead in a ring.

        With G tokens an iteration, issued after the first wait, token g may leave
        G (P + 1) - g - 1 groups pending, and the first one G P - 1, where P = S - 1.
        """
        rings = [
            one
            for one in self.accesses.objects(token)
            if isinstance(one, Draft) and one.depth is not None
        ]
        loop = next((r for r in step.scope.enclosing if r.loop is not None), None)
        if not rings or loop is None or loop.loop is None or loop.loop.stages is None:
            return Const(0)
        tokens = sum(isinstance(op, TransferAsync) for op in loop.loop.body)
        at = self.tokens.get(id(loop), 0)
        self.tokens[id(loop)] = at + 1
        ahead = loop.loop.stages - 1
        count = tokens * ahead - 1 if at == 0 else tokens * (ahead + 1) - at - 1
        return max_(0, count)

    def reduce(self, step: Step, op: Reduce) -> Iterator[Event]:
        """Return a reduction by shuffles, or through scratch where warps share the axis."""
        tensor = tensor_of(op.value.type)
        assert tensor is not None
        spread = self.spreads.spread(op.result)
        by = self.spreads.split(op.result)
        reads = self.moves.read(op.value, spread)
        name = self.name(op.result)
        details = (("fn", op.fn.value), ("of", self.name(op.value)), ("axis", str(op.axis)))
        draft = self.scratch.reduction(
            step, tensor.shape or (), op.axis, tensor.dtype.bits, spread, by
        )
        if draft is None:
            yield self.moves.act("reduce", name, op, reads, (*details, ("by", "shuffle")))
            return
        partial = Access(draft.name, True, "warp leaders")
        yield self.moves.act("reduce", name, op, (*reads, partial), (*details, ("by", "scratch")))
        yield self.moves.act("combine", name, op, (Access(draft.name, False, ALL),))

    def compute(self, op: Elementwise | Cast) -> Iterator[Event]:
        """Return an elementwise act; operands in memory are read by it."""
        spread = self.spreads.spread(op.result)
        args = op.args if isinstance(op, Elementwise) else (op.value,)
        reads = [a for arg in args for a in self.moves.read(arg, spread)]
        what = op.fn.value if isinstance(op, Elementwise) else "cast"
        details = (("fn", what), ("of", " ".join(self.name(arg) for arg in args)))
        yield self.moves.act("compute", self.name(op.result), op, tuple(reads), details)

    def convert(self, step: Step, op: Transpose) -> Iterator[Event]:
        """Return the way of a transposed register tile through scratch."""
        tensor = tensor_of(op.value.type)
        assert tensor is not None
        yield from self.moves.through(
            self.scratch.whole(step, tensor.shape or (), tensor.dtype.bits),
            op.value,
            self.name(op.result),
            op,
        )

    def store_variable(self, op: Declare | Assign) -> Iterator[Event]:
        """Return what a `let` or an assignment stores."""
        value = op.init if isinstance(op, Declare) else op.value
        tile = isinstance(op.variable.type, TensorType)
        if value is None or not tile or value.id in self.swallowed:
            return
        objects = self.tracker.variables.get(op.variable.id, ())
        if not objects:
            maker = self.uses.maker(value)
            if isinstance(op, Declare) and self.moves.bound(value) and not value.name:
                return
            verb = "fill" if isinstance(maker, Literal | NewTensor) else "assign"
            reads = self.moves.read(value, self.spreads.spread(op.variable))
            details = (("from", self.name(value)),)
            yield self.moves.act(verb, op.variable.name, op, reads, details)
        elif isinstance(op, Declare) and self.accesses.objects(value):
            return
        else:
            made = self.uses.maker(value)
            if not (isinstance(made, NewTensor) and made.init is Init.UNINIT):
                yield from self.moves.into_variable(op.variable, objects, value, op)

    def call(self, step: Step, op: Call) -> Iterator[Event]:
        """Return a call as one act that may touch all of its arguments."""
        accesses: list[Access] = []
        for value in operands(op):
            write = isinstance(value.type, RefType) and value.type.mutable
            accesses.extend(self.accesses.access(value, write, ALL))
        frames = [d for d in self.tracker.drafts if d.birth == step.point and d.amount is not None]
        accesses.extend(Access(draft.name, True, ALL) for draft in frames)
        if accesses:
            details = (("function", op.function),)
            yield self.moves.act("call", self.name(op.result), op, tuple(accesses), details)
