#!/usr/bin/env python3
"""The independent check of a release, whoever made it: plain Python, no line of it shared with Throng.

    check.py JOB.json NOTATION RELEASE.csv          prints one JSON object

It reads the original and the release and finds k, distinct l, t (equal distance), the classes, the records left out, the
information loss by the one definition of docs/algorithms.md, and whether the release can have come from the original:
whether its records can be paired with different records of the original that have the same sensitive value and lie in
the published regions.
"""

import csv
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

NOTATIONS = ("throng", "anonypy", "labels")
EXACT_MATCHING_ROWS = 200_000  # above this, overlapping classes are not settled: their bits need too much memory
MOST_AUGMENTATIONS = 20_000


class Unreadable(Exception):
    """A release that says something which the original's domain does not have."""


@dataclass(frozen=True)
class Region:
    """What a published value covers: values of the domain, and how much of the domain that is (0 to 1)."""

    values: frozenset[str]
    share: float


class Domain:
    """The values of one quasi-identifier: the leaves of its hierarchy, else the values of the table."""

    def __init__(self, values: Iterable[str], numeric: bool = False, hierarchy: list[list[str]] | None = None):
        self.numeric = numeric and hierarchy is None
        self.labels: dict[str, set[str]] = defaultdict(set)
        for line in hierarchy or []:
            for label in line:
                self.labels[label].add(line[0])
        self.values = frozenset(line[0] for line in hierarchy) if hierarchy else frozenset(values)
        outside = set(values) - self.values
        if outside:
            raise Unreadable(f"the hierarchy lacks {sorted(outside)[0]!r}")
        if self.numeric:
            self.numbers = {value: float(value) for value in self.values}
            self.low, self.high = min(self.numbers.values()), max(self.numbers.values())

    def everything(self) -> Region:
        return Region(self.values, 1.0 if len(self.values) > 1 else 0.0)

    def interval(self, low: float, high: float) -> Region:
        covered = frozenset(value for value, number in self.numbers.items() if low <= number <= high)
        width = self.high - self.low
        return Region(covered, min(1.0, (high - low) / width) if width else 0.0)

    def members(self, values: Iterable[str]) -> Region:
        covered = frozenset(values)
        strange = covered - self.values
        if strange or not covered:
            raise Unreadable(f"{sorted(strange)[:1]} is not a value of the domain")
        if self.numeric:
            numbers = [self.numbers[value] for value in covered]
            return Region(covered, self.interval(min(numbers), max(numbers)).share)
        return Region(covered, (len(covered) - 1) / (len(self.values) - 1) if len(self.values) > 1 else 0.0)

    def node(self, label: str) -> Region:
        if label in self.labels:
            return self.members(self.labels[label])
        return self.members([label])


def split_unescaped(text: str) -> list[str]:
    """Splits `a|b` at bars without a backslash before them, and takes the backslashes away."""
    parts, current, escaped = [], "", False
    for letter in text:
        if escaped or letter not in "\\|":
            current, escaped = current + letter, False
        elif letter == "\\":
            escaped = True
        else:
            parts.append(current)
            current = ""
    return [*parts, current]


def region_of_throng(text: str, domain: Domain) -> Region:
    if text == "*":
        return domain.everything()
    if text.startswith("{") and text.endswith("}"):
        return domain.members(split_unescaped(text[1:-1]))
    if domain.numeric and ".." in text:
        low, high = text.split("..")
        return domain.interval(float(low), float(high))
    return domain.node(split_unescaped(text)[0] if "\\" in text else text)


def region_of_anonypy(text: str, domain: Domain) -> Region:
    """anonypy's cells are lists of one text: `['24-35']`, `['Male,Female']`."""
    text = text.removeprefix("['").removesuffix("']").removeprefix('["').removesuffix('"]')
    if text in domain.values:
        return domain.members([text])
    if domain.numeric:
        low, high = text.split("-")
        return domain.interval(float(low), float(high))
    return domain.members(text.split(","))


def region_of_label(text: str, domain: Domain) -> Region:
    return domain.everything() if text == "*" else domain.node(text)


READERS = {"throng": region_of_throng, "anonypy": region_of_anonypy, "labels": region_of_label}


@dataclass
class Release:
    """Classes: the regions that records share, and how often each sensitive value stands beside them."""

    classes: dict[tuple[str, ...], Counter]
    regions: list[dict[str, Region]]  # by column: what each published text covers

    def sizes(self) -> Iterator[int]:
        return (counts.total() for counts in self.classes.values())


