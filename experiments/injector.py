"""Li, Li: Injector, Mining Background Knowledge for Data Anonymization (2008), section VI: Figures 3 to 8.

UCI Adult's complete records; age, workclass, education, marital-status, race and sex are quasi-identifiers, occupation is
sensitive. Anatomy beside Injector as in the paper (`grouping: random`) and Injector as Throng makes it (`grouping: near`).
Anatomy is random: ten runs and their mean, as in the paper; the same for Injector as in the paper. `near` is run once.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import adult
from figures import Panel, Series
from report import Report, count, percent
from throng import Program

QUASI_IDENTIFIERS = ["age", "workclass", "education", "marital-status", "race", "sex"]
COLUMNS = [*QUASI_IDENTIFIERS, "occupation"]
EXPECTATIONS = (0.75, 0.8, 0.85, 0.9, 0.95)
DIVERSITIES = (3, 4, 5, 6)
EXPECTATION, DIVERSITY = 0.9, 6      # the paper's defaults
RUNS, WIDE = 10, 3                   # of what is random; and of those, with queries of all kinds
DIMENSION, SELECTIVITY = 4, 0.05     # ours: the paper does not tell its own
METHODS = {"anatomy": "Anatomy", "random": "Injector, as in the paper", "near": "Injector, near (ours)"}
# The paper's Figure 3: rules, and per cent of the records with 0, 1, 2, 3, 4, and 5 or more impossible values.
PAPER_RULES = {0.75: (45, (0, 80.4, 15.9, 2.3, 1.2, 0.2)), 0.8: (39, (0, 84.6, 12.2, 2.1, 1.0, 0.1)),
               0.85: (32, (0, 87.5, 9.2, 2.0, 1.0, 0)), 0.9: (22, (0, 87.9, 9.2, 2.5, 0.4, 0)),
               0.95: (15, (0, 96.2, 1.8, 2.0, 0, 0))}


@dataclass
class Buckets:
    """Makes releases, and measures them."""

    report: Report
    records: list[adult.Record]

    @cached_property
    def table(self) -> str:
        return adult.write(self.report.program.path("adult.csv"), COLUMNS, self.records)

    def matching(self, diversity: int, expectation: float) -> str:
        return (f"privacy:\n  - matching-l-diversity: {{column: occupation, l: {diversity}}}\n"
                f"knowledge: {{mine: {{min-expectation: {expectation}, max-items: 1}}}}\n")

    def policy(self, name: str, rest: str) -> str:
        columns = {column: adult.role(self.report.data, column) for column in QUASI_IDENTIFIERS[1:]}
        columns["age"] = "role: quasi-identifier, type: integer, hierarchy: {interval: [5, 10, 20]}"
        columns["occupation"] = "role: sensitive"
        return self.report.program.policy(name, columns, rest)

    def mine(self, expectation: float) -> dict[str, Any]:
        program = self.report.program
        return program.fastest(1 if self.report.quick else 3, "mine", self.policy("mine.yaml", self.matching(DIVERSITY, expectation)), self.table, "-o",
                               program.path("rules.json"))

    def release(self, program: Program, method: str, diversity: int, expectation: float) -> tuple[str, dict[str, Any]]:
        """The policy by which it was made, and what the program says of it."""
        rest = (f"privacy:\n  - l-diversity: {{column: occupation, l: {diversity}}}\nalgorithm: anatomy\n" if method == "anatomy" else
                f"{self.matching(diversity, expectation)}algorithm: injector\ngrouping: {method}\n")
        rules = self.policy("buckets.yaml", rest)
        return rules, program("anonymize", rules, self.table, "-o", program.path("buckets.csv"))

    def vulnerable(self, diversity: int, expectation: float) -> int:
        """Records that who knows the rules leaves fewer than l possible values, of the last release."""
        program = self.report.program
        rules = self.policy("audit.yaml", self.matching(diversity, expectation))
        found = program("audit", rules, program.path("buckets.csv"), "--private", self.table, unsafe=True)
        return found["knowledge"][0]["below_l_by_matching"]

    def evaluate(self, rules: str, dimension: int, selectivity: float, items: int) -> dict[str, Any]:
        """Errors of the last release; the queries are the same for every method and run."""
        program = self.report.program
        queries = 200 if self.report.quick else 10000
        return program("evaluate", rules, self.table, program.path("buckets.csv"), "--queries", str(queries), "--dimension",
                       str(dimension), "--selectivity", str(selectivity), "--max-items", str(items))

    def measure(self, method: str, diversity: int, expectations: tuple[float, ...], wide: bool) -> list[dict[str, Any]]:
        """One release, or ten and their mean where chance decides; a line for each expectation of the attacker's rules.

        The rules change an Injector release, so it takes one expectation; with `wide` queries of all kinds are asked.
        """
        runs = RUNS if method != "near" and not self.report.quick else 1
        lines: dict[float, list[dict[str, float]]] = {expectation: [] for expectation in expectations}
        for i in range(runs):
            program = replace(self.report.program, seed=self.report.seed + i)
            rules, made = self.release(program, method, diversity, expectations[0])
            found = self.evaluate(rules, DIMENSION, SELECTIVITY, 2)
            figures = {"mine_seconds": made["seconds"].get("mine", 0.0), "bucketize_seconds": made["seconds"]["bucketize"],
                       "command_seconds": made["wall"], "buckets": made["buckets"], "largest_bucket": made["largest_bucket"],
                       "suppressed": made["suppressed"], "confidence_error": found["rules"]["confidence_error"],
                       "false_positives": found["rules"]["false_positives"],
                       "false_negatives": found["rules"]["false_negatives"], "query_error": found["queries"]["mean_error"],
                       "median_query_error": found["queries"]["median_error"]}
            for dimension in (2, 3, 4, 5, 6) if wide and i < WIDE else ():
                figures[f"dimension {dimension}"] = self.evaluate(rules, dimension, SELECTIVITY, 0)["queries"]["mean_error"]
            for selectivity in (0.03, 0.05, 0.07, 0.1) if wide and i < WIDE else ():
                figures[f"selectivity {selectivity}"] = self.evaluate(rules, DIMENSION, selectivity, 0)["queries"]["mean_error"]
            for expectation in expectations:
                lines[expectation].append(figures | {"vulnerable": self.vulnerable(diversity, expectation)})
        return [{"method": method, "l": diversity, "min_expectation": expectation,
                 **{name: _mean([line[name] for line in mine if name in line]) for name in mine[0]}}
                for expectation, mine in lines.items()]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def figure_3(report: Report, buckets: Buckets) -> None:
    rows, times = [], []
    for expectation in EXPECTATIONS:
        run = buckets.mine(expectation)
        shares = [number / run["rows"] for number in run["records_by_impossible_values"]]
        rows.append([expectation, run["rules"], *shares, PAPER_RULES[expectation][0], *PAPER_RULES[expectation][1]])
        times.append([expectation, round(run["seconds"]["mine"], 4)])
    names = ["0", "1", "2", "3", "4", "5_or_more"]
    report.numbers("3-rules", ["min_expectation", "rules", *(f"share_with_{name}_impossible" for name in names), "paper_rules",
                               *(f"paper_percent_with_{name}" for name in names)], rows)
    report.table("3", ["expectation", "", "rules", "0", "1", "2", "3", "4", "5 or more"], [
        line for row in rows for line in (
            [str(row[0]), "the paper", str(row[8]), *(f"{share:g} %" for share in row[9:15])],
            ["", "Throng", str(row[1]), *(percent(share, 1) for share in row[2:8])])])
    xs = [str(expectation) for expectation in EXPECTATIONS]
    report.figure("3-rules", [
        Panel("Rules", "least expectation (minExp)", "rules", [
            Series("the paper", xs, [row[8] for row in rows], 6), Series("Throng", xs, [row[1] for row in rows], 2)], "bars"),
        Panel("Records with exactly one impossible value", "least expectation (minExp)", "% of the records", [
            Series("the paper", xs, [row[10] for row in rows], 6), Series("Throng", xs, [100 * row[3] for row in rows], 2)], "bars")])
    for row in rows:
        report.compare(f"Fig. 3: rules, expectation {row[0]}", str(row[8]), str(row[1]))
    report.compare(f"Fig. 3: records with one impossible value, expectation {EXPECTATION}", "87.9 %",
                   percent(rows[EXPECTATIONS.index(EXPECTATION)][3], 1))
    report.say("rules: " + ", ".join(f"{row[1]} (paper {row[8]})" for row in rows))


def measured(report: Report, buckets: Buckets) -> list[dict[str, Any]]:
    lines = []
    for diversity in DIVERSITIES:
        wide = diversity == DIVERSITY
        expectations = EXPECTATIONS if wide else (EXPECTATION,)
        lines += buckets.measure("anatomy", diversity, (EXPECTATION, *(e for e in expectations if e != EXPECTATION)), wide)
        for method in ("random", "near"):
            for expectation in expectations:
                lines += buckets.measure(method, diversity, (expectation,), wide and expectation == EXPECTATION)
        at = {line["method"]: line for line in lines if line["l"] == diversity and line["min_expectation"] == EXPECTATION}
        report.say(f"l = {diversity}: " + "; ".join(f"{method}: {at[method]['vulnerable']:,.0f} vulnerable, query error "
                                                    f"{at[method]['query_error']:.1%}" for method in METHODS))
    return lines


def pair(lines: list[dict[str, Any]], member: str, unit: str, factor: float = 1) -> list[Panel]:
    """The paper's two panels: the expectation varied, and l varied."""
    panels = []
    for title, axis, values, chosen in (
            (f"ℓ = {DIVERSITY}", "min_expectation", EXPECTATIONS, lambda line: line["l"] == DIVERSITY),
            (f"expectation {EXPECTATION}", "l", DIVERSITIES, lambda line: line["min_expectation"] == EXPECTATION)):
        series = []
        for style, (method, label) in enumerate(METHODS.items()):
            at = {line[axis]: line[member] for line in lines if line["method"] == method and chosen(line)}
            series.append(Series(label, [str(value) for value in values],
                                 [None if at[value] is None else factor * at[value] for value in values], style))
        panels.append(Panel(title, "least expectation (minExp)" if axis == "min_expectation" else "ℓ", unit, series, "bars"))
    return panels


