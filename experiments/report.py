"""What an experiment leaves behind: figures, numbers as CSV, and its page.

A page is a text of `pages/`, with `{{table NAME}}`, `{{figure NAME: what it shows}}`, `{{seed}}` and `{{machine}}` in the
places where the program writes. Files whose name has `time` in it depend on the machine; all others are the same
for the same seed.
"""
from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import figures
from throng import THREADS, Program

PAGES = Path(__file__).parent / "pages"
EXPERIMENTS = ("byun", "tds4sa", "datafly", "injector")  # in the order of the index
NOT_TOLD = "not in the text"


@dataclass
class Report:
    """One experiment at work: the program, the data, and where to write."""

    name: str
    program: Program
    data: Path
    out: Path
    seed: int
    quick: bool
    drawn: bool           # whether figures are drawn: they need matplotlib
    load: float           # of the machine, when the run began
    tables: dict[str, str] = field(default_factory=dict)
    compared: list[list[str]] = field(default_factory=list)

    def say(self, text: str) -> None:
        print(f"  {self.name}: {text}", flush=True)

    def numbers(self, name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Writes data/EXPERIMENT-NAME.csv."""
        folder = self.out / "data"
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"{self.name}-{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows([_exact(cell) for cell in row] for row in rows)

    def table(self, name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table of the page."""
        lines = [header, ["---"] * len(header), *rows]
        self.tables[name] = "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def figure(self, name: str, panels: list[figures.Panel], source: str = "UCI Adult", columns: int = 2) -> None:
        """Draws figures/EXPERIMENT-NAME.svg and .png."""
        if self.drawn:
            footer = f"{source} · seed {self.seed} · experiments/{self.name}.py"
            figures.draw(self.out / "figures", f"{self.name}-{name}", panels, footer, columns)

    def compare(self, what: str, paper: str | None, ours: str) -> None:
        """One line of the table that stands at the head of the page and in the index."""
        self.compared.append([what, paper or NOT_TOLD, ours])

    def finish(self) -> None:
        """Writes the page, from its text and what was measured."""
        header = ["what", "the paper", "Throng"]
        self.table("compared", header, self.compared)
        self.numbers("compared-time", header, self.compared)
        text = (PAGES / f"{self.name}.md").read_text(encoding="utf-8")
        (self.out / f"{self.name}.md").write_text(self._filled(text), encoding="utf-8")

    def _filled(self, text: str) -> str:
        def fill(match: re.Match[str]) -> str:
            words = match.group(1)
            if words == "seed":
                return str(self.seed)
            if words == "machine":
                return machine(self.load)
            kind, _, rest = words.partition(" ")
            if kind == "table":
                return self.tables[rest]
            name, _, caption = rest.partition(": ")
            stem = f"{self.name}-{name}"
            return f"![{caption}](figures/{stem}.svg)\n\n*{caption}* ([PNG](figures/{stem}.png))"

        return re.sub(r"\{\{(.+?)\}\}", fill, text)


def machine(load: float) -> str:
    return (f"{THREADS} threads on a machine of {os.cpu_count()} cores, whose load average was {load:.1f} when the run began"
            + (": other work ran beside it, and the times are too long for that" if load > 1 else ""))


def index(out: Path) -> None:
    """Writes the index, with what each experiment's last run found beside the papers' numbers."""
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        file = out / "data" / f"{name}-compared-time.csv"
        lines = "(not run yet)"
        if file.exists():
            with open(file, encoding="utf-8", newline="") as rows:
                header, *cells = list(csv.reader(rows))
            lines = "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *cells])
        text = text.replace("{{compared " + name + "}}", lines)
    (out / "README.md").write_text(text, encoding="utf-8")


def _exact(cell: Any) -> Any:
    """Numbers with as many digits as mean something, so that files compare byte by byte."""
    return f"{cell:.6g}" if isinstance(cell, float) else "" if cell is None else cell


def count(number: float) -> str:
    return f"{number:,.0f}"


def percent(share: float, digits: int = 2) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


def points(value: float, digits: int = 1) -> str:
    """Percentage points, with the minus sign that tables have."""
    return f"{value:.{digits}f}".replace("-", "−")
