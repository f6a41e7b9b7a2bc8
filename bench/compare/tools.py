"""How each tool is asked to do a job: a command line, or a word why it cannot."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

from jobs import Job, describe

ADAPTERS = Path(__file__).resolve().parent / "adapters"

METHODS = {
    ("throng", "greedy-release"): "Throng, greedy-release by loss",
    ("throng", "datafly"): "Throng, datafly",
    ("throng", "mondrian"): "Throng, mondrian",
    ("throng", "audit"): "Throng, audit",
    ("throng", "publication"): "Throng, publication (append)",
    ("anjana", "datafly"): "anjana, may leave out 5 %",
    ("anjana", "datafly-all"): "anjana, leaves nobody out",
    ("anjana", "mondrian"): "anjana",
    ("anonypy", "mondrian"): "anonypy",
    ("anonypy", "taxonomies"): "anonypy",
    ("pandas", "mondrian"): "plain Mondrian in pandas",
    ("pycanon", "check"): "pycanon",
    ("arx", "full-domain"): "ARX, optimal full-domain",
    ("arx", "local"): "ARX, local recoding",
    ("arx", "mondrian"): "ARX",
}
NOTATIONS = {"throng": "throng", "pandas": "throng", "anonypy": "anonypy", "anjana": "labels", "arx": "labels"}


class CannotDo(Exception):
    """A tool that has no way to do a job; its words go into the cell."""


@dataclass(frozen=True)
class Arx:
    """ARX as given by path: its jar, the folder of our compiled adapter, or why there is none."""

    jar: str = ""
    classes: str = ""
    missing: str = "not given (ARX_JAR)"


@dataclass(frozen=True)
class Toolbox:
    throng: str
    python: str = sys.executable
    arx: Arx = Arx()


def prepare_arx(jar: str, folder: Path) -> Arx:
    """Compiles the adapter against the jar."""
    if not jar:
        return Arx()
    if not Path(jar).is_file():
        return Arx(missing=f"no such jar: {Path(jar).name}")
    if not shutil.which("javac") or not shutil.which("java"):
        return Arx(missing="no java and javac")
    classes = folder / "arx-classes"
    classes.mkdir(exist_ok=True)
    done = subprocess.run(["javac", "-cp", jar, "-d", str(classes), str(ADAPTERS / "WithArx.java")],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return Arx(missing="the adapter does not compile against this jar")
    return Arx(jar=jar, classes=str(classes), missing="")


# --- Throng --------------------------------------------------------------------------------------


def policy(job: Job, rest: str) -> str:
    lines = ["columns:"]
    for column, rule in describe(job)["columns"].items():
        hierarchy = f", hierarchy: {json.dumps(rule['hierarchy'])}" if rule["hierarchy"] else ""
        lines.append(f"  {column}: {{role: quasi-identifier, type: {rule['type']}{hierarchy}}}")
    lines.append(f"  {describe(job)['sensitive']}: {{role: sensitive}}")
    lines.append("privacy:")
    lines.append(f"  - k-anonymity: {job.k}")
    if job.l:
        lines.append(f"  - l-diversity: {{column: {describe(job)['sensitive']}, l: {job.l}}}")
    if job.t is not None:
        lines.append(f"  - t-closeness: {{column: {describe(job)['sensitive']}, t: {job.t}}}")
    return "\n".join([*lines, rest]) + "\n"


THRONG_POLICY = {"greedy-release": "algorithm: greedy-release\nchoose: loss", "datafly": "algorithm: datafly",
                 "mondrian": "algorithm: mondrian", "audit": "", "publication": ""}


def write_policy(job: Job, method: str) -> Path:
    path = job.path(f"{method}.yaml")
    path.write_text(policy(job, THRONG_POLICY[method]), encoding="utf-8")
    return path


def throng_command(job: Job, method: str, output: Path, tools: Toolbox) -> list[str]:
    rules = str(write_policy(job, method))
    if job.kind == "check":
        return [tools.throng, "audit", rules, str(release_to_check(job)), "--json"]
    if job.t is not None:
        refuse_unknown_closeness(rules, job, tools)
    return [tools.throng, "anonymize", rules, str(job.table), "-o", str(output), "--json"]


def refuse_unknown_closeness(rules: str, job: Job, tools: Toolbox) -> None:
    """Asks Throng itself whether its policy knows t-closeness, so that this cell need not change when it learns it."""
    asked = subprocess.run([tools.throng, "anonymize", rules, str(job.table), "-o", str(job.path("probe.csv")), "--quiet"],
                           capture_output=True, text=True, check=False)
    if asked.returncode == 2 and "t-closeness" in asked.stderr:
        raise CannotDo("its policy has no t-closeness; audit only measures it")


def release_to_check(job: Job) -> Path:
    return job.path("release.csv")


def make_release_to_check(job: Job, tools: Toolbox) -> None:
    """What the checks are about: a release by Throng's mondrian."""
    rules = write_policy(job, "mondrian")
    subprocess.run([tools.throng, "anonymize", str(rules), str(job.table), "-o", str(release_to_check(job)), "--quiet"],
                   check=True)


