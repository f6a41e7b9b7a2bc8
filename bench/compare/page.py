"""Turns measured cells into docs/compare.md and results.csv. No figure of the page stands in its template."""

import csv
import os
import platform
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import tools as toolbox
from measure import Limits

if TYPE_CHECKING:
    from run import Cell

TEMPLATE = Path(__file__).resolve().parent / "page.md.in"


@dataclass(frozen=True)
class Facts:
    """What a reader must know of the run."""

    versions: dict[str, str]
    limits: Limits
    memory_bytes: int
    seconds: float
    repeats: int
    short_seconds: float


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def number(value: float) -> str:
    """Three figures that count: 0.0812, 1.23, 45.6, 1,234."""
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def with_ratio(value: float | None, base: float | None, text: str) -> str:
    if value is None:
        return "–"
    if not base or value is base:
        return text
    return f"{text} (×{number(value / base)})"


def asked(job) -> str:
    words = [f"k = {job.k}"]
    if job.l:
        words.append(f"distinct ℓ = {job.l}")
    if job.t is not None:
        words.append(f"t = {job.t}")
    return ", ".join(words)


def heading(job) -> str:
    source = {"adult": "UCI Adult", "census": "`throng generate census`"}[job.source]
    rows = " then ".join(f"{size:,}" for size in job.growing) if job.growing else f"{job.rows:,}"
    return f"{source}, {rows} records, {asked(job)}"


def verdict(cell: "Cell") -> str:
    broken = cell.figures.get("broken") or []
    if broken:
        return "**NOT what was asked**: " + "; ".join(broken)
    return "yes" if cell.figures.get("contained") != "not decided" else "yes, but for containment"


@dataclass(frozen=True)
class Column:
    """A column of the page's tables: its name, and its text for a cell beside the cell it is compared with."""

    name: str
    kinds: tuple[str, ...]
    text: object


def remembers(cell: "Cell") -> str:
    if cell.method == "publication":
        return "yes"
    return "cannot: each release by itself" if cell.tool != "throng" else "not with this verb: each release by itself"


def mebibytes(cell: "Cell") -> float:
    return cell.peak_bytes / 2**20


def base_of(base: "Cell | None", read) -> float | None:
    return read(base) if base is not None else None


def ratio_column(name: str, kinds: tuple[str, ...], read) -> Column:
    return Column(name, kinds, lambda cell, base: with_ratio(
        read(cell), None if base is cell else base_of(base, read), "" if read(cell) is None else number(read(cell))))


def plain_column(name: str, kinds: tuple[str, ...], read) -> Column:
    return Column(name, kinds, lambda cell, _: read(cell))


ALL = ("anonymize", "check", "publish")
MADE = ("anonymize", "publish")
COLUMNS = [
    plain_column("remembers releases", ("publish",), remembers),
    ratio_column("seconds, whole process", ALL, lambda cell: cell.seconds),
    ratio_column("seconds, the work alone", ("anonymize",), lambda cell: cell.own_seconds),
    ratio_column("MiB at most", ALL, mebibytes),
    Column("loss", MADE, lambda cell, base: with_ratio(
        cell.figures.get("gcp"), None if base is cell or base is None else base.figures.get("gcp"),
        f"{cell.figures.get('gcp', 0):.4f}")),
    plain_column("classes", MADE, lambda cell: f"{cell.figures.get('classes', 0):,}"),
    plain_column("left out", MADE, lambda cell: f"{cell.figures.get('left_out', 0):,}"),
    plain_column("k, ℓ, t found", ("check",),
                 lambda cell: f"{cell.figures['k']}, {cell.figures['l']}, {cell.figures['t']:.4f}"),
    plain_column("vulnerable, from the files", ("publish",), lambda cell: f"{cell.leaks.vulnerable:,}"),
    plain_column("exposed to who knows the rest", ("publish",), lambda cell: f"{cell.leaks.exposed:,}"),
    plain_column("certain", ("publish",), lambda cell: f"{cell.leaks.certain:,}"),
    plain_column("checked", ALL, verdict),
]


def table(cells: list["Cell"]) -> str:
    kind = cells[0].job.kind
    columns = [column for column in COLUMNS if kind in column.kinds]
    base = next((cell for cell in cells if cell.tool == "throng" and not cell.words), None)
    lines = ["| | " + " | ".join(column.name for column in columns) + " |", "| --- " * (len(columns) + 1) + "|"]
    for cell in cells:
        name = toolbox.METHODS[cell.tool, cell.method]
        texts = [cell.words, *[""] * (len(columns) - 1)] if cell.words else [c.text(cell, base) for c in columns]
        lines.append(f"| {name} | " + " | ".join(text.replace("|", "\\|") for text in texts) + " |")
    return "\n".join(lines)


def sections(cells: list["Cell"]) -> str:
    parts = []
    for title, of_title in groupby(cells, key=lambda cell: cell.job.title):
        parts.append(f"## {title}")
        for _, of_job in groupby(of_title, key=lambda cell: cell.job.name):
            found = list(of_job)
            parts.append(f"{heading(found[0].job)}:")
            parts.append(table(found))
    return "\n\n".join(parts)


def render(cells: list["Cell"], facts: Facts) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    return TEMPLATE.read_text(encoding="utf-8").format(
        cores=os.cpu_count(), memory=f"{facts.memory_bytes / 2**30:.0f}", processor=processor(), versions=versions,
        limit=f"{facts.limits.seconds:.0f}", limit_memory=f"{facts.limits.memory_bytes / 2**30:.0f}",
        minutes=f"{facts.seconds / 60:.0f}", repeats=facts.repeats, short=f"{facts.short_seconds:.0f}",
        sections=sections(cells))


CSV_FIGURES = ("rows_in", "rows_out", "left_out", "classes", "k", "l", "t", "information_loss", "gcp", "discernibility",
               "contained", "why")


def write_csv(cells: list["Cell"], path: Path) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["job", "tool", "method", "words", "runs", "seconds", "own_seconds", "peak_bytes", *CSV_FIGURES,
                         "broken", "vulnerable", "exposed", "certain"])
        for cell in cells:
            leaks = [cell.leaks.vulnerable, cell.leaks.exposed, cell.leaks.certain] if cell.leaks else ["", "", ""]
            measured = [cell.seconds, cell.own_seconds, cell.peak_bytes] if cell.runs else ["", "", ""]
            writer.writerow([cell.job.name, cell.tool, cell.method, cell.words, cell.runs, *measured,
                             *(cell.figures.get(name, "") for name in CSV_FIGURES),
                             "; ".join(cell.figures.get("broken") or []), *leaks])