def by_diversity(report: Report, name: str, lines: list[dict[str, Any]], member: str, text) -> None:
    at = {(line["method"], line["l"]): line[member] for line in lines if line["min_expectation"] == EXPECTATION}
    report.table(name, ["", *(f"ℓ = {diversity}" for diversity in DIVERSITIES)],
                 [[label, *(text(at[method, diversity]) for diversity in DIVERSITIES)] for method, label in METHODS.items()])


def titled(panels: list[Panel], title: str) -> list[Panel]:
    return [replace(panel, title=f"{title}, {panel.title}") for panel in panels]


def figures_4_to_8(report: Report, lines: list[dict[str, Any]]) -> None:
    for line in lines:
        line["seconds"] = line["mine_seconds"] + line["bucketize_seconds"]
    exact = [name for name in ("buckets", "largest_bucket", "suppressed", "vulnerable", "confidence_error", "false_positives",
                               "false_negatives", "query_error", "median_query_error")]
    keys = ["method", "l", "min_expectation"]
    report.numbers("4-8-releases", [*keys, *exact], [[line[name] for name in [*keys, *exact]] for line in lines])
    report.numbers("5-time", [*keys, "mine_seconds", "bucketize_seconds", "command_seconds"],
                   [[*(line[key] for key in keys), *(round(line[f"{part}_seconds"], 4) for part in ("mine", "bucketize", "command"))]
                    for line in lines])
    report.figure("4-vulnerable", pair(lines, "vulnerable", "vulnerable records"))
    report.figure("5-time", pair(lines, "seconds", "seconds (mining and buckets)"))
    report.figure("6-confidence", pair(lines, "confidence_error", "confidence error (%)", 100))
    report.figure("7-identification",
                  titled(pair(lines, "false_positives", "% of the original's rules", 100), "False positives") +
                  titled(pair(lines, "false_negatives", "% of the original's rules", 100), "False negatives"))
    wide = {line["method"]: line for line in lines if "dimension 2" in line and line["min_expectation"] == EXPECTATION}
    more = []
    for word, label in (("dimension", "quasi-identifiers in a query"), ("selectivity", "selectivity")):
        names = [name for name in wide["near"] if name.startswith(word + " ")]
        xs = [name.partition(" ")[2] for name in names]
        more.append(Panel(f"ℓ = {DIVERSITY}, expectation {EXPECTATION}", label, "mean relative error (%)",
                          [Series(METHODS[method], xs, [100 * wide[method][name] for name in names], style)
                           for style, method in enumerate(METHODS)], "bars"))
        report.numbers(f"8-{word}", [word, *METHODS], [[x, *(wide[method][name] for method in METHODS)] for x, name in zip(xs, names)])
        report.table(f"8-{word}", [label, *xs],
                     [[METHODS[method], *(percent(wide[method][name], 1) for name in names)] for method in METHODS])
    report.figure("8-queries", pair(lines, "query_error", "mean relative error (%)", 100) + more)
    by_diversity(report, "4", lines, "vulnerable", count)
    by_diversity(report, "5", lines, "seconds", lambda value: f"{value:.3f}")
    by_diversity(report, "6", lines, "confidence_error", lambda value: percent(value, 1))
    by_diversity(report, "7-positive", lines, "false_positives", lambda value: percent(value, 1))
    by_diversity(report, "7-negative", lines, "false_negatives", lambda value: percent(value, 1))
    by_diversity(report, "8", lines, "query_error", lambda value: percent(value, 1))
    at = {(line["method"], line["l"]): line for line in lines if line["min_expectation"] == EXPECTATION}
    base, paper, ours = (at[method, DIVERSITY] for method in METHODS)
    setting = f"ℓ = {DIVERSITY}, expectation {EXPECTATION}"
    report.compare(f"Fig. 4: vulnerable records, Anatomy, {setting}", None, count(base["vulnerable"]))
    report.compare("Fig. 4: vulnerable records, Injector, at most", "0",
                   count(max(line["vulnerable"] for line in lines if line["method"] != "anatomy")))
    report.compare(f"Fig. 5: time of mining and buckets, {setting}", "“usually within seconds” (buckets)",
                   f"Anatomy {base['seconds']:.2f} s, Injector {paper['seconds']:.2f} s, near {ours['seconds']:.2f} s")
    for figure, member, name in (("6", "confidence_error", "confidence error"), ("7", "false_positives", "false positives"),
                                 ("7", "false_negatives", "false negatives"), ("8", "query_error", "query error")):
        report.compare(f"Fig. {figure}: {name}, {setting}", "Injector below Anatomy (no number in the text)",
                       f"Anatomy {percent(base[member], 1)}, Injector {percent(paper[member], 1)}, near {percent(ours[member], 1)}")


def run(report: Report) -> None:
    buckets = Buckets(report, adult.complete(report.data))
    figure_3(report, buckets)
    figures_4_to_8(report, measured(report, buckets))
