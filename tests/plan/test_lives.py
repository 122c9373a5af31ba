"""Which tiles live together: the rules of the capacity model, read off plans of small programs."""

from __future__ import annotations

from tests.plan.sources import kernel_text, plan_of
from vxproof.plan.nodes import Arena, BufferKind, Plan


def shared(plan: Plan) -> Arena:
    arena = plan.arena("SMEM")
    assert arena is not None
    return arena


def together(plan: Plan, a: str, b: str) -> bool:
    lives = {one.name: one.life for one in shared(plan).buffers}
    return lives[a].meets(lives[b])


COPY = "let {0} = transfer(tile(x, [0, 0], [64, 64]), Memory::SMEM);"
USE = "tile(y, [0, 0], [64, 64]) = {0};"
FIT = "N % 64 == 0"


def body(*lines: str) -> str:
    return kernel_text("\n".join(lines), requires=FIT)


def test_a_tile_dies_at_its_last_use() -> None:
    plan = plan_of(body(COPY.format("a"), USE.format("a"), COPY.format("b"), USE.format("b")))
    assert not together(plan, "a", "b")


def test_a_later_use_keeps_it() -> None:
    lines = [COPY.format("a"), COPY.format("b"), USE.format("b"), USE.format("a")]
    assert together(plan_of(body(*lines)), "a", "b")


def test_a_tile_that_is_never_read_is_released_at_once() -> None:
    plan = plan_of(body(COPY.format("a"), COPY.format("b"), USE.format("b")))
    assert not together(plan, "a", "b")


def test_a_use_in_a_loop_keeps_a_tile_from_outside_to_its_end() -> None:
    plan = plan_of(
        body(
            COPY.format("a"),
            "for j in 0..4 {",
            USE.format("a"),
            COPY.format("b"),
            USE.format("b"),
            "}",
        )
    )
    assert together(plan, "a", "b")


def test_a_view_keeps_its_base() -> None:
    view = "let v = slice(a, [0, 0], [64, 64]);"
    plan = plan_of(body(COPY.format("a"), view, COPY.format("b"), USE.format("b"), USE.format("v")))
    assert together(plan, "a", "b")


def test_tiles_of_the_two_arms_do_not_add() -> None:
    plan = plan_of(
        body(
            "if N > 64 {",
            COPY.format("a"),
            USE.format("a"),
            "} else {",
            COPY.format("b"),
            USE.format("b"),
            "}",
        )
    )
    assert not together(plan, "a", "b")


def test_a_resident_lives_to_the_end_of_its_scope() -> None:
    keep = "resident<Memory::SMEM> let mut a = Tensor<f16>([64, 64]);"
    plan = plan_of(body(keep, COPY.format("b"), USE.format("b")))
    assert together(plan, "a", "b")
    kinds = {one.name: one.kind for one in shared(plan).buffers}
    assert kinds["a"] is BufferKind.RESIDENT


def test_a_ring_is_one_tile_of_its_depth_over_the_whole_loop() -> None:
    text = kernel_text(
        "\n".join(
            [
                COPY.format("a"),
                USE.format("a"),
                "for j in 0..N / 64 pipelined(3) {",
                "let t = transfer_async(tile(x, [j, 0], [64, 64]), Memory::SMEM);",
                "tile(y, [j, 0], [64, 64]) = wait(t);",
                COPY.format("b"),
                USE.format("b"),
                "}",
            ]
        ),
        requires=FIT,
    )
    plan = plan_of(text)
    sizes = {one.name: (one.kind, one.expression) for one in shared(plan).buffers}
    assert sizes["t"] == (BufferKind.RING, "3*64*64*2")
    assert together(plan, "t", "b")
    assert not together(plan, "a", "t")


def test_state_from_before_the_spawn_lives_over_the_whole_kernel() -> None:
    text = """
fn k(x: Tensor<f16, [N, 64]>, y: &mut Tensor<f16, [N, 64]>)
  requires N % 64 == 0
{
  resident<Memory::SMEM> let mut a = Tensor<f16>([64, 64]);
  spawn on(Topology::GPU) warps(4) {
    let b = transfer(tile(x, [0, 0], [64, 64]), Memory::SMEM);
    tile(y, [0, 0], [64, 64]) = b;
  }
}
"""
    assert together(plan_of(text), "a", "b")
