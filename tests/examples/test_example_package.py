"""A package of somebody else, with a question and a verb of its own: installed, asked, killed, resumed, checked."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ringtrue
from docs import blocks
from ringtrue.cli._main import run
from ringtrue.core import Question
from support import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "examples" / "ringtrue-grades"
ASK = "from ringtrue.cli import main; main()"
CLAIM = "error <= 30% at 95%"
MARKED = ("--pool", "essays.csv", "--oracle", "desk:mark", "--claim", CLAIM)

# Marks an essay, after it has written down that it will: the account of what was paid for.
DESK = """
import os, time

def mark(essay):
    with open("account.txt", "a") as account:
        account.write(essay["text"] + "\\n")
    time.sleep(0.01)
    return essay["length"] % 4 + 6
"""


class Installed:
    """An environment that has the package, and the folder in which commands run."""

    def __init__(self, folder, python, *paths):
        self.folder, self.python = folder, str(python)
        searched = [str(Path(ringtrue.__file__).parents[1]), *map(str, paths)]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(searched)}

    def start(self, *words):
        """Start Python with these words."""
        both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen([self.python, *words], cwd=self.folder, env=self.environment, **both)

    def __call__(self, *words):
        """Run `ringtrue` with these words; return its exit code and what it said."""
        process = self.start("-c", ASK, *words)
        said, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, said


class Here(Installed):
    """The same in this process, which need not be started for every command."""

    def __call__(self, *words):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(words)
        return code, said.getvalue()


@contextlib.contextmanager
def by_hand(folder):
    """Write what pip would have written, and put the sources on the path: nothing is built."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    about = folder / "site" / f"ringtrue_grades-{project['version']}.dist-info"
    about.mkdir(parents=True)
    heads = {"Metadata-Version": "2.1", "Name": project["name"], "Version": project["version"]}
    lines = [f"{key}: {value}" for key, value in {**heads, "Summary": project["description"]}.items()]
    (about / "METADATA").write_text("\n".join(lines) + "\n")
    groups = [
        f"[{group}]\n" + "\n".join(f"{name} = {value}" for name, value in points.items())
        for group, points in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups) + "\n")
    paths = [str(about.parent), str(EXAMPLE / "src")]
    installed = Here(folder, sys.executable, *paths)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PYTHONPATH", installed.environment["PYTHONPATH"])
        patch.setattr(sys, "path", [*paths, *sys.path])
        yield installed
    forget()


