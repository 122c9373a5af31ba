"""z3 in a process of its own: its death or silence is an answer that claims nothing.

Queries and answers are lines of JSON on the worker's standard input and output. Terms travel as
canonical text, since structural hashes differ between processes.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from typing import IO

from vxproof.logic.box import Box
from vxproof.logic.canonical import question_json, read_question
from vxproof.logic.normal import Normaliser
from vxproof.logic.obligation import Gap, Origin, Symbol
from vxproof.logic.terms import TRUE, Sym
from vxproof.smt.z3_backend import Answer, Model, NoAnswer, Query, Unsatisfiable, ask

_WALL_SECONDS = 30.0
_DIED = "the solver process died"


class Isolated:
    """A worker that is started at the first query, and anew after it died or was stopped."""

    def __init__(self, budget: int | None, wall_seconds: float = _WALL_SECONDS) -> None:
        self._budget = budget
        self._wall = wall_seconds
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        """The worker's process id while it runs."""
        return None if self._process is None else self._process.pid

    def ask(self, query: Query) -> Answer:
        """Decide one query in the worker."""
        process = self._process
        try:
            if process is None:
                process = self._process = self._start()
            line = self._exchange(process, json.dumps([self._budget, _pack(query)]))
        except OSError:
            line = None
        if line is None:
            self.close()
            return NoAnswer(f"the solver process gave no answer in {self._wall:g} s")
        if not line.endswith("\n"):
            self.close()
            return NoAnswer(_DIED)
        return _unpack_answer(line)

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    _close_quietly(stream)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "vxproof.smt.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _exchange(self, process: subprocess.Popen[str], line: str) -> str | None:
        """The worker's reply; "" where it died, None where it stayed silent."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except OSError:
            return ""
        ready, _, _ = select.select([process.stdout], [], [], self._wall)
        return process.stdout.readline() if ready else None


def _close_quietly(stream: IO[str]) -> None:
    try:
        stream.close()
    except OSError:
        return


def _pack(query: Query) -> dict[str, object]:
    symbols = [Symbol(n, *query.range(n), Origin.VALUE) for n in query.symbols]
    formulas = (*query.strict, *query.loose)
    goal = TRUE if query.denied is None else query.denied
    return {
        "question": question_json(symbols, formulas, goal),
        "strict": len(query.strict),
        "denied": query.denied is not None,
    }


def _unpack(packed: dict[str, object]) -> Query:
    symbols, formulas, goal = read_question(str(packed["question"]))
    normaliser = Normaliser()
    ranges = {normaliser.number(Sym(name)): (lo, hi) for name, lo, hi in symbols}
    count = int(str(packed["strict"]))
    return Query(
        tuple(name for name, _, _ in symbols),
        Box(normaliser, ranges, {}),
        strict=formulas[:count],
        loose=formulas[count:],
        denied=goal if packed["denied"] else None,
    )


def _pack_answer(answer: Answer) -> list[object]:
    match answer:
        case Unsatisfiable(steps=steps):
            return ["unsat", steps]
        case Model(values=values, steps=steps):
            return ["model", steps, [[name, str(value)] for name, value in values]]
        case NoAnswer(reason=reason, steps=steps, gap=gap):
            return ["none", steps, reason, gap.value]


def _unpack_answer(line: str) -> Answer:
    try:
        match json.loads(line):
            case ["unsat", int(steps)]:
                return Unsatisfiable(steps)
            case ["model", int(steps), list(values)]:
                return Model(tuple((str(n), int(v)) for n, v in values), steps)
            case ["none", int(steps), str(reason), str(gap)]:
                return NoAnswer(reason, steps, Gap(gap))
            case _:
                return NoAnswer("the solver process gave an answer that cannot be read")
    except (ValueError, TypeError):
        return NoAnswer("the solver process gave an answer that cannot be read")


def main() -> None:
    """Answer the queries on standard input, one a line, until it ends."""
    for line in sys.stdin:
        budget, packed = json.loads(line)
        answer = ask(_unpack(packed), budget)
        sys.stdout.write(json.dumps(_pack_answer(answer)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
