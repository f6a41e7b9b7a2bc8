#!/usr/bin/env python3
r"""Runs the scenarios: the whole program, as a user runs it.

    THRONG=build/throng tests/scenarios/run.py [WORD]...    all, or those whose name has a WORD

A file *.txt beside this one holds scenarios that read like shell sessions. Each runs in a fresh
folder, after what stands before the first `===` of its file. Lines with # between steps are comments.

    === TITLE             a scenario begins
    needs WHAT            skip it, saying so, where WHAT is lacking; see class Host
    --- file NAME         the lines up to the next `---`, `===` or `$` are the file; blank lines at its
                          end are not (`---` alone only ends it)
    --- append NAME       the same, behind what the file has
    --- bytes NAME        the same with Python's escapes (\xff \r \n), and no other line ends
    --- edit NAME         lines `OLD => NEW`: the one place with OLD gets NEW
    --- link NAME TARGET  a symbolic link;  --- folder NAME  a folder (`sealed`: nobody may write to it)
    --- tmpfs NAME SIZE   a file system of that size
    --- python            a program that makes files, or asserts what no check below can say; $THRONG is
                          the program
    --- sql               statements that DuckDB runs; FOLDER stands for the folder
    --- hold DIR          another writer has the publication from here on;  --- let DIR  it has finished
    $ throng WORDS        a command; `$ limit BYTES throng` cannot write longer files, `$ ordinary throng`
                          is not run by root, `$ env NAME=VALUE throng` has that in its environment,
                          `$ mends throng` reads only and may still change the ledger: it finds one
                          that was left in the midst of a release

The lines below a command say what must hold:

    = 2                   its exit status, if not 0
    ~ REGEX               a line of its output matches;  !~ REGEX  none does
    > LINE                a line of its output is this
    silent                it printed nothing
    json PATH OP VALUE    in the JSON it printed; OP: = != < <= > >= ~ (a regex);
                          VALUE: JSON, or `before`: what the command before had there
    json has PATH...      they are there;  figures agree  with the JSON of the command before
    exists FILE           missing FILE;  unchanged FILE  (by the last command)
    rows FILE N           records below the header of a CSV
    lines FILE            its header and then, in the order of their bytes, its other lines:
    | LINE                one such line each
    same FILE FILE        equal bytes;  shuffled FILE FILE  the same lines in another order
    within FILE FILE      the lines of the first are in the second, each as often at least
    has FILE TEXT         the bytes stand somewhere in it;  lacks FILE TEXT  they do not; of a folder:
                          in some file of it, or its name;  in none
    inside FILE PATH OP VALUE   as `json`, in the JSON of that file
    loss OUTPUT POLICY TABLE    its manifest says what `evaluate` finds

Always checked: a command that succeeds writes its -o (buckets: NAME.qit.csv and NAME.st.csv; and --cuts)
and nothing else, and prints nothing but warnings on
standard error. One that fails with 2 or 3 changes no file, leaves none behind, and prints nothing but one
line `throng: …` on standard error (`evaluate`, `verify` and `audit` with 3: their figures, and a line for each
broken promise). None says `internal error`. With --json standard output is one object, with --quiet it is empty.
--html is written with 0 and, by `evaluate` and `audit`, with 3.
`audit` warns with 3 as with 0, and writes its --report with both: its status, `holds`, `broken` and `warnings` in it,
and the lines on standard error say the same.

Of a publication (a folder with a ledger.db), `init` makes the folder, `release` may change it and writes
OUTPUT.manifest.json, which must have the SHA-256, bytes and rows of OUTPUT; every other verb and every failure
leaves all rows of the ledger and all other files as they were, but for the lock and SQLite's own -wal and
-shm. It has no file of a name that docs/ledger.md does not know, its folders are 0700 and its files 0600.
"""
import collections
import concurrent.futures
import ctypes
import difflib
import fcntl
import hashlib
import json
import operator
import os
import pathlib
import re
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PROGRAM = os.path.abspath(os.environ.get("THRONG", HERE / "../../build/throng"))
NOBODY = 65534
# What `anonymize` and `evaluate` must both say, and say alike.
FIGURES = ["rows_in", "rows_out", "suppressed", "classes", "k", "l", "diversity", "average_class_size",
           "information_loss", "gcp", "discernibility"]

