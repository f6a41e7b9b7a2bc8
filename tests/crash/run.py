#!/usr/bin/env python3
r"""Kills the program, lets the power fail and the disk be full, and looks at what is left of a publication.

    THRONG=build/throng FAIL_POINTS=build/tests/libfail_points.so tests/crash/run.py [WORD]...

runs all, or the parts whose name has a WORD. --kills N: so many random kills (200); --seed S: of these and of the
sample of points that most parts take; --all: every point.

A part plays a small publication of three batches (`sequential`: of three tables of the same people). Its second release is run once to list the calls that change
a file (fail_points.cpp), then once for each call that leaves another state behind:

    before   killed before the call; since two neighbours differ by one call, this is killed after it, too
    half     killed when half of a write is written
    power    killed, and nothing is left of what was not synced
    full     the disk is full from this call on

and in `mending` the command that mends such a state is itself killed. In `init` the publication's making is
killed, and in `random` releases are killed at random times.

What must hold after each: the output and its manifest have the bytes of before or of after, and no others. The next
command (status, verify or the release again, by turns) finds the state before or after; it says which if there was
anything to mend, and leaves no stray file. The same release again takes the batch once in all. The third release,
the status and every output are in the end those of a publication that nobody interrupted, and verify holds.
A full disk is exit status 2 and one line, and no stray file even before the next command.
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = pathlib.Path(__file__).parent
PROGRAM = os.path.abspath(os.environ.get("THRONG", HERE / "../../build/throng"))
LIBRARY = os.path.abspath(os.environ.get("FAIL_POINTS", HERE / "../../build/tests/libfail_points.so"))
# One thread: calls come in one order. One date: outputs can be compared.
FLAGS = ["--threads", "1"]
WORLD = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
POLICY = """
columns:
  id: {role: identifier}
  age: {role: quasi-identifier, type: integer}
  zip: {role: quasi-identifier, hierarchy: {mask: right}}
  disease: {role: sensitive}
privacy:
  - k-anonymity: 3
  - l-diversity: {column: disease, l: 2, variant: distinct}
"""
# Tables of the same people, by the columns that each has.
SEQUENTIAL_POLICY = """
columns:
  id: {role: identifier}
  zip: {role: quasi-identifier, hierarchy: {mask: right}}
  job: {role: quasi-identifier, hierarchy: {mask: right}}
  ward: {role: insensitive}
  disease: {role: sensitive}
privacy:
  - xy-linkability: {x: [zip, job], y: disease, max: 0.8}
  - xy-anonymity: {x: [zip, job], y: row, k: 3}
