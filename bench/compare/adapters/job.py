"""What the adapters share: the job that they are given, and how they say how long it took."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

seconds: dict[str, float] = {}


def read_job() -> tuple[dict, str]:
    """The job and the path of the release."""
    return json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2]


@contextmanager
def timed(stage: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - start


def report(**found: float) -> None:
    """The last line of the output is the report: libraries print as they like before it."""
    print()
    print(json.dumps({"seconds": seconds, **found}))