# Limits are set between fork and exec, which Python only does safely in a process without threads.
LAUNCH = """
import os, resource, signal, sys
limit, user = int(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
if limit >= 0: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
if user >= 0: os.setgroups([]); os.setgid(user); os.setuid(user)
os.execv(sys.argv[3], sys.argv[3:])
"""
OPERATORS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge}


# What a writer leaves in its lock for others to read.
HOLDER = "pid 4711 on desk, release, since 2026-01-31T12:00:00Z"
# Of a publication's folder: what it may hold, and what comes and goes.
LEDGER_FILES = re.compile(r"ledger\.db(-wal|-shm)?|lock|segments|segments/\d{6}\.parquet")
PASSING = ("ledger.db-wal", "ledger.db-shm", "lock")


class Failed(Exception):
    pass


def lines_of(text):
    """Its lines by \\n alone: splitlines() knows a dozen other line ends."""
    return text.removesuffix("\n").split("\n") if text else []


class Host:
    """What a scenario may need; each says why it is lacking, or None."""

    @staticmethod
    def tmpfs():
        return None if os.geteuid() == 0 and mount_works() else "a tmpfs cannot be mounted here"

    @staticmethod
    def ordinary():
        command = launched([PROGRAM, "--version"], user=ordinary_user())
        ran = subprocess.run(command, capture_output=True, check=False).returncode == 0
        return None if ran else "the program cannot be run by an ordinary user here"

    @staticmethod
    def duckdb():
        return None if DuckDB.shared_object() else "libduckdb is not to be found here"

    @staticmethod
    def pages():
        command = [PROGRAM, "status", "nowhere", "--html", "page.none"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        return "the program was built without its pages" if "THRONG_PAGES=OFF" in said else None


def mount_works():
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False).returncode:
            return False
        subprocess.run(["umount", folder], check=True)
        return True


def ordinary_user():
    return NOBODY if os.geteuid() == 0 else -1


def launched(command, limit=-1, user=-1):
    return [sys.executable, "-c", LAUNCH, str(limit), str(user)] + command


class DuckDB:
    """The library that the program itself is linked with, to make databases and typed Parquet."""

    _library = None

    @classmethod
    def shared_object(cls):
        if cls._library is None:
            linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False).stdout
            path = re.search(r"libduckdb\S* => (\S+)", linked)
            cls._library = ctypes.CDLL(path[1]) if path else False
        return cls._library

    @classmethod
    def run(cls, sql, folder):
        library = cls.shared_object()
        database, connection = ctypes.c_void_p(), ctypes.c_void_p()
        result = ctypes.create_string_buffer(256)  # a duckdb_result is smaller
        library.duckdb_result_error.restype = ctypes.c_char_p
        library.duckdb_open(None, ctypes.byref(database))
        library.duckdb_connect(database, ctypes.byref(connection))
        failed = library.duckdb_query(connection, sql.replace("FOLDER", str(folder)).encode(), result)
        message = (library.duckdb_result_error(result) or b"").decode() if failed else ""
        library.duckdb_destroy_result(result)
        library.duckdb_disconnect(ctypes.byref(connection))
        library.duckdb_close(ctypes.byref(database))
        if failed:
            raise Failed(f"DuckDB: {message}")


