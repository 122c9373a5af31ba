"""The registry of diagnostic codes: severity and summary of each, in one place.

An *error* means that the program or the command is not well formed (exit status 3); a *refuted*
code names an obligation that is false (exit status 1); *unknown* is never success (exit status 2).
"""

from __future__ import annotations

from enum import Enum

from vxproof.records import dataclass


class Severity(Enum):
    """What a code does to the verdict of a run."""

    ERROR = "error"
    REFUTED = "refuted"
    UNKNOWN = "unknown"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """A code, its severity, and its summary in one phrase."""

    code: str
    severity: Severity
    summary: str


_TABLE: tuple[tuple[str, Severity, str], ...] = (
    ("E0001", Severity.ERROR, "input cannot be read"),
    ("E0002", Severity.ERROR, "input is not UTF-8"),
    ("E0003", Severity.ERROR, "input is nested too deeply"),
    ("E0004", Severity.ERROR, "usage error"),
    ("E0009", Severity.ERROR, "internal error"),
    ("E1001", Severity.ERROR, "syntax error"),
    ("E1002", Severity.ERROR, "unknown name"),
    ("E1003", Severity.ERROR, "name declared twice"),
    ("E1010", Severity.ERROR, "unknown topology"),
    ("E1011", Severity.ERROR, "unknown memory space"),
    ("E3001", Severity.ERROR, "initialiser type differs"),
    ("E3002", Severity.ERROR, "type error"),
    ("E3003", Severity.ERROR, "argument type differs"),
    ("E3010", Severity.ERROR, "wrong number of arguments"),
    ("E3016", Severity.ERROR, "unbound type parameter"),
    ("E3018", Severity.ERROR, "array literal of non-scalars"),
    ("E3023", Severity.ERROR, "shaped tensor initialised from a scalar"),
    ("E3028", Severity.ERROR, "missing return"),
    ("E3029", Severity.ERROR, "unknown type name"),
    ("E3030", Severity.ERROR, "operand kind is wrong for this operator"),
    ("E4001", Severity.ERROR, "use of a moved value"),
    ("E4002", Severity.ERROR, "variable used while a `&mut` of it is used later"),
    ("E4003", Severity.ERROR, "`&mut` taken while a `&` is used later"),
    ("E4004", Severity.ERROR, "borrow taken while a `&mut` is used later"),
    ("E4005", Severity.ERROR, "reference outlives what it refers to"),
    ("E4006", Severity.ERROR, "assignment through a shared reference"),
    ("E4009", Severity.ERROR, "assignment while a shared borrow is used later"),
    ("E6001", Severity.ERROR, "function called from another topology"),
    ("E6002", Severity.ERROR, "no path of transfers between two spaces"),
    ("E6003", Severity.ERROR, "value's space is not visible to the running topology"),
    ("E6004", Severity.ERROR, "relaxed hop may be read stale"),
    ("E6005", Severity.ERROR, "topology cannot see its own default space"),
    ("E6006", Severity.ERROR, "cycle in `within:`"),
    ("E6007", Severity.ERROR, "child capacity above its parent's"),
    ("E6008", Severity.ERROR, "capacity, bandwidth or granule not positive"),
    ("E6009", Severity.REFUTED, "one tile is larger than its space"),
    ("E6010", Severity.REFUTED, "coexisting tiles exceed the capacity"),
    ("E6011", Severity.ERROR, "child scope broader than its parent's"),
    ("E6012", Severity.ERROR, "place declared in two inputs"),
    ("E6016", Severity.ERROR, "declared name shadows a built-in topology"),
    ("E6020", Severity.ERROR, "asynchronous copy on an edge without a copy engine"),
    ("E6021", Severity.REFUTED, "tile touched while its copy is in flight"),
    ("E6022", Severity.ERROR, "endpoint not visible to the topology that declares the edge"),
    ("E6025", Severity.ERROR, "placement type names a place that nobody declares"),
    ("E6026", Severity.ERROR, "element type is not in the topology's list"),
    ("E6027", Severity.REFUTED, "peak along a call path exceeds the capacity"),
    ("E6028", Severity.REFUTED, "recursive cycle places tiles in a bounded space"),
    ("E6030", Severity.ERROR, "device region hands out a tensor that it makes"),
    ("E6101", Severity.REFUTED, "resident value is aliased"),
    ("E6102", Severity.REFUTED, "resident value escapes"),
    ("E6103", Severity.REFUTED, "register tile indexed by a run-time value"),
    ("E6104", Severity.REFUTED, "register demand above what the launch leaves"),
    ("E6105", Severity.REFUTED, "resident value goes through another space"),
    ("E6106", Severity.REFUTED, "assembler spilled under a register resident"),
    ("E6107", Severity.REFUTED, "space cannot hold a loop-carried value"),
    ("E6110", Severity.ERROR, "operation cannot address the space"),
    ("E6111", Severity.REFUTED, "shape or allocation that the space cannot take"),
    ("E6112", Severity.ERROR, "declared capacity above the target's physical pool"),
    ("E6113", Severity.REFUTED, "tiles fit as a sum, the arena's layout does not"),
    ("E6120", Severity.REFUTED, "access or copy that the hardware cannot make"),
    ("E6130", Severity.REFUTED, "asynchronous tile read before its arrival"),
    ("E6131", Severity.REFUTED, "ring slot overwritten too early"),
    ("E6132", Severity.REFUTED, "token not used up exactly once"),
    ("E6133", Severity.REFUTED, "source of a pipelined transfer depends on what the loop writes"),
    ("E6134", Severity.REFUTED, "accesses by different threads without a barrier between them"),
    ("E6135", Severity.REFUTED, "missing proxy fence or early release of a slot"),
    ("E6137", Severity.ERROR, "loop cannot be pipelined as written"),
    ("E6140", Severity.REFUTED, "grid points of a `parallel` axis depend on each other"),
    (
        "E6141",
        Severity.ERROR,
        "grid and semantics differ, or a grid index is not a constant below the rank",
    ),
    ("E6142", Severity.REFUTED, "launch limit exceeded"),
    ("E6150", Severity.REFUTED, "access may be out of bounds"),
    ("E6151", Severity.REFUTED, "tile may be partial and has no `pad:`"),
    ("E6152", Severity.REFUTED, "`requires` admits no value"),
    ("E6153", Severity.REFUTED, "integer arithmetic may overflow, lose value or divide by zero"),
    ("E6160", Severity.ERROR, "target cannot take this operation"),
    ("E6161", Severity.ERROR, "role cannot be lowered yet"),
    ("E6170", Severity.REFUTED, "emitted code contradicts the proof"),
    ("E6171", Severity.REFUTED, "certificate was rejected"),
    ("E6172", Severity.REFUTED, "proof is of another source, target or version"),
    ("E6180", Severity.UNKNOWN, "obligation neither proved nor refuted"),
    ("E6190", Severity.ERROR, "construct outside the kernel subset"),
    ("E7001", Severity.ERROR, "matrix product dimensions differ"),
    ("E7002", Severity.ERROR, "matrix product element types differ"),
    ("E8001", Severity.REFUTED, "postcondition is not met"),
    ("E8002", Severity.REFUTED, "compile-time assertion is false"),
    ("E8006", Severity.REFUTED, "call may not meet a `requires`"),
    ("E8010", Severity.REFUTED, "loop invariant fails"),
    ("E8011", Severity.REFUTED, "device assertion is not met"),
    ("W1022", Severity.WARNING, "transfer to the same space"),
    ("W1025", Severity.WARNING, "undeclared topology spawned on"),
    ("W1026", Severity.WARNING, "topology memory unreachable from the host"),
    ("W1027", Severity.WARNING, "declared relaxed edge loses visibility"),
    ("W1028", Severity.WARNING, "capacity obligation waived by `overcommit`"),
    ("W1029", Severity.WARNING, "unbounded extent in an `overcommit` space"),
)

REGISTRY: dict[str, CodeInfo] = {code: CodeInfo(code, sev, text) for code, sev, text in _TABLE}


def lookup(code: str) -> CodeInfo:
    """Return the entry of a code.

    Raises:
        KeyError: the code is not registered: a fault of the caller, not of the user.
    """
    return REGISTRY[code]
