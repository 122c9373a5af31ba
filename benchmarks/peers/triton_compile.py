"""Compile one flash attention configuration with Triton, without a device.

Run as `python -m benchmarks.peers.triton_compile`; prints one JSON object: `first_s`, the first
compile of a fresh process, `warm_s`, the median of the next ones with every cache off (both wall
seconds, import excluded), and `shared`, the shared memory in bytes that the result needs. Exits
with status 4 where triton is not installed.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time

WARM_RUNS = 3
NOT_INSTALLED = 4
CONSTANTS = {"D": 64, "BM": 64, "BN": 64}
SIGNATURE = {
    "q_ptr": "*fp16",
    "k_ptr": "*fp16",
    "v_ptr": "*fp16",
    "o_ptr": "*fp16",
    "seq_n": "i32",
    "scale": "fp32",
} | dict.fromkeys(CONSTANTS, "constexpr")
DIVISIBLE_BY_16 = ("q_ptr", "k_ptr", "v_ptr", "o_ptr", "seq_n")


def measure(capability: int) -> dict[str, float | int]:
    """Compile for one compute capability (80 for sm_80) and return the times and bytes."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from benchmarks.peers.triton_flash import flash_forward

    attributes = {
        (i,): [["tt.divisibility", 16]]
        for i, name in enumerate(SIGNATURE)
        if name in DIVISIBLE_BY_16
    }
    times = []
    shared = 0
    for _ in range(1 + WARM_RUNS):
        source = ASTSource(
            fn=flash_forward, signature=SIGNATURE, constexprs=CONSTANTS, attrs=attributes
        )
        start = time.perf_counter()
        compiled = triton.compile(
            source,
            target=GPUTarget("cuda", capability, 32),
            options={"num_warps": 4, "num_stages": 2},
        )
        times.append(time.perf_counter() - start)
        shared = compiled.metadata.shared
    return {"first_s": times[0], "warm_s": statistics.median(times[1:]), "shared": shared}


def main() -> int:
    """Measure with private, switched-off caches and print the row."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        os.environ["TRITON_ALWAYS_COMPILE"] = "1"
        try:
            row = measure(80)
        except ModuleNotFoundError as missing:
            if missing.name != "triton":
                raise
            return NOT_INSTALLED
    print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
