"""A study that somebody else made runs and calls nothing that this user has not named, and gets no token."""

import json
import shutil
import stat
import sys

import pytest

from ringtrue.journal import SqliteJournal
from support import make_pool
from support.services import PROXIES, service
from support.worst_desk import lay_desk

TOKEN = "s3cr3t-t0ken"

EVIL = """
from pathlib import Path

Path("ran.txt").write_text("imported")


def predict(rows):
    return ["cat" for row in rows]


def model(rows):
    return [0.0 for row in rows]


def gold(values):
    return values["x"]


def distance(model, gold):
    return 1.0


def picture(values):
    return [[0.0, 1.0]]


def shorter(item, amount, rng):
    return {**item, "text": item["text"][: round((1 - amount) * len(item["text"]))]}
"""


WORDS = """
def wordy(rows):
    long = [min(len(row["text"]) / 20, 1.0) for row in rows]
    return ["short" if x < 0.5 else "long" for x in long], [[1 - x, x] for x in long], ["short", "long"]
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder where this user's own settings lie; the maker of a study has another one."""
    for name in (*PROXIES, "RINGTRUE_MODEL_TOKEN", "RINGTRUE_TOKEN_HOSTS"):
        monkeypatch.delenv(name, raising=False)

    def be(who):
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / who))
        return tmp_path / who / "ringtrue" / "config.json"

    be("maker")
    return be


def lay(folder):
    """A pool, a space and a module that leaves a trace as soon as it is imported."""
    head, *rows = make_pool(folder / "pool.csv").read_text().splitlines()
    (folder / "pool.csv").write_text("\n".join([f"{head},score", *(f"{row},0.9" for row in rows)]) + "\n")
    lay_desk(folder)
    rows = [{"text": "x" * (5 + n % 30), "truth": "long" if n % 3 else "short"} for n in range(40)]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "words.py").write_text(WORDS)
    (folder / "evil.py").write_text(EVIL)


def made_by_another(cli, home, tmp_path, *arguments):
    """Have the maker run this; then be another user, who has the file and no trace of its having run."""
    lay(tmp_path)
    made = cli(*arguments)
    assert made.code in (0, 3), made.err
    (tmp_path / "ran.txt").unlink(missing_ok=True)
    sys.modules.pop("evil", None)
    return home("stranger")


COMMAND = "sh -c 'echo ran > ran.txt; while read line; do echo 1; done'"
WORST = ("worst", "alloy", "--space", "space.toml", "--budget", "4")
MODULES = {
    "risk": ("init", "loans", "--pool", "pool.csv", "--model", "evil:predict", "--budget", "3"),
    "changed": ("changed", "loans", "--old", "pool.csv", "--answer", "predicted", "--model", "evil:predict",
                "--budget", "4"),
    "blind": ("init", "loans", "--pool", "pool.csv", "--model", "evil:predict", "--budget", "3"),
    "model": (*WORST, "--model", "evil:model", "--oracle", "desk:gold"),
    "gold": (*WORST, "--model", "desk:model", "--oracle", "evil:gold"),
    "gold in a process": (*WORST, "--model", "desk:model", "--oracle", "evil:gold", "--timeout", "60"),
    "command": (*WORST, "--model", "desk:model", "--oracle-command", COMMAND),
    "deviation": (*WORST, "--model", "desk:model", "--oracle", "desk:gold", "--deviation", "evil:distance"),
    "picture": (*WORST, "--model", "desk:model", "--oracle", "desk:gold", "--picture", "evil:picture"),
}  # fmt: skip
GOING_ON = {
    "risk": ("risk", "loans", "--oracle", "truth"),
    "changed": ("changed", "loans"),
    "blind": ("blind", "loans", "--oracle", "truth", "--above", "0"),
}


