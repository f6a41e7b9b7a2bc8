"""A plain Mondrian, as one writes it in an afternoon with pandas and numpy: the widest column, cut at its median.

Not a package that one can install: it stands here because anonypy's Mondrian spends most of its time in pandas' indexes,
and a ratio against it alone would flatter Throng.
"""

from collections.abc import Iterator

import job
import numpy
import pandas


class Mondrian:
    def __init__(self, columns: list[numpy.ndarray], sensitive: numpy.ndarray, asked: dict):
        self.columns = columns
        self.sensitive = sensitive
        self.kinds = int(sensitive.max()) + 1
        self.k, self.l, self.t = asked["k"], asked["l"] or 1, asked["t"]
        self.widths = [max(int(column.max() - column.min()), 1) for column in columns]
        self.whole = numpy.bincount(sensitive, minlength=self.kinds) / len(sensitive)

    def allowed(self, rows: numpy.ndarray) -> bool:
        if len(rows) < self.k:
            return False
        if self.l == 1 and self.t is None:
            return True
        counts = numpy.bincount(self.sensitive[rows], minlength=self.kinds)
        if numpy.count_nonzero(counts) < self.l:
            return False
        return self.t is None or numpy.abs(counts / len(rows) - self.whole).sum() / 2 <= self.t

    def cut(self, rows: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray] | None:
        """The first allowed cut at a median, of the widest columns first."""
        parts = [column[rows] for column in self.columns]
        spans = [(part.max() - part.min()) / width for part, width in zip(parts, self.widths, strict=True)]
        for place in numpy.argsort(spans)[::-1]:
            if spans[place] == 0:
                return None
            part = parts[place]
            median = numpy.partition(part, len(part) // 2)[len(part) // 2]
            for below in (part < median, part <= median):
                left, right = rows[below], rows[~below]
                if self.allowed(left) and self.allowed(right):
                    return left, right
        return None

    def classes(self) -> Iterator[numpy.ndarray]:
        waiting = [numpy.arange(len(self.sensitive))]
        while waiting:
            rows = waiting.pop()
            halves = self.cut(rows)
            if halves is None:
                yield rows
            else:
                waiting.extend(halves)


def region(codes: numpy.ndarray, values: numpy.ndarray, number: bool) -> str:
    present = numpy.unique(codes)
    if len(present) == 1:
        return str(values[present[0]])
    if number:
        return f"{values[present[0]]}..{values[present[-1]]}"
    return "{" + "|".join(values[present]) + "}"


def main() -> None:
    asked, output = job.read_job()
    names = list(asked["columns"])
    with job.timed("read"):
        table = pandas.read_csv(asked["table"])
    with job.timed("anonymize"):
        values, columns = {}, []
        for name in [*names, asked["sensitive"]]:
            values[name], codes = numpy.unique(table[name].to_numpy(), return_inverse=True)
            columns.append(codes)
        sensitive = columns.pop()
        release = {name: numpy.empty(len(table), dtype=object) for name in names}
        for rows in Mondrian(columns, sensitive, asked).classes():
            for name, codes in zip(names, columns, strict=True):
                release[name][rows] = region(codes[rows], values[name], asked["columns"][name]["type"] == "integer")
        release[asked["sensitive"]] = table[asked["sensitive"]]
    with job.timed("write"):
        pandas.DataFrame(release).to_csv(output, index=False)
    job.report()


if __name__ == "__main__":
    main()
