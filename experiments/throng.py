"""The program, as the experiments call it: a verb, its arguments, and the JSON object that it prints."""
from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

THREADS = 2  # figures do not depend on it; times do, so it is the same on every machine


class ProgramError(Exception):
    """The program refused; the message is its own."""


@dataclass
class Program:
    """Runs `throng` and keeps tables, policies and releases in one scratch folder."""

    executable: Path
    folder: Path
    seed: int

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def __call__(self, *arguments: str, unsafe: bool = False) -> dict[str, Any]:
        """The object that the verb prints, with the wall seconds of the whole process as `wall`.

        Exit status 3 of `audit` means that a promise is broken: with `unsafe` that is a result like any other.
        """
        command = [str(self.executable), *arguments, "--json", "--threads", str(THREADS), "--seed", str(self.seed)]
        # A shell stands between, since Linux counts what the parent has in memory into the peak of a child that it starts.
        start = time.perf_counter()
        done = subprocess.run(["/bin/sh", "-c", '"$@"; exit $?', "sh", *command], capture_output=True, text=True, check=False)
        wall = time.perf_counter() - start
        if done.returncode not in ((0, 3) if unsafe else (0,)) or not done.stdout:
            raise ProgramError(f"{' '.join(command)}\nexit {done.returncode}: {done.stderr.strip()}")
        result = json.loads(done.stdout)
        result["wall"] = wall
        return result

    def fastest(self, times: int, *arguments: str) -> dict[str, Any]:
        """The same command several times over; the run with the least wall time."""
        return min((self(*arguments) for _ in range(times)), key=lambda run: run["wall"])

    def policy(self, name: str, columns: dict[str, str], rest: str) -> str:
        """Writes a policy: what each column is, and the keys that follow."""
        text = "columns:\n" + "".join(f"  {column}: {{{rule}}}\n" for column, rule in columns.items()) + rest
        Path(self.path(name)).write_text(text, encoding="utf-8")
        return self.path(name)


def seconds(run: dict[str, Any]) -> float:
    """Reading, the work itself and writing, as the program measured them; parts of parts are not added twice."""
    return sum(run["seconds"][step] for step in ("read", "update", "anonymize", "write") if step in run["seconds"])