@pytest.mark.parametrize("case", MODULES)
def test_what_only_the_file_names_is_shown_and_not_run_until_it_is_trusted(case, cli, home, tmp_path):
    theirs = made_by_another(cli, home, tmp_path, *MODULES[case])
    again = (*GOING_ON.get(case, ("worst", "alloy")), *(() if case in GOING_ON else ("--budget", "5")))
    refused = cli(*again)
    assert refused.code == 2
    assert not (tmp_path / "ran.txt").exists()
    text = COMMAND if case == "command" else next(word for word in MODULES[case] if word.startswith("evil:"))
    assert repr(text) in refused.line
    assert "--trust" in refused.line
    assert not theirs.exists()
    assert cli("status", again[1]).code == 0
    if case == "command":  # of one, since a page takes its time
        assert cli("report", again[1]).code == 0
    assert not (tmp_path / "ran.txt").exists()
    trusted = cli(*again, "--trust")
    assert "--trust" not in trusted.err, trusted.err
    assert (tmp_path / "ran.txt").exists()
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o600
    assert "--trust" not in cli(*again).err


HUNT = (
    "blind", "texts", "--pool", "texts.jsonl", "--model", "words:wordy", "--perturb", "evil:shorter", "--oracle",
    "truth", "--class", "long", "--budget", "2",
)  # fmt: skip


def test_a_perturbation_that_the_file_names_needs_trust_too(cli, home, tmp_path):
    theirs = made_by_another(cli, home, tmp_path, *HUNT)
    again = ("blind", "texts", "--oracle", "truth", "--budget", "3")
    line = cli(*again).line
    assert "import 'words:wordy' and import 'evil:shorter'" in line
    assert not (tmp_path / "ran.txt").exists()
    assert "import 'evil:shorter'," in cli(*again, "--model", "words:wordy").line
    assert not (tmp_path / "ran.txt").exists()
    assert not theirs.exists()
    # Named on the command line, neither needs more.
    assert cli(*again, "--model", "words:wordy", "--perturb", "evil:shorter").code == 0
    assert (tmp_path / "ran.txt").exists()
    assert cli(*again).code == 0


def test_columns_of_the_pool_and_people_need_no_trust(cli, home, tmp_path):
    theirs = made_by_another(
        cli, home, tmp_path, "init", "loans", "--pool", "pool.csv", "--model", "predicted", "--budget", "3"
    )
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    assert not theirs.exists()


def test_a_column_is_no_way_around_for_what_is_never_a_column(cli, home, tmp_path):
    lay(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    (tmp_path / "texts.jsonl").write_text("\n".join(json.dumps({**row, "evil:shorter": "x"}) for row in rows))
    assert cli(*HUNT).code == 0
    (tmp_path / "ran.txt").unlink()
    sys.modules.pop("evil")
    home("stranger")
    assert "'evil:shorter'" in cli("blind", "texts", "--oracle", "truth").line
    assert not (tmp_path / "ran.txt").exists()


def test_the_maker_is_never_asked_again_nor_for_a_copy(cli, home, tmp_path):
    lay(tmp_path)
    assert cli(*MODULES["risk"]).code == 0
    assert cli("risk", "loans", "--oracle", "truth").code == 0
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(tmp_path / "loans.ringtrue", tmp_path / "moved.ringtrue")
    assert cli("copy", "loans", "copied").code == 0
    for name in ("moved", "copied"):
        assert cli("risk", name, "--oracle", "truth", "--budget", "5").code == 0


def test_trust_is_for_one_study_and_one_text(cli, home, tmp_path):
    made_by_another(cli, home, tmp_path, *MODULES["risk"])
    assert cli("risk", "loans", "--oracle", "truth", "--trust").code == 0
    home("maker")
    assert cli("init", "others", *MODULES["risk"][2:]).code == 0
    home("stranger")
    assert "--trust" in cli("risk", "others", "--oracle", "truth").line
    # A study that its file gives another text to is another one.
    rewrite(tmp_path / "loans.ringtrue", tmp_path / "rewritten.ringtrue", model="evil:model")
    assert "'evil:model'" in cli("risk", "rewritten", "--oracle", "truth").line


def rewrite(source, target, **notes):
    """Write a study anew with other notes and a chain that fits."""
    journal = SqliteJournal(source)
    name = journal.studies()[0]
    (_, plan), *events = [(kind, payload) for _, kind, payload, _ in journal.read(name, 0)]
    journal.close()
    forged = SqliteJournal(target, create=True)
    forged.append(name, 0, [("created", {**plan, "notes": {**plan["notes"], **notes}}), *events])
    forged.close()


def test_the_line_shows_the_whole_text_and_no_control_character(cli, home, tmp_path):
    text = "sh -c 'echo \x1b[2K\u202e" + "x" * 300 + " end'"
    lay(tmp_path)
    lab = cli("worst", "lab", *WORST[2:], "--model", "desk:model", "--oracle-command", text, "--sheet", "next.csv")
    assert lab.code == 0, lab.err
    home("stranger")
    line = cli("worst", "lab").line
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "x" * 300 + " end" in line


def test_a_sheet_asks_nobody_but_the_model(cli, home, tmp_path):
    made_by_another(cli, home, tmp_path, *MODULES["gold"], "--batch", "2")
    refused = cli("worst", "alloy", "--budget", "6", "--sheet", "next.csv").line
    assert "'desk:model'" in refused
    assert "evil" not in refused


def test_what_was_remembered_by_hand_stays_and_what_cannot_be_read_is_told(cli, home, tmp_path):
    theirs = made_by_another(cli, home, tmp_path, *MODULES["risk"])
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"token_hosts": ["models.example"], "more": 1}')
    assert cli("risk", "loans", "--oracle", "truth", "--trust").code == 0
    kept = json.loads(theirs.read_text())
    assert (kept["token_hosts"], kept["more"]) == (["models.example"], 1)
    assert [file.name for file in theirs.parent.iterdir()] == ["config.json"]
    for broken in ('{"studies": [', "[]", '{"studies": {"a": 1}}', '{"token_hosts": "models.example"}'):
        theirs.write_text(broken)
        said = cli("risk", "loans", "--oracle", "truth")
        assert said.code == 2
        assert "config.json" in said.line


