"""pycanon: k, l and t of a finished release."""

import job
import pandas
from pycanon import anonymity


def main() -> None:
    asked, path = job.read_job()
    names = list(asked["columns"])
    with job.timed("read"):
        release = pandas.read_csv(path, dtype=str)
    with job.timed("check"):
        found = {"k": int(anonymity.k_anonymity(release, names)),
                 "l": int(anonymity.l_diversity(release, names, [asked["sensitive"]])),
                 "t": float(anonymity.t_closeness(release, names, [asked["sensitive"]]))}
    job.report(**found)


if __name__ == "__main__":
    main()
