"""UCI Adult as the papers took it: records without a missing value, in the order of the file."""
from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

Record = dict[str, str]


def table(data: Path) -> Path:
    return data / "adult" / "adult.csv"


def complete(data: Path) -> list[Record]:
    """The complete records: of the real table 30,162 to train with and 15,060 to test with."""
    with open(table(data), encoding="utf-8", newline="") as file:
        records = [{column: cell.strip() for column, cell in row.items()} for row in csv.DictReader(file)]
    return [record for record in records if not any(cell in ("?", "") for cell in record.values())]


def taxonomy(data: Path, column: str) -> Path:
    return (data / "adult" / "taxonomies" / f"{column}.csv").resolve()


def role(data: Path, column: str) -> str:
    """A quasi-identifier with its taxonomy."""
    return f"role: quasi-identifier, hierarchy: '{taxonomy(data, column)}'"


def write(path: str, columns: list[str], records: Iterable[Record]) -> str:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([record[column] for column in columns] for record in records)
    return path