def read_rows(path: str | Path, columns: list[str]) -> Iterator[tuple[str, ...]]:
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        missing = [column for column in columns if column not in header]
        if missing:
            raise Unreadable(f"no column {missing[0]!r}")
        places = [header.index(column) for column in columns]
        for row in reader:
            yield tuple(row[place] for place in places)


def read_hierarchy(path: str | Path) -> list[list[str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return [line for line in csv.reader(file, delimiter=";") if line]


def group(rows: Iterable[tuple[tuple[str, ...], str, int]], domains: list[Domain], notation: str) -> Release:
    """A release from (published texts, sensitive value, count)."""
    classes: dict[tuple[str, ...], Counter] = defaultdict(Counter)
    for texts, sensitive, count in rows:
        classes[texts][sensitive] += count
    regions: list[dict[str, Region]] = []
    for place, domain in enumerate(domains):
        texts_of_column = {texts[place] for texts in classes}
        regions.append({text: READERS[notation](text, domain) for text in texts_of_column})
    return Release(dict(classes), regions)


class Index:
    """The original's records as bits: one number a value, in which bit i says whether record i has it."""

    def __init__(self, records: list[tuple[str, ...]], sensitive: list[str]):
        self.size = len(records)
        columns = [list(column) for column in zip(*records, strict=True)]
        self.columns = [self._bits(column) for column in columns]
        self.sensitive = self._bits(sensitive)
        self._union = lru_cache(maxsize=1 + 400_000_000 // (self.size + 8))(self._compute_union)

    def _bits(self, values: list[str]) -> dict[str, int]:
        arrays: dict[str, bytearray] = {}
        for row, value in enumerate(values):
            array = arrays.get(value)
            if array is None:
                array = arrays[value] = bytearray(self.size // 8 + 1)
            array[row >> 3] |= 1 << (row & 7)
        return {value: int.from_bytes(array, "little") for value, array in arrays.items()}

    def sensitive_counts(self) -> Counter:
        return Counter({value: bits.bit_count() for value, bits in self.sensitive.items()})

    def _compute_union(self, column: int, values: frozenset[str]) -> int:
        bits = 0
        for value in values:
            bits |= self.columns[column].get(value, 0)
        return bits

    def cover(self, regions: Iterable[Region]) -> int:
        bits = (1 << self.size) - 1
        for column, region in enumerate(regions):
            bits &= self._union(column, region.values)
        return bits


def lowest_bits(bits: int, count: int) -> int:
    taken = 0
    for _ in range(count):
        lowest = bits & -bits
        taken |= lowest
        bits ^= lowest
    return taken


def matching(records: int, demands: list[tuple[int, int]]) -> bool | None:
    """Can every demand (bits it may take, how many) be met from `records` without taking one twice? None: gave up."""
    demands = sorted(demands, key=lambda demand: demand[0].bit_count() - demand[1])
    taken = [0] * len(demands)
    free = records
    augmentations = 0
    for asking, (cover, count) in enumerate(demands):
        taken[asking] = lowest_bits(cover & free, min(count, (cover & free).bit_count()))
        free &= ~taken[asking]
        while taken[asking].bit_count() < count:
            augmentations += 1
            if augmentations > MOST_AUGMENTATIONS:
                return None
            found = augment(asking, demands, taken, free)
            if not found:
                return False
            free ^= found
    return True


def augment(asking: int, demands: list[tuple[int, int]], taken: list[int], free: int) -> int:
    """Gives `asking` one more record, others moving to records they may take as well; the free record used, or 0."""
    came_from: dict[int, tuple[int, int]] = {asking: (asking, 0)}
    queue = [asking]
    for current in queue:
        cover = demands[current][0]
        record = (cover & free) & -(cover & free)
        if record:
            used = record
            while current != asking:
                previous, given = came_from[current]
                taken[current] = taken[current] ^ given | record
                current, record = previous, given
            taken[asking] |= record
            return used
        for other, bits in enumerate(taken):
            if other not in came_from and bits & cover:
                came_from[other] = (current, (bits & cover) & -(bits & cover))
                queue.append(other)
    return 0


def containment(release: Release, index: Index) -> tuple[str, str]:
    """("yes" | "no" | "not decided", why): can the release have come from the original?"""
    demands: dict[str, list[tuple[int, int]]] = defaultdict(list)
    seen, overlaps = 0, False
    settle = index.size <= EXACT_MATCHING_ROWS
    for texts, counts in release.classes.items():
        cover = index.cover(regions[text] for regions, text in zip(release.regions, texts, strict=True))
        overlaps = overlaps or bool(cover & seen)
        seen |= cover
        for value, count in counts.items():
            candidates = cover & index.sensitive.get(value, 0)
            if candidates.bit_count() < count:
                return "no", (f"a class has {count} records with {value!r}, the original has "
                              f"{candidates.bit_count()} such records in its regions")
            if settle:
                demands[value].append((candidates, count))
    if not overlaps:
        return "yes", "classes do not overlap"  # then enough candidates for each class are enough for all
    if not settle:
        return "not decided", "classes overlap, and the table is large"
    answers = [matching(index.sensitive[value], asked) for value, asked in demands.items()]
    if False in answers:
        return "no", "the classes cannot all be filled from the original"
    return ("not decided", "too many exchanges") if None in answers else ("yes", "by matching")


def published_values(release: Release) -> Counter:
    whole: Counter = Counter()
    for counts in release.classes.values():
        whole.update(counts)
    return whole


def closeness(release: Release, whole: Counter) -> float:
    """The largest distance (half the sum of differences) between the values of a class and those of the whole."""
    total = whole.total()
    worst = 0.0
    for counts in release.classes.values():
        size = counts.total()
        worst = max(worst, sum(abs(counts[value] / size - count / total) for value, count in whole.items()) / 2)
    return worst


def measure(release: Release, original: Counter) -> dict:
    """The figures of a release, given how often the original has each sensitive value.

    `gcp` is the loss a cell, a record that was left out counting as lost. `t` is against the whole release, which is all
    that a reader has; `t_original` against the original, from which records may have been left out.
    """
    rows_in = original.total()
    rows_out = sum(release.sizes())
    if not rows_out:
        raise Unreadable("the release is empty")
    left_out = rows_in - rows_out
    loss = sum(counts.total() * sum(regions[text].share for regions, text in zip(release.regions, texts, strict=True))
               for texts, counts in release.classes.items())
    return {
        "rows_in": rows_in,
        "rows_out": rows_out,
        "left_out": left_out,
        "classes": len(release.classes),
        "k": min(release.sizes()),
        "l": min(len(counts) for counts in release.classes.values()),
        "t": closeness(release, published_values(release)),
        "t_original": closeness(release, original),
        "information_loss": loss / rows_out,
        "gcp": (loss / len(release.regions) + left_out) / rows_in,
        "discernibility": sum(size * size for size in release.sizes()) + left_out * rows_in,
    }


def broken_promises(figures: dict, job: dict) -> list[str]:
    broken = []
    if figures["k"] < (job.get("k") or 1):
        broken.append(f"k is {figures['k']}")
    if figures["l"] < (job.get("l") or 1):
        broken.append(f"l is {figures['l']}")
    if job.get("t") is not None and min(figures["t"], figures["t_original"]) > job["t"] + 1e-9:
        broken.append(f"t is {figures['t']:.2f}")
    if figures["left_out"] < 0:
        broken.append(f"{-figures['left_out']} records too many")
    if figures["contained"] == "no":
        broken.append(f"not from this table: {figures['why']}")
    return broken


def load(job: dict, notation: str, path: str | Path) -> tuple[Release, Index]:
    names = list(job["columns"])
    original = list(read_rows(job["table"], [*names, job["sensitive"]]))
    records = [row[:-1] for row in original]
    domains = []
    for place, name in enumerate(names):
        rule = job["columns"][name]
        hierarchy = read_hierarchy(rule["hierarchy"]) if rule.get("hierarchy") else None
        domains.append(Domain({record[place] for record in records}, rule["type"] == "integer", hierarchy))
    counted = notation == "anonypy"
    columns = [*names, job["sensitive"], *(["count"] if counted else [])]
    published = ((row[: len(names)], row[len(names)], int(row[-1]) if counted else 1) for row in read_rows(path, columns))
    release = group(published, domains, notation)
    return release, Index(records, [row[-1] for row in original])


def check(job: dict, notation: str, path: str | Path) -> dict:
    try:
        release, index = load(job, notation, path)
        figures = measure(release, index.sensitive_counts())
        figures["contained"], figures["why"] = containment(release, index)
    except Unreadable as error:
        return {"broken": [f"unreadable: {error}"]}
    figures["broken"] = broken_promises(figures, job)
    return figures


def main() -> None:
    if len(sys.argv) != 4 or sys.argv[2] not in NOTATIONS:
        sys.exit(f"usage: check.py JOB.json {'|'.join(NOTATIONS)} RELEASE.csv")
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps(check(job, sys.argv[2], sys.argv[3])))


if __name__ == "__main__":
    main()
