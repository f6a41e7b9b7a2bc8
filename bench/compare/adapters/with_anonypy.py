"""anonypy: Mondrian over a pandas table."""

import anonypy
import job
import pandas


def anonymize(preserver: anonypy.Preserver, asked: dict) -> list[dict]:
    if asked["t"] is not None:
        return preserver.anonymize_t_closeness(k=asked["k"], p=asked["t"])
    if asked["l"]:
        return preserver.anonymize_l_diversity(k=asked["k"], l=asked["l"])
    return preserver.anonymize_k_anonymity(k=asked["k"])


def main() -> None:
    asked, output = job.read_job()
    with job.timed("read"):
        table = pandas.read_csv(asked["table"])
        for name, rule in asked["columns"].items():
            if rule["type"] == "text":
                table[name] = table[name].astype("category")
        table[asked["sensitive"]] = table[asked["sensitive"]].astype("category")
    with job.timed("anonymize"):
        rows = anonymize(anonypy.Preserver(table, list(asked["columns"]), asked["sensitive"]), asked)
        release = pandas.DataFrame(rows)
    with job.timed("write"):
        release.to_csv(output, index=False)
    job.report()


if __name__ == "__main__":
    main()