def rows_of_ledger(path):
    """All that a ledger's database says, whatever its bytes are; where it cannot be read, those."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ledger.db", "ledger.db-wal"):
            if (path.parent / name).is_file():
                shutil.copy(path.parent / name, folder)
        try:
            connection = sqlite3.connect(f"{folder}/ledger.db")
            try:
                numbers = [connection.execute(f"PRAGMA {name}").fetchone()[0]
                           for name in ("user_version", "application_id")]
                return "\n".join([*map(str, numbers), *connection.iterdump()])
            finally:
                connection.close()
        except (sqlite3.Error, UnicodeError):
            return path.read_bytes()


# --- Scenario files ------------------------------------------------------------------------------


class Step:
    def __init__(self, line, text):
        self.line, self.text, self.body = line, text, []
        self.status = 0  # of a command: the one to be


class Scenario:
    def __init__(self, file, title, steps):
        self.name, self.file, self.steps = f"{file.stem}: {title}", file.name, steps


def read_scenarios(file):
    before, scenarios = [], []
    steps, block, command = before, None, None
    for number, line in enumerate(lines_of(file.read_text(encoding="utf-8")), 1):
        if line.startswith("=== "):
            steps, block, command = list(before), None, None
            scenarios.append(Scenario(file, line[4:], steps))
        elif line == "---":
            block = None
        elif line.startswith(("--- ", "$ ")):
            block = Step(number, line)
            steps.append(block)
            if line.startswith("$ "):
                command, block = block, None
        elif block:
            block.body.append(line)
        elif line.startswith("| "):
            steps[-1].body.append(line[2:])
        elif line.startswith("= "):
            command.status = int(line[2:])
        elif line.strip() and not line.startswith("#"):
            steps.append(Step(number, line))
    return scenarios


# --- One scenario --------------------------------------------------------------------------------


class Session:
    def __init__(self, folder):
        self.folder = folder
        self.before, self.after = {}, {}  # what the files were around the last command
        self.out = self.err = ""
        self.json, self.json_before = None, None  # of the last two commands with --json
        self.spoke_json = False  # the last command did
        self.mounts = []
        self.held = {}  # the locks of publications, by folder

    def path(self, name):
        return self.folder / name

    def read(self, name):
        if not self.path(name).is_file():
            raise Failed(f"there is no file {name}")
        return self.path(name).read_bytes()

    def files(self):
        found = {}
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if path.is_symlink():
                found[name] = "link to " + os.readlink(path)
            elif path.name == "ledger.db" and path.is_file():
                found[name] = rows_of_ledger(path)
            elif path.name not in PASSING or not (path.parent / "ledger.db").exists():
                found[name] = path.read_bytes() if path.is_file() else "folder"
        return found

    def publications(self):
        return [path.parent for path in self.folder.rglob("ledger.db") if path.is_file()]

    def close(self):
        for lock in self.held.values():
            os.close(lock)
        for mount in self.mounts:
            subprocess.run(["umount", mount], check=True)

    def run(self, step):
        if step.text.startswith("--- "):
            kind, *words = step.text[4:].split()
            getattr(self, "make_" + kind)(step.body, *words)
        elif step.text.startswith("$ "):
            self.command(step)
        else:
            word, _, rest = step.text.partition(" ")
            check = {"~": "match", "!~": "no_match", ">": "line"}.get(word, word)
            arguments = [rest, step.body] if word == "lines" else [rest]
            getattr(self, "check_" + check)(*arguments)

    # What stands there beforehand.

    @staticmethod
    def content(body):
        text = "\n".join(body).rstrip("\n")
        return text + "\n" if text else ""

    def make_file(self, body, name):
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(self.content(body), encoding="utf-8")

    def make_append(self, body, name):
        with open(self.path(name), "a", encoding="utf-8") as file:
            file.write(self.content(body))

    def make_bytes(self, body, name):
        text = "".join(body).encode("utf-8").decode("latin-1")
        self.path(name).write_bytes(re.sub(r"\\(x..|.)", lambda found: found[0].encode().decode("unicode_escape"),
                                           text).encode("latin-1"))

    def make_edit(self, body, name):
        text = self.path(name).read_text(encoding="utf-8")
        for line in filter(None, body):
            old, new = line.split(" => ") if " => " in line else (line.removesuffix(" =>"), "")
            if text.count(old) != 1:
                raise Failed(f"{name} has {text.count(old)} times {old!r}")
            text = text.replace(old, new)
        self.path(name).write_text(text, encoding="utf-8")

    def make_link(self, _, name, target):
        self.path(name).symlink_to(target)

    def make_folder(self, _, name, mode=""):
        self.path(name).mkdir()
        if mode == "sealed":
            self.path(name).chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)

    def make_tmpfs(self, _, name, size):
        self.path(name).mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.path(name)], check=True)
        self.mounts.append(self.path(name))

    def make_hold(self, _, name):
        self.held[name] = os.open(self.path(name) / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.held[name], fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.truncate(self.held[name], 0)
        os.pwrite(self.held[name], (HOLDER + "\n").encode(), 0)

    def make_let(self, _, name):
        os.close(self.held.pop(name))

    def make_python(self, body):
        done = subprocess.run([sys.executable, "-X", "utf8", "-c", "\n".join(body)], cwd=self.folder,
                              capture_output=True, text=True, check=False, env={**os.environ, "THRONG": PROGRAM})
        if done.returncode:
            raise Failed(done.stderr)

    def make_sql(self, body):
        DuckDB.run("\n".join(body), self.folder)

    # A command, and what always holds.

    def command(self, step):
        words = shlex.split(step.text[2:])
        limit = user = -1
        mends = False
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("THRONG_KEY_FILE", "SOURCE_DATE_EPOCH")}
        while words[0] != "throng":
            if words[0] == "limit":
                limit, words = int(words[1]), words[2:]
            elif words[0] == "ordinary":
                user, words = ordinary_user(), words[1:]
            elif words[0] == "env":
                name, value = words[1].split("=", 1)
                environment[name], words = value, words[2:]
            elif words[0] == "mends":
                mends, words = True, words[1:]
            else:
                raise Failed(f"unknown command {words[0]}")
        command = [PROGRAM] + words[1:]
        if limit >= 0 or user >= 0:
            command = launched(command, limit, user)
        self.before = self.files()
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=60, check=False,
                              stdin=subprocess.DEVNULL, env=environment)
        self.after = self.files()
        self.out, self.err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        if done.returncode != step.status:
            raise Failed(f"exit status {done.returncode}; expected {step.status}")
        self.check_always(words, step.status, mends)
        for folder in self.publications():
            self.check_publication(folder)

    def check_always(self, words, status, mends):
        verb = words[1] if len(words) > 1 else ""
        judged = verb in ("evaluate", "verify", "audit") and status == 3
        if "internal error" in self.err.lower():
            raise Failed("it says `internal error`")
        outputs = [name for i, word in enumerate(words[:-1]) if word in ("-o", "--cuts") and status == 0
                   for name in self.written(words[i + 1])]
        reports = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--report" and (status == 0 or judged)]
        pages = [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--html" and (status == 0 or judged)]
        changed = {name for name in {*self.before, *self.after} if self.before.get(name) != self.after.get(name)}
        changed -= {os.path.normpath(name) for name in outputs + reports + pages}
        if status == 0 and verb == "release":
            changed -= {os.path.normpath(name) + ".manifest.json" for name in outputs}
        if status == 0 and verb in ("init", "release") or mends:
            folder = os.path.normpath(words[2])
            changed = {name for name in changed if name != folder and not name.startswith(folder + "/")}
        if changed:
            raise Failed("it made, changed or removed: " + ", ".join(sorted(changed)))
        for name in outputs:
            self.read(name)
            if verb == "release":
                self.check_manifest(name)
        lines = lines_of(self.err)
        if status == 0 and not all(line.startswith("warning: ") for line in lines):
            raise Failed("standard error is not lines `warning: …`")
        if verb == "audit" and judged:
            lines = [line for line in lines if not line.startswith("warning: ")]
        if status in (2, 3):
            if not lines or not all(line.startswith("throng: ") for line in lines):
                raise Failed("standard error is not lines `throng: …`")
            if len(lines) > 1 and not judged:
                raise Failed(f"{len(lines)} lines on standard error; expected one")
            if self.out and not judged:
                raise Failed("it failed, and printed on standard output")
        self.spoke_json = "--json" in words and (status == 0 or judged)
        if self.spoke_json:
            self.json_before = self.json
            try:
                self.json = json.loads(self.out)
            except ValueError as error:
                raise Failed(f"standard output is not one JSON value: {error}") from None
            if not isinstance(self.json, dict):
                raise Failed("standard output is no JSON object")
            if verb == "audit":
                self.check_report(self.json, status)
        elif "--quiet" in words and self.out:
            raise Failed("it printed on standard output in spite of --quiet")
        for name in reports:
            self.check_report(json.loads(self.read(name)), status)

    def written(self, name):
        """The files that -o NAME stands for."""
        pair = [name.removesuffix(".csv") + ending for ending in (".qit.csv", ".st.csv")]
        is_pair = not os.path.lexists(self.path(name)) and all(os.path.exists(self.path(part)) for part in pair)
        return pair if is_pair else [name]

    def check_report(self, report, status):
        said = {"holds": report["holds"], "throng: ": report["broken"], "warning: ": report["warnings"]}
        shown = {"holds": status == 0}
        for word in ("throng: ", "warning: "):
            shown[word] = [line.removeprefix(word) for line in lines_of(self.err) if line.startswith(word)]
        if said != shown:
            raise Failed(f"the report says {said}; status and standard error {shown}")

    def check_manifest(self, name):
        output = self.read(name)
        said = json.loads(self.read(name + ".manifest.json"))["output"]
        actual = {"file": os.path.basename(name), "bytes": len(output), "sha256": hashlib.sha256(output).hexdigest()}
        if name.endswith(".csv") and b'"' not in output:
            actual["rows"] = output.count(b"\n") - 1
        for key, value in actual.items():
            if said[key] != value:
                raise Failed(f"{name}.manifest.json says {key} {said[key]}; it is {value}")

    def check_publication(self, folder):
        for path in [folder, *folder.rglob("*")]:
            name = str(path.relative_to(self.folder))
            if path != folder and not LEDGER_FILES.fullmatch(str(path.relative_to(folder))):
                raise Failed(f"{name}: a publication has no such file")
            wanted = 0o700 if path.is_dir() else 0o600
            if stat.S_IMODE(path.stat().st_mode) != wanted:
                raise Failed(f"{name} has mode {stat.S_IMODE(path.stat().st_mode):o}; expected {wanted:o}")

    # What must hold.

    def printed(self):
        return lines_of(self.out) + lines_of(self.err)

    def check_match(self, regex):
        if not any(re.search(regex, line) for line in self.printed()):
            raise Failed(f"no line matches {regex}")

    def check_no_match(self, regex):
        for line in self.printed():
            if re.search(regex, line):
                raise Failed(f"the line {line!r} matches {regex}")

    def check_line(self, line):
        if line not in self.printed():
            raise Failed(f"expected the line:\n{line}")

    def check_silent(self, _):
        if self.out or self.err:
            raise Failed("it printed something")

    @staticmethod
    def member(value, path):
        for key in path.split("."):
            try:
                value = value[int(key)] if isinstance(value, list) else value[key]
            except (KeyError, IndexError, TypeError, ValueError):
                raise Failed(f"the JSON has no {path}") from None
        return value

    def check_json(self, rest):
        if not self.spoke_json:
            raise Failed("the last command printed no JSON")
        if rest.startswith("has "):
            for path in rest.split()[1:]:
                self.member(self.json, path)
            return
        self.compare(self.json, rest)

    def check_inside(self, rest):
        name, comparison = rest.split(None, 1)
        self.compare(json.loads(self.read(name)), comparison)

    def check_loss(self, rest):
        output, policy, table = rest.split()
        command = [PROGRAM, "evaluate", policy, table, output, "--json"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=60, check=False)
        found, said = json.loads(done.stdout), json.loads(self.read(output + ".manifest.json"))
        for key in ("information_loss", "gcp", "classes", "k"):
            if not close(found[key], said[key]):
                raise Failed(f"{key} is {found[key]}; the manifest says {said[key]}")
        for column in said["diversity"]:
            if not close(found["diversity"][column["column"]],
                         {key: value for key, value in column.items() if key != "column"}):
                raise Failed(f"diversity of {column}; evaluate finds {found['diversity']}")

    def compare(self, document, comparison):
        path, sign, text = comparison.split(None, 2)
        value = self.member(document, path)
        if sign == "~":
            holds = re.search(text, str(value)) is not None
        else:
            wanted = self.member(self.json_before, path) if text == "before" else json.loads(text)
            holds = OPERATORS[sign](value, wanted)
        if not holds:
            raise Failed(f"{path} is {json.dumps(value)}; expected {sign} {text}")

    def check_figures(self, _):
        if not self.spoke_json or self.json_before is None:
            raise Failed("there are no two commands that printed JSON")
        for key in FIGURES:
            if not close(self.json[key], self.json_before[key]):
                raise Failed(f"{key} is {self.json[key]} here, and was {self.json_before[key]} before")

    def check_exists(self, name):
        self.read(name)

    def check_missing(self, name):
        if os.path.lexists(self.path(name)):
            raise Failed(f"{name} exists")

    def check_unchanged(self, name):
        if name not in self.before or self.before[name] != self.after.get(name):
            raise Failed(f"{name} was changed")

    def check_rows(self, rest):
        name, count = rest.rsplit(" ", 1)
        rows = len(lines_of(self.read(name).decode())) - 1
        if rows != int(count):
            raise Failed(f"{name} has {rows} records; expected {count}")

    def check_lines(self, name, expected):
        header, *lines = lines_of(self.read(name).decode())
        actual = [header] + sorted(lines, key=str.encode)
        if actual != expected:
            raise Failed("\n".join(difflib.unified_diff(expected, actual, "expected", name, lineterm="", n=50)))

    def check_same(self, rest):
        first, second = rest.split()
        if self.read(first) != self.read(second):
            raise Failed(f"{first} and {second} differ")

    def check_shuffled(self, rest):
        first, second = (lines_of(self.read(name).decode()) for name in rest.split())
        if first == second:
            raise Failed(f"{rest}: the lines stand in one order")
        if first[0] != second[0] or sorted(first) != sorted(second):
            raise Failed(f"{rest}: the lines are not the same")

    def check_within(self, rest):
        first, second = (lines_of(self.read(name).decode()) for name in rest.split())
        lacking = collections.Counter(first) - collections.Counter(second)
        if first[0] != second[0] or lacking:
            raise Failed(f"{rest}: the second lacks " + ", ".join(lacking) + " of the first")

    def holders(self, rest):
        """What was looked through; those files of it, the folder's files among them, that have the text."""
        name, text = rest.split(" ", 1)
        if not self.path(name).is_dir():
            return name, text, [name] if text.encode() in self.read(name) else []
        files = [path for path in self.path(name).rglob("*") if path.is_file()]
        return name, text, [str(path.relative_to(self.folder)) for path in files
                            if text.encode() in path.read_bytes() or text in path.name]

    def check_has(self, rest):
        name, text, found = self.holders(rest)
        if not found:
            raise Failed(f"{name} has no {text!r}")

    def check_lacks(self, rest):
        _, text, found = self.holders(rest)
        if found:
            raise Failed(f"{', '.join(found)} has {text!r}")


