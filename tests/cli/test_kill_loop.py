"""The command line killed again and again, while an oracle in another process keeps its own durable count.

A run has at most one batch out. What the oracle sold and a killed run had not recorded was in flight: it is bought
again, and nothing else is. So the oracle sells what the study holds in the end and what was in flight, to the last
label; and the study holds what a run without a kill buys. It may hold one batch more where a run went on past a query
that is out with a dead run elsewhere, which nobody gave back and whose lease of two minutes has not run out.
"""

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ringtrue.cli._main import INTERRUPTED
from ringtrue.journal import SqliteJournal
from ringtrue.study import Study
from support import PATIENCE, oracle_process
from support.boxes import Command, why_no_boxes
from support.kill_cases import CASES, STUDY, lay, told
from support.oracle_process import Account, wait_until_idle


@pytest.fixture
def port(tmp_path):
    """Return the port of an oracle whose accounts lie in the test's folder."""
    command = [sys.executable, "-S", oracle_process.__file__, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as oracle:
        try:
            yield int(oracle.stdout.readline())
        finally:
            oracle.kill()


@pytest.fixture
def no_boxes(tmp_path):
    """Return why this machine allows no new namespaces; nothing if it does."""
    return why_no_boxes(tmp_path)


@dataclass(frozen=True)
class Kill:
    """One start of the command, and how it ends.

    Args:
        signal: SIGKILL or SIGTERM.
        host: the host of a new box; None is this host.
        more: answers after which it is killed; 0 is while it makes or opens the study.
        pause: seconds from there to the signal.
        held: whether the last of these answers is written down and not yet sent, and so in flight for certain.
        left: whether what is out with a run elsewhere is left there when it starts.
    """

    signal: signal.Signals
    host: str | None
    more: int
    pause: float
    held: bool
    left: bool = False

    def most(self, batch):
        """Return the most answers that are given until the oracle stands still."""
        return max(self.more, 1) + (0 if self.held else batch)


def planned(question, kills, *, boxes):
    """Yield how each start ends. In the last third every other one leaves what is out where it is, if it may."""
    moments, case = random.Random(f"{question} {kills}"), CASES[question]
    for place in range(kills):
        hosts = [None, "box", f"box-{place}"] if boxes else [None]
        kind, host = [signal.SIGTERM, signal.SIGKILL][place % 2], moments.choice(hosts)
        more, held = moments.randrange(2 * case.batch + 2), moments.random() < 0.5
        pause = moments.random() * 0.005 if more else moments.random() ** 3 * 0.3
        leaving = case.steady and place >= kills * 2 / 3 - 1
        if kind == signal.SIGKILL and (leaving or place == 1):
            yield Kill(kind, host, more or 1, 0.0, held=True)
        elif leaving:
            kind = moments.choice([signal.SIGTERM, signal.SIGKILL])
            yield Kill(kind, hosts[-1], 1, pause, held, left=boxes)
        else:
            yield Kill(kind, host, more, pause, held)


@dataclass
class Watched:
    """A study that commands work on which are killed, and what is known of it from outside."""

    question: str
    folder: Path
    port: int
    cli: Callable[..., Any]
    fresh: bool
    acknowledged: dict[int, Any] = field(default_factory=dict)
    in_flight: Counter = field(default_factory=Counter)
    left: set[Any] = field(default_factory=set)
    """What was out when the last command began."""
    went_ahead: bool = False
    met: Counter = field(default_factory=Counter)
    """Where queries were out when a command began: at its own place, or elsewhere."""

    def __post_init__(self):
        lay(self.folder, self.port)
        self.case, self.study = CASES[self.question], self.folder / STUDY
        self.account = Account(self.folder.parent, self.folder.name)
        address = f"http://127.0.0.1:{self.port}/{self.folder.name}"
        making, self.asking = self.case.commands(address, full=self.fresh)
        if making:
            self.finish(making)

    def look(self):
        """Return what the study has asked, and what is out; nothing before it is made."""
        if not self.study.exists() or SqliteJournal.is_unmade(self.study):
            return (), set()
        with Study.open(self.study) as study:
            return study.records, set(study.leases)

    def asked(self):
        """Return what was asked, with which chance, and the answer."""
        return [(record.id, record.point, record.probability, record.value) for record in self.look()[0]]

    def answered(self):
        """Return what the study holds, by the number of the query."""
        return {record.number: told(record) for record in self.look()[0] if record.state == "answered"}

    def status(self):
        """Return what `ringtrue status` says."""
        return json.loads(self.cli("status", self.study, "--json").out)

    def findings(self):
        """What the study shows, wherever it lies."""
        return {name: {**one, "study": ""} for name, one in self.status()["findings"].items()}

    def finish(self, arguments=None):
        """Run a command to its end."""
        command = self._start(arguments or self.asking)
        try:
            assert command.wait() == 0, command.said()
        finally:
            command.close()

    def kill(self, kill):
        """Start the command, kill it as planned, and hold the study against the oracle's account."""
        before = self.account.count()
        self.account.hold_at(before + kill.most(self.case.batch))
        command = self._start(self.asking, kill)
        try:
            self._wait_for(command, before + kill.more)
            time.sleep(kill.pause)
            assert command.alive, f"done before it could be killed: {command.said()}"
            command.send(kill.signal)
            if kill.signal == signal.SIGTERM:  # some wait for the calls under way
                self.account.lift()
            code = command.wait()
        finally:
            self.account.lift()
            command.close()
        assert code == (INTERRUPTED if kill.signal == signal.SIGTERM else -signal.SIGKILL), command.said()
        wait_until_idle(self.port)
        self._compare(kill, self.account.charged()[before:])

    def _start(self, arguments, kill=None):
        """Start a command. What is out with a run elsewhere is given back first, unless it is to be left there."""
        command = Command(self.folder, arguments, host=kill and kill.host, fresh=self.fresh)
        place, out = command.ready(), self.look()[1]
        places = {one.holder.rsplit("/", 2)[0] for one in out}
        here = "on this host" if kill is None or kill.host is None else "in a box of the same names"
        self.met.update(here if found == place else "elsewhere" for found in places)
        self.left = out
        if places - {place}:
            if kill is not None and kill.left:
                self.went_ahead = True
            else:
                assert self.cli("release", self.study).code == 0
                self.left = set()
        command.go()
        return command

    def _wait_for(self, command, answers):
        end = time.monotonic() + PATIENCE
        while not (command.heeds_signals and self.study.exists() and self.account.count() >= answers):
            assert command.alive, f"ended before it could be killed: {command.said()}"
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.002)

    def _compare(self, kill, sold):
        """Compare what the study holds with what it held before and with what the oracle has sold since."""
        answered = self.answered()
        assert self.acknowledged.items() <= answered.items(), "an acknowledged answer is lost or another one"
        recorded = Counter(answered[number] for number in answered.keys() - self.acknowledged.keys())
        assert not recorded - Counter(sold), "the study holds an answer that the oracle did not give"
        in_flight = Counter(sold) - recorded
        waits = self.case.keeps_begun and kill.signal == signal.SIGTERM
        assert in_flight.total() <= (0 if waits else self.case.batch), kill
        if kill.signal == signal.SIGTERM:
            assert self.look()[1] <= self.left, "an interrupted run gives back what it took"
        self.acknowledged = answered
        self.in_flight += in_flight