# --- The others ----------------------------------------------------------------------------------


def adapter(module: str, job: Job, output: Path, tools: Toolbox) -> list[str]:
    return [tools.python, str(ADAPTERS / f"{module}.py"), str(job.file), str(output)]


# Of all records, in percent, that anjana may leave out. With some its releases are much better; with none it is what
# Throng's datafly does.
ANJANA_SUPPRESSION = {"datafly": "5", "datafly-all": "0"}


def anjana_command(job: Job, method: str, output: Path, tools: Toolbox) -> list[str]:
    if method == "mondrian":
        raise CannotDo("no Mondrian: needs a taxonomy for every column")
    return [*adapter("with_anjana", job, output, tools), ANJANA_SUPPRESSION[method]]


def anonypy_command(job: Job, method: str, output: Path, tools: Toolbox) -> list[str]:
    if method == "taxonomies":
        raise CannotDo("takes no taxonomies")
    return adapter("with_anonypy", job, output, tools)


def pandas_command(job: Job, _method: str, output: Path, tools: Toolbox) -> list[str]:
    return adapter("with_pandas", job, output, tools)


def pycanon_command(job: Job, _method: str, _output: Path, tools: Toolbox) -> list[str]:
    return adapter("with_pycanon", job, release_to_check(job), tools)


def arx_command(job: Job, method: str, output: Path, tools: Toolbox) -> list[str]:
    if method == "mondrian":
        raise CannotDo("no Mondrian: needs a taxonomy for every column")
    if tools.arx.missing:
        raise CannotDo(tools.arx.missing)
    described = describe(job)
    columns = [f"{name}={rule['hierarchy']}" for name, rule in described["columns"].items()]
    return ["java", "-cp", os.pathsep.join([tools.arx.jar, tools.arx.classes]), "WithArx", described["table"], str(output),
            method, str(job.k), str(job.l or 0), str(job.t or 0), described["sensitive"], *columns]


COMMANDS = {"throng": throng_command, "anjana": anjana_command, "anonypy": anonypy_command, "pandas": pandas_command,
            "pycanon": pycanon_command, "arx": arx_command}


def command(job: Job, tool: str, method: str, output: Path, tools: Toolbox) -> list[str]:
    """The command line that does the job and writes `output`. Throws CannotDo."""
    return COMMANDS[tool](job, method, output, tools)


def taxonomies_for(job: Job, tool: str) -> Job:
    """anjana and ARX need taxonomies even where a job does not ask for them."""
    return replace(job, taxonomies=True, name=f"{job.name}-taxonomies") if tool in ("anjana", "arx") else job


def versions(tools: Toolbox) -> dict[str, str]:
    throng = subprocess.run([tools.throng, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    found = {"Throng": throng, "Python": sys.version.split()[0]}
    for package in ("anjana", "pycanon", "anonypy", "pandas", "numpy"):
        found[package] = metadata.version(package)
    found["ARX"] = Path(tools.arx.jar).name if tools.arx.jar else tools.arx.missing
    return found
