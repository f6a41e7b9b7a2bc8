"""Writes a release of another tool in the notation that `throng audit` reads, record by record."""

import csv
from pathlib import Path

import check


def region_text(region: check.Region, domain: check.Domain) -> str:
    if domain.numeric:
        numbers = sorted(region.values, key=float)
        return numbers[0] if len(numbers) == 1 else f"{numbers[0]}..{numbers[-1]}"
    values = sorted(region.values)
    return values[0] if len(values) == 1 else "{" + "|".join(values) + "}"


def rewrite_anonypy(job: dict, path: Path, output: Path) -> None:
    """anonypy counts equal rows; here each stands for itself. Its intervals are tight, so nothing is lost."""
    names = list(job["columns"])
    original = list(check.read_rows(job["table"], names))
    domains = [check.Domain({row[place] for row in original}, job["columns"][name]["type"] == "integer")
               for place, name in enumerate(names)]
    with open(output, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, job["sensitive"]])
        for row in check.read_rows(path, [*names, job["sensitive"], "count"]):
            texts = [region_text(check.region_of_anonypy(text, domain), domain)
                     for text, domain in zip(row, domains, strict=False)]
            writer.writerows([[*texts, row[len(names)]]] * int(row[-1]))
