"""Ctrl-C, with real signals: one line, exit code 130, nothing lost, and nothing bought twice but what was in flight."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import Counter
from importlib.machinery import ExtensionFileLoader

import pytest

from ringtrue.cli import _terminal
from support import PATIENCE, make_pool
from support.boxes import Command
from support.services import PROXIES, service
from support.worst_desk import lay_desk

# The oracle keeps its own account, written before it answers, as a desk that charges would. While there is a file
# `hold`, it stands still after some questions, so that no study is done before it can be interrupted.
DESK = """
import os, time

def label(item):
    with open("asked.txt", "a") as file:
        file.write(item["id"] + "\\n")
    time.sleep(0.05)
    while os.path.exists("hold") and len(open("asked.txt").readlines()) > 12:
        time.sleep(0.01)
    return item["truth"]
"""
# A shell's background job ignores Ctrl-C and hands that down, which is no state to test it in.
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from ringtrue.cli import main; main()"
ASKING = ["risk", "loans", "--oracle", "desk:label"]
RISK = [sys.executable, "-c", START, *ASKING]
LINE = "interrupted: every recorded answer is kept; run the same command again to go on"


@pytest.fixture
def slow(tmp_path, cli):
    """A study `loans` that needs a good many slow answers."""
    make_pool(tmp_path / "pool.csv", size=60, failing=3)
    (tmp_path / "desk.py").write_text(DESK)
    (tmp_path / "hold").touch()
    made = cli(
        "init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 10% at 95%", "--batch", 3
    )
    assert made.code == 0
    return tmp_path


def asked(folder):
    path = folder / "asked.txt"
    return path.read_text().split() if path.exists() else []


def wait_until(condition):
    """Wait for a condition, and fail rather than hang."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def interrupt(process, folder):
    """Press Ctrl-C, then let the oracle finish what it was asked."""
    os.kill(process.pid, signal.SIGINT)
    (folder / "hold").unlink()


@pytest.fixture
def forked():
    """Start a command as a process of its own, forked from one that has imported everything."""
    begun = []

    def start(folder, *words):
        begun.append(Command(folder, words))
        begun[-1].ready()
        begun[-1].go()
        return begun[-1]

    yield start
    for command in begun:
        command.close()


def answered(cli):
    return json.loads(cli("status", "loans", "--json").out)["spending"]["answered"]


@pytest.mark.parametrize("workers", [1, 3])
def test_nothing_is_lost_and_nothing_is_bought_twice(slow, cli, workers):
    process = subprocess.Popen(
        [*RISK, "--workers", str(workers)], cwd=slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: len(asked(slow)) >= 8)
    interrupt(process, slow)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == LINE
    assert "Traceback" not in err

    # A batch without workers is one call of three questions: what it had answered inside goes with the call.
    in_flight = 3 if workers == 1 else 0
    first = asked(slow)
    assert len(first) - in_flight <= answered(cli) <= len(first)
    now = json.loads(cli("status", "loans", "--json").out)["spending"]
    assert now["leased"] == 0, "what was not answered waits to be offered again"

    assert cli("risk", "loans", "--oracle", "desk:label").code in (0, 1)
    times = Counter(asked(slow))
    twice = [name for name, number in times.items() if number > 1]
    assert len(twice) <= in_flight
    assert set(twice) <= set(first[-3:])
    assert len(times) == answered(cli)


def test_one_at_a_time_at_most_the_one_in_flight_is_asked_again(tmp_path, cli, forked):
    make_pool(tmp_path / "pool.csv", size=60, failing=3)
    (tmp_path / "desk.py").write_text(DESK)
    (tmp_path / "hold").touch()
    cli("init", "loans", "--pool", "pool.csv", "--model", "predicted", "--claim", "error <= 10% at 95%")
    process = forked(tmp_path, *ASKING)
    wait_until(lambda: len(asked(tmp_path)) >= 5)
    interrupt(process, tmp_path)
    assert process.wait() == 130
    first = asked(tmp_path)
    assert answered(cli) in (len(first) - 1, len(first))
    assert cli("risk", "loans", "--oracle", "desk:label").code in (0, 1)
    times = Counter(asked(tmp_path))
    assert [name for name, number in times.items() if number > 1] in ([], [first[-1]])
    assert len(times) == answered(cli)


