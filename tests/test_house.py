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
PACKAGES = [
    "ringtrue",
    *(found.name for found in pkgutil.walk_packages([str(SOURCE)], "ringtrue.") if found.ispkg),
]


@pytest.fixture(scope="module")
def trees():
    """Return every source file's syntax tree: parsed once for all rules."""
    return {file: ast.parse(file.read_text()) for file in FILES}


def where(file, node):
    """Name a place in the source."""
    return f"{file.relative_to(SOURCE)}:{node.lineno}"


def test_every_public_name_exists_once():
    wrong = []
    for package in PACKAGES:
        names = getattr(importlib.import_module(package), "__all__", [])
        if not names and package.count(".") == 1:
            wrong.append(f"{package} does not say what is public")
        wrong += [f"{package}.{name}" for name in names if getattr(importlib.import_module(package), name) is None]
        wrong += [f"{package}.{name} twice" for name in {name for name in names if names.count(name) > 1}]
    assert not wrong


def test_nothing_public_leaks(trees):
    """What a package's __init__ imports by name is public; everything else is a module or private."""
    leaks = []
    for package in PACKAGES:
        module = importlib.import_module(package)
        imported = {
            alias.asname or alias.name
            for node in trees[Path(module.__file__)].body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ringtrue")
            for alias in node.names
        }
        leaks += [f"{package}.{name}" for name in sorted(imported - set(getattr(module, "__all__", [])))]
    assert not leaks


def test_a_file_is_one_idea_and_says_which(trees):
    """A file begins with a sentence that says what it is, and is not longer than a person reads."""
    assert not [str(file.relative_to(SOURCE)) for file, tree in trees.items() if not ast.get_docstring(tree)]
    assert not [str(file.relative_to(SOURCE)) for file in FILES if len(file.read_text().splitlines()) > 400]


MANY = 4
"""Whoever has more arguments lists them one by one."""


def arguments(function):
    """Return the names of a function's arguments, self and cls apart."""
    given = function.args
    several = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [one.arg for one in several if one is not None and one.arg not in ("self", "cls")]


def listed(thing):
    """Return the names in the list that ends a docstring, or None without a list; a later paragraph counts as names."""
    _, found, entries = (ast.get_docstring(thing) or "").partition("Parameters\n----------\n")
    lines = [line for line in entries.splitlines() if not line.startswith("    ")]
    return [name.strip() for line in lines for name in line.split(",")] if found else None


def is_command(function):
    """Say whether a function is a command of the terminal, which describes its options itself."""
    return any(ast.unparse(one).startswith("click.command(") for one in function.decorator_list)


