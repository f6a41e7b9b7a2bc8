"""Byun, Sohn, Bertino, Li: Secure Anonymization for Incremental Datasets (2006), section 5: Figures 8 to 11.

UCI Adult's complete records in an order drawn by the seed; eight quasi-identifiers, education sensitive. Figure 8: a
first release of 10,000 records, then twenty batches of 1,000. Figures 9 to 11: thirty batches of 1,000.
"""
from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, field
from typing import Any

import adult
from figures import Panel, Series
from report import Report, count, percent
from throng import seconds

QUASI_IDENTIFIERS = ["age", "workclass", "marital-status", "occupation", "race", "sex", "native-country", "income"]
COLUMNS = [*QUASI_IDENTIFIERS, "education"]
DIVERSITIES = (5, 7)
LABELS = {"static-full": "Static I (static-full)", "static-batch": "Static II (static-batch)",
          "dynamic": "Dynamic (dynamic)", "append": "append (Throng's default)"}
STRATEGIES = list(LABELS)
# The paper's baselines cut at the median; its own method and ours choose their cuts themselves.
CUT = {"static-full": "cut: median\n", "static-batch": "cut: median\n"}
FIXED = "static-full, taxonomies"  # Static I again, its cuts only where a hierarchy has them; for Figure 8
STYLE = {"static-full": 0, "static-batch": 1, "dynamic": 2, "append": 3, FIXED: 5}


@dataclass
class Growth:
    """A publication as it grew: after each release its size and figures; audits at some of the sizes."""

    sizes: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    update: list[float] = field(default_factory=list)   # seconds, without reading and writing files
    command: list[float] = field(default_factory=list)  # with them
    audits: dict[int, dict[str, Any]] = field(default_factory=dict)


def publish(report: Report, name: str, diversity: int, batches: list[list[adult.Record]], audited: set[int]) -> Growth:
    program = report.program
    columns = {column: "role: quasi-identifier" for column in QUASI_IDENTIFIERS}
    columns["age"] += ", type: integer"
    strategy = name.partition(",")[0]
    if name == FIXED:
        columns |= {column: adult.role(report.data, column) for column in QUASI_IDENTIFIERS[1:-1]}
        columns["age"] += ", hierarchy: {interval: [5, 10, 20, 40]}"
    columns["education"] = "role: sensitive"
    rules = program.policy("byun.yaml", columns,
                           f"privacy:\n  - l-diversity: {{column: education, l: {diversity}}}\n{CUT.get(strategy, '')}")
    folder = program.path("publication")
    shutil.rmtree(folder, ignore_errors=True)
    program("init", folder, "--policy", rules, "--strategy", strategy)
    grown, size = Growth(), 0
    for batch in batches:
        table = adult.write(program.path("batch.csv"), COLUMNS, batch)
        run = program("release", folder, table, "-o", program.path("release.csv"))
        size += len(batch)
        grown.sizes.append(size)
        grown.loss.append(run["information_loss"])
        grown.waiting.append(run["records"]["waiting"])
        grown.update.append(run["seconds"]["update"])
        grown.command.append(seconds(run))
        if size in audited:
            grown.audits[size] = program("audit", "--publication", folder, unsafe=True)
    return grown


def cut(records: list[adult.Record], first: int, step: int, batches: int) -> list[list[adult.Record]]:
    ends = [first + step * i for i in range(batches + 1)]
    return [records[begin:end] for begin, end in zip([0, *ends], ends)]


def vulnerable(audit: dict[str, Any]) -> int:
    """Records that some channel between two releases opens, each once, to who knows which record is which."""
    return audit["strongest"][0]["vulnerable_by_channels"]


