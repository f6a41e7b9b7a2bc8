"""Wang, Fung: Anonymizing Sequential Releases (2006), section 6: Figures 1 to 8.

T1 (tax office) and T2 (immigration office) are UCI Adult's complete records in different columns, which the attacker
joins on marital-status, relationship and sex. Set A has categorical columns only; in Set B T1 has six numbers more.
The error is that of a decision tree which learns from the generalized training set and is tried on the generalized
test set, UCI's own split.
"""
from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import adult
from figures import Panel, Series
from report import Report, count, points
from throng import ProgramError

CATEGORIES = ["marital-status", "relationship", "sex", "education", "occupation", "workclass"]  # by the paper's ranking
JOIN = CATEGORIES[:3]
PREVIOUS = [*JOIN, "native-country", "race"]
NUMBERS = ["age", "capital-gain", "capital-loss", "education-num", "fnlwgt", "hours-per-week"]
# Set B's ranking. x has all join columns in any case, so that only these four of Top1 to Top7 differ.
TOP_B = {"Top1": ["capital-gain"], "Top2": ["capital-gain", "age"], "Top4": ["capital-gain", "age", "education-num"],
         "Top7": ["capital-gain", "age", "education-num", "hours-per-week"]}
KS = (40, 80, 120, 160, 200)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
# The smallest leaf of the tree. In Set B ten records let it learn fnlwgt, a number that tells nothing, by heart; the page
# shows what either gives on data that nobody changed.
LEAF = {"a": 10, "b": 50}
CLASSIFY = "utility: {goal: classification, class: income}\n"
GREEDY, BEAM, PAIRS, KA, REMOVED, RARE = range(6)  # colours


