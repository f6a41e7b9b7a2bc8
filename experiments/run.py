#!/usr/bin/env python3
"""The papers' experiments again, over the command line of Throng.

    make experiments                 installs what is needed into build/experiments-venv, and runs all
    make experiments ONLY=byun       some of: byun, tds4sa, datafly, injector

Writes figures (SVG, PNG), numbers (CSV) and pages under docs/experiments. The same seed gives the same numbers; times
depend on the machine.
"""
from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path

import adult
from report import EXPERIMENTS, Report, index
from throng import Program, ProgramError

TREE = Path(__file__).resolve().parent.parent
NEEDED = {"byun": [], "tds4sa": ["numpy", "pandas", "sklearn"], "datafly": [], "injector": []}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAMES", help=f"some of {', '.join(EXPERIMENTS)}; default: all")
    parser.add_argument("--data", type=Path, default=os.environ.get("THRONG_DATA") or TREE.parent / "shared" / "data",
                        help="the folder with adult/adult.csv (default: $THRONG_DATA, or ../shared/data)")
    parser.add_argument("--throng", type=Path, default=TREE / "build" / "throng", help="the program (default: build/throng)")
    parser.add_argument("--seed", type=int, default=1, help="of everything random (default: 1)")
    parser.add_argument("--out", type=Path, default=TREE / "docs" / "experiments", help="default: docs/experiments")
    parser.add_argument("--quick", action="store_true", help="small sizes: to see that it runs, not for its numbers")
    parser.add_argument("--no-figures", action="store_true",
                        help="numbers and pages only; byun, datafly and injector then need the standard library alone")
    return parser.parse_args()


def chosen(only: str) -> list[str]:
    names = [name for name in only.replace(" ", ",").split(",") if name] or list(EXPERIMENTS)
    for name in names:
        if name not in EXPERIMENTS:
            sys.exit(f"experiments: unknown experiment '{name}'; expected some of {', '.join(EXPERIMENTS)}")
    return names


def check(options: argparse.Namespace, names: list[str]) -> None:
    """All that may be missing is found before the first minute is spent."""
    if not adult.table(options.data).exists():
        sys.exit(f"experiments: UCI Adult is NOT THERE: no {adult.table(options.data)}\n"
                 "  Nothing was run. Set THRONG_DATA (or --data) to the folder that has adult/adult.csv and adult/taxonomies/.")
    if not options.throng.exists():
        sys.exit(f"experiments: no program {options.throng}; `make build` makes it, --throng names another")
    packages = {package for name in names for package in NEEDED[name]} | (set() if options.no_figures else {"matplotlib"})
    missing = sorted(package for package in packages if importlib.util.find_spec(package) is None)
    if missing:
        sys.exit(f"experiments: missing Python packages: {', '.join(missing)}; `make experiments` installs them "
                 "(experiments/requirements.txt)")


def main() -> None:
    options = arguments()
    names = chosen(options.only)
    check(options, names)
    load = os.getloadavg()[0]
    began = time.perf_counter()
    for name in names:
        print(f"{name} …", flush=True)
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="throng-experiments-") as folder:
            program = Program(options.throng.resolve(), Path(folder), options.seed)
            report = Report(name, program, options.data, options.out, options.seed, options.quick, not options.no_figures,
                            load)
            try:
                importlib.import_module(name).run(report)
            except ProgramError as error:
                sys.exit(f"experiments: {name}: the program failed: {error}")
            report.finish()
        print(f"{name}: {time.perf_counter() - start:.0f} s; see {options.out / name}.md", flush=True)
    index(options.out)
    print(f"done in {time.perf_counter() - began:.0f} s; index: {options.out / 'README.md'}")


if __name__ == "__main__":
    main()
