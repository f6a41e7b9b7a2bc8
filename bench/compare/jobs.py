"""The jobs of the comparison: which table, which privacy, and which tools are asked."""

import csv
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

QUASI_IDENTIFIERS = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "occupation"
AGE_STEPS = (5, 10, 20)

# (tool, method); the first of a job is what the others are compared with.
WITH_TAXONOMIES = [("throng", "greedy-release"), ("throng", "datafly"), ("anjana", "datafly"), ("anjana", "datafly-all"),
                   ("anonypy", "taxonomies"), ("arx", "full-domain"), ("arx", "local")]
WITHOUT_TAXONOMIES = [("throng", "mondrian"), ("pandas", "mondrian"), ("anonypy", "mondrian"), ("anjana", "mondrian"),
                      ("arx", "mondrian")]
LARGE = [("throng", "mondrian"), ("pandas", "mondrian"), ("anonypy", "mondrian")]
CHECKS = [("throng", "audit"), ("pycanon", "check")]
GROWING = [("throng", "publication"), ("throng", "mondrian"), ("pandas", "mondrian"), ("anonypy", "mondrian"),
           ("anjana", "datafly"), ("arx", "full-domain")]


@dataclass(frozen=True)
class Job:
    """One job on one table. `growing` are the sizes at which a growing table is published, else empty."""

    name: str
    title: str
    kind: str  # anonymize | check | publish
    source: str  # adult | census
    rows: int
    entries: list[tuple[str, str]]
    k: int
    l: int | None = None  # noqa: E741 - the literature's name
    t: float | None = None
    taxonomies: bool = False
    growing: tuple[int, ...] = ()
    folder: Path = field(default=Path("."), compare=False)

    def path(self, name: str) -> Path:
        return self.folder / f"{self.name}-{name}"

    @property
    def table(self) -> Path:
        return self.folder / f"{self.source}-{self.rows}.csv"

    @property
    def file(self) -> Path:
        return self.path("job.json")


def adult_sizes(quick: bool) -> list[int]:
    return [5000] if quick else [30162, 45222]


def all_jobs(quick: bool) -> list[Job]:
    jobs = []
    for rows in adult_sizes(quick):
        for k in (5, 10, 50) if rows == 30162 else (10,):
            jobs.append(Job(f"taxonomies-{rows}-k{k}", "Regions from taxonomies", "anonymize", "adult", rows,
                            WITH_TAXONOMIES, k=k, taxonomies=True))
    for rows in ([2000] if quick else [5000, 45222]):
        jobs.append(Job(f"mondrian-{rows}", "Intervals and sets", "anonymize", "adult", rows, WITHOUT_TAXONOMIES, k=10))
    rows = 2000 if quick else 30162
    jobs.append(Job(f"diversity-taxonomies-{rows}", "ℓ-diversity, regions from taxonomies", "anonymize", "adult", rows,
                    WITH_TAXONOMIES, k=10, l=5, taxonomies=True))
    jobs.append(Job(f"diversity-{rows}", "ℓ-diversity, intervals and sets", "anonymize", "adult", rows,
                    WITHOUT_TAXONOMIES, k=10, l=5))
    rows = 2000 if quick else 10000
    jobs.append(Job(f"closeness-taxonomies-{rows}", "t-closeness, regions from taxonomies", "anonymize", "adult", rows,
                    WITH_TAXONOMIES, k=10, t=0.4, taxonomies=True))
    jobs.append(Job(f"closeness-{rows}", "t-closeness, intervals and sets", "anonymize", "adult", rows,
                    WITHOUT_TAXONOMIES, k=10, t=0.4))
    for source, rows in ([("adult", 5000)] if quick else [("adult", 45222), ("census", 1000000)]):
        jobs.append(Job(f"check-{source}-{rows}", "Check a finished release", "check", source, rows, CHECKS, k=10, l=3))
    for rows in ([5000] if quick else [100000, 1000000]):
        jobs.append(Job(f"scale-{rows}", "Larger tables", "anonymize", "census", rows,
                        LARGE, k=10, l=3))
    growing = (1000, 1500, 2000) if quick else (10000, 15000, 20000)
    jobs.append(Job(f"growing-{growing[-1]}", "Release after release", "publish", "adult", growing[-1], GROWING,
                    k=10, l=3, growing=growing))
    return jobs


# --- Tables --------------------------------------------------------------------------------------


def write_rows(path: Path, header: list[str], rows: Iterable[list[str]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def adult_rows(adult: Path) -> list[list[str]]:
    """The complete records of UCI Adult, in its order."""
    with open(adult, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = [*QUASI_IDENTIFIERS, SENSITIVE]
    return [[row[column] for column in columns] for row in rows if "?" not in row.values()]


def age_line(age: int) -> str:
    bands = [f"{age // step * step}-{age // step * step + step - 1}" for step in AGE_STEPS]
    return ";".join([str(age), *bands, "*"])


def write_taxonomies(source: Path, folder: Path, ages: Iterable[int]) -> None:
    """One file a column, the same for every tool: the taxonomies of the data, and bands for ages."""
    folder.mkdir(exist_ok=True)
    for column in QUASI_IDENTIFIERS[1:]:
        (folder / f"{column}.csv").write_bytes((source / f"{column}.csv").read_bytes())
    lines = [age_line(age) for age in range(min(ages), max(ages) + 1)]
    (folder / "age.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def prepare_adult(jobs: list[Job], adult: Path, folder: Path) -> None:
    rows = adult_rows(adult / "adult.csv")
    write_taxonomies(adult / "taxonomies", folder / "taxonomies", [int(row[0]) for row in rows])
    sizes = {size for job in jobs if job.source == "adult" for size in (job.rows, *job.growing)}
    for size in sizes:
        write_rows(folder / f"adult-{size}.csv", [*QUASI_IDENTIFIERS, SENSITIVE], rows[:size])


def prepare_census(jobs: list[Job], throng: str, folder: Path) -> None:
    for size in sorted({job.rows for job in jobs if job.source == "census"}):
        whole = folder / f"census-{size}-whole.csv"
        subprocess.run([throng, "generate", "census", "--rows", str(size), "--seed", "1", "-o", str(whole), "--quiet"],
                       check=True)
        columns = [*QUASI_IDENTIFIERS, SENSITIVE]
        with open(whole, encoding="utf-8", newline="") as file:
            write_rows(folder / f"census-{size}.csv", columns, ([row[c] for c in columns] for row in csv.DictReader(file)))
        whole.unlink()


def describe(job: Job) -> dict:
    """The job as the adapters and the check read it."""
    columns = {}
    for column in QUASI_IDENTIFIERS:
        hierarchy = str(job.folder / "taxonomies" / f"{column}.csv") if job.taxonomies else None
        columns[column] = {"type": "integer" if column == "age" else "text", "hierarchy": hierarchy}
    return {"table": str(job.table), "columns": columns, "sensitive": SENSITIVE, "k": job.k, "l": job.l, "t": job.t}


def write_job(job: Job) -> None:
    job.file.write_text(json.dumps(describe(job)), encoding="utf-8")


def at_size(job: Job, rows: int) -> Job:
    """The same job on the first records of its growing table."""
    return replace(job, name=f"{job.name}-{rows}", rows=rows, growing=())


def with_folder(jobs: list[Job], folder: Path) -> list[Job]:
    return [replace(job, folder=folder) for job in jobs]
