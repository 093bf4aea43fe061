"""A command opens the journal of its study once: to fold a hundred thousand answers takes seconds."""

import pytest

from ringtrue.journal import SqliteJournal


@pytest.fixture
def opened(monkeypatch):
    """Counts how often a journal is opened."""
    times = []
    begin = SqliteJournal.__init__

    def counted(self, path, **given):
        times.append(str(path))
        begin(self, path, **given)

    monkeypatch.setattr(SqliteJournal, "__init__", counted)
    return times


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A pool with a model's answers, the truth, two judges and older answers; and a space for a gold standard."""
    monkeypatch.chdir(tmp_path)
    rows = ["id,x,said,truth,sure,ann,bob,old"]
    for place in range(60):
        truth = "ab"[place % 2]
        rows.append(f"{place},{place / 60},{truth if place % 9 else 'a'},{truth},0.9,{truth},a,{truth}")
    (tmp_path / "pool.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "votes.csv").write_text(
        "\n".join(",".join(row.split(",")[n] for n in (0, 3, 5, 6)) for row in rows) + "\n"
    )
    (tmp_path / "space.toml").write_text("[parameters]\nx = { low = 0.0, high = 1.0 }\n")
    (tmp_path / "lab.py").write_text(
        "def model(rows):\n    return [[row['x']] for row in rows]\n\n\ndef gold(item):\n    return [item['x'] ** 2]\n"
    )
    (tmp_path / "new.py").write_text("def model(rows):\n    return ['ab'[int(row['id']) % 2] for row in rows]\n")
    return tmp_path


COMMANDS = {
    "risk": (
        ["init", "s", "--pool", "pool.csv", "--model", "said", "--budget", "8"],
        ["risk", "s", "--oracle", "truth"],
    ),
    "changed": (
        [
            "changed",
            "s",
            "--old",
            "pool.csv",
            "--answer",
            "old",
            "--model",
            "new:model",
            "--budget",
            "8",
            "--noise",
            "0",
        ],
        ["changed", "s"],
    ),
    "worst": (
        ["worst", "s", "--space", "space.toml", "--model", "lab:model", "--oracle", "lab:gold", "--budget", "4"],
        ["worst", "s", "--oracle", "lab:gold"],
    ),
    "blind": (
        [
            "blind",
            "s",
            "--pool",
            "pool.csv",
            "--model",
            "said",
            "--confidence",
            "sure",
            "--oracle",
            "truth",
            "--budget",
            "6",
        ],
        ["blind", "s", "--oracle", "truth"],
    ),
    "judges": (
        ["judges", "votes.csv", "--study", "s", "--judges", "ann,bob", "--oracle", "truth", "--budget", "8"],
        ["judges", "votes.csv", "--study", "s", "--oracle", "truth"],
    ),
}


@pytest.mark.parametrize("verb", COMMANDS)
def test_once_to_go_on_to_look_and_to_report(verb, cli, files, opened, undrawn):
    first, again = COMMANDS[verb]
    assert cli(*first).code in (0, 1, 3)
    for command in (again, ["status", "s"], ["report", "s"]):
        opened.clear()
        said = cli(*command)
        assert said.code in (0, 1, 3), said.err
        assert len(opened) == 1, command
