"""The plan machine on plans by hand: what races, and what does not."""

from __future__ import annotations

import pytest

from vxproof.diagnostics import Source
from vxproof.plan.machine import MachineFault, Race, Stuck, UnrunnableError, run_plan
from vxproof.plan.parse import parse_plan

HEAD = 'plan 1\nkernel "k"\nsymbol N from 0 to 9\nsymbol B from 0 to 999\n'
COPY = 'do copy "{0}" {{ reads "x" by "chunks" writes "{0}" by "chunks" }}\n'
READ = 'do mma "acc" {{ reads "{0}" by "all" }}\n'
BARRIER = "barrier\n"


def run(events: str, arena: str = "", **values: int) -> tuple[MachineFault, ...]:
    text = f"{HEAD}{arena}events {{\n{events}}}\n"
    return run_plan(parse_plan(Source("x.plan", text)), values)


def two(first: str, second: str) -> str:
    return (
        "arena SMEM bytes capacity 9999 {\n"
        'buffer "a" tile size 64 life 1 2\nbuffer "b" tile size 64 life 5 6\n'
        f'layout "birth" total 128 {{ "a" at {first} "b" at {second} }}\n}}\n'
    )


def test_write_then_read() -> None:
    assert run(COPY.format("t") + READ.format("t"))
    assert not run(COPY.format("t") + BARRIER + READ.format("t"))


def test_read_then_write() -> None:
    events = BARRIER + READ.format("t") + COPY.format("t")
    (fault,) = run(events)
    assert isinstance(fault, Race)
    assert not fault.first.write
    assert fault.second.write


def test_a_barrier_in_a_loop_does_not_cover_its_back_edge() -> None:
    inside = COPY.format("t") + BARRIER + READ.format("t")
    assert not run(f'loop "j" trips N {{\n{inside}}}\n', N=1)
    assert run(f'loop "j" trips N {{\n{inside}}}\n', N=2)
    assert not run(f'loop "j" trips N {{\n{BARRIER}{inside}}}\n', N=3)


def test_a_loop_without_trips_has_no_barrier() -> None:
    events = COPY.format("t") + f'loop "j" trips N {{\n{BARRIER}}}\n' + READ.format("t")
    assert run(events, N=0)
    assert not run(events, N=1)


def test_a_trip_count_of_the_run_is_tried_both_ways() -> None:
    events = COPY.format("t") + f'loop "j" trips %9 {{\n{BARRIER}}}\n' + READ.format("t")
    assert run(events)


def test_the_same_map_is_the_same_thread() -> None:
    assert not run(COPY.format("t") + 'do copy { reads "t" by "chunks" writes "y" by "chunks" }\n')


def test_bytes_are_reused_by_another_buffer() -> None:
    events = COPY.format("a") + BARRIER + READ.format("a") + COPY.format("b")
    assert run(events, two("0", "0"))
    assert run(events, two("0", "32"))
    assert not run(events, two("0", "64"))
    assert run(events, two("0", "B"), B=63)
    assert not run(events, two("0", "B"), B=64)


def test_the_matrix_unit_is_awaited() -> None:
    product = 'do mma "acc" { reads "t" by "unit" writes "acc" by "unit" }\n'
    load = 'do tmem.load { reads "acc" by "lanes" }\n'
    assert run(product + load)
    assert run(product + BARRIER.replace("barrier", "commit") + load)
    assert not run(product + 'await "done"\n' + load)


def test_a_barrier_that_some_threads_miss() -> None:
    (fault,) = run(f'if "lane < 4" divergent {{\n{BARRIER}}}\n')
    assert fault == Stuck("lane < 4")
    assert not run(f'if "i < 4" uniform {{\n{BARRIER}}}\n')


def test_both_arms_of_a_uniform_condition_are_tried() -> None:
    events = COPY.format("t") + f'if "c" uniform {{\n{BARRIER}}}\n' + READ.format("t")
    assert run(events)


def test_a_size_without_a_value_is_no_run() -> None:
    with pytest.raises(UnrunnableError):
        run(COPY.format("a"), two("0", "Q"))