def forget():
    """Leave nothing of the package, nor of a desk that marked for it, in this process."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ringtrue_grades", "desk")]:
        del sys.modules[name]
    Question.kinds.pop("grades", None)


@contextlib.contextmanager
def by_pip(folder):
    """Build the wheel and let pip install it into an environment that sees the packages of this one."""

    def run(*command, **options):
        words = list(map(str, command))
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "built", cwd=EXAMPLE)
    (wheel,) = (folder / "built").glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # An editable install is found by a file that Python reads in its own environment alone.
    seen = [str(Path(ringtrue.__file__).parents[1]), *(path for path in sys.path if path.endswith("site-packages"))]
    (site / "beside.pth").write_text("\n".join(seen) + "\n")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    where = run(python, "-c", "import ringtrue_grades; print(ringtrue_grades.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(folder / "venv")
    yield Installed(folder, python)


@pytest.fixture(params=[by_hand, pytest.param(by_pip, marks=pytest.mark.slow)], ids=lambda made: made.__name__)
def installed(request, tmp_path):
    """The package in an environment, with a desk that marks 400 essays."""
    (tmp_path / "desk.py").write_text(DESK)
    rows = [f"essay {row},{row * row % 97}" for row in range(400)]
    (tmp_path / "essays.csv").write_text("\n".join(["text,length", *rows]) + "\n")
    with request.param(tmp_path) as made:
        yield made


@pytest.fixture
def here(tmp_path):
    """The package in this process, in an empty folder."""
    with by_hand(tmp_path) as made:
        yield made


def paid(folder):
    """Return what the desk was asked to mark so far."""
    account = folder / "account.txt"
    return account.read_text().splitlines() if account.exists() else []


def kill_in_the_middle(installed, study):
    """Start a run and kill it after some marks; a run that ends before is an error."""
    process = installed.start("-c", ASK, "grades", study, *MARKED)
    try:
        while len(paid(installed.folder)) < 12 and process.poll() is None:
            pass
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"


def test_asked_killed_resumed_reported_verified_and_gated(installed, tmp_path):
    assert "grades  How good are these answers" in installed("--help")[1]
    kill_in_the_middle(installed, "killed")
    code, said = installed("status", "killed", "--json")
    kept = json.loads(said)["spending"]["answered"]
    assert kept >= len(paid(tmp_path)) - 1 > 0, "an answer that was given is lost"

    code, said = installed("grades", "killed", *MARKED, "--json")
    assert code == 0, said
    killed = json.loads(said.splitlines()[-1])
    bought = paid(tmp_path)
    assert len(bought) - len(set(bought)) <= 1, "more was bought twice than what was in flight"
    assert len(set(bought)) == killed["answers"]

    code, said = installed("grades", "whole", *MARKED, "--json")
    whole = json.loads(said.splitlines()[-1])
    assert {**killed, "study": "whole.ringtrue", "spending": whole["spending"]} == whole, (
        "a kill changed what was found"
    )

    bought = paid(tmp_path)
    code, said = installed("grades", "killed", *MARKED)
    assert code == 0
    assert f"{CLAIM} rings true: at most " in said
    assert "lowest marks: " in said
    assert paid(tmp_path) == bought, "a study that is decided asked on"

    code, said = installed("report", "killed")
    assert code == 0, said
    page = (tmp_path / "killed.html").read_text()
    assert "The lowest marks" in page
    assert "essay" in page
    code, said = installed("report", "--verify", "killed.json")
    assert code == 0, said
    assert said.startswith("agrees")
    twin = json.loads((tmp_path / "killed.json").read_text())
    twin["computed"]["finding"]["interval"]["high"] -= 0.01
    (tmp_path / "forged.json").write_text(json.dumps(twin))
    assert installed("report", "--verify", "forged.json")[0] == 1

    says = {CLAIM: 0, "error <= 10% at 95%": 1, "error <= 25% at 95%": 3}
    for claim, verdict in says.items():
        (tmp_path / "claims.toml").write_text(f'[[claim]]\nstudy = "killed.ringtrue"\nsays = "{claim}"\n')
        assert installed("check", "claims.toml")[0] == verdict, claim


def test_the_study_goes_on_only_as_it_was_made(here, tmp_path):
    (tmp_path / "essays.csv").write_text("text,mark\n" + "".join(f"essay {row},{row % 11}\n" for row in range(30)))
    made = ("grades", "essays", "--pool", "essays.csv", "--oracle", "mark")
    code, said = here(*made, "--budget", "5")
    assert code == 0
    assert "0 of 5 labels left" in said
    code, said = here(*made, "--full", "20")
    assert code == 2
    assert "--full=20.0: the study 'essays.ringtrue' was made with 10.0" in said
    code, said = here(*made, "--budget", "8")
    assert "0 of 8 labels left" in said


def test_its_own_tests_pass(here):
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", str(EXAMPLE), "-c", str(EXAMPLE / "pyproject.toml"))
    process = here.start("-m", "pytest", *options, str(EXAMPLE / "tests"))
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said


@pytest.mark.usefixtures("here")
def test_its_readme_is_one_screen_and_shows_what_is_printed():
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 45
    (block,) = blocks.blocks_of(text)
    for command, shown in blocks.commands_of(block):
        output = blocks.run_command(command)
        assert output is None or not blocks.missing_lines(shown, output), f"$ {command}\n{output}"


def test_a_question_that_cannot_be_loaded_is_told_in_one_line(here, tmp_path):
    (tmp_path / "essays.csv").write_text("text,mark\none,3\ntwo,4\n")
    assert here("grades", "essays", "--pool", "essays.csv", "--oracle", "mark")[0] == 0
    forget()
    (tmp_path / "site" / "ringtrue_grades.py").write_text("import no_such_module")
    code, said = here("status", "essays")
    assert code == 2
    assert "question kind='grades' of the package ringtrue-grades cannot be loaded (ModuleNotFoundError: " in said
    assert said.count("\n") == 1


def test_its_readme_names_every_file():
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    files = [path for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml") and path.name != "__init__.py"]
    assert not [path.name for path in files if f"{path.name}`" not in text]
