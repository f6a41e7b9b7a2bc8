#!/usr/bin/env python3
"""The same jobs with Throng and with what one would use instead, on this machine, in this run.

    make compare                              everything; writes docs/compare.md
    make compare ARX_JAR=libarx-3.9.2.jar     with ARX
    make compare COMPARE=--quick              a small version in a minute; writes no page

Each tool runs in a process of its own, they take turns, and whatever they write is checked by check.py. Nothing is
downloaded: the packages of requirements.txt must be installed (`make compare` does that first).
Environment: THRONG (the program), THRONG_DATA (real tables; default ../shared/data), ARX_JAR.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import page
import publish
import tools as toolbox
from jobs import Job, all_jobs, at_size, prepare_adult, prepare_census, with_folder, write_job
from measure import Limits, Run, run

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHORT_SECONDS = 5.0
REPEATS = 3


@dataclass
class Cell:
    """What one tool made of one job."""

    job: Job
    tool: str
    method: str
    words: str = ""  # why there is no result
    seconds: float = 0.0
    own_seconds: float | None = None  # of the work alone, as the tool or its adapter says
    peak_bytes: int = 0
    runs: int = 0
    figures: dict = field(default_factory=dict)
    leaks: publish.Leaks | None = None
    releases: list[Path] = field(default_factory=list)


def say(text: str) -> None:
    print(text, flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables, a minute in all")
    parser.add_argument("--only", default="", help="jobs whose names begin so, separated by commas")
    parser.add_argument("--limit", type=float, default=150, help="seconds for one run of one tool (150)")
    parser.add_argument("--memory", type=float, default=0, help="GiB for one run of one tool (default: 3/4 of the machine)")
    parser.add_argument("--work", type=Path, default=ROOT / "build-bench" / "compare", help="where tables and releases go")
    parser.add_argument("--page", type=Path, help="where the page goes (default: docs/compare.md; of a part, --work)")
    return parser.parse_args()


def adult_folder() -> Path:
    folder = Path(os.environ.get("THRONG_DATA", ROOT.parent / "shared" / "data")) / "adult"
    if not (folder / "adult.csv").is_file():
        sys.exit(f"UCI Adult is missing: no {folder / 'adult.csv'}; set THRONG_DATA to the folder that has adult/")
    return folder


def machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def reported(output: str) -> dict:
    """The JSON object at the end of an output, whatever a library printed before it."""
    if output.lstrip().startswith("{"):
        return json.loads(output)
    return json.loads(output.strip().splitlines()[-1])


def own_seconds(output: str) -> float | None:
    return reported(output).get("seconds", {}).get("anonymize")


def attempt(cell: Cell, tools: toolbox.Toolbox, limits: Limits, scratch: Path) -> Run:
    job = cell.job
    if job.kind == "publish":
        done, cell.releases = publish.publish(job, cell.tool, cell.method, tools, limits, scratch)
        return done
    output = job.path(f"{cell.tool}-{cell.method}.csv")
    output.unlink(missing_ok=True)
    done = run(toolbox.command(job, cell.tool, cell.method, output, tools), limits, scratch)
    cell.releases = [output]
    return done


def one_turn(cell: Cell, tools: toolbox.Toolbox, limits: Limits, scratch: Path) -> None:
    """One run of one tool; keeps the best."""
    try:
        done = attempt(cell, tools, limits, scratch)
    except toolbox.CannotDo as error:
        cell.words = f"cannot: {error}" if not str(error).startswith("not given") else str(error)
        return
    if done.failure:
        cell.words = done.failure
        return
    cell.runs += 1
    cell.peak_bytes = max(cell.peak_bytes, done.peak_bytes)
    if cell.runs == 1 or done.seconds < cell.seconds:
        cell.seconds = done.seconds
        cell.own_seconds = None if cell.job.kind == "publish" else own_seconds(done.output)
    if cell.job.kind == "check":
        cell.figures = found_by_checker(cell.tool, reported(done.output))


def found_by_checker(tool: str, report: dict) -> dict:
    if tool == "throng":
        release = report["releases"][0]
        return {"k": release["k"], "l": release["diversity"][0]["distinct"], "t": release["closeness"][0]["equal"]}
    return {name: report[name] for name in ("k", "l", "t")}


def check(job: Job, notation: str, release: Path) -> dict:
    """In a process of its own, so that this one stays small and does not count as memory of those it starts."""
    done = subprocess.run([sys.executable, str(HERE / "check.py"), str(job.file), notation, str(release)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return {"broken": [f"the check failed: {done.stderr.strip().splitlines()[-1]}"]}
    return json.loads(done.stdout)


def check_cell(cell: Cell) -> None:
    """The figures are of the last release; what is broken in any of them is told."""
    job, broken = cell.job, []
    sizes = job.growing or (job.rows,)
    for size, release in zip(sizes, cell.releases, strict=True):
        step = at_size(toolbox.taxonomies_for(job, cell.tool), size) if job.growing else job
        write_job(step)
        cell.figures = check(step, toolbox.NOTATIONS[cell.tool], release)
        broken += cell.figures["broken"]
    cell.figures["broken"] = broken


def check_checkers(job: Job, cells: list[Cell]) -> None:
    """Whether what the checkers found is what our own check finds."""
    truth = check(job, "throng", toolbox.release_to_check(job))
    for cell in cells:
        if not cell.words:
            wrong = [f"{name} is {truth[name]:.4g}, not {cell.figures[name]:.4g}" for name in ("k", "l", "t")
                     if abs(cell.figures[name] - truth[name]) > 1e-6]
            cell.figures = {**truth, **cell.figures, "broken": wrong + truth["broken"]}


def describe_cell(cell: Cell) -> str:
    if cell.words:
        return cell.words
    broken = cell.figures.get("broken") or []
    loss = f", loss {cell.figures['gcp']:.4f}" if "gcp" in cell.figures else ""
    leaks = f", {cell.leaks.vulnerable} vulnerable, {cell.leaks.exposed} exposed" if cell.leaks else ""
    return (f"{cell.seconds:.2f} s, {cell.peak_bytes >> 20} MiB{loss}{leaks}; "
            + ("checked" if not broken else "NOT: " + "; ".join(broken)))


def do_job(job: Job, tools: toolbox.Toolbox, limits: Limits, repeats: int) -> list[Cell]:
    """All tools take turns; whoever is slow has one turn only."""
    say(f"\n{job.title}: {job.name}")
    write_job(job)
    if job.kind == "check":
        toolbox.make_release_to_check(job, tools)
    cells = [Cell(job, tool, method) for tool, method in job.entries]
    for turn in range(repeats):
        for cell in cells:
            if turn == 0 or (not cell.words and cell.seconds < SHORT_SECONDS):
                one_turn(cell, tools, limits, job.folder)
    if job.kind == "check":
        check_checkers(job, cells)
    for cell in cells:
        if not cell.words and job.kind != "check":
            check_cell(cell)
        if not cell.words and job.kind == "publish":
            cell.leaks = publish.leaks(job, cell.tool, cell.method, cell.releases, tools)
        say(f"  {toolbox.METHODS[cell.tool, cell.method]:<32} {describe_cell(cell)}")
    return cells


def main() -> None:
    arguments = parse_arguments()
    start = time.perf_counter()
    folder = arguments.work.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tools = toolbox.Toolbox(os.environ["THRONG"], arx=toolbox.prepare_arx(os.environ.get("ARX_JAR", ""), folder))
    limits = Limits(30 if arguments.quick else arguments.limit,
                    int(arguments.memory * 2**30) or machine_memory() // 4 * 3)
    chosen = tuple(name for name in arguments.only.split(",") if name)
    jobs = with_folder([job for job in all_jobs(arguments.quick) if not chosen or job.name.startswith(chosen)], folder)
    say(f"{len(jobs)} jobs; a run may take {limits.seconds:.0f} s and {limits.memory_bytes / 2**30:.0f} GiB")
    prepare_adult(jobs, adult_folder(), folder)
    prepare_census(jobs, tools.throng, folder)
    cells = [cell for job in jobs for cell in do_job(job, tools, limits, 1 if arguments.quick else REPEATS)]

    facts = page.Facts(toolbox.versions(tools), limits, machine_memory(), time.perf_counter() - start, REPEATS,
                       SHORT_SECONDS)
    whole = not arguments.quick and not chosen
    target = arguments.page or (ROOT / "docs" / "compare.md" if whole else folder / "compare.md")
    target.write_text(page.render(cells, facts), encoding="utf-8")
    page.write_csv(cells, folder / "results.csv")
    say(f"\n{facts.seconds / 60:.1f} minutes; {target} and {folder / 'results.csv'}")
    broken = [cell for cell in cells if cell.tool == "throng" and cell.figures.get("broken")]
    if broken:
        sys.exit(f"Throng itself is not what it should be in {len(broken)} cells")


if __name__ == "__main__":
    main()
