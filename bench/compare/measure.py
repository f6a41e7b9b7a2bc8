"""Runs one command as a user would, with limits, and says what it took."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LAUNCH = Path(__file__).resolve().parent / "launch.py"


@dataclass(frozen=True)
class Limits:
    seconds: float
    memory_bytes: int


@dataclass
class Run:
    """A finished command. `failure` says in words why there is no result, and is empty where there is one."""

    seconds: float
    peak_bytes: int
    output: str
    failure: str


def last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else ""


def failure_of(found: dict, limits: Limits, output: str, complaint: str) -> str:
    if found["ended"] == "seconds":
        return f"over {limits.seconds:.0f} s"
    if found["ended"] == "memory":
        return f"over {limits.memory_bytes / 2**30:.0f} GiB of memory"
    if found["status"] != 0:
        return f"failed: {last_words(complaint) or last_words(output) or 'status ' + str(found['status'])}"
    return ""


def run(command: list[str], limits: Limits, scratch: Path) -> Run:
    report, stdout, stderr = (scratch / name for name in ("report.json", "stdout.txt", "stderr.txt"))
    subprocess.run([sys.executable, "-I", "-S", str(LAUNCH), str(report), str(limits.seconds), str(limits.memory_bytes),
                    str(stdout), str(stderr), *command], check=True)
    found = json.loads(report.read_text(encoding="utf-8"))
    output = stdout.read_text(encoding="utf-8", errors="replace")
    complaint = stderr.read_text(encoding="utf-8", errors="replace")
    return Run(found["seconds"], found["peak_bytes"], output, failure_of(found, limits, output, complaint))