@dataclass
class Tables:
    """T1 of one set, T2, and the tree that is grown on T1."""

    report: Report
    records: list[adult.Record]
    name: str
    numbers: list[str]

    @cached_property
    def current(self) -> str:
        path = self.report.program.path(f"t1-{self.name}.csv")
        return adult.write(path, [*self.numbers, *CATEGORIES, "income"], self.records)

    @cached_property
    def previous(self) -> str:
        return adult.write(self.report.program.path(f"t2-{self.name}.csv"), PREVIOUS, self.records)

    @cached_property
    def frame(self):
        import pandas

        frame = pandas.DataFrame({column: [record[column] for record in self.records] for column in [*CATEGORIES, "income"]})
        for column in self.numbers:
            frame[column] = [float(record[column]) for record in self.records]
        return frame

    def policy(self, requirement: str, rest: str, joined: bool) -> str:
        columns = {column: adult.role(self.report.data, column) for column in CATEGORIES + (PREVIOUS[3:] if joined else [])}
        columns |= {column: "role: quasi-identifier, type: integer" for column in self.numbers}
        columns["income"] = "role: insensitive"
        return self.report.program.policy("tds4sa.yaml", columns, f"privacy:\n  - {requirement}\nalgorithm: tds\n{rest}")

    def specialize(self, requirement: str, rest: str = "", joined: bool = True) -> dict[str, Any]:
        """The release that the requirement allows: its distortion, or with CLASSIFY its error in per cent."""
        program = self.report.program
        rules, release, cuts = self.policy(requirement, rest, joined), program.path("release.csv"), program.path("cuts.json")
        before = ["--previous", self.previous] if joined else []
        run = program("anonymize", rules, self.current, *before, "-o", release, "--cuts", cuts)
        if CLASSIFY in rest:
            run["error"] = self.error(json.loads(Path(cuts).read_text(encoding="utf-8")))
        else:
            run |= program("evaluate", rules, self.current, release, "--queries", "0", "--max-items", "0")["distortion"]
        return run

    def error(self, cuts: dict[str, Any] | None = None, without: tuple[str, ...] = (), leaf: int | None = None) -> float:
        """Per cent of the test set that the tree gets wrong; it splits by entropy."""
        import pandas
        from sklearn.tree import DecisionTreeClassifier

        frame = self.frame.copy()
        for column in cuts["columns"] if cuts else []:
            if "cut" in column:
                frame[column["name"]] = _generalized(frame[column["name"]], column["cut"], column["name"] in self.numbers)
        seen = [column for column in [*self.numbers, *CATEGORIES] if column not in without]
        known = pandas.get_dummies(frame[seen], columns=[column for column in seen if column in CATEGORIES])
        train = [record["split"] == "train" for record in self.records]
        test = [not here for here in train]
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=leaf or LEAF[self.name],
                                      random_state=self.report.seed)
        tree.fit(known[train], frame["income"][train])
        return 100 * (1 - tree.score(known[test], frame["income"][test]))

    def rare(self, column: str) -> list[str]:
        """The less frequent half of its values."""
        counts = Counter(record[column] for record in self.records)
        return sorted(counts, key=lambda value: (counts[value], value))[:len(counts) // 2]


def _generalized(column, cut: list[dict[str, Any]], number: bool):
    """Each value as its part of the cut; of numbers the lower end of the interval, which keeps their order."""
    if not number:
        return column.map({value: part["as"] for part in cut for value in part["values"]})
    result = column.copy()
    for part in cut:
        low, high = (part["from"], part["to"]) if "from" in part else (part["values"][0], part["values"][-1])
        result[(column >= float(low)) & (column <= float(high))] = float(low)
    return result


def anonymity(top: list[str], k: int, y: str = "row") -> str:
    columns = list(dict.fromkeys([*top, *PREVIOUS]))
    return f"xy-anonymity: {{x: [{', '.join(columns)}], y: {y}, k: {k}}}"


def linkability(tables: Tables, top: int, share: float) -> str:
    """y: the rarer values of the best columns; x: all other columns of T1."""
    guarded = [f"{column}: [{', '.join(tables.rare(column))}]" for column in CATEGORIES[:top]]
    return f"xy-linkability: {{x: [{', '.join([*tables.numbers, *CATEGORIES[top:]])}], y: {{{', '.join(guarded)}}}, max: {share}}}"


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def set_a(report: Report, tables: Tables) -> None:
    """Figures 1 and 2."""
    ks = KS[:1] if report.quick else KS
    rows, found = [], {}
    kinds = {"greedy": ("row", ""), "beam": ("row", "search: beam\n"), "row-pairs": ("row-pairs", "")}
    for top in (3, 4, 5, 6):
        for kind, (y, search) in kinds.items():
            distortions, errors = [], []
            for k in ks:
                requirement = anonymity(CATEGORIES[:top], k, y)
                distortions.append(tables.specialize(requirement, search)["categorical"])
                errors.append(tables.specialize(requirement, search + CLASSIFY)["error"])
                rows.append([f"Top{top}", kind, k, distortions[-1], errors[-1]])
            found[f"Top{top}", kind] = mean(distortions), mean(errors)
            report.say(f"Set A, Top{top}, {kind}: distortion {mean(distortions):.2f}, error {mean(errors):.2f} %")
    for kind, search in (("k-anonymity", ""), ("k-anonymity, beam", "search: beam\n")):
        for k in ks:
            rows.append(["all", kind, k, tables.specialize(f"k-anonymity: {k}", search, joined=False)["categorical"],
                         tables.specialize(f"k-anonymity: {k}", search + CLASSIFY, joined=False)["error"]])
        mine = [row for row in rows if row[1] == kind]
        found[kind] = mean([row[3] for row in mine]), mean([row[4] for row in mine])
    levels = {"BLE": tables.error(), "RJE": tables.error(without=tuple(JOIN))}
    rows += [["all", name, None, None, error] for name, error in levels.items()]
    report.numbers("1-2-set-a", ["x", "method", "k", "distortion", "error_percent"], rows)
    tops = [f"Top{top}" for top in (3, 4, 5, 6)]

    def series(which: int) -> list[Series]:
        return [Series(label, tops, [found[top, kind][which] for top in tops], style)
                for kind, label, style in (("greedy", "XY, greedy (the paper's search)", GREEDY), ("beam", "XY, beam (ours)", BEAM),
                                           ("row-pairs", "XY(row): pairs of rows counted", PAIRS))]

    report.figure("1-2-set-a", [
        Panel("Fig. 1: distortion (XYD, KAD)", "best columns of T1 in x", "levels a record", series(0), kind="bars",
              levels={"KAD: k-anonymity of T1": found["k-anonymity"][0]}),
        Panel("Fig. 2: classification error", "best columns of T1 in x", "error, % of the test set", series(1), kind="bars", zero=False,
              levels={"BLE: unmodified": levels["BLE"], "RJE: join columns removed": levels["RJE"],
                      "KAE: k-anonymity of T1": found["k-anonymity"][1]})])
    report.table("a", ["", *tops, "k-anonymity of T1"], [
        [label, *(f"{found[top, kind][which]:.2f}" for top in tops), f"{found[other][which]:.2f}" if other else "–"]
        for label, kind, which, other in (("distortion, greedy", "greedy", 0, "k-anonymity"),
                                          ("distortion, beam", "beam", 0, "k-anonymity, beam"),
                                          ("distortion, XY(row), greedy", "row-pairs", 0, None),
                                          ("error %, greedy", "greedy", 1, "k-anonymity"),
                                          ("error %, beam", "beam", 1, "k-anonymity, beam"),
                                          ("error %, XY(row), greedy", "row-pairs", 1, None))])
    kad, kae = found["k-anonymity"]
    benefit = [kad - found[top, "greedy"][0] for top in tops]
    report.compare("Fig. 1: KAD, Set A", "9.23", f"{kad:.2f}")
    report.compare("Fig. 1: KAD − XYD, Top6 to Top3", "1 to 7.16", f"{min(benefit):.2f} to {max(benefit):.2f}")
    report.compare("Fig. 2: BLE, Set A", "17.5 %", f"{levels['BLE']:.1f} %")
    report.compare("Fig. 2: RJE, Set A", "22.3 %", f"{levels['RJE']:.1f} %")
    report.compare("Fig. 2: KAE, Set A", "18.4 %", f"{kae:.1f} %")
    for kind, name in (("greedy", "greedy"), ("beam", "beam (ours)")):
        report.compare(f"Fig. 2: XYE − BLE at most, Set A, {name}", "0.9 %" if kind == "greedy" else "–",
                       f"{max(found[top, kind][1] for top in tops) - levels['BLE']:.1f} %")
    rje = [levels["RJE"] - found[top, "greedy"][1] for top in tops]
    report.compare("Fig. 2: RJE − XYE, Set A", "3.9 to 4.9 %", f"{min(rje):.1f} to {max(rje):.1f} %")
    report.compare("Fig. 2: XYE − XYE(row) at most, Set A", "0.2 %",
                   f"{max(found[top, 'greedy'][1] - found[top, 'row-pairs'][1] for top in tops):.1f} %")


def set_b(report: Report, tables: Tables) -> None:
    """Figures 3 and 4."""
    ks = KS[:1] if report.quick else KS
    beam = "search: {beam: 4}\n"
    rows, found = [], {}
    requirements = {name: (lambda k, top=top: anonymity(top, k), True) for name, top in TOP_B.items()}
    requirements["k-anonymity"] = (lambda k: f"k-anonymity: {k}", False)
    for name, (requirement, joined) in requirements.items():
        for k in ks:
            spread = tables.specialize(requirement(k), joined=joined)
            rows.append([name, k, spread["categorical"], spread["continuous"],
                         tables.specialize(requirement(k), CLASSIFY, joined)["error"],
                         tables.specialize(requirement(k), CLASSIFY + beam, joined)["error"]])
        mine = [row for row in rows if row[0] == name]
        found[name] = [mean([row[column] for row in mine]) for column in (2, 3, 4, 5)]
        report.say(f"Set B, {name}: distortion {found[name][0]:.2f} and {found[name][1]:.2f}, error {found[name][2]:.2f} %, "
                   f"with beam {found[name][3]:.2f} %")
    levels = {"BLE": tables.error(), "RJE": tables.error(without=tuple(JOIN))}
    rows += [[name, None, None, None, error, error] for name, error in levels.items()]
    report.numbers("3-4-set-b", ["x", "k", "distortion_categorical", "distortion_continuous", "error_percent_greedy",
                                 "error_percent_beam"], rows)
    tops = list(TOP_B)
    kad = found["k-anonymity"]
    report.figure("3-4-set-b", [
        Panel("Fig. 3: distortion saved (KAD − XYD)", "best columns of T1 in x", "a record", [
            Series("categorical (levels)", tops, [kad[0] - found[top][0] for top in tops], GREEDY),
            Series("continuous (shares of the range)", tops, [kad[1] - found[top][1] for top in tops], BEAM)], kind="bars"),
        Panel("Fig. 4: classification error", "best columns of T1 in x", "error, % of the test set",
              [Series("XYE, greedy (the paper's search)", tops, [found[top][2] for top in tops], GREEDY),
               Series("XYE, beam (ours)", tops, [found[top][3] for top in tops], BEAM)], kind="bars", zero=False,
              levels={"BLE: unmodified": levels["BLE"], "RJE: join columns removed": levels["RJE"],
                      "KAE: k-anonymity of T1, greedy": kad[2]})])
    report.table("b", ["", *tops, "k-anonymity of T1"], [
        [label, *(f"{found[name][which]:.2f}" for name in [*tops, "k-anonymity"])]
        for which, label in enumerate(("distortion, categorical", "distortion, continuous", "error %, greedy", "error %, beam"))])
    report.compare("Fig. 4: BLE, Set B", "14.7 %", f"{levels['BLE']:.1f} %")
    report.compare("Fig. 4: RJE, Set B", "17.3 %", f"{levels['RJE']:.1f} %")
    report.compare("Fig. 4: KAE, Set B, greedy", "18.2 %", f"{kad[2]:.1f} %")
    report.compare("Fig. 4: KAE, Set B, beam (ours)", "–", f"{kad[3]:.1f} %")
    for which, name, paper in ((2, "greedy", "0.75 %"), (3, "beam (ours)", "–")):
        report.compare(f"Fig. 4: XYE − BLE, Set B, mean, {name}", paper,
                       f"{mean([found[top][which] for top in tops]) - levels['BLE']:.2f} %")


def linked(report: Report, tables: Tables, figure: str, paper: dict[str, str | None],
           hopeless: set[tuple[int, float]]) -> set[tuple[int, float]]:
    """Figures 6 (Set A) and 7 (Set B): the mean over the bounds that can be met; returns those that cannot.

    Hopeless ones are not tried: to say so takes minutes where numbers can be cut anywhere.
    """
    shares = SHARES[-1:] if report.quick else SHARES
    rows, found, unmet = [], {}, set(hopeless)
    kinds = {"greedy": "", "beam": "search: beam\n"} if not tables.numbers else {"greedy": ""}
    base, removed = tables.error(), tables.error(without=tuple(JOIN))
    for top in (1, 2, 3, 4):
        name = f"Top{top}"
        for kind, search in kinds.items():
            for share in shares:
                error = None
                try:
                    if (top, share) not in hopeless:
                        error = tables.specialize(linkability(tables, top, share), search + CLASSIFY)["error"]
                except ProgramError as problem:
                    if "exit 3" not in str(problem):
                        raise
                    unmet.add((top, share))
                rows.append([name, kind, share, error])
            met = [row[3] for row in rows if row[:2] == [name, kind] and row[3] is not None]
            found[name, kind] = mean(met) if met else None
        found[name, "RSE"] = tables.error(without=tuple(CATEGORIES[:top]))
        rows.append([name, "RSE", None, found[name, "RSE"]])
        report.say(f"Set {tables.name.upper()}, linkability {name}: error {found[name, 'greedy'] or float('nan'):.2f} %, y removed "
                   f"{found[name, 'RSE']:.2f} %")
    report.numbers(f"{figure}-linkability-set-{tables.name}", ["y", "method", "max_share", "error_percent"],
                   [*rows, ["all", "BLE", None, base], ["all", "RJE", None, removed]])
    tops = [f"Top{top}" for top in (1, 2, 3, 4)]
    labels = {"greedy": "XYE, greedy (the paper's search)", "beam": "XYE, beam (ours)"}
    report.figure(f"{figure}-linkability-set-{tables.name}", [
        Panel(f"Fig. {figure}: classification error, Set {tables.name.upper()}", "best columns of T1 in y", "error, % of the test set",
              [*(Series(labels[kind], tops, [found[top, kind] for top in tops], style)
                 for style, kind in enumerate(kinds)),
               Series("RSE: y removed", tops, [found[top, "RSE"] for top in tops], RARE)], kind="bars", zero=False,
              levels={"BLE: unmodified": base, "RJE: join columns removed": removed})])
    report.table(f"linkability-{tables.name}", ["", *tops], [
        *([f"error %, {kind}", *("–" if found[top, kind] is None else f"{found[top, kind]:.2f}" for top in tops)]
          for kind in kinds),
        ["error %, y removed (RSE)", *(f"{found[top, 'RSE']:.2f}" for top in tops)],
        [f"bounds that cannot be met, of {', '.join(f'{share:.0%}' for share in shares)}",
         *(", ".join(f"{share:.0%}" for which, share in sorted(unmet) if which == top) or "none" for top in (1, 2, 3, 4))]])
    errors = [found[top, "greedy"] for top in tops if found[top, "greedy"] is not None]
    saved = [found[top, "RSE"] - found[top, "greedy"] for top in tops if found[top, "greedy"] is not None]
    set_name = f"Set {tables.name.upper()}"
    report.compare(f"Fig. {figure}: XYE − BLE at most, {set_name}", paper["XYE"], f"{points(max(errors) - base)} %")
    report.compare(f"Fig. {figure}: XYE, {set_name}, mean", paper["mean"], f"{mean(errors):.1f} %")
    report.compare(f"Fig. {figure}: RSE − XYE, {set_name}", paper["RSE"], f"{points(min(saved))} to {points(max(saved))} %")
    report.compare(f"Fig. {figure}: RJE − XYE, {set_name}", paper["RJE"],
                   f"{points(removed - max(errors))} to {points(removed - min(errors))} %")
    return unmet


def varied(report: Report, records: list[adult.Record], columns: list[str], fixed: list[str], rows: int,
           more: list[str]) -> list[str]:
    """The paper's variations: the records, and copies of them with two columns, not of the fixed ones, at random values."""
    draw = random.Random(report.seed)
    values = {column: sorted({record[column] for record in records}) for column in columns}
    loose = [i for i, column in enumerate(columns) if column not in fixed]
    base = [[record[column] for column in columns + more] for record in records]
    lines = [",".join(row) for row in base[:rows]]
    while len(lines) < rows:
        row = list(base[len(lines) % len(base)])
        for i in draw.sample(loose, 2):
            row[i] = values[columns[i]][int(draw.random() * len(values[columns[i]]))]
        lines.append(",".join(row))
    return [",".join(columns + more), *lines]


def scalability(report: Report, tables: Tables) -> None:
    """Figures 5 and 8."""
    sizes = (500, 1000) if report.quick else (200_000, 400_000, 600_000, 800_000, 1_000_000)
    program = report.program
    before = varied(report, tables.records, PREVIOUS, [], sizes[-1], [])
    rows, panels = [], []
    for figure, name, requirement, fixed, paper in (
            (5, "(X,Y)-anonymity, Top6, k = 40", anonymity(CATEGORIES, 40), [], "885"),
            (8, "(X,Y)-linkability, Top1, 90 %", linkability(tables, 1, 0.9), CATEGORIES[:1], "83")):
        lines = varied(report, tables.records, CATEGORIES, fixed, sizes[-1], ["income"])
        mine = []
        for size in sizes:
            for path, text in (("v1.csv", lines), ("v2.csv", before)):
                Path(program.path(path)).write_text("\n".join(text[:size + 1]) + "\n", encoding="utf-8")
            rules = tables.policy(requirement, "", True)
            run = program.fastest(2, "anonymize", rules, program.path("v1.csv"), "--previous", program.path("v2.csv"), "-o",
                                  program.path("release.csv"))
            part = run["seconds"]
            mine.append([figure, name, size, part["read"], part["specialize"], part["anonymize"] - part["specialize"],
                         part["write"], run["wall"], run["peak_memory_bytes"] >> 20])
            report.say(f"Fig. {figure}, {size:,} records: {run['wall']:.2f} s")
        rows += mine
        panels.append(Panel(f"Fig. {figure}: {name}", "records in T1 and in T2 (thousands)", "seconds", [
            Series(label, [f"{row[2] // 1000}" if not report.quick else str(row[2]) for row in mine],
                   [row[column] for row in mine], style)
            for column, label, style in ((3, "read both tables", 0), (4, "specialize", 1), (5, "prepare, and check again", 2),
                                         (6, "write", 3))], kind="stack"))
        last = mine[-1]
        report.compare(f"Fig. {figure}: {name}, {count(sizes[-1])} records, all", f"{paper} s", f"{last[7]:.1f} s")
        report.compare(f"Fig. {figure}: of that, generalizing", "less than 4 %" if figure == 5 else "25 s", f"{last[4]:.2f} s")
        report.compare(f"Fig. {figure}: growth from {count(sizes[0])} to {count(sizes[-1])} records", None,
                       f"{last[7] / mine[0][7]:.1f}-fold")
    report.numbers("5-8-time", ["figure", "requirement", "records", "read_seconds", "specialize_seconds", "rest_seconds",
                                "write_seconds", "command_seconds", "peak_mib"],
                   [[round(cell, 4) if isinstance(cell, float) else cell for cell in row] for row in rows])
    report.figure("5-8-time", panels, "UCI Adult and variations")
    report.table("time", ["requirement", "records in T1 and T2", "read", "specialize", "prepare and check", "write", "command (s)",
                          "MiB"],
                 [[row[1], count(row[2]), *(f"{cell:.2f}" for cell in row[3:8]), count(row[8])] for row in rows])


def leaves(report: Report, both: tuple[Tables, Tables]) -> None:
    """What the size of the tree's leaves does to the errors on data that nobody changed."""
    paper = {"a": ("17.5", "22.3"), "b": ("14.7", "17.3")}
    rows = [[f"Set {tables.name.upper()}", leaf, tables.error(leaf=leaf), tables.error(without=tuple(JOIN), leaf=leaf),
             tables.error(without=("fnlwgt",), leaf=leaf) if tables.numbers else None]
            for tables in both for leaf in (10, 25, 50, 100)]
    report.numbers("leaves", ["set", "smallest_leaf", "ble_percent", "rje_percent", "ble_percent_without_fnlwgt"], rows)
    report.table("leaves", ["", "smallest leaf", "BLE %", "RJE %", "BLE without fnlwgt %"], [
        *([row[0], str(row[1]), *("–" if error is None else f"{error:.2f}" for error in row[2:])] for row in rows),
        *([f"Set {name.upper()}, the paper", "–", *errors, "–"] for name, errors in paper.items())])


def run(report: Report) -> None:
    records = adult.complete(report.data)
    a, b = Tables(report, records, "a", []), Tables(report, records, "b", NUMBERS)
    leaves(report, (a, b))
    set_a(report, a)
    set_b(report, b)
    unmet = linked(report, a, "6", {"XYE": "0.7 %", "mean": None, "RSE": "−0.2 to 5.6 %", "RJE": "4.1 to 4.5 %"}, set())
    linked(report, b, "7", {"XYE": None, "mean": "15.8 %", "RSE": "0.1 to 1.9 %", "RJE": "0.7 to 2.6 %"}, unmet)
    scalability(report, a)