algorithm: tds
"""
TABLES = [["id", "job", "disease"], ["id", "zip", "job"], ["id", "zip", "ward"]]
BATCHES, ROWS = 8, 40  # `random` takes all of them, the others three


class Failed(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failed(what)


# --- A publication and the commands on it --------------------------------------------------------


class Kind:
    """How a publication is made, and what it is when nobody interrupts it."""

    def __init__(self, name, strategy, key=True, encrypted=False, one_output=False, delta=False):
        self.name, self.strategy, self.key, self.encrypted = name, strategy, key, encrypted
        self.one_output, self.delta = one_output, delta
        self.sequential = strategy == "sequential"
        self.root = None
        self.base = None  # a folder with the first release made
        self.after = []  # by release: its outputs and the status

    def make(self, root):
        self.root = root / self.name
        self.root.mkdir()
        (self.root / "key").write_bytes(bytes(range(32)))
        batches = self.write_tables() if self.sequential else self.write_batches()
        folder = Folder(self, self.root / "base")
        folder.make()
        folder.succeed(folder.init())
        self.after.append((folder.outputs(), folder.status()))
        for number in range(1, batches + 1):
            done = folder.succeed(folder.release(number))
            expect(not done["repeated"], "a first release is said to be repeated")
            folder.succeed(["verify", "--manifest", f"out/{self.output(number)}.manifest.json"])
            self.after.append((folder.outputs(), folder.status()))
            if number == 1:
                self.base = self.root / "first"
                shutil.copytree(folder.path, self.base)
        folder.verify()
        return self

    def write_batches(self):
        (self.root / "policy.yaml").write_text(POLICY + ("key: id\n" if self.key else ""), encoding="utf-8")
        numbers = random.Random(1)
        for batch in range(1, BATCHES + 1):
            lines = ["id,age,zip,disease"]
            for row in range(ROWS):
                lines.append(f"{batch}-{row},{numbers.randint(20, 79)},{numbers.choice(['021', '023'])}"
                             f"{numbers.randint(10, 29)},{numbers.choice(['Flu', 'Cold', 'Gout', 'Asthma'])}")
            (self.root / f"batch{batch}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return BATCHES

    def write_tables(self):
        (self.root / "policy.yaml").write_text(SEQUENTIAL_POLICY, encoding="utf-8")
        numbers = random.Random(1)
        people = [{"id": str(row), "zip": numbers.choice(["021", "023"]) + str(numbers.randint(10, 29)),
                   "job": numbers.choice("ab") + numbers.choice("xy"), "ward": numbers.choice(["north", "south"]),
                   "disease": numbers.choice(["Flu", "Cold", "Gout", "Asthma"])} for row in range(ROWS)]
        for number, columns in enumerate(TABLES, 1):
            lines = [",".join(columns)] + [",".join(person[name] for name in columns) for person in people]
            (self.root / f"batch{number}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return len(TABLES)

    def output(self, number):
        return "latest.csv" if self.one_output else f"release{number}.csv"


class Folder:
    """A folder with a publication `home/pub`, its outputs `out`, and nothing else that counts."""

    def __init__(self, kind, path):
        self.kind, self.path = kind, path
        self.environment = {**WORLD, "TMPDIR": str(path / "tmp")}
        if kind.encrypted:
            self.environment["THRONG_KEY_FILE"] = str(kind.root / "key")

    def make(self):
        for name in ["home", "out", "tmp", "spare"]:
            (self.path / name).mkdir(parents=True)

    # Commands.

    def init(self):
        return ["init", "home/pub", "--policy", str(self.kind.root / "policy.yaml"), "--strategy", self.kind.strategy]

    def release(self, number):
        return (["release", "home/pub", str(self.kind.root / f"batch{number}.csv"), "-o",
                 f"out/{self.kind.output(number)}"] + (["--delta"] if self.kind.delta else [])
                + (["--as", f"T{number}"] if self.kind.sequential else []))

    def start(self, words, environment):
        return subprocess.Popen([PROGRAM, *words, "--json", *FLAGS], cwd=self.path, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**self.environment, **environment})

    def run(self, words, environment=None):
        process = self.start(words, environment or {})
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def run_failing(self, words, mode, at=0, log=None):
        return self.run(words, {
            "LD_PRELOAD": LIBRARY, "FAIL_FOLDERS": f"{self.path}/home:{self.path}/out",
            "FAIL_MODE": mode, "FAIL_AT": str(at), "FAIL_LOG": str(log), "FAIL_SPARE": str(self.path / "spare")})

    def kill_at(self, words, point):
        code, _, err = self.run_failing(words, point.mode, point.number)
        expect(code == -signal.SIGKILL, f"{words[0]} was to be killed; its exit status is {code}: {err}")

    def calls(self, words):
        """What a command changes, call by call: (what, bytes, path)."""
        log = self.path / "calls"
        code, _, err = self.run_failing(words, "count", log=log)
        expect(code == 0, f"{words[0]} fails: {err}")
        lines = [line.split(" ", 2) for line in log.read_text(encoding="utf-8").splitlines()]
        return [(what, int(size), path.removeprefix(f"{self.path}/")) for what, size, path in lines]

    def succeed(self, words):
        code, out, err = self.run(words)
        expect(code == 0, f"{words[0]} fails with {code}: {err or out}")
        answer = json.loads(out)
        # What status and release say in their JSON, verify says on standard error.
        answer.setdefault("notes", [line for line in err.splitlines() if " was interrupted " in line])
        return answer

    def verify(self):
        answer = self.succeed(["verify", "home/pub"])
        expect(answer["holds"], "verify does not hold")
        return answer

    def status(self):
        return comparable(self.succeed(["status", "home/pub"]))

    # Files.

    def outputs(self):
        return {path.name: path.read_bytes() for path in (self.path / "out").iterdir()}

    def strays(self):
        """Whatever a finished command does not leave behind."""
        known = {"home": ["pub"], "home/pub": ["ledger.db", "lock", "segments"], "tmp": []}
        found = [f"{folder}/{name}" for folder, names in known.items() for name in os.listdir(self.path / folder)
                 if name not in names]
        return found + [f"out/{name}" for name in os.listdir(self.path / "out") if name.startswith(".")]

    def segments(self):
        return sorted(os.listdir(self.path / "home/pub/segments"))

    # What must hold.

    def check_outputs_whole(self, number):
        """Of release `number`, interrupted: every file has the bytes of before or of after."""
        before, after = self.kind.after[number - 1][0], self.kind.after[number][0]
        for name, content in self.outputs().items():
            if not name.startswith("."):
                expect(content in (before.get(name), after.get(name)), f"out/{name} is neither the old nor the new one")
        for name in before:
            expect((self.path / "out" / name).exists(), f"out/{name} is gone")

    def check_is(self, number, status=None):
        """As after release `number`, to the last byte, and nothing else lies about."""
        outputs, expected = self.kind.after[number]
        names = sorted({*self.outputs(), *outputs})
        different = [name for name in names if self.outputs().get(name) != outputs.get(name)]
        expect(not different, f"after release {number}: other than uninterrupted: out/" + ", out/".join(different))
        expect(not self.strays(), f"after release {number}: left over: " + ", ".join(self.strays()))
        # In these publications every release has a segment.
        segments = [f"{i:06}.parquet" for i in range(1, number + 1)]
        expect(self.segments() == segments, f"after release {number}: the segments are {self.segments()}")
        if status is not None:
            expect(status == expected, f"after release {number}: the status is {status}; uninterrupted: {expected}")

    def mend(self, number, word, release):
        """The next command after `release`, of number `number`, was interrupted; (whether it is recorded, its note)."""
        # Without a note there must be nothing to mend; what SQLite mends by itself is not meant.
        unfinished = any(name.startswith(".") for name in self.outputs()) or self.segments() not in (
            [f"{i:06}.parquet" for i in range(1, number)], [f"{i:06}.parquet" for i in range(1, number + 1)])
        changed = self.outputs() not in (self.kind.after[number - 1][0], self.kind.after[number][0])
        answer = self.succeed(release if word == "release" else [word, "home/pub"])
        notes = " ".join(answer["notes"])
        expect(notes or not (unfinished or changed), f"{word} mended something and did not say so")
        expect(len(answer["notes"]) <= 1, f"{word} has {len(answer['notes'])} notes")
        if word == "release":
            recorded = answer["repeated"]
            self.check_is(number)
        else:
            status = comparable(answer) if word == "status" else self.status()
            recorded = len(status["releases"]) == number
            self.check_is(number if recorded else number - 1, status)
        expect("finished" not in notes or recorded, f"finished, but not recorded: {notes}")
        expect("forgotten" not in notes or not recorded, f"forgotten, but recorded: {notes}")
        return recorded, notes

    def release_again(self, number, recorded):
        answer = self.succeed(self.release(number))
        expect(answer["repeated"] == recorded, f"release {number} again: repeated is {answer['repeated']}, "
               f"though the release was {'' if recorded else 'not '}recorded")
        self.check_is(number)

    def go_on(self, number, word="status"):
        """After an interruption of release `number`: mend, release again, and one more."""
        self.check_outputs_whole(number)
        recorded, note = self.mend(number, word, self.release(number))
        if word != "release":
            self.release_again(number, recorded)
        answer = self.succeed(self.release(number + 1))
        expect(not answer["repeated"], "the next release is said to be repeated")
        self.verify()
        self.check_is(number + 1, self.status())
        return recorded, note


def comparable(status):
    """A status without what differs between two folders."""
    releases = [{**release, "output": pathlib.Path(release["output"]).name} for release in status["releases"]]
    return {**status, "releases": releases, "notes": [], "publication": ""}


# --- Points ---------------------------------------------------------------------------------------


class Point:
    def __init__(self, mode, number, call):
        self.mode, self.number, self.call = mode, number, call

    def __str__(self):
        return f"{self.mode} {self.number} ({' '.join(map(str, self.call))})"


def points_of(calls, modes):
    """Those that leave different states behind."""
    points = []
    for number, call in enumerate(calls, 1):
        before = calls[number - 2][0] if number > 1 else None
        if "before" in modes and before != "sync":
            points.append(Point("before", number, call))
        if "half" in modes and call[0] == "write" and call[1] > 1:
            points.append(Point("half", number, call))
        if "power" in modes and before in (None, "sync"):
            points.append(Point("power", number, call))
        if "full" in modes and call[0] in ("write", "make"):
            points.append(Point("full", number, call))
    if "before" in modes:
        points.append(Point("after", len(calls), calls[-1]))
    return points


NEXT = ["status", "release", "verify"]


class Parts:
    """Each yields (name, what to play)."""

    def __init__(self, root, everything, seed):
        self.root, self.everything, self.seed = root, everything, seed
        self.numbers = itertools.count()
        self.kinds = {}

    def sample(self, points, every):
        return points if self.everything else points[self.seed % every::every]

    def kind(self, *arguments, **options):
        if arguments[0] not in self.kinds:
            self.kinds[arguments[0]] = Kind(*arguments, **options).make(self.root)
        return self.kinds[arguments[0]]

    def append(self):
        return self.releases(self.kind("append", "append", one_output=True))

    def dynamic(self):
        return self.releases(self.kind("dynamic", "dynamic", encrypted=True), every=3)

    def keyless(self):
        return self.releases(self.kind("keyless", "append", key=False, delta=True), every=3)

    def sequential(self):
        return self.releases(self.kind("sequential", "sequential"), every=3)

    def fresh(self, kind, released=True):
        folder = Folder(kind, kind.root / f"{next(self.numbers)}")
        if released:
            shutil.copytree(kind.base, folder.path)
        else:
            folder.make()
        return folder

    def releases(self, kind, every=1):
        folder = self.fresh(kind)
        calls = folder.calls(folder.release(2))
        for turn, point in enumerate(self.sample(points_of(calls, ["before", "half", "power", "full"]), every)):
            play = self.full_disk if point.mode == "full" else self.killed
            yield f"{kind.name}: {point}", lambda play=play, point=point, turn=turn: play(kind, point, NEXT[turn % 3])

    def killed(self, kind, point, word):
        folder = self.fresh(kind)
        folder.kill_at(folder.release(2), point)
        folder.go_on(2, word)
        shutil.rmtree(folder.path)

    def full_disk(self, kind, point, word):
        folder = self.fresh(kind)
        code, out, err = folder.run_failing(folder.release(2), "full", point.number)
        leftover = [name for name in folder.outputs() if name.startswith(".")]
        expect(not leftover, "left over: " + ", ".join(leftover))
        segments = folder.segments()
        if code != 0:
            expect(code == 2, f"exit status {code}; expected 2: {err}")
            expect(not out and err.count("\n") == 1 and err.startswith("throng: ") and "space" in err.lower(),
                   f"expected one line about space: {out}{err}")
        recorded, note = folder.go_on(2, word)
        expect(recorded or segments == ["000001.parquet"], f"left over: one of the segments {segments}")
        if code == 0:  # what was not written is of no consequence
            expect(recorded and not note, f"it succeeded, but: {note}")
        elif recorded:
            expect("finished" in note or "release 2 is recorded" in err, f"it is recorded, but it said: {err}")
        shutil.rmtree(folder.path)

    def mending(self):
        """The interruptions with the most to mend; then the command that mends is killed."""
        kind = self.kind("append", "append", one_output=True)
        folder = self.fresh(kind)
        calls = folder.calls(folder.release(2))
        paths = [path for _, _, path in calls]
        output, manifest = (paths.index(f"out/latest.csv{ending}") + 1 for ending in ("", ".manifest.json"))
        states = [Point("before", number, calls[number - 1])
                  for number in (output - 1, output, manifest)]  # not recorded; recorded; output in place
        states.append(Point("power", output, calls[output - 1]))  # recorded, but the written output is lost
        for state in states:
            folder = self.fresh(kind)
            folder.kill_at(folder.release(2), state)
            for turn, point in enumerate(self.sample(
                    points_of(folder.calls(["status", "home/pub"]), ["before", "half", "power", "full"]), 3)):
                yield (f"mending: {state}, then {point}",
                       lambda state=state, point=point, turn=turn: self.killed_twice(kind, state, point, NEXT[turn % 3]))

    def killed_twice(self, kind, state, point, word):
        folder = self.fresh(kind)
        folder.kill_at(folder.release(2), state)
        if point.mode == "full":
            code, _, err = folder.run_failing(["status", "home/pub"], "full", point.number)
            expect(code in (0, 2) and "internal" not in err, f"exit status {code}; expected 0 or 2: {err}")
        else:
            folder.kill_at(["status", "home/pub"], point)
        folder.go_on(2, word)
        shutil.rmtree(folder.path)

    def init(self):
        kind = self.kind("dynamic", "dynamic", encrypted=True)
        folder = self.fresh(kind, released=False)
        calls = folder.calls(folder.init())
        for point in self.sample(points_of(calls, ["before", "half", "power", "full"]), 3):
            yield f"init: {point}", lambda point=point: self.init_fails(kind, point)

    def init_fails(self, kind, point):
        folder = self.fresh(kind, released=False)
        if point.mode == "full":
            code, out, err = folder.run_failing(folder.init(), "full", point.number)
            if code != 0:
                expect((code, out) == (2, "") and err.count("\n") == 1 and "space" in err.lower(),
                       f"exit status {code}; expected 2 and one line about space: {out}{err}")
                expect(not os.listdir(folder.path / "home"), "it failed, and left something behind")
        else:
            folder.kill_at(folder.init(), point)
        there = (folder.path / "home/pub").exists()
        if there:  # then it is whole
            folder.verify()
        else:
            folder.succeed(folder.init())
        expect(not folder.strays(), "left over: " + ", ".join(folder.strays()))
        folder.succeed(folder.release(1))
        folder.check_is(1, folder.status())
        shutil.rmtree(folder.path)


# --- Kills at random times ------------------------------------------------------------------------


class RandomKills:
    def __init__(self, parts, kills, seed):
        self.kinds = [parts.kind("append", "append", one_output=True),
                      parts.kind("dynamic", "dynamic", encrypted=True)]
        self.wanted, self.seed = kills, seed
        self.parts, self.done, self.lock = parts, 0, threading.Lock()

    def publication(self, index):
        """One that grows under kills; the next one only where more are wanted."""
        with self.lock:
            if self.done >= self.wanted:
                return
        numbers = random.Random(self.seed * 1000003 + index)
        kind = self.kinds[index % 2]
        folder = self.parts.fresh(kind)
        duration = 0.1
        for number in range(2, BATCHES + 1):
            for _ in range(numbers.choice([0, 2, 4, 6])):
                process = folder.start(folder.release(number), {})
                try:
                    _, err = process.communicate(timeout=numbers.uniform(0, 1.1 * duration))
                    expect(process.returncode == 0, f"release {number} fails with {process.returncode}: {err}")
                    break
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.communicate()
                if process.returncode == -signal.SIGKILL:
                    with self.lock:
                        self.done += 1
                folder.check_outputs_whole(number)
                word = numbers.choice(["status", "verify", "release", "release again"])
                if word == "release again":  # and perhaps it is killed too
                    continue
                folder.mend(number, word, folder.release(number))
                if word == "release":
                    break
            start = time.monotonic()
            answer = folder.succeed(folder.release(number))
            if not answer["repeated"]:
                duration = time.monotonic() - start
            folder.check_is(number)
        folder.verify()
        folder.check_is(BATCHES, folder.status())
        shutil.rmtree(folder.path)


# --- All of it ------------------------------------------------------------------------------------


def play(case):
    """(whether it held, what to print)."""
    name, run = case
    try:
        run()
        return True, name
    except Failed as failure:
        return False, f"FAILED {name}\n    {failure}"
    except Exception:  # whatever it is, one case failed, and the others go on
        return False, f"FAILED {name}\n" + traceback.format_exc()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()

    def chosen(name):
        return not options.words or any(word in name for word in options.words)

    failures = points = kills = 0
    with tempfile.TemporaryDirectory(prefix="throng-crash-") as root, \
            concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        parts = Parts(pathlib.Path(root).resolve(), options.all, options.seed)
        print(f"seed {options.seed}", flush=True)
        for name in filter(chosen, ["append", "dynamic", "keyless", "sequential", "mending", "init"]):
            start = time.monotonic()
            held = []
            for result, text in pool.map(play, getattr(parts, name)()):
                held.append(result)
                if not result:
                    print(text, flush=True)
            points += len(held)
            failures += held.count(False)
            print(f"{name}: {len(held)} fail points, {held.count(False)} failed ({time.monotonic() - start:.0f} s)",
                  flush=True)
        if chosen("random") and options.kills:
            start = time.monotonic()
            randomly = RandomKills(parts, options.kills, options.seed)
            cases = [(f"random: publication {i}", lambda i=i: randomly.publication(i)) for i in range(options.kills)]
            for result, text in pool.map(play, cases):
                failures += not result
                if not result:
                    print(text, flush=True)
            kills = randomly.done
            print(f"random: {kills} kills ({time.monotonic() - start:.0f} s)", flush=True)
            if kills < options.kills:
                failures += 1
                print(f"FAILED random: {options.kills} kills were asked for")
    print(f"{points} fail points, {kills} random kills: " + ("all held" if not failures else f"{failures} FAILED"))
    return 1 if failures or points + kills == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
