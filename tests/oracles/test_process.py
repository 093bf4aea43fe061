"""Programs that know the truth, with real processes: their answers, their deaths, and that none outlives its time."""

import gc
import json
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from ringtrue.core import InvalidInput, Item, Oracle, Query, Reply, ResponderStopped
from ringtrue.oracles import FunctionProcess, ProcessOracle
from ringtrue.study import Study
from support import PATIENCE, SpaceSearch

# Does what the item says, so that each test reads as a conversation.
PUPPET = """
import json, os, subprocess, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if "child" in asked:
        command = [sys.executable, "-S", "-c", "import time; time.sleep(9999)"]
        print(subprocess.Popen(command).pid, file=open(asked["child"], "w"), flush=True)
    if "hang" in asked:
        print(end="half a li", flush=True)
        time.sleep(9999)
    if "exit" in asked:
        os._exit(asked["exit"])
    print(asked["say"] if "say" in asked else json.dumps([os.getpid(), os.getpgrp(), asked]))
"""
PYTHON = [sys.executable, "-S"]  # starts in a third of the time


@pytest.fixture(autouse=True)
def bounded(monkeypatch):
    """A test that waits in vain fails instead; and what is printed into a pipe is held back, as it is by default."""

    def too_long(*_):
        raise AssertionError("waited in vain")

    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(2 * PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def asked(**values):
    return [Query("s:0", "worst", "oracle", Item("point", values), Decimal(1), None)]


def puppet(**options):
    return closing(ProcessOracle([*PYTHON, "-c", PUPPET], **options))


def answer(oracle, **values):
    return oracle.answer(asked(**values))[0].value


def told(kind, call, *words):
    """The one line of an error of exactly this kind."""
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def is_dead(pid):
    """Whether a process is gone, within a while: one that nobody has buried yet counts as dead."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def test_one_program_answers_in_order_in_a_group_of_its_own():
    with puppet() as oracle:
        assert isinstance(oracle, Oracle)
        first, group, seen = answer(oracle, x=np.float64(0.5), n=np.int64(3), lost=float("nan"), text="ü\n=")
        assert seen == {"x": 0.5, "n": 3, "lost": None, "text": "ü\n="}
        assert group == first != os.getpgrp()
        assert answer(oracle)[0] == first, "it stays alive"
        says = ["0.5", "[1, 2.5]", '{"deviation": 1}', "null", '"cat"', "true"]
        replies = oracle.answer([query for say in says for query in asked(say=say)])
        assert replies == [Reply(json.loads(say)) for say in says]
    assert is_dead(first)


def test_nothing_is_started_before_it_is_asked():
    told(InvalidInput, lambda: answer(ProcessOracle(["no-such-program"])), "no-such-program", "No such file", "path")
    told(InvalidInput, lambda: answer(ProcessOracle([__file__])), "cannot be started (Permission denied)")


def test_a_program_that_hangs_is_killed_with_its_children_and_started_anew(tmp_path):
    child = tmp_path / "child"
    with puppet(timeout=PATIENCE) as oracle:
        first = answer(oracle, child=str(child))[0]
        oracle.timeout = 0.3
        words = ["no answer for item 'point' within 0.3 s", "more time", "flush"]
        told(TimeoutError, lambda: answer(oracle, hang=True), *words)
        assert is_dead(first)
        assert is_dead(int(child.read_text()))
        oracle.timeout = PATIENCE
        second = answer(oracle)[0]
        assert second != first
    assert is_dead(second)


def test_a_program_that_never_reads_cannot_block_the_sender():
    with closing(ProcessOracle([*PYTHON, "-c", "import time; time.sleep(9999)"], timeout=0.3)) as oracle:
        told(TimeoutError, lambda: answer(oracle, text="x" * 1_000_000), "within 0.3 s")
        assert not oracle._idle


def test_long_lines_go_through_both_ways():
    with puppet(timeout=PATIENCE) as oracle:
        long = json.dumps("x" * 1_000_000)
        assert answer(oracle, say=long) == json.loads(long)


def test_death_is_told_with_its_cause_and_the_next_question_starts_anew(tmp_path):
    with puppet(timeout=PATIENCE) as oracle:
        told(RuntimeError, lambda: answer(oracle, exit=7), "ended with exit code 7", "'point'", "see what it wrote")
        pid = answer(oracle)[0]
        os.kill(pid, signal.SIGKILL)
        assert is_dead(pid)
        told(RuntimeError, lambda: answer(oracle), "was killed by signal 9")
        assert answer(oracle)[0] != pid


def test_a_dead_program_whose_child_holds_its_output_is_not_waited_for(tmp_path):
    child = tmp_path / "child"
    with puppet() as oracle:  # without a timeout: nothing else would end the waiting
        told(RuntimeError, lambda: answer(oracle, child=str(child), exit=3), "exit code 3")
        assert is_dead(int(child.read_text()))


@pytest.mark.parametrize(
    ("say", "kind", "words"),
    [
        ("Loading…", RuntimeError, ["wrote 'Loading…' for item 'point'", "not JSON", "standard error"]),
        ("", RuntimeError, ["wrote ''", "not JSON"]),
        ("[" * 100_000, RuntimeError, ["not JSON"]),
        ('{"error": "no licence\\nleft"}', RuntimeError, ["failed at item 'point': no licence left"]),
        ("NaN", InvalidInput, ["answered nan for item 'point'", "null"]),
        ("[1, -Infinity]", InvalidInput, ["answered [1, -inf]", "finite"]),
        ("1e999", InvalidInput, ["answered inf"]),
        ('{"deviation": [NaN]}', InvalidInput, ["nan"]),
        ('" "', InvalidInput, ["answered ' '", "null"]),
    ],
)
def test_what_is_no_answer(say, kind, words):
    with puppet(timeout=PATIENCE) as oracle:
        told(kind, lambda: answer(oracle, say=say), *words)
        assert answer(oracle, say="1") == 1, "it can be asked again"


def test_a_failure_that_the_program_tells_does_not_cost_its_start():
    with puppet(timeout=PATIENCE) as oracle:
        pid = answer(oracle)[0]
        told(RuntimeError, lambda: answer(oracle, say='{"error": "did not converge"}'), "did not converge")
        assert answer(oracle)[0] == pid


def test_a_second_line_is_never_taken_for_the_next_answer():
    with puppet(timeout=PATIENCE) as oracle:
        assert answer(oracle, say="1\n2") == 1  # both in one write: the second is there when the next is asked
        told(InvalidInput, lambda: answer(oracle, say="3"), "wrote '2", "unasked", "one line per item")
        assert answer(oracle, say="4") == 4


def interrupt_once(path):
    """Press Ctrl-C when the program has begun to think, which it shows by a child."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not (path.exists() and path.read_text().endswith("\n")):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_leaves_no_answer_behind_for_the_next_question(tmp_path):
    with puppet() as oracle:
        pid = answer(oracle)[0]
        timer = threading.Thread(target=interrupt_once, args=(tmp_path / "child",))
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                answer(oracle, hang=True, child=str(tmp_path / "child"))
        finally:
            timer.join(PATIENCE)
            signal.signal(signal.SIGINT, before)
        assert is_dead(pid)
        assert answer(oracle, say="5") == 5


def test_each_thread_that_asks_at_once_has_a_program_of_its_own():
    gate = threading.Barrier(3, timeout=PATIENCE)

    def ask(place):
        gate.wait()
        return answer(oracle, place=place)

    with puppet(timeout=PATIENCE) as oracle, ThreadPoolExecutor(3) as threads:
        first = list(threads.map(ask, range(3)))
        assert [seen for _, _, seen in first] == [{"place": place} for place in range(3)]
        again = list(threads.map(ask, range(3)))
        assert len(oracle._idle) <= 3
        pids = {program.pid for program in oracle._idle}
        assert {pid for pid, _, _ in again} <= pids, "programs are used again"
    assert all(map(is_dead, pids))


def test_closing_lets_a_program_end_by_itself_and_ends_one_that_will_not(tmp_path, monkeypatch):
    diary = tmp_path / "diary"
    polite = "import sys\nfor line in sys.stdin: print(1)\nopen(sys.argv[1], 'w').write('saved')"
    with closing(ProcessOracle([*PYTHON, "-c", polite, str(diary)])) as oracle:
        assert answer(oracle) == 1
    assert diary.read_text() == "saved"
    monkeypatch.setattr("ringtrue.oracles._program._GRACE", 0.1)
    stubborn = "import os, sys, time\nprint(input() and os.getpid())\ntime.sleep(9999)"
    with closing(ProcessOracle([*PYTHON, "-c", stubborn])) as oracle:
        pid = answer(oracle)
    assert is_dead(pid)


def test_an_oracle_that_is_forgotten_leaves_no_program_behind():
    oracle = ProcessOracle([*PYTHON, "-c", PUPPET])
    pid = answer(oracle)[0]
    del oracle
    gc.collect()
    assert is_dead(pid)


def test_bad_arguments():
    told(InvalidInput, lambda: ProcessOracle("python gold.py"), "command='python gold.py' is text", "list of words")
    told(InvalidInput, lambda: ProcessOracle([]), "command=[]", "names no program")
    told(InvalidInput, lambda: ProcessOracle(["a", 3]), "names no program")
    told(InvalidInput, lambda: ProcessOracle(["a"], timeout=0), "timeout=0 must be a positive number")
    told(InvalidInput, lambda: ProcessOracle(["a"], timeout=float("nan")), "timeout=nan")
    told(InvalidInput, lambda: FunctionProcess("gold"), "function='gold'", "module:function")
    told(InvalidInput, lambda: answer(ProcessOracle(["true"]), x=float("inf")), "'point'", "infinite")


# Notes every call with the id of its process, and hangs from the third on until there is a file `mended`.
GOLD = """
import os, sys, time

def measure(item):
    print("garbage")
    os.system("echo more garbage")
    with open("calls", "a+") as file:
        file.write(f"{os.getpid()}\\n")
        file.seek(0)
        calls = len(file.readlines())
    if calls > 2 and not os.path.exists("mended"):
        time.sleep(9999)
    return [item["x"] + item["y"], len(sys.stdin.read())]

def broken(item):
    raise ValueError("two\\nlines")

def wrong(item):
    from ringtrue.core import Reply
    return Reply(1.0)

def unwell(item):
    return [1.0, float("nan")]

def gone(item):
    sys.exit(4)
"""


@pytest.fixture
def gold(tmp_path, monkeypatch):
    (tmp_path / "gold.py").write_text(GOLD)
    monkeypatch.chdir(tmp_path)


def test_what_a_function_prints_and_reads_cannot_garble_the_conversation(gold, capfd):
    with closing(FunctionProcess("gold:measure", timeout=PATIENCE)) as oracle:
        assert answer(oracle, x=0.25, y=1) == [1.25, 0], "it finds nothing to read: the questions are not its own"
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.split("\n") == ["garbage", "more garbage", ""]


@pytest.mark.parametrize(
    ("spec", "kind", "words"),
    [
        ("gold:broken", RuntimeError, ["the program gold:broken failed at item 'point': ValueError: two lines"]),
        ("gold:nothing", RuntimeError, ["AttributeError", "'nothing'"]),
        ("nowhere:f", RuntimeError, ["No module named 'nowhere'"]),
        ("gold:wrong", RuntimeError, ["returned a Reply"]),
        ("gold:gone", RuntimeError, ["ended with exit code 4"]),
        ("gold:unwell", InvalidInput, ["gold:unwell answered [1.0, nan]"]),
    ],
)
def test_a_function_that_fails(gold, spec, kind, words):
    with closing(FunctionProcess(spec, timeout=PATIENCE)) as oracle:
        told(kind, lambda: answer(oracle), *words)


def test_a_study_stops_at_a_function_that_hangs_and_goes_on_when_it_is_mended(gold, tmp_path):
    def pids():
        return [int(line) for line in (tmp_path / "calls").read_text().split()]

    def hurry(study):
        if study.status().answered == 2:
            oracle.timeout = 0.3

    with (
        Study.create("s", question=SpaceSearch(), budget=4) as study,
        closing(FunctionProcess("gold:measure", timeout=PATIENCE)) as oracle,
    ):
        with pytest.raises(ResponderStopped, match="failed 3 times the same way") as caught:
            study.run(oracle, progress=hurry)
        assert "gold:measure gave no answer" in str(caught.value)
        assert isinstance(caught.value.__cause__, TimeoutError)
        assert (study.status().answered, study.status().leased) == (2, 0)
        assert all(map(is_dead, pids()))
        waiting = study.records[2].id
        (tmp_path / "mended").touch()
        oracle.timeout = PATIENCE
        finding = study.run(oracle)
        assert [name for name, _ in finding.told][2] == waiting
        assert len(finding.told) == 4
