"""Placement of programs: the code and line of each misuse, and accepted neighbours of each."""

from __future__ import annotations

import pytest

from vxproof.constraints.placement import module_findings, placement_findings
from vxproof.diagnostics import Diagnostic, Source
from vxproof.frontend import load_module
from vxproof.logic.terms import TRUE

MACHINE = """
Memory DRAM { capacity: 16 GB, managed: explicit, scope: device }
Memory SRAM { within: Memory::DRAM, capacity: 64 KB, managed: explicit, scope: cta }
Memory FAR { capacity: 1 GB, managed: explicit, scope: device }
Memory CACHE { within: Memory::DRAM, managed: cached }
"""


def dev(*edges: str, visible: str = "Memory::DRAM, Memory::SRAM", extra: str = "") -> str:
    """A machine with one topology that has these transfers."""
    lines = "".join(f", transfer {edge}" for edge in edges)
    return f"{MACHINE}Topology Dev {{ memory: Memory::DRAM, visible: [{visible}]{extra}{lines} }}\n"


IN = "Memory::DRAM -> Memory::SRAM : 40 sync"
OUT = "Memory::SRAM -> Memory::DRAM : 40 sync"


def kernel(*body: str, on: str = "Dev", dtype: str = "f32") -> str:
    """A kernel with one input and one output."""
    lines = "\n".join(body)
    return (
        f"fn k(x: Tensor<{dtype}, [64, 64]>, y: &mut Tensor<f32, [64, 64]>) {{\n"
        f"spawn on(Topology::{on}) warps(4) {{\n{lines}\n}}\n}}\n"
    )


STORE = "tile(y, [0, 0], [64, 64]) = t * 2.0; //!"


def judge(text: str, target: str | None = None) -> list[tuple[str, bool]]:
    """What is wrong with a program, and whether it is reported on the line marked `//!`."""
    module = load_module(Source("k.vx", text), target)
    marked = [n for n, line in enumerate(text.splitlines(), start=1) if "//!" in line]
    return [
        (one.code, one.primary is not None and one.primary.span.line in marked)
        if isinstance(one, Diagnostic)
        else (one.code, one.span.line in marked)
        for found in module_findings(module).values()
        for one in found
        if isinstance(one, Diagnostic) or one.goal != TRUE
    ]


def test_a_chain_of_transfers_is_a_route() -> None:
    edges = ("Memory::DRAM -> Memory::FAR : 1 sync", "Memory::FAR -> Memory::SRAM : 1 sync")
    text = dev(*edges) + kernel("let t = transfer(x, Memory::SRAM);", STORE)
    assert judge(text) == []


def test_without_a_route_there_is_no_transfer() -> None:
    text = dev(OUT) + kernel("let t = transfer(x, Memory::SRAM); //!", STORE.removesuffix("//!"))
    assert judge(text) == [("E6002", True)]


def test_what_a_topology_does_not_see_it_may_move_but_not_touch() -> None:
    text = dev(IN, visible="Memory::DRAM") + kernel("let t = transfer(x, Memory::SRAM);", STORE)
    assert judge(text) == [("E6003", True)]


def test_a_view_and_a_name_lie_where_their_tensor_does() -> None:
    body = (
        "let t = transfer(x, Memory::SRAM);",
        "let u = tile(t, [0, 0], [64, 64]).transpose([1, 0]);",
        "tile(y, [0, 0], [64, 64]) = u * 2.0; //!",
    )
    assert judge(dev(IN, visible="Memory::DRAM") + kernel(*body)) == [("E6003", True)]


def test_a_reachable_cache_is_exempt() -> None:
    there = "Memory::DRAM -> Memory::CACHE : 1 sync"
    back = "Memory::CACHE -> Memory::DRAM : 1 sync"
    move = "let t = transfer(x, Memory::CACHE);"
    assert judge(dev(there, back) + kernel(move, STORE)) == []
    assert judge(dev(there) + kernel(move, STORE)) == [("E6003", True)]