def killed_again_and_again(question, folder, port, cli, *, kills, fresh, boxes):
    """Ask a question with and without kills, and hold what both bought and found against each other."""
    whole = Watched(question, folder / "whole", port, cli, fresh)
    whole.finish()
    asked, needed = whole.asked(), whole.account.count()
    assert needed == len(whole.answered()) == len(set(whole.account.charged()))

    killed = Watched(question, folder / "killed", port, cli, fresh)
    plan = list(planned(question, kills, boxes=boxes))
    assert sum(kill.most(killed.case.batch) for kill in plan) < needed, "the study outlives its kills"
    for kill in plan:
        killed.kill(kill)
        if not killed.went_ahead:
            so_far = [one[:3] for one in killed.asked()]
            assert so_far == [one[:3] for one in asked[: len(so_far)]], (
                "the questions are those of a run without a kill"
            )
    killed.finish()

    answered, sold, lost = killed.answered(), Counter(killed.account.charged()), killed.in_flight
    assert killed.acknowledged.items() <= answered.items(), "an acknowledged answer is lost or another one"
    assert sold == Counter(answered.values()) + lost, "only what was in flight is bought again"
    assert sold.total() <= needed + lost.total() + killed.case.batch * killed.went_ahead
    assert (killed.status()["spending"]["leased"], killed.status()["spending"]["opinions"]) == (0, 0)
    if killed.went_ahead and not killed.case.foresees:  # then what is asked depends on what was out
        assert len(killed.asked()) == len(asked)
    else:
        assert killed.asked() == asked
        assert killed.findings() == whole.findings()
    print(
        f"{question}: {kills} kills, {len(answered)} answers recorded, {sold.total()} sold, {needed} without a kill, "
        f"{lost.total()} in flight; queries out when a command began: {dict(killed.met)}"
    )


@pytest.mark.parametrize("question", CASES)
def test_a_few_kills(question, tmp_path, port, cli, no_boxes):
    kills = 3 if CASES[question].steady else 2
    killed_again_and_again(question, tmp_path, port, cli, kills=kills, fresh=False, boxes=not no_boxes)


@pytest.mark.slow
@pytest.mark.kills
@pytest.mark.parametrize("question", CASES)
def test_three_hundred_kills(question, tmp_path, port, cli, no_boxes):
    killed_again_and_again(question, tmp_path, port, cli, kills=300 // len(CASES), fresh=True, boxes=not no_boxes)


def test_this_machine_allows_new_namespaces(no_boxes):
    if no_boxes:
        pytest.skip(f"every kill was made on this host, in none but its own namespaces: {no_boxes}")
