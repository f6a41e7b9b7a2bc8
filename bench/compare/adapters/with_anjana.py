"""anjana: k-anonymity, l-diversity and t-closeness by generalizing whole columns along given hierarchies.

Takes one more argument: the percentage of the records that may be left out.
"""

import csv
import sys

import job
import pandas
from anjana import anonymity


def levels(path: str) -> dict[int, list[str]]:
    """A hierarchy as anjana wants it: level by level, the labels of all leaves."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, delimiter=";") if line]
    return {level: list(labels) for level, labels in enumerate(zip(*lines, strict=True))}


def anonymize(table: pandas.DataFrame, asked: dict, hierarchies: dict) -> pandas.DataFrame:
    columns = list(asked["columns"])
    common = {"data": table, "ident": [], "quasi_ident": columns, "k": asked["k"], "supp_level": int(sys.argv[3]),
              "hierarchies": hierarchies}
    if asked["t"] is not None:
        return anonymity.t_closeness(sens_att=asked["sensitive"], t=asked["t"], **common)
    if asked["l"]:
        return anonymity.l_diversity(sens_att=asked["sensitive"], l_div=asked["l"], **common)
    return anonymity.k_anonymity(**common)


def main() -> None:
    asked, output = job.read_job()
    with job.timed("read"):
        table = pandas.read_csv(asked["table"], dtype=str)
        hierarchies = {name: levels(rule["hierarchy"]) for name, rule in asked["columns"].items()}
    with job.timed("anonymize"):
        release = anonymize(table, asked, hierarchies)
    if release.empty:
        sys.exit("it says that it cannot reach this")
    with job.timed("write"):
        release[[*asked["columns"], asked["sensitive"]]].to_csv(output, index=False)
    job.report()


if __name__ == "__main__":
    main()
