"""`make bench`: how fast verification answers, beside Triton compiling one configuration.

Every row is a median of several runs within this one command; the ratios between rows carry from
machine to machine, the milliseconds do not. Run as `python -m benchmarks.bench`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import programs
from benchmarks.peers import triton_compile
from benchmarks.timing import median_seconds, process_seconds
from vxproof import driver

ROOT = Path(__file__).resolve().parents[1]
KERNEL = ROOT / "examples" / "flash_attention.vx"
VXPROOF = str(Path(sysconfig.get_path("scripts")) / "vxproof")
INSTANCE = {"BM": 128, "BN": 64, "D": 64, "H": 16, "N": 4096}
GROWTH: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("tiles", programs.tiles),
    ("loops", programs.loops),
    ("functions", programs.functions),
)
SIZES = (10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Row:
    """One measured time, in seconds, and the time that it aims to stay under, if it has one."""

    name: str
    seconds: float
    aim: float | None = None


def triton_rows() -> tuple[Row, ...]:
    """Triton's compile of the same kernel; empty where triton is not installed."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.triton_compile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == triton_compile.NOT_INSTALLED:
        return ()
    if done.returncode:
        raise RuntimeError(f"the Triton row failed:\n{done.stderr}")
    times = json.loads(done.stdout)
    return (
        Row("triton, one configuration, first compile of a process", times["first_s"]),
        Row("triton, one configuration, warm", times["warm_s"]),
    )


def prove(path: Path, targets: Sequence[str], settings: Mapping[str, int] | None = None) -> None:
    """Verify a file in this process.

    Raises:
        RuntimeError: it was not proved, so that its time would mean nothing.
    """
    outcome = driver.verify_file(path, targets=targets, settings=settings).outcome
    if outcome is not driver.Outcome.PROVED:
        raise RuntimeError(f"{path.name} is {outcome.value} on {', '.join(targets)}")


def verify_rows(runs: int) -> tuple[Row, ...]:
    """`verify` of flash attention: as a process and warm, one target, all, and one instance."""
    one, every = ("sm_80",), driver.resolve_targets(("all",))
    command = (VXPROOF, "verify", str(KERNEL), "--target")
    process = partial(process_seconds, runs=runs)
    warm = partial(median_seconds, runs=runs)
    return (
        Row("verify, one target, process", process((*command, "sm_80")), 0.5),
        Row("verify, all targets, process", process((*command, "all")), 1.0),
        Row("verify, one target, warm", warm(lambda: prove(KERNEL, one)), 0.080),
        Row("verify, all targets, warm", warm(lambda: prove(KERNEL, every))),
        Row(
            "verify, one target, every size set, warm",
            warm(lambda: prove(KERNEL, one, INSTANCE)),
            0.015,
        ),
    )


def print_table(rows: tuple[Row, ...]) -> None:
    """Times of the rows, and each as a multiple of the last Triton row (else of the first row)."""
    unit = next((r for r in reversed(rows) if r.name.startswith("triton")), rows[0])
    print(f"{'':<56}{'ms':>9}{'ratio':>9}   aim (ms)")
    for row in rows:
        aim = "" if row.aim is None else f"   {row.aim * 1000:.0f}"
        print(f"{row.name:<56}{row.seconds * 1000:>9.1f}{row.seconds / unit.seconds:>9.2f}{aim}")
    print(f"ratio 1.00 is: {unit.name}")


def print_growth(sizes: tuple[int, ...], runs: int) -> None:
    """Time per item at each size, as a multiple of the time per item at the smallest size."""
    print("\ngrowth: time per item, as a multiple of the time per item in the first column")
    print(f"{'':<12}" + "".join(f"{size:>18,}" for size in sizes))
    with tempfile.TemporaryDirectory() as folder:
        for name, generate in GROWTH:
            path = Path(folder) / f"{name}.vx"
            per_item = []
            print(f"{name:<12}", end="", flush=True)
            for size in sizes:
                path.write_text(generate(size), encoding="utf-8")
                seconds = median_seconds(
                    partial(prove, path, ("sm_80",)), runs=1 if size >= 1000 else runs
                )
                per_item.append(seconds / size)
                cell = f"{per_item[-1] / per_item[0]:.2f} ({seconds * 1000:,.0f} ms)"
                print(f"{cell:>18}", end="", flush=True)
            print()


def main() -> int:
    """Measure and print every row."""
    parser = argparse.ArgumentParser(description="Measure verification; print ratios.")
    parser.add_argument("--runs", type=int, default=5, help="runs a median is taken of")
    parser.add_argument("--largest", type=int, default=max(SIZES), help="largest program size")
    options = parser.parse_args()
    peers = triton_rows()
    print_table(peers + verify_rows(options.runs))
    if not peers:
        print("triton: not installed (`make peers` adds it where a wheel exists)")
    print_growth(tuple(s for s in SIZES if s <= options.largest), options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