def described(tree):
    """Yield what a file offers: its class if it is a method, whose docstring it is, and the arguments."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for owner in (None, *classes):
        for node in (owner or tree).body:
            if not isinstance(node, ast.FunctionDef) or is_command(node):
                continue
            if owner is not None and node.name == "__init__":
                yield None, owner, arguments(node)
            elif not node.name.startswith("_"):
                yield owner, node, arguments(node)


def unlisted(trees):
    """Return what has many arguments and no list of them, or a list of others, or one in another order.

    A method may leave the list to a method of that name and those arguments: the one that it overrides.
    """
    found = [(file, *one) for file, tree in trees.items() for one in described(tree)]
    contracts = [(thing.name, names) for _, owner, thing, names in found if owner is not None and listed(thing)]
    wrong = []
    for file, owner, thing, names in found:
        written = listed(thing)
        elsewhere = owner is not None and (thing.name, names) in contracts
        if written != names if written is not None else len(names) > MANY and not elsewhere:
            wrong.append(f"{where(file, thing)} {thing.name}")
    return wrong


def test_many_arguments_are_listed(trees):
    assert not unlisted(trees)


FIVE = "(a, b, c, d, *, e)"
LIST = (
    "Parameters\n    ----------\n    a, b\n        Two.\n    c\n        One.\n    d\n        One.\n    e\n        One."
)


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        (f'def f{FIVE}:\n    """Do."""', ["f"]),
        (f'def f{FIVE}:\n    """Do.\n\n    {LIST}\n    """', []),
        (f'def f(b, a, c, d, e):\n    """Do.\n\n    {LIST}\n    """', ["f"]),
        (f'def f(a, b):\n    """Do.\n\n    {LIST}\n    """', ["f"]),
        (f'def f{FIVE}:\n    """Do.\n\n    {LIST}\n\n    More.\n    """', ["f"]),
        (f'class A:\n    """Is.\n\n    {LIST}\n    """\n    def __init__{FIVE}: ...', []),
        (f'class A:\n    """Is."""\n    def __init__{FIVE}: ...', ["A"]),
        (f"def _f{FIVE}: ...\nclass _A:\n    def f{FIVE}: ...\n@click.command('x')\ndef g{FIVE}: ...", []),
        (f'class A:\n    def f{FIVE}:\n        """Do."""\nclass B:\n    def f{FIVE}:\n        """Do."""', ["f", "f"]),
        (f'class A:\n    def f{FIVE}:\n        """Do.\n\n    {LIST}\n    """\nclass B:\n    def f{FIVE}: ...', []),
    ],
)
def test_the_rule_sees_what_is_not_listed(source, wrong):
    assert [one.split()[-1] for one in unlisted({SOURCE / "x.py": ast.parse(source)})] == wrong


FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal", "yaml"}


def runs_code(node):
    """Say whether a piece of source runs code from data, or unpickles."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in FORBIDDEN_CALLS
    if isinstance(node, ast.Import):
        return bool({alias.name.split(".")[0] for alias in node.names} & FORBIDDEN_MODULES)
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in FORBIDDEN_MODULES
    return isinstance(node, ast.keyword) and node.arg == "allow_pickle"


def test_no_code_runs_from_data(trees):
    assert not [where(file, node) for file, tree in trees.items() for node in ast.walk(tree) if runs_code(node)]


GLOBAL_RANDOMNESS = {"seed", "rand", "randn", "random", "choice", "shuffle", "permutation", "normal", "randint"}


def is_global_randomness(node):
    """Say whether a piece of source draws from the state that all of numpy shares."""
    if not isinstance(node, ast.Attribute) or node.attr not in GLOBAL_RANDOMNESS:
        return False
    return ast.unparse(node.value) in {"np.random", "numpy.random"}


def test_no_global_randomness(trees):
    found = [where(file, node) for file, tree in trees.items() for node in ast.walk(tree) if is_global_randomness(node)]
    assert not found


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (runs_code, "eval('1')"),
        (runs_code, "import pickle.x"),
        (runs_code, "from joblib import load"),
        (runs_code, "np.load(x, allow_pickle=True)"),
        (is_global_randomness, "np.random.shuffle(x)"),
    ],
)
def test_the_rules_see_what_they_forbid(rule, source):
    assert any(rule(node) for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("ringtrue", "numpy scipy sklearn duckdb narwhals matplotlib jinja2 rich click"),
        ("ringtrue.report", "scipy.stats sklearn pandas torch"),
    ],
)
def test_importing_is_light(module, heavy):
    """A second of loading is a second of each command."""
    code = f"import sys, {module}; print([name for name in {heavy.split()!r} if name in sys.modules])"
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
    texts = {file: file.read_text() for file in TESTS}
    limited = [file for file, text in texts.items() if any(word in text for word in ("timeout", *WAITS))]
    for file in limited:
        for node in ast.walk(ast.parse(texts[file])):
            if isinstance(node, ast.Call):
                given = [one.value for one in node.keywords if one.arg == "timeout"]
                given += node.args if isinstance(node.func, ast.Attribute) and node.func.attr in WAITS else []
                limits = [one.value for one in given if isinstance(one, ast.Constant)]
                if any(isinstance(one, int | float) and 1 < one < PATIENCE for one in limits):
                    hurried.append(f"{file.name}:{node.lineno}")
    assert not hurried, "give these support.PATIENCE"