def figure_8(report: Report, records: list[adult.Record], first: int, step: int, batches: int) -> None:
    parts = cut(records, first, step, batches)
    sizes = [first + step * i for i in range(batches + 1)]
    some = {sizes[0], sizes[len(sizes) // 2], sizes[-1]}
    every = {*sizes[::2], sizes[-1]}
    found: dict[tuple[str, int], Growth] = {}
    labels = {**LABELS, FIXED: "Static I, cuts fixed by hierarchies"}
    for diversity in DIVERSITIES:
        for name in labels:
            found[name, diversity] = publish(report, name, diversity, parts, every if name == "static-full" else some)
            report.say(f"{name}, l = {diversity}: {vulnerable(found[name, diversity].audits[sizes[-1]]):,} of {sizes[-1]:,} "
                       "vulnerable")
    rows = []
    for (strategy, diversity), grown in found.items():
        for size, audit in grown.audits.items():
            strongest = audit["strongest"][0]
            files = audit.get("channels")  # none of a single release
            rows.append([strategy, diversity, size, vulnerable(audit), vulnerable(audit) / size, strongest["exposed"],
                         strongest["certain"], files[0]["vulnerable_by_release"][-1] if files else 0])
    report.numbers("8-vulnerable", ["strategy", "l", "records", "vulnerable", "share", "exposed_by_all_releases", "certain",
                                    "suspected_from_files"], rows)
    report.table("8", ["strategy", "ℓ", "vulnerable by channels", "share", "exposed by all releases at once",
                       "one value left", "suspected from the files alone"],
                 [[labels[row[0]], str(row[1]), count(row[3]), percent(row[4], 1), count(row[5]), count(row[6]), count(row[7])]
                  for row in rows if row[2] == sizes[-1]])
    panels = []
    for title, column in (("Vulnerable by a channel between two releases", 3), ("Left one value by all releases at once", 6)):
        for diversity in DIVERSITIES:
            series = []
            for name, label in labels.items():
                mine = [row for row in rows if row[:2] == [name, diversity]]
                series.append(Series(label, [row[2] / 1000 for row in mine], [row[column] for row in mine], STYLE[name],
                                     dashed=name == FIXED))
            panels.append(Panel(f"{title}, ℓ = {diversity}", "records (thousands)", "records", series))
    report.figure("8-vulnerable", panels)
    for diversity in DIVERSITIES:
        ours = found["static-full", diversity].audits[sizes[-1]]
        report.compare(f"Fig. 8: vulnerable records, Static I, {count(sizes[-1])} records, ℓ = {diversity}",
                       "about 8.3 %" if diversity == 7 else None, percent(vulnerable(ours) / sizes[-1], 1))
        fixed = found[FIXED, diversity].audits[sizes[-1]]
        report.compare(f"the same, cuts fixed by hierarchies, ℓ = {diversity}", "–", percent(vulnerable(fixed) / sizes[-1], 1))
    worst = {strategy: max(vulnerable(found[strategy, diversity].audits[sizes[-1]]) for diversity in DIVERSITIES)
             for strategy in STRATEGIES}
    report.compare("Fig. 8: vulnerable records, Static II", "0", count(worst["static-batch"]))
    report.compare("Fig. 8: vulnerable records, Dynamic", "0", count(worst["dynamic"]))
    exposed = found["dynamic", 5].audits[sizes[-1]]["strongest"][0]["exposed"]
    report.compare("the same, by more than two releases at once, ℓ = 5 (not asked in the paper)", "–", count(exposed))
    report.compare("vulnerable records, `append` (ours), by any number of releases", "–", count(max(
        found["append", diversity].audits[sizes[-1]]["strongest"][0]["exposed"] for diversity in DIVERSITIES)))


def figures_9_to_11(report: Report, records: list[adult.Record], step: int, batches: int) -> None:
    parts = cut(records, step, step, batches - 1)
    found: dict[tuple[str, int], Growth] = {}
    for diversity in DIVERSITIES:
        for strategy in STRATEGIES:
            grown = found[strategy, diversity] = publish(report, strategy, diversity, parts, set())
            report.say(f"{strategy}, l = {diversity}, {batches} batches: loss {grown.loss[-1]:.3f}, waiting {grown.waiting[-1]:,}")
    header = ["strategy", "l", "records"]
    lines = [(strategy, diversity, i, grown) for (strategy, diversity), grown in found.items() for i in range(batches)]
    report.numbers("9-loss", [*header, "information_loss"], [[s, d, g.sizes[i], g.loss[i]] for s, d, i, g in lines])
    report.numbers("10-waiting", [*header, "waiting"], [[s, d, g.sizes[i], g.waiting[i]] for s, d, i, g in lines])
    report.numbers("11-time", [*header, "update_seconds", "command_seconds"],
                   [[s, d, g.sizes[i], round(g.update[i], 4), round(g.command[i], 4)] for s, d, i, g in lines])

    def panels(member: str, unit: str, names: list[str]) -> list[Panel]:
        return [Panel(f"ℓ = {diversity}", "records (thousands)", unit,
                      [Series(LABELS[s], [size / 1000 for size in found[s, diversity].sizes], getattr(found[s, diversity], member),
                              STYLE[s]) for s in names]) for diversity in DIVERSITIES]

    report.figure("9-loss", panels("loss", "information loss a record (0 to 8)", STRATEGIES))
    report.figure("10-waiting", panels("waiting", "records that wait", ["dynamic", "append"]))
    report.figure("11-time", panels("update", "seconds a release, without files", STRATEGIES))
    last, middle = batches - 1, max(0, batches // 3 - 1)
    report.table("9", ["strategy", "ℓ", *(f"information loss at {count(found['append', 5].sizes[i])}" for i in (0, middle, last)),
                       "waiting at the end"],
                 [[LABELS[s], str(d), *(f"{g.loss[i]:.3f}" for i in (0, middle, last)), count(g.waiting[last])]
                  for (s, d), g in found.items()])
    report.table("11", ["strategy", "ℓ", *(f"seconds at {count(found['append', 5].sizes[i])}" for i in (0, middle, last)),
                        "the whole command at the end"],
                 [[LABELS[s], str(d), *(f"{g.update[i]:.3f}" for i in (0, middle, last)), f"{g.command[last]:.3f}"]
                  for (s, d), g in found.items()])
    at = f"{count(found['append', 5].sizes[last])} records, ℓ = 5"
    for strategy, name in (("static-full", "Static I"), ("dynamic", "Dynamic"), ("static-batch", "Static II"),
                           ("append", "`append` (ours)")):
        report.compare(f"Fig. 9: information loss, {name}, {at}", "–" if strategy == "append" else None,
                       f"{found[strategy, 5].loss[last]:.3f}")
    report.compare(f"Fig. 10: records that wait, Dynamic, {at}", "421", count(found["dynamic", 5].waiting[last]))
    report.compare(f"records that wait, `append` (ours), {at}", "–", count(found["append", 5].waiting[last]))
    for strategy, name, paper in (("static-full", "Static I", "grows linearly"), ("static-batch", "Static II", "almost constant"),
                                  ("dynamic", "Dynamic", "almost constant")):
        half = found[strategy, 5].update
        report.compare(f"Fig. 11: time of the last third of the releases to that of the first third, {name}, ℓ = 5", paper,
                       f"{_median(half[-max(1, batches // 3):]) / _median(half[:max(1, batches // 3)]):.1f}-fold")


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def run(report: Report) -> None:
    records = adult.complete(report.data)
    random.Random(report.seed).shuffle(records)
    if report.quick:
        figure_8(report, records, 200, 100, 2)
        figures_9_to_11(report, records, 100, 3)
    else:
        figure_8(report, records, 10000, 1000, 20)
        figures_9_to_11(report, records, 1000, 30)
