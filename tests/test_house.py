"""The house keeps its own rules: names that exist, files of a readable size, nothing that runs code from data."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import ringtrue
from support import PATIENCE

SOURCE = Path(ringtrue.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
PACKAGES = ["ringtrue", *(f"ringtrue.{found.name}" for found in pkgutil.iter_modules([str(SOURCE)]) if found.ispkg)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_exists_and_is_sorted(package):
    module = importlib.import_module(package)
    assert module.__all__, "a package says what is public"
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert len(set(module.__all__)) == len(module.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_public_leaks(package):
    """What a package's __init__ imports by name is public; everything else is a module or private."""
    module = importlib.import_module(package)
    tree = ast.parse(Path(module.__file__).read_text())
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ringtrue")
        for alias in node.names
    }
    assert imported <= set(module.__all__)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_is_one_idea_and_says_which(file):
    text = file.read_text()
    assert ast.get_docstring(ast.parse(text)), "begins with a sentence that says what it is"
    assert len(text.splitlines()) <= 400


FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_code_runs_from_data(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in FORBIDDEN_CALLS, f"line {node.lineno}"
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        assert not {name.split(".")[0] for name in names} & FORBIDDEN_MODULES, f"line {node.lineno}"
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            raise AssertionError(f"line {node.value.lineno} may unpickle")


GLOBAL_RANDOMNESS = {"seed", "rand", "randn", "random", "choice", "shuffle", "permutation", "normal", "randint"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_global_randomness(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in {"np.random", "numpy.random"}:
            assert node.attr not in GLOBAL_RANDOMNESS, f"line {node.lineno}"


def test_importing_ringtrue_is_light():
    heavy = "numpy scipy sklearn duckdb narwhals matplotlib jinja2 rich click"
    code = f"import sys, ringtrue; print([name for name in {heavy.split()!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_lazy_names_are_the_public_names():
    assert sorted(ringtrue._HOMES) == sorted(ringtrue.__all__)
    assert dir(ringtrue) == ringtrue.__all__
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = ringtrue.nothing_of_the_kind


TESTS = sorted(Path(__file__).parent.rglob("*.py"))
WAITS = {"join", "wait", "communicate"}


def test_no_test_is_in_a_hurry():
    """A limit of time guards against hanging and nothing else: a busy machine takes minutes for what takes a second.

    What is written as a number must be so short that it is meant to run out, or as long as `support.PATIENCE`.
    """
    hurried = []
    for file in TESTS:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call):
                given = [one.value for one in node.keywords if one.arg == "timeout"]
                given += node.args if isinstance(node.func, ast.Attribute) and node.func.attr in WAITS else []
                limits = [one.value for one in given if isinstance(one, ast.Constant)]
                if any(isinstance(one, int | float) and 1 < one < PATIENCE for one in limits):
                    hurried.append(f"{file.name}:{node.lineno}")
    assert not hurried, "give these support.PATIENCE"