def close(ours, theirs):
    """Equal, but for the last digits of numbers."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(close(ours[key], theirs[key]) for key in ours)
    return abs(ours - theirs) <= 1e-9


def play(scenario):
    """(whether it passed, None when skipped; what to print)."""
    steps = [step for step in scenario.steps if not step.text.startswith("needs ")]
    for step in scenario.steps:
        if step.text.startswith("needs "):
            reason = getattr(Host, step.text.split()[1])()
            if reason:
                return None, f"skip {scenario.name}: {reason}"
    with tempfile.TemporaryDirectory(prefix="throng-") as folder:
        os.chmod(folder, 0o755)
        session = Session(pathlib.Path(folder))
        step = None
        try:
            for step in steps:
                session.run(step)
            return True, f"ok {scenario.name}"
        except Exception as failure:  # whatever it is, one scenario failed, and the others go on
            what = str(failure) if isinstance(failure, Failed) else repr(failure)
            report = [f"FAILED {scenario.name}  ({scenario.file}:{step.line})", step.text]
            report += [f"    {line}" for line in lines_of(what)]
            report += [f"    printed: {line}" for line in session.printed()]
            return False, "\n".join(report)
        finally:
            session.close()


def main():
    scenarios = [scenario for file in sorted(HERE.glob("*.txt")) for scenario in read_scenarios(file)]
    words = sys.argv[1:]
    if words:
        scenarios = [scenario for scenario in scenarios if any(word in scenario.name for word in words)]
    passed = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        for result, text in pool.map(play, scenarios):
            passed.append(result)
            print(text, flush=True)
    if None in passed:
        print(f"{passed.count(None)} skipped")
    print(f"{passed.count(True)} passed, {passed.count(False)} failed")
    return 1 if False in passed or True not in passed else 0


if __name__ == "__main__":
    sys.exit(main())
