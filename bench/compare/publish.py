"""Publishes a growing table several times with one tool, and asks what the releases give away together."""

import csv
import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import rewrite
import tools as toolbox
from jobs import Job, at_size, describe, write_job, write_rows
from measure import Limits, Run, run


@dataclass
class Leaks:
    """What all releases together give away, counted by `throng audit`."""

    vulnerable: int  # records in a channel between two releases, from the files alone
    exposed: int  # records left fewer than l values to somebody who knows all but the sensitive values
    certain: int  # records of whom he knows the value


def batches(job: Job) -> list[Path]:
    """The records that are new at each release."""
    with open(job.table, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    paths, begin = [], 0
    for number, end in enumerate(job.growing, start=1):
        paths.append(job.path(f"batch-{number}.csv"))
        write_rows(paths[-1], header, rows[begin:end])
        begin = end
    return paths


def membership_table(job: Job) -> tuple[Path, str]:
    """The whole table, with a column a release that says who is in it; and the names of those columns."""
    names = [f"in-{number}" for number in range(1, len(job.growing) + 1)]
    with open(job.table, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    path = job.path("membership.csv")
    write_rows(path, [*header, *names],
               ([*row, *("1" if place < size else "0" for size in job.growing)] for place, row in enumerate(rows)))
    return path, ",".join(names)


def together(runs: list[Run]) -> Run:
    """Several commands as one: their time in sum, their memory at most, the first failure."""
    failures = [each.failure for each in runs if each.failure]
    return Run(sum(each.seconds for each in runs), max(each.peak_bytes for each in runs), runs[-1].output,
               failures[0] if failures else "")


def run_all(commands: list[list[str]], limits: Limits, scratch: Path) -> Run:
    runs: list[Run] = []
    for command in commands:
        left = Limits(max(limits.seconds - sum(each.seconds for each in runs), 0.1), limits.memory_bytes)
        runs.append(run(command, left, scratch))
        if runs[-1].failure:
            break
    total = together(runs)
    if total.failure.startswith("over") and total.failure.endswith(" s"):
        total.failure = f"over {limits.seconds:.0f} s"
    return total


def publish_as_publication(job: Job, tools: toolbox.Toolbox, limits: Limits, scratch: Path) -> tuple[Run, list[Path]]:
    ledger = job.path("ledger")
    shutil.rmtree(ledger, ignore_errors=True)
    rules = toolbox.write_policy(job, "publication")
    releases = [job.path(f"publication-{number}.csv") for number in range(1, len(job.growing) + 1)]
    for path in releases:
        path.unlink(missing_ok=True)
    commands = [[tools.throng, "init", str(ledger), "--policy", str(rules), "--quiet"]]
    commands += [[tools.throng, "release", str(ledger), str(batch), "-o", str(release), "--json"]
                 for batch, release in zip(batches(job), releases, strict=True)]
    return run_all(commands, limits, scratch), releases


def publish_anew(job: Job, tool: str, method: str, tools: toolbox.Toolbox, limits: Limits,
                 scratch: Path) -> tuple[Run, list[Path]]:
    """Each time the whole table anew, as one does with a tool that forgets."""
    commands, releases = [], []
    for size in job.growing:
        step = at_size(toolbox.taxonomies_for(job, tool), size)
        write_job(step)
        releases.append(step.path(f"{tool}-{method}.csv"))
        commands.append(toolbox.command(step, tool, method, releases[-1], tools))
    return run_all(commands, limits, scratch), releases


def publish(job: Job, tool: str, method: str, tools: toolbox.Toolbox, limits: Limits,
            scratch: Path) -> tuple[Run, list[Path]]:
    """The run, and the releases in their order."""
    if method == "publication":
        return publish_as_publication(job, tools, limits, scratch)
    return publish_anew(job, tool, method, tools, limits, scratch)


def audit(arguments: list[str], tools: toolbox.Toolbox) -> dict:
    done = subprocess.run([tools.throng, "audit", *arguments, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"throng audit: {done.stderr.strip()}")
    return json.loads(done.stdout)


def readable(job: Job, tool: str, releases: list[Path]) -> list[Path]:
    if tool != "anonypy":
        return releases
    rewritten = []
    for size, release in zip(job.growing, releases, strict=True):
        rewritten.append(release.with_suffix(".audit.csv"))
        rewrite.rewrite_anonypy(describe(at_size(job, size)), release, rewritten[-1])
    return rewritten


def leaks(job: Job, tool: str, method: str, releases: list[Path], tools: toolbox.Toolbox) -> Leaks:
    """Two attackers: one who has the files, and one who knows everybody but the sensitive values."""
    rules = str(toolbox.write_policy(toolbox.taxonomies_for(job, tool), "audit"))
    files = [str(path) for path in readable(job, tool, releases)]
    from_files = audit([rules, *files], tools)["channels"][0]
    if method == "publication":
        strongest = audit(["--publication", str(job.path("ledger"))], tools)["strongest"][0]
    else:
        table, names = membership_table(job)
        strongest = audit([rules, *files, "--private", str(table), "--membership", names], tools)["strongest"][0]
    return Leaks(from_files["vulnerable"], strongest["exposed"], strongest["certain"])