def test_trust_that_cannot_be_remembered_holds_for_this_run(cli, home, tmp_path):
    theirs = made_by_another(cli, home, tmp_path, *MODULES["risk"])
    theirs.parent.parent.write_text("a file where the folder should be")
    said = cli("risk", "loans", "--oracle", "truth", "--trust")
    assert said.code == 0
    assert "cannot be remembered" in said.err


def mood(rows):
    return 200, {"predictions": ["cat" for _ in rows]}, {}


SECRETS = {
    "token": ("RINGTRUE_MODEL_TOKEN", (), "authorization", f"Bearer {TOKEN}"),
    "header": ("MY_KEY", ("--header", "X-Api-Key=MY_KEY"), "x-api-key", TOKEN),
}
"""What may go along with a request: the variable that holds it, how it is asked for, and as what it arrives."""


@pytest.fixture(params=SECRETS)
def secret(request, monkeypatch):
    """A secret that is set when it is called, the options that send it, and what a server saw of it."""
    variable, options, name, value = SECRETS[request.param]

    def arrived(seen):
        found = {text for _, headers, _ in seen for other, text in headers.items() if other.lower() == name}
        return seen and found == {value}

    return lambda: monkeypatch.setenv(variable, TOKEN), options, arrived


CHANGED = ("changed", "mood", "--old", "pool.csv", "--answer", "predicted")


def test_a_secret_goes_only_where_the_user_said(cli, home, tmp_path, monkeypatch, secret):
    export, options, arrived = secret
    with service(mood) as (url, seen):
        made_by_another(cli, home, tmp_path, *CHANGED, "--model", url, "--budget", "4")
        assert not arrived(seen)
        seen.clear()
        export()
        again = ("changed", "mood", "--budget", "6", *options)
        assert repr(url) in cli(*again).line
        refused = cli(*again, "--trust")
        assert refused.code == 2
        assert "RINGTRUE_TOKEN_HOSTS=127.0.0.1" in refused.line
        assert TOKEN not in refused.line
        assert cli(*again).line == refused.line  # trusted to be called, and yet not with the secret
        assert not seen
        monkeypatch.setenv("RINGTRUE_TOKEN_HOSTS", "models.example, 127.0.0.1")
        assert cli(*again).code in (0, 1, 3)
        assert arrived(seen)


