"""`make demo`: verify the flash attention kernels on five GPUs and compare with what is expected.

Prints every command and what it answers, and ends in a table of the verdicts. Exits with status 0
only if each verdict, the limits that a refutation must name, and each exit status are the expected
ones.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
VXPROOF = Path(sysconfig.get_path("scripts")) / "vxproof"
EXIT_STATUS = {"proved": 0, "refuted": 1}
GPUS = {
    "sm_80": "A100",
    "sm_86": "RTX 3090",
    "sm_90a": "H100",
    "sm_100a": "B200",
    "sm_120a": "RTX 5090",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One verification and the answer that it must give.

    `facts` is what the report of a refutation has to say.
    """

    kernel: str
    target: str
    verdict: str
    facts: tuple[str, ...] = ()

    @property
    def command(self) -> tuple[str, ...]:
        """The command line, as a reader would type it in the root of the project."""
        return ("vxproof", "verify", f"examples/{self.kernel}", "--target", self.target)


TOO_WIDE = ("E6010", "need 114,688 B", "limit 101,376 B", "the largest legal BN is 64")
CASES = (
    *(Case("flash_attention.vx", target, "proved") for target in GPUS),
    *(Case("flash_attention_wide.vx", target, "proved") for target in GPUS),
    Case("flash_attention_wide80.vx", "sm_80", "proved"),
    Case("flash_attention_wide80.vx", "sm_86", "refuted", TOO_WIDE),
    Case("flash_attention_wide80.vx", "sm_120a", "refuted", TOO_WIDE),
)


def run(case: Case) -> list[str]:
    """Run and show one case; return what differs from the expectation."""
    print(f"\n$ {' '.join(case.command)}", flush=True)
    done = subprocess.run(
        [VXPROOF, *case.command[1:]],
        cwd=EXAMPLES.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    faults = []
    if done.returncode != EXIT_STATUS[case.verdict]:
        faults.append(f"exit status {done.returncode}, expected {EXIT_STATUS[case.verdict]}")
    faults += [
        f"the report does not say {fact!r}" for fact in case.facts if fact not in done.stdout
    ]
    return faults


def main() -> int:
    """Run every case, print the verdicts as a table, and compare them with the expected ones."""
    outcomes = [(case, run(case)) for case in CASES]
    print("\nFlash attention, for every size that `requires` admits:\n")
    print(f"{'kernel':<28}{'target':<10}{'GPU':<11}verdict")
    for case, faults in outcomes:
        verdict = "NOT AS EXPECTED: " + "; ".join(faults) if faults else case.verdict
        if case.facts and not faults:
            verdict += ": " + ", ".join(case.facts)
        print(f"{case.kernel:<28}{case.target:<10}{GPUS[case.target]:<11}{verdict}")
    wrong = sum(bool(faults) for _, faults in outcomes)
    print(f"\n{len(outcomes) - wrong} of {len(outcomes)} verdicts are as expected.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
