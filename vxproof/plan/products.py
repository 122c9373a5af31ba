"""Which instruction makes each matrix product, and what it accumulates into."""

from __future__ import annotations

from enum import Enum

from vxproof.diagnostics import Diagnostic, DiagnosticError, Label, Span
from vxproof.ir.ops import Assign, Elementwise, Fn, MatMul, Read
from vxproof.ir.types import TensorType
from vxproof.ir.values import Value, Variable
from vxproof.plan.context import Context
from vxproof.plan.objects import Draft, Tracker, tensor_of
from vxproof.plan.uses import Uses
from vxproof.records import dataclass
from vxproof.target import Target


class Family(Enum):
    """Matrix instructions; `NONE` where no machine is known."""

    NONE = "none"
    FMA = "fma"
    MMA_SYNC = "mma.sync"
    TCGEN05 = "tcgen05"


@dataclass(frozen=True, slots=True)
class Product:
    """A product: its instruction, the K of one instruction, and the variable it accumulates into.

    `into` is set where `acc + a @ b` or `acc = acc * c + a @ b` is one accumulate; `swallowed` are
    the operations that it stands for.
    """

    op: MatMul
    family: Family
    k: int
    into: Variable | None
    swallowed: tuple[int, ...]

    @property
    def shape(self) -> str:
        """The instruction's shape."""
        return f"m16n8k{self.k}" if self.family is Family.MMA_SYNC else ""


def products(context: Context, tracker: Tracker, uses: Uses) -> dict[int, Product]:
    """Return every product of a kernel by the id of its result.

    Raises:
        DiagnosticError: E6160, the target has no instruction for one of them.
    """
    tensor_memory = any(context.space(draft.space).columns is not None for draft in tracker.drafts)
    found: dict[int, Product] = {}
    for step in tracker.line.steps:
        if isinstance(step.op, MatMul) and not step.end:
            found[step.op.result.id] = _product(context, tracker, uses, step.op, tensor_memory)
    return found


def _product(
    context: Context, tracker: Tracker, uses: Uses, op: MatMul, tensor_memory: bool
) -> Product:
    dtype = _dtype(op.a)
    into, swallowed = _accumulates(context, tracker, uses, op)
    target = context.target
    if target is None:
        return Product(op, Family.NONE, 1, into, swallowed)
    in_memory = [
        bool(tracker.of(value)) and all(isinstance(one, Draft) for one in tracker.of(value))
        for value in (op.a, op.b)
    ]
    to_tensor_memory = into is not None and _in_tensor_memory(context, tracker, into)
    if target.tcgen05 is not None and (to_tensor_memory or (tensor_memory and all(in_memory))):
        wide = {16: target.tcgen05.k_16bit, 32: target.tcgen05.k_tf32}
        if dtype in {"f32", "f64", "i8", "i32"} and not op.tf32:
            raise _refused(op.span, target, dtype, "tcgen05.mma")
        bits = tensor_of(op.a.type)
        assert bits is not None
        k = wide.get(bits.dtype.bits, target.tcgen05.k_8bit)
        if not to_tensor_memory:
            into, swallowed = None, ()
        return Product(op, Family.TCGEN05, k, into, swallowed)
    if dtype == "f32" and not op.tf32:
        return Product(op, Family.FMA, 1, into, swallowed)
    name = "tf32" if op.tf32 else dtype
    extents = target.mma_k(name)
    if extents:
        return Product(op, Family.MMA_SYNC, extents[-1], into, swallowed)
    if target.tcgen05 is not None and dtype.startswith(("f6", "f4")) and all(in_memory):
        return Product(op, Family.TCGEN05, target.tcgen05.k_8bit, None, ())
    raise _refused(op.span, target, name, "mma.sync")


def _refused(span: Span, target: Target, dtype: str, instruction: str) -> DiagnosticError:
    return DiagnosticError(
        (
            Diagnostic(
                "E6160",
                f"{target.name} has no {instruction} for {dtype} operands",
                Label(span, f"a product of {dtype} tiles"),
                help="convert the operands to a type that the target's matrix unit takes",
            ),
        )
    )


def _dtype(value: Value) -> str:
    tensor = tensor_of(value.type)
    assert tensor is not None, "the frontend gives products tensor operands"
    return tensor.dtype.name


def _in_tensor_memory(context: Context, tracker: Tracker, variable: Variable) -> bool:
    return any(
        isinstance(one, Draft) and context.space(one.space).columns is not None
        for one in tracker.variables.get(variable.id, ())
    )


def _accumulates(
    context: Context, tracker: Tracker, uses: Uses, op: MatMul
) -> tuple[Variable | None, tuple[int, ...]]:
    """Find `x + a @ b` whose sum is stored into a variable: one accumulate into its place.

    In tensor memory x has to be the variable itself; in registers x may be anything, for it is
    computed into the variable's place first.
    """
    if op.acc is not None:
        step = uses.only(op.result)
        if step is not None and isinstance(step.op, Assign):
            return step.op.variable, (op.result.id,)
        return None, ()
    step = uses.only(op.result)
    if step is None or not isinstance(step.op, Elementwise) or step.op.fn is not Fn.ADD:
        return None, ()
    total = step.op
    other = next((arg for arg in total.args if arg != op.result), None)
    store = uses.only(total.result)
    if other is None or store is None or not isinstance(store.op, Assign):
        return None, ()
    variable = store.op.variable
    if not isinstance(other.type, TensorType) or not isinstance(total.result.type, TensorType):
        return None, ()
    if other.type.shape != total.result.type.shape:
        return None, ()
    if tracker.variables.get(variable.id):
        source = uses.maker(other)
        plain = isinstance(source, Read) and source.variable == variable
        if not (plain and _in_tensor_memory(context, tracker, variable)):
            return None, ()
    return variable, (op.result.id, total.result.id)
