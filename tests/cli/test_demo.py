"""`ringtrue demo`, end to end: a real crash, its own account of the labels, and numbers that are measured."""

import csv
import json
from pathlib import Path

import pytest

from ringtrue.report import verify_report


def rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_the_whole_tour_twice_in_one_folder(cli, tmp_path, monkeypatch):
    # Offline: whoever opens a connection in this process fails the test.
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the demo went to the network"))
    folder = tmp_path / "some where" / "tour"
    first = cli("demo", "--out", folder, "--json")
    assert first.code == 0, first.err
    made = json.loads(first.out)

    assert made["killed_at"] > 0
    assert "SIGKILL" in first.err
    assert made["labels_bought"] == made["labels_in_journal"] > made["killed_at"] - 1
    assert made["bought_twice"] == 0
    assert made["verified"] is True
    assert made["verdict"] == "rings false"

    # Every number again, from the files the demo left.
    account = rows(folder / "desk" / "account.csv")
    assert len(account) == made["labels_bought"]
    assert len({item for _, item in account}) == len(account)
    truth = dict(rows(folder / "desk" / "truth.csv")[1:])
    said = {row[0]: row[1] for row in rows(folder / "pool.csv")[1:]}
    assert made["pool"] == len(said) == len(truth)
    assert made["failing_in_pool"] == sum(said[name] != truth[name] for name in said)
    assert (
        f"{sum(said[item] != truth[item] for _, item in account)} failures in {len(account)} answers"
        in made["sentence"]
    )
    assert made["labels_bought"] < made["fixed_size_labels"] < made["pool"]
    for name in ("html", "json"):
        assert Path(made[name]).stat().st_size > 1_000
    assert verify_report(Path(made["json"])).agrees

    # What it leaves is a study like any other.
    assert cli("status", folder / "digits").code == 0
    assert cli("report", folder / "digits").err == ""

    second = cli("demo", "--out", folder)
    assert second.code == 0, second.err
    assert f"labels bought: {made['labels_bought']} " in second.out, "the same seed buys the same labels"
    assert "bought twice: 0" in second.out


def test_it_never_touches_what_it_did_not_make(cli, tmp_path):
    mine = tmp_path / "desk" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("keep me")
    said = cli("demo", "--out", tmp_path)
    assert said.code == 2
    assert "not the demo's: name a new folder" in said.line
    assert mine.read_text() == "keep me"


def test_a_file_is_no_folder(cli, tmp_path):
    (tmp_path / "taken").write_text("x")
    said = cli("demo", "--out", "taken")
    assert said.code == 2
    assert "'taken'" in said.line
