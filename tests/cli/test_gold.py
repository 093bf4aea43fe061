"""Who `--oracle`, `--oracle-command` and `--timeout` name, in the words of these options when they name nobody."""

import io
import sys
import threading
from contextlib import closing
from decimal import Decimal

import pytest

from ringtrue.cli._consent import Calling
from ringtrue.cli._door import oracle_of
from ringtrue.core import InvalidInput, Item, Query, ResponderStopped
from ringtrue.models import _patience
from ringtrue.models import _post as post_module
from ringtrue.oracles import FunctionOracle, FunctionProcess, PersonOracle, ProcessOracle
from support import PATIENCE
from support.services import PROXIES, service

GOLD = """
import os

def square(item):
    return [item["x"] ** 2, os.getpid()]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "laboratory.py").write_text(GOLD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    sys.modules.pop("laboratory", None)


def asked(*points):
    return [Query(f"s:{n}", "worst", "oracle", Item(f"i{n}", {"x": x}), Decimal(1), None) for n, x in enumerate(points)]


def named(gold=None, command=None, timeout=None, outputs=("force",)):
    given = {"oracle": gold, "oracle_command": command}
    found = oracle_of(given, Calling(timeout=timeout), outputs=outputs)
    return found if timeout is None else found.oracle


def values(oracle, *points):
    return [reply.value for reply in oracle.answer(asked(*points))]


def test_a_function_runs_here_or_with_a_timeout_in_a_process_of_its_own(folder):
    here = named("laboratory:square")
    assert isinstance(here, FunctionOracle)
    ((square, own),) = values(here, 3.0)
    with closing(named("laboratory:square", timeout=PATIENCE)) as there:
        assert (type(there), there.timeout) == (FunctionProcess, PATIENCE)
        ((same, other),) = values(there, 3.0)
    assert square == same == 9.0
    assert own != other


def test_a_program_is_split_into_words_and_sees_no_shell(folder):
    code = "import sys\\nfor line in sys.stdin: print(len(sys.argv[1:]), flush=True)"
    command = f"'{sys.executable}' -S -c \"exec('''{code}''')\" 'two words' $HOME ; |"
    with closing(named(command=command, timeout=PATIENCE)) as oracle:
        assert (type(oracle), oracle.timeout) == (ProcessOracle, PATIENCE)
        assert values(oracle, 1.0, 2.0) == [4, 4]


def test_a_web_service_may_answer_with_vectors_or_numbers(folder):
    def reply(rows):
        return 200, {"predictions": [[row["x"], 2 * row["x"]] for row in rows]}, {}

    with service(reply) as (url, seen):
        assert values(named(url), 0.5, 1.0) == [[0.5, 1.0], [1.0, 2.0]]
        assert [sent for _, _, sent in seen] == [{"instances": [{"x": 0.5}, {"x": 1.0}]}]
    with service(lambda rows: (200, {"predictions": [0.25]}, {})) as (url, _):
        assert values(named(url, timeout=PATIENCE), 0.5) == [0.25]


def test_a_web_service_that_hangs(folder, monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    held = threading.Event()
    with service(lambda rows: (held.wait(PATIENCE), (200, {"predictions": [1]}, {}))[1]) as (url, _):
        oracle = named(url, timeout=0.2)
        try:
            with pytest.raises(ResponderStopped, match=r"no answer within 0\.2 s"):
                oracle.answer(asked(1.0))
        finally:
            held.set()
            del oracle


def test_a_person_is_asked_on_standard_error(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("much\n1 2\n"))
    oracle = named("ask", outputs=("force", "heat"))
    assert isinstance(oracle, PersonOracle)
    assert values(oracle, 0.5) == [[1.0, 2.0]]
    captured = capsys.readouterr()
    assert captured.out == "", "standard output belongs to the result"
    assert "  x  0.5\n" in captured.err
    assert "'much' is not a number" in captured.err
    assert captured.err.count("force, heat (2 numbers") == 2
    with pytest.raises(KeyboardInterrupt):
        oracle.answer(asked(0.5))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, ["--oracle is missing", "module:function", "https://", "ask", "--oracle-command"]),
        ({"gold": "ask", "command": "sim"}, ["--oracle and --oracle-command both", "leave one out"]),
        ({"gold": "truth"}, ["--oracle='truth'", "module:function", "--oracle-command"]),
        ({"gold": "nowhere:f"}, ["--oracle='nowhere:f'", "no module 'nowhere'"]),
        ({"gold": "laboratory:cube"}, ["--oracle='laboratory:cube'", "has no 'cube'"]),
        ({"gold": ":f"}, ["--oracle=':f'", "lacks one half"]),
        ({"gold": ":f", "timeout": 1}, ["--oracle", "':f'", "lacks one half"]),
        ({"gold": "ftp://host/x"}, ["--oracle", "'ftp://host/x' is not an address", "https://host/path"]),
        ({"gold": "https://me:pw@host/"}, ["--oracle", "a secret in what stands before its host"]),
        ({"gold": "laboratory:square", "timeout": 0}, ["--timeout=0", "positive number of seconds"]),
        ({"gold": "laboratory:square", "timeout": float("nan")}, ["--timeout=nan", "positive"]),
        ({"command": "sim 'x"}, ['--oracle-command="sim \'x"', "close the quotes"]),
        ({"command": "  "}, ["--oracle-command is blank"]),
    ],
)
def test_nobody_who_could_be_asked(folder, given, words):
    with pytest.raises(InvalidInput) as caught:
        named(**given)
    assert "\n" not in str(caught.value)
    assert "pw" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value