def test_a_resident_lies_in_a_visible_space() -> None:
    body = ("resident<Memory::SRAM> let mut acc = Tensor<f32>([64, 64]); //!",)
    assert judge(dev(IN) + kernel(*body)) == []
    assert judge(dev(IN, visible="Memory::DRAM") + kernel(*body)) == [("E6003", True)]


def test_a_relaxed_hop_is_stale_unless_it_is_waited_for() -> None:
    edge = "Memory::DRAM -> Memory::SRAM : 40 relaxed copy_engine"
    plain = kernel("let t = transfer(x, Memory::SRAM); //!", "tile(y, [0, 0], [64, 64]) = t;")
    waited = kernel("let a = transfer_async(x, Memory::SRAM);", "let t = wait(a);", STORE)
    assert judge(dev(edge) + plain) == [("E6004", True)]
    assert judge(dev(edge) + waited) == []
    assert judge(dev(edge, IN) + plain) == []


def test_an_asynchronous_copy_needs_a_copy_engine() -> None:
    text = kernel(
        "let a = transfer_async(x, Memory::SRAM); //!",
        "let t = wait(a);",
        "tile(y, [0, 0], [64, 64]) = t;",
    )
    assert judge(dev(IN) + text) == [("E6020", True)]
    assert judge(dev(IN + " copy_engine") + text) == []


@pytest.mark.parametrize(("target", "found"), [("sm_75", [("E6020", True)]), ("sm_80", [])])
def test_a_declaration_adds_no_copy_engine_to_a_target(
    target: str, found: list[tuple[str, bool]]
) -> None:
    text = (
        "Topology TensorCore { transfer Memory::HBM -> Memory::SMEM : 1 sync copy_engine }\n"
        + kernel(
            "let a = transfer_async(x, Memory::SMEM); //!",
            "let t = wait(a);",
            "tile(y, [0, 0], [64, 64]) = t;",
            on="TensorCore",
        )
    )
    assert judge(text, target) == found


def test_a_transfer_to_the_same_space_is_a_warning() -> None:
    text = kernel("let t = transfer(x, Memory::GPU_HBM); //!", STORE.removesuffix("//!"), on="GPU")
    assert judge(text, "sm_80") == [("W1022", True)]


def test_element_types_that_a_topology_does_not_list() -> None:
    listed = dev(IN, extra=", dtypes: [f16]")
    text = kernel("let t = transfer(x, Memory::SRAM);", STORE)
    assert judge(listed + text) == [("E6026", False)]  # at the parameter, which comes first
    assert judge(dev(IN, extra=", dtypes: [f16, f32]") + text) == []


def test_operations_reach_what_is_addressable_by_them() -> None:
    copy_only = "Memory SMEM { addressable_by: [copy] }\n"
    product = kernel(
        "let t = transfer(x, Memory::SMEM);",
        "tile(y, [0, 0], [64, 64]) = t @ t; //!",
        on="GPU",
        dtype="f16",
    )
    assert judge(copy_only + product, "sm_80") == [("E6110", True)]
    assert judge("Memory SMEM { addressable_by: [mma, copy] }\n" + product, "sm_80") == []
    mma_only = "Memory SMEM { addressable_by: [mma] }\n"
    moved = kernel("let t = transfer(x, Memory::SMEM); //!", on="GPU")
    assert judge(mma_only + moved, "sm_80") == [("E6110", True)]


def test_tensor_memory_is_no_right_operand_and_has_no_elements() -> None:
    into = (
        "let s = transfer(x, Memory::SMEM);",
        "let t = transfer(x, Memory::TMEM);",
    )
    left = kernel(*into, "tile(y, [0, 0], [64, 64]) = t @ s; //!", on="GPU", dtype="f16")
    right = kernel(*into, "tile(y, [0, 0], [64, 64]) = s @ t; //!", on="GPU", dtype="f16")
    element = kernel(*into, "let e = t[0][0]; //!", on="GPU", dtype="f16")
    epilogue = kernel(*into, "tile(y, [0, 0], [64, 64]) = t as f32; //!", on="GPU", dtype="f16")
    assert judge(left, "sm_100a") == []
    assert judge(right, "sm_100a") == [("E6110", True)]
    assert judge(element, "sm_100a") == [("E6110", True)]
    assert judge(epilogue, "sm_100a") == []