def test_a_host_in_the_config_file_or_on_the_command_line_gets_the_secret(cli, home, tmp_path, secret):
    export, options, arrived = secret
    with service(mood) as (url, seen):
        theirs = made_by_another(cli, home, tmp_path, *CHANGED, "--model", url, "--budget", "4")
        export()
        seen.clear()
        port = url.rpartition(":")[0].rpartition(":")[2].partition("/")[0]
        theirs.parent.mkdir(parents=True)
        theirs.write_text(json.dumps({"token_hosts": ["127.0.0.1:1"]}))
        assert "RINGTRUE_TOKEN_HOSTS" in cli("changed", "mood", "--budget", "5", "--trust", *options).line
        theirs.write_text(json.dumps({"token_hosts": [f"127.0.0.1:{port}"]}))
        assert cli("changed", "mood", "--budget", "5", "--trust", *options).code in (0, 1, 3)
        home("another")
        assert cli("changed", "mood", "--budget", "6", "--model", url, *options).code in (0, 1, 3)
        assert cli("changed", "mood", "--budget", "7", *options).code in (0, 1, 3)
        assert arrived(seen)


BLIND = (
    "blind", "loans", "--pool", "pool.csv", "--confidence", "score", "--above", "0", "--oracle", "truth",
    "--budget", "2",
)  # fmt: skip


def test_a_claims_file_does_not_send_a_secret(cli, home, tmp_path, monkeypatch, secret):
    export, options, arrived = secret
    with service(mood) as (url, seen):
        made_by_another(cli, home, tmp_path, *BLIND, "--model", url)
        seen.clear()
        (tmp_path / "claims.toml").write_text(
            f'[[claim]]\nstudy = "loans"\nsays = "error <= 50% at 95%"\nmodel = "{url}"\n'
        )
        export()
        said = cli("check", "claims.toml", *options)
        assert said.code == 2, said.out
        assert "RINGTRUE_TOKEN_HOSTS=127.0.0.1" in said.err
        assert not seen
        monkeypatch.setenv("RINGTRUE_TOKEN_HOSTS", "127.0.0.1")
        assert cli("check", "claims.toml", *options).code in (0, 1, 3)
        assert arrived(seen)


STRANGE = {
    "risk": ((*BLIND, "--model"), ("risk", "loans", "--oracle", "truth")),
    "blind": ((*BLIND, "--model"), ("blind", "loans", "--oracle", "truth", "--budget", "3")),
    "worst, the model": ((*WORST, "--oracle", "desk:gold", "--model"), ("worst", "alloy", "--budget", "5")),
    "worst, the gold": ((*WORST, "--model", "desk:model", "--oracle"), ("worst", "alloy", "--budget", "5")),
}
"""Verbs that call the address of a study: how another made it, and how it is gone on with."""


@pytest.mark.parametrize("case", STRANGE)
def test_every_verb_keeps_a_secret_from_the_host_that_only_the_file_names(case, cli, home, tmp_path, secret):
    export, options, arrived = secret
    make, go_on = STRANGE[case]
    answer = 0.5 if case.startswith("worst") else "cat"
    with service(lambda rows: (200, {"predictions": [answer for _ in rows]}, {})) as (url, seen):
        made_by_another(cli, home, tmp_path, *make, url)
        seen.clear()
        export()
        refused = cli(*go_on, "--trust", *options)
        assert refused.code == 2
        assert "RINGTRUE_TOKEN_HOSTS=127.0.0.1" in refused.line
        assert not seen
        home("maker")
        assert cli(*go_on, *options).code in (0, 1, 3)
        assert arrived(seen)


def test_no_secret_over_plain_http(cli, home, tmp_path, secret):
    export, options, _ = secret
    export()
    lay(tmp_path)
    said = cli(*CHANGED, "--model", "http://models.example/x", "--budget", "4", *options)
    assert said.code == 2
    assert "the address at models.example begins with http://" in said.line
    assert TOKEN not in said.line
    assert not (tmp_path / "mood.ringtrue").exists()