def test_with_json_the_interrupt_is_an_object(slow, cli):
    process = subprocess.Popen(
        [*RISK, "--json"], cwd=slow, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    wait_until(lambda: len(asked(slow)) >= 2)
    interrupt(process, slow)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(out) == {"error": LINE, "exit_code": 130}


def test_on_a_terminal_ctrl_c_leaves_a_clean_line(slow, cli):
    """The key itself, through a pseudo-terminal: the moving line is taken away and the cursor shown again."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", *RISK], cwd=slow, stdin=slave, stdout=slave, stderr=slave, env=environment
    )
    os.close(slave)
    text = b""
    pressed = False
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ready, _, _ = select.select([master], [], [], 0.05)
        if ready:
            try:
                text += os.read(master, 65536)
            except OSError:  # Linux says so when the last writer is gone
                break
        if not pressed and len(asked(slow)) >= 8 and b"failure" in text:
            os.write(master, b"\x03")
            pressed = True
    os.close(master)
    assert process.wait(PATIENCE) == 130
    screen = text.decode()
    assert "\x1b[?25l" in screen, "the moving line was there"
    after = screen.split("\x1b[?25h")[-1]
    assert LINE in after, "and the cursor is shown again before the last word"
    assert after.strip().endswith(LINE)
    assert answered(cli) >= 5


# Items of a pool, and a model or a gold standard at URL that is busy and asks to be left in peace for minutes.
POOL = "\n".join(["id,x,y,predicted,truth", *(f"i{n},{n % 7}.5,{n % 5}.5,a,a" for n in range(60))]) + "\n"
BUSY = {
    "changed": (
        "changed", "s", "--old", "pool.csv", "--answer", "predicted", "--model", "URL", "--budget", "20",
        "--batch", "4",
    ),
    "the gold standard of worst": (
        "worst", "s", "--space", "space.toml", "--model", "desk:zero", "--oracle", "URL", "--budget", "8",
        "--batch", "4",
    ),
    "blind": (
        "blind", "s", "--pool", "pool.csv", "--model", "URL", "--input", "x,y", "--oracle", "truth", "--budget", "2",
        "--above", "0", "--batch", "4",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("case", "kind"),
    [*((case, signal.SIGINT) for case in BUSY), ("changed", signal.SIGTERM)],
    ids=[*(f"{case}-SIGINT" for case in BUSY), "changed-SIGTERM"],
)
def test_workers_that_pause_before_they_ask_a_busy_service_again_end_with_the_run(
    case, kind, tmp_path, cli, forked, monkeypatch
):
    """Without an end of the pauses, each worker would ask once more, four minutes later."""
    (tmp_path / "pool.csv").write_text(POOL)
    lay_desk(tmp_path)
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    refused = []

    def reply(rows):
        asked_by_workers = (tmp_path / "s.ringtrue").exists() and len(
            rows
        ) == 60  # what blind asks before, it asks alone
        if case == "blind" and not asked_by_workers:
            return 200, {"predictions": [{"label": "a", "probabilities": {"a": 0.9, "b": 0.1}} for _ in rows]}, {}
        refused.append(len(rows))
        return 503, "busy", {"retry-after": "240"}

    with service(reply) as (url, seen):
        words = [word.replace("URL", url) for word in BUSY[case]]
        process = forked(tmp_path, *words, "--workers", "4")
        wait_until(lambda: len(refused) >= (1 if case == "blind" else 4) or not process.alive)
        assert process.alive, process.said()
        before = len(seen)
        process.send(kind)
        assert process.wait() == 130, process.said()
        assert len(seen) == before
    assert (tmp_path / "out.txt").read_text() == ""
    assert process.said().splitlines()[-1] == LINE
    assert json.loads(cli("status", "s", "--json").out)["spending"]["leased"] == 0


# A signal that comes where its exception does not get through: finalizers go on, and DuckDB makes a failed query of it.
SWALLOWED = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep({PATIENCE})
except KeyboardInterrupt:
    {then}

def label(item):
    open("asked.txt", "a").write("x")
    return item["truth"]
"""


@pytest.mark.parametrize("then", ["pass", "raise RuntimeError('Query interrupted')"])
def test_an_interrupt_that_is_swallowed_ends_the_run_before_it_asks(slow, then):
    (slow / "desk.py").write_text(SWALLOWED.format(PATIENCE=PATIENCE, then=then))
    done = subprocess.run(RISK, cwd=slow, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == LINE
    assert not asked(slow)


def test_an_interrupt_that_is_swallowed_while_asking_ends_the_run_at_the_next_step(slow, cli, forked):
    swallowed = SWALLOWED.format(PATIENCE=PATIENCE, then="pass").split("\n\n")[0].replace("\n", "\n    ")
    (slow / "desk.py").write_text(f"def label(item):{swallowed}\n    return item['truth']\n")
    done = forked(slow, *ASKING)
    assert done.wait() == 130, done.said()
    now = json.loads(cli("status", "loans", "--json").out)["spending"]
    assert (now["answered"], now["leased"]) == (3, 0), "the batch is recorded, the next one given back"


def test_a_compiled_module_that_is_being_loaded_is_not_interrupted(monkeypatch):
    monkeypatch.setattr(_terminal, "_heard", [])
    calls = []

    def begin(*_):
        calls.append("begun")
        signal.raise_signal(signal.SIGUSR1)
        calls.append("loaded")

    monkeypatch.setattr("importlib._bootstrap._call_with_frames_removed", begin)
    before = signal.signal(signal.SIGUSR1, _terminal.interrupt)
    try:
        ExtensionFileLoader("module", "module.so").exec_module(None)
        assert calls == ["begun", "loaded"]
        with pytest.raises(KeyboardInterrupt):
            _terminal.check()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)