HELPER = """
fn half(t: &Tensor<f32, [4]>) -> f32 {
  return t[0] * 0.5; //!
}
"""


def test_a_function_is_judged_for_each_place_that_it_is_called_with() -> None:
    host = "fn main() -> i32 { let t = Tensor<f32>([4]); let h = half(&t); return 0; }\n"
    far = (
        "fn main() -> i32 { let t = Tensor<f32>([4]); let u = transfer(t, Memory::NPU_HBM);"
        " spawn on(Topology::GPU) { let h = half(&u); } let k = half(&t); return 0; }\n"
    )
    near = far.replace("NPU_HBM", "GPU_HBM")
    assert judge(HELPER + host) == []
    assert judge(HELPER + near) == []
    assert judge(HELPER + far) == [("E6003", True)]


def test_a_result_lies_where_the_callee_says() -> None:
    text = """
fn same(t: &Tensor<f32, [4]>) -> &Tensor<f32, [4]> {
  return t;
}
fn main() -> i32 {
  let t = Tensor<f32>([4]);
  let u = transfer(t, Memory::NPU_HBM);
  spawn on(Topology::GPU) {
    let r = same(&u);
    let h = r[0]; //!
  }
  return 0;
}
"""
    assert judge(text) == [("E6003", True)]


def test_functions_that_only_call_each_other_are_judged() -> None:
    signature = "fn {}(t: &Tensor<f32, [4], Memory::NPU_HBM>) on Topology::GPU -> f32"
    text = (
        signature.format("a")
        + " { return b(t); }\n"
        + signature.format("b")
        + " { let e = t[0]; //!\n return a(t) + e; }\n"
    )
    assert judge(text) == [("E6003", True)]


def test_the_host_does_not_see_device_memory() -> None:
    text = """
fn main() -> i32 {
  let t = Tensor<f32>([4]);
  let u = transfer(t, Memory::GPU_HBM);
  print(u); //!
  return 0;
}
"""
    assert judge(text) == [("E6003", True)]
    assert judge(text.replace("print(u)", "print(transfer(u, Memory::CPU_DRAM))")) == []


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ("managed: explicit, scope: cta", True),
        ("managed: explicit, scope: sm", True),
        ("managed: explicit, scope: thread", True),
        ("managed: explicit, scope: cluster", False),
        ("managed: explicit, scope: device", False),
        ("managed: explicit", False),
        ("managed: cached, scope: cta", False),
        ("scope: cta", False),
    ],
)
def test_a_resident_needs_a_private_space_that_the_program_manages(
    fields: str, holds: bool
) -> None:
    text = (
        f"Memory POOL {{ capacity: 64 KB, {fields} }}\n"
        "Topology Dev { memory: Memory::POOL, visible: [Memory::POOL] }\n"
        + kernel("resident<Memory::POOL> let mut acc = Tensor<f32>([64, 64]); //!")
    )
    assert judge(text) == ([] if holds else [("E6107", True)])
    module = load_module(Source("k.vx", text), None)
    found = placement_findings(module.function("k"), module)
    assert [one.code for one in found] == ["E6107"]


def test_residents_declared_before_their_kernel_belong_to_it() -> None:
    text = """
fn k(x: Tensor<f32, [64, 64]>, y: &mut Tensor<f32, [64, 64]>) {
  resident<Memory::RF> let mut acc = Tensor<f32>([64, 64]);
  spawn on(Topology::GPU) warps(4) {
    acc += tile(x, [0, 0], [64, 64]);
    tile(y, [0, 0], [64, 64]) = acc;
  }
}
"""
    assert judge(text, "sm_80") == []
