"""Runs a command with limits and says what it took: launch.py REPORT SECONDS BYTES STDOUT STDERR COMMAND...

A program of its own, and as small as Python can be: a process that Linux starts inherits its parent's size as its own
largest one, so whoever starts a tool to measure its memory must be smaller than the tool.
"""

import json
import os
import signal
import sys
import time


def resident_bytes(process: int) -> int:
    """Of the process and all below it; 0 when it is gone."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(resident_bytes(child) for child in children)


def start(command: list[str], stdout: str, stderr: str) -> int:
    """The command in a session of its own, so that it can be ended with all its children, and only they."""
    process = os.fork()
    if process:
        return process
    try:
        os.setsid()
        for stream, path in enumerate((os.devnull, stdout, stderr)):
            flags = os.O_RDONLY if stream == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags, 0o644), stream)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def end_with_us(process: int) -> None:
    """Whoever ends us, ends the command: it is in a session of its own and would not hear of it."""
    def end(number: int, _frame: object) -> None:
        os.killpg(process, signal.SIGKILL)
        os._exit(128 + number)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def supervise(process: int, begin: float, most_seconds: float, most_bytes: int) -> dict:
    peak, ended = 0, ""
    while True:
        done, status, usage = os.wait4(process, os.WNOHANG)
        seconds = time.perf_counter() - begin
        if done:
            break
        resident = resident_bytes(process)
        peak = max(peak, resident)
        ended = "seconds" if seconds > most_seconds else "memory" if resident > most_bytes else ""
        if ended:
            os.killpg(process, signal.SIGKILL)
            _, status, usage = os.wait4(process, 0)
            break
        # Short commands are measured to the thousandth; long ones need no such hurry.
        time.sleep(0.001 if seconds < 1 else 0.02)
    return {"seconds": seconds, "peak_bytes": max(peak, usage.ru_maxrss * 1024), "ended": ended,
            "status": os.waitstatus_to_exitcode(status)}


def main() -> None:
    report, most_seconds, most_bytes, stdout, stderr, *command = sys.argv[1:]
    begin = time.perf_counter()
    process = start(command, stdout, stderr)
    end_with_us(process)
    found = supervise(process, begin, float(most_seconds), int(most_bytes))
    with open(report, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()
