"""Two people label one study at once, each at a terminal of their own: nobody is shown the other's picture."""

import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from ringtrue.study import Study
from support.blind_desk import lay_desk

# A process started in the background of a shell ignores Ctrl-C unless it says otherwise, and one under nohup a hang-up.
START = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from ringtrue.cli import main
main()
"""
STORED = ("--pool", "pictures.npz", "--model", "said", "--confidence", "sure", "--oracle", "truth", "--gallery", 0)
"""Answers that are stored: a model would have each of the processes load what compares pictures, for two seconds."""


class Person:
    """A process of `ringtrue blind --oracle ask`, with what it shows."""

    def __init__(self, folder, *options):
        command = [sys.executable, "-c", START, "blind", "hunt", "--oracle", "ask", "--gallery", "0", *options]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, cwd=folder, bufsize=0, **pipes)
        self.folder = folder

    def shown(self):
        """What is shown up to the next prompt: the text, the row, and the picture."""
        text = b""
        while not text.endswith(b"cannot tell: "):
            letter = self.process.stderr.read(1)
            assert letter, text.decode()
            text += letter
        text = text.decode()
        return text, int(re.search(r"item (\d+)\n", text)[1]), self.folder / re.search(r"picture in (\S+)", text)[1]

    def type(self, line):
        self.process.stdin.write(f"{line}\n".encode())

    def leave(self, how):
        if how == "ctrl-d":
            self.process.stdin.close()
        else:
            self.process.send_signal({"ctrl-c": signal.SIGINT, "killed": signal.SIGTERM, "hung up": signal.SIGHUP}[how])
        self.process.stderr.read()
        return self.process.wait()

    def close(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stderr):
            pipe.close()


@pytest.fixture
def people(cli, tmp_path):
    """Call for a person at the study `hunt` of 30 pictures, on which nothing was asked yet."""
    lay_desk(tmp_path, 30)
    columns = dict(np.load(tmp_path / "pictures.npz"))
    columns["said"] = np.where(columns["image"].reshape(30, -1).mean(axis=1) > 127, "light", "dark")
    columns["sure"] = np.linspace(0.7, 0.99, 30)
    np.savez(tmp_path / "pictures.npz", **columns)
    made = cli("blind", "hunt", *STORED, "--budget", 1)
    assert made.code == 0, made.err
    come = []

    def call(*options):
        come.append(Person(tmp_path, "--budget", "12", *options))
        return come[-1]

    yield call
    for person in come:
        person.close()


def light(path):
    """The mean grey of a picture."""
    from PIL import Image

    with Image.open(path) as picture:
        return float(np.asarray(picture.convert("L"), dtype=float).mean())


def test_each_sees_the_picture_of_their_own_item(people, tmp_path):
    images = np.load(tmp_path / "pictures.npz")["image"]
    ana, ben = people(), people()
    _, first, hers = ana.shown()
    _, second, his = ben.shown()
    assert first != second
    assert hers != his
    for row, file in ((first, hers), (second, his)):
        assert light(file) == pytest.approx(images[row].mean(), abs=1.0), "the picture is of the item that is asked"
    ana.type("dark")
    _, third, next_one = ana.shown()
    assert not hers.exists(), "removed when it was answered"
    assert light(next_one) == pytest.approx(images[third].mean(), abs=1.0)
    assert his.exists()
    ben.type("light")
    ben.shown()
    assert ana.leave("ctrl-c") == 130
    assert ben.leave("ctrl-d") == 130
    assert not list(tmp_path.glob("*.png"))
    for how in ("killed", "hung up"):
        person = people()
        assert person.shown()[2].exists()
        assert person.leave(how) == 130
        assert not list(tmp_path.glob("*.png")), f"removed from who was {how}"
    with Study.open(tmp_path / "hunt.ringtrue") as study:
        told = {record.row: record.value for record in study.records if record.state == "answered"}
        assert (told[first], told[second]) == ("dark", "light")
        assert study.status().leased == 0
