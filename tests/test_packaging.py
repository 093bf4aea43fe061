"""The package: its wheel and its archive of sources are whole, and the wheel works in an empty environment."""

import email
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from trove_classifiers import classifiers

from support import PATIENCE

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON = "Programming Language :: Python :: "
CLAIMED = [line.removeprefix(PYTHON) for line in PROJECT["classifiers"] if line.startswith(PYTHON) and "." in line]


def run(*command, **options):
    """Run a command to its end and return what it printed."""
    words, both = list(map(str, command)), {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    done = subprocess.run(words, **both, text=True, timeout=PATIENCE, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def build(source, folder):
    """Build the wheel and the archive of sources without a network, and return where they are."""
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=source)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def test_wheel_and_archive_are_whole(tmp_path):
    wheel, archive = build(ROOT, tmp_path / "built")
    package = ROOT / "src" / "ringtrue"
    ours = {path.relative_to(package.parent).as_posix() for path in package.rglob("*") if path.is_file()}
    ours = {name for name in ours if "__pycache__" not in name}
    assert {"ringtrue/py.typed", "ringtrue/report/templates/page.html"} <= ours
    with zipfile.ZipFile(wheel) as files:
        packed = {name for name in files.namelist() if ".dist-info/" not in name}
        about = email.message_from_bytes(files.read(f"ringtrue-{PROJECT['version']}.dist-info/METADATA"))
    assert packed == ours
    assert about["Version"] == version("ringtrue")
    assert about.get_all("Classifier") == PROJECT["classifiers"]
    assert about["License-Expression"] == "Apache-2.0"

    with tarfile.open(archive) as files:
        top = f"ringtrue-{PROJECT['version']}"
        names = {name.removeprefix(f"{top}/").partition("/")[0] for name in files.getnames()}
        files.extractall(tmp_path, filter="data")
    assert {"src", "tests", "docs", "README.md", "LICENSE", "CITATION.cff", "Makefile", "zensical.toml"} <= names
    assert not {".venv", ".venv-latest", ".git", "site", "demo"} & names
    again, _ = build(tmp_path / top, tmp_path / "again")
    assert again.read_bytes() == wheel.read_bytes(), "the archive of sources makes another wheel"


def test_classifiers_are_known():
    assert set(PROJECT["classifiers"]) <= set(classifiers)
    assert CLAIMED[0] == PROJECT["requires-python"].removeprefix(">=")


def test_the_citation_says_what_the_package_says():
    """The keys that version 1.2.0 of the format needs, and nothing that the package says otherwise."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == PROJECT["name"]
    assert citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    assert citation["abstract"] == PROJECT["description"]
    assert citation["keywords"] == PROJECT["keywords"]
    assert citation["authors"] == PROJECT["authors"]


def interpreter(version):
    """Return a Python of this version on this machine, or None: this one, one on the path, or one of pyenv."""
    if sys.version_info[:2] == tuple(map(int, version.split("."))):
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    for python in filter(None, found):
        if subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0:
            return python  # a shim of pyenv is on the path also where its version is not chosen
    return None


@pytest.mark.slow
@pytest.mark.parametrize("version", CLAIMED)
def test_the_wheel_runs_in_an_empty_environment(version, tmp_path):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    probe = [*pip, "download", "--no-deps", "--dest", tmp_path / "probe", "click"]
    reached = subprocess.run(list(map(str, probe)), capture_output=True, text=True, timeout=PATIENCE)
    if reached.returncode:
        pytest.skip(f"pip reaches no index: {reached.stderr.strip().splitlines()[-1]}")

    wheel, _ = build(ROOT, tmp_path / "built")
    run(python, "-m", "venv", "--without-pip", tmp_path / "venv")
    bin_ = tmp_path / "venv" / "bin"
    run(*pip, "--python", bin_ / "python", "install", "--constraint", ROOT / "constraints.txt", wheel)
    (tmp_path / "empty").mkdir()
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    said = run(bin_ / "ringtrue", "demo", cwd=tmp_path / "empty", env=alone)
    assert "5 of 5 agree" in said, said
    assert (tmp_path / "empty" / "demo" / "index.html").exists()
    where = run(bin_ / "python", "-c", "import ringtrue; print(ringtrue.__file__)", cwd=tmp_path / "empty", env=alone)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")


USER = """
from ringtrue import Budget, Claim, Risk, Study, evaluate, plan_rate, read_pool, read_votes, verify_report, write_report
from ringtrue import Sudy  # type: ignore[attr-defined]  # unused, and so an error, if any name is taken for one of ours

pool = read_pool("pool.csv")
claim = Claim.parse("error <= 5% at 95%")
with Study.create("s", pool=pool, model="said", question=Risk(claim), budget=Budget(labels=9)) as study:
    finding = study.run("truth")
    reveal_type(pool)
    reveal_type(study)
    reveal_type(finding)
    reveal_type(finding.verdict.exit_code)
    reveal_type(study.ask(2)[0].item.id)
    reveal_type(study.status().answered)
    reveal_type(write_report(study, "s.html"))
reveal_type(verify_report("s.json").agrees)
reveal_type(plan_rate(claim.limit))
reveal_type(evaluate(read_votes("votes.csv")))
"""
REVEALED = """
ringtrue.core._protocols.Pool
ringtrue.study._study.Study
ringtrue.core._claim.Finding
int
str
int
tuple[pathlib.Path, pathlib.Path]
bool
ringtrue.stats._plan.RatePlan
ringtrue.judges._panel_finding.PanelFinding
"""


@pytest.mark.slow
def test_a_strict_type_checker_knows_the_public_names_of_the_wheel(tmp_path):
    """The wheel alone stands in the environment; of this one it sees the other packages."""
    wheel, _ = build(ROOT, tmp_path / "built")
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (site / "beside.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    with zipfile.ZipFile(wheel) as files:
        files.extractall(site)
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "script.py").write_text(USER)
    alone = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    checker = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--python-executable", python]
    said = run(*checker, "--hide-error-context", "script.py", cwd=tmp_path / "user", env=alone)
    assert [line.partition("Revealed type is ")[2].strip('"') for line in said.splitlines()] == REVEALED.split("\n")[
        1:-1
    ]
