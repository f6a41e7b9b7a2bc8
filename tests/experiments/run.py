#!/usr/bin/env python3
"""The experiments on a small table that is made up in the form of UCI Adult: do they run, and twice the same?

Needs the standard library alone. Where the packages of experiments/requirements.txt are there too, figures and the
sequential paper are tried as well; where they are not, that is said. Environment: THRONG (the program).
"""
from __future__ import annotations

import csv
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "experiments" / "run.py"
SEED = 7
VALUES = {
    "workclass": 6, "education": 16, "marital-status": 7, "occupation": 14, "relationship": 6, "race": 5, "sex": 2,
    "native-country": 9, "income": 2,
}
NUMBERS = {"age": (17, 90), "fnlwgt": (10000, 99999), "education-num": (1, 16), "capital-gain": (0, 9), "capital-loss": (0, 9),
           "hours-per-week": (10, 60)}


def made_up(folder: Path, rows: int) -> None:
    """People who do not exist: columns are independent, but for one rule that can be mined."""
    draw = random.Random(SEED)
    (folder / "adult" / "taxonomies").mkdir(parents=True)
    for column, number in VALUES.items():
        lines = [f"{column}{value};group{value // 2};*" for value in range(number)]
        (folder / "adult" / "taxonomies" / f"{column}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open(folder / "adult" / "adult.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", *NUMBERS, *VALUES, "split"])
        for i in range(rows):
            numbers = [draw.randint(low, high) for low, high in NUMBERS.values()]
            people = {column: f"{column}{draw.randrange(number)}" for column, number in VALUES.items()}
            if people["sex"] == "sex0" and people["occupation"] == "occupation0":
                people["occupation"] = "occupation1"
            if i % 50 == 0:
                people["workclass"] = "?"
            writer.writerow([i, *numbers, *people.values(), "test" if i % 3 == 0 else "train"])


def experiments(*arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name != "THRONG_DATA"}
    return subprocess.run([sys.executable, str(RUN), *arguments], capture_output=True, text=True, check=False, env=clean)


def expect(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"FAILED: {what}")


def refused(word: str, *arguments: str) -> None:
    done = experiments(*arguments)
    expect(done.returncode != 0 and word in done.stderr and "Traceback" not in done.stderr,
           f"{arguments}: expected a message with '{word}', got {done.returncode}: {done.stderr}")


def run(data: Path, out: Path, names: list[str], figures: bool) -> None:
    done = experiments("--only", ",".join(names), "--data", str(data), "--throng", os.environ["THRONG"], "--out", str(out),
                       "--quick", *([] if figures else ["--no-figures"]))
    expect(done.returncode == 0, f"{names}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def lasting(out: Path) -> dict[str, bytes]:
    """All that must not depend on the machine."""
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*"))
            if file.suffix in (".csv", ".svg") and "time" not in file.name}


def main() -> None:
    packages = [package for package in ("matplotlib", "numpy", "pandas", "sklearn") if importlib.util.find_spec(package) is None]
    names = ["byun", "datafly", "injector"] + ([] if packages else ["tds4sa"])
    if packages:
        print(f"NOT TESTED: figures and tds4sa need {', '.join(packages)}; `make experiments` installs them", flush=True)
    expect("--only" in experiments("--help").stdout, "--help tells --only")
    refused("unknown experiment 'datfly'", "--only", "datfly")
    refused("THRONG_DATA", "--data", "/nowhere", "--throng", os.environ["THRONG"])
    with tempfile.TemporaryDirectory() as folder:
        data, first, second = (Path(folder) / name for name in ("data", "first", "second"))
        made_up(data, 1200)
        run(data, first, names, not packages)
        run(data, second, names, not packages)
        expect(lasting(first) == lasting(second), "the same seed gives the same bytes: " + ", ".join(
            name for name, content in lasting(first).items() if lasting(second).get(name) != content))
        for name in [*names, "README"]:
            expect("{{" not in (first / f"{name}.md").read_text(encoding="utf-8"), f"{name}.md has all its numbers")
        with open(first / "data" / "byun-8-vulnerable.csv", encoding="utf-8", newline="") as file:
            found = list(csv.DictReader(file))
        expect(any(int(row["vulnerable"]) for row in found if row["strategy"] == "static-full"), "static-full opens channels")
        expect(not any(int(row["exposed_by_all_releases"]) for row in found if row["strategy"] == "append"), "append exposes nobody")
    print(f"experiments: {', '.join(names)} ran twice, {'with' if not packages else 'without'} figures, the same bytes")


if __name__ == "__main__":
    main()
