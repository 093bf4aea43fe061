"""`init`, `risk` and `status` on real files: what ends a run, what a changed world does, and what is said then."""

import json
import shutil

import pytest

from support import make_pool, make_study, numbers_of


def status(cli, study="loans"):
    told = json.loads(cli("status", study, "--json").out)
    return {**told, **told["spending"]}


def init(cli, name, *more):
    said = cli("init", name, "--pool", "pool.csv", "--model", "predicted", *more)
    assert said.code == 0, said.err
    return said


def test_init_says_what_comes_next(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    said = init(cli, "loans", "--claim", "error <= 20%")
    assert said.out.splitlines() == [
        "made loans.ringtrue: 40 items, nothing asked yet",
        "next: ringtrue risk loans.ringtrue --oracle COLUMN (or module:function)",
    ]
    assert "all 40 items" in init(cli, "other").out, "no claim and no budget should not surprise anybody"


def test_init_never_writes_over_a_study(cli, loans):
    before = loans.read_bytes()
    said = cli("init", "loans", "--pool", "pool.csv", "--model", "predicted")
    assert said.code == 2
    assert "exists" in said.line
    assert loans.read_bytes() == before


def test_init_makes_the_folder_and_finds_the_pool_again_from_elsewhere(cli, tmp_path, monkeypatch):
    make_pool(tmp_path / "pool.csv")
    init(cli, "deep/er/loans", "--claim", "error <= 20%")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cli("risk", "../deep/er/loans", "--oracle", "truth").code == 0


def test_a_study_may_be_named_like_a_folder(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    (tmp_path / "loans").mkdir()
    init(cli, "loans")
    assert status(cli)["answered"] == 0


@pytest.mark.parametrize(
    ("failing", "code", "words"), [(0, 0, "rings true"), (38, 1, "rings false"), (4, 0, "rings true")]
)
def test_the_verdict_is_the_exit_code(cli, tmp_path, failing, code, words):
    make_pool(tmp_path / "pool.csv", failing=failing)
    init(cli, "loans", "--claim", "error <= 20% at 95%")
    said = cli("risk", "loans", "--oracle", "truth")
    assert said.code == code
    assert words in said.out


def test_a_study_without_a_claim_runs_to_its_budget(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    init(cli, "loans", "--budget", "7")
    said = cli("risk", "loans", "--oracle", "truth", "--json")
    made = numbers_of(said.out)
    assert (said.code, made["claim"], made["spending"]["answered"]) == (0, None, 7)


def test_another_claim_can_be_decided(cli, loans):
    assert cli("risk", "loans", "--oracle", "truth", "--claim", "error <= 1% at 95%").code == 1


@pytest.mark.parametrize("budget", [0, 5])
def test_a_spent_budget_is_not_yet_known_and_says_how_to_go_on(cli, tmp_path, budget):
    make_pool(tmp_path / "pool.csv")
    init(cli, "loans", "--claim", "error <= 20% at 95%", "--budget", budget)
    said = cli("risk", "loans", "--oracle", "truth")
    assert said.code == 3
    assert status(cli)["answered"] == budget
    assert "larger --budget N" in said.out.splitlines()[-1]
    assert cli("risk", "loans", "--oracle", "truth", "--budget", 40).code == 0


def test_money_bounds_a_run_and_can_be_raised(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    init(cli, "loans", "--claim", "error <= 20% at 95%", "--money", "1.00", "--price", "0.30")
    assert cli("risk", "loans", "--oracle", "truth").code == 3
    now = status(cli)
    assert (now["answered"], now["spent_money"], now["budget_money"]) == (3, "0.90", "1.00")
    assert cli("risk", "loans", "--oracle", "truth", "--money", "100").code == 0
    assert status(cli)["budget_labels"] is None, "the side that was not given stays as it was"


def test_the_oracle_may_be_a_function_that_cannot_always_tell(cli, loans, tmp_path):
    (tmp_path / "desk_a.py").write_text(
        "def label(item):\n    return None if item['id'] == 'item-3' else item['truth']\n"
    )
    said = cli("risk", "loans", "--oracle", "desk_a:label", "--claim", "error <= 0.1% at 95%")
    assert said.code == 1
    assert "unexpected" not in said.err


def test_a_column_named_like_a_function_is_a_column(cli, tmp_path):
    text = make_pool(tmp_path / "pool.csv").read_text()
    (tmp_path / "pool.csv").write_text(text.replace("truth", "gold:truth", 1))
    init(cli, "loans", "--claim", "error <= 20%")
    assert cli("risk", "loans", "--oracle", "gold:truth").code == 0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise RuntimeError('desk closed')", ["3 times", "desk closed", "every answer so far is kept"]),
        ("raise SystemExit(0)", ["SystemExit"]),
        ("return float('nan')", ["nan", "item"]),
        ("return ''", ["''", "item"]),
    ],
)
def test_an_oracle_that_fails_is_no_verdict(cli, loans, tmp_path, body, words):
    (tmp_path / "desk_b.py").write_text(f"def label(item):\n    {body}\n")
    said = cli("risk", "loans", "--oracle", "desk_b:label")
    assert said.code == 2
    assert all(word in said.line for word in words), said.line
    now = status(cli)
    assert (now["answered"], now["leased"]) == (0, 0), "what was not answered is given back"
    assert cli("risk", "loans", "--oracle", "truth").code == 0


def test_an_unknown_label_from_a_function_is_refused_and_the_rest_kept(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    init(cli, "loans", "--claim", "error <= 20%", "--labels", "cat,dog")
    (tmp_path / "desk_c.py").write_text(
        "told = []\ndef label(item):\n    told.append(1)\n    return 'cow' if len(told) == 4 else item['truth']\n"
    )
    said = cli("risk", "loans", "--oracle", "desk_c:label")
    assert said.code == 2
    assert "'cow'" in said.err.splitlines()[-1]
    assert "cat, dog" in said.err.splitlines()[-1]
    assert status(cli)["answered"] == 3


def test_workers_do_not_change_what_is_asked(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    (tmp_path / "desk_d.py").write_text("def label(item):\n    return item['truth']\n")
    made = []
    for name, workers in (("one", 1), ("four", 4)):
        init(cli, name, "--claim", "error <= 20%", "--batch", 4)
        said = cli("risk", name, "--oracle", "desk_d:label", "--workers", workers, "--json")
        made.append({key: value for key, value in numbers_of(said.out).items() if key != "study"})
    assert made[0] == made[1]


def test_workers_without_a_batch_are_told_so(cli, loans):
    said = cli("risk", "loans", "--oracle", "truth", "--workers", 3)
    assert said.code == 0
    assert "--batch 3" in said.err.splitlines()[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere", ["nowhere.ringtrue", "does not exist", "ringtrue init"]),
        ("pool.csv", ["pool.csv", "not a database", "ringtrue init"]),
        (".", ["'.'", "names no file"]),
        ("", ["''", "names no file"]),
        ("box", ["'box' is a folder", "box/inside.ringtrue"]),
        ("nothing.ringtrue", ["nothing.ringtrue", "not a ringtrue study"]),
    ],
)
@pytest.mark.parametrize("verb", ["status", "report"])
def test_what_is_no_study(cli, loans, tmp_path, verb, name, words):
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "inside.ringtrue").write_bytes(b"")
    (tmp_path / "nothing.ringtrue").write_bytes(b"")
    said = cli(verb, name)
    assert said.code == 2
    assert all(word in said.line for word in words), said.line


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere", ["STUDY='nowhere' is not there yet", "--pool FILE"]),
        ("pool.csv", ["pool.csv", "not a database"]),
        (".", ["'.'", "names no file"]),
        ("", ["''", "names no file"]),
    ],
)
def test_what_is_no_study_to_go_on_with(cli, loans, name, words):
    said = cli("risk", name, "--oracle", "truth")
    assert said.code == 2
    assert all(word in said.line for word in words), said.line


@pytest.mark.parametrize("kept", [100, 4096, 5000])
def test_a_damaged_study(cli, loans, kept):
    loans.write_bytes(loans.read_bytes()[:kept])
    said = cli("status", "loans")
    assert said.code == 2
    assert "loans" in said.line


def test_a_moved_pool_is_given_by_its_new_place(cli, loans, tmp_path):
    (tmp_path / "away").mkdir()
    shutil.move(tmp_path / "pool.csv", tmp_path / "away" / "pool.csv")
    said = cli("risk", "loans", "--oracle", "truth")
    assert said.code == 2
    assert all(word in said.line for word in ["'pool.csv'", "--pool FILE"])
    assert cli("risk", "loans", "--oracle", "truth", "--pool", "away/pool.csv").code == 0


def test_a_changed_pool_stops_with_the_difference(cli, loans, tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text(path.read_text() + "item-40,0.5,cat,cat\n")
    said = cli("risk", "loans", "--oracle", "truth")
    assert said.code == 2
    assert all(word in said.line for word in ["the pool is not the one", "size was 40, now 41", "make a new study"])


def test_a_changed_model_stops_with_the_difference(cli, tmp_path, monkeypatch):
    make_pool(tmp_path / "pool.csv")
    module = tmp_path / "brain.py"
    module.write_text("LABEL = 'cat'\ndef predict(rows):\n    return [LABEL for row in rows]\n")
    assert cli("init", "m", "--pool", "pool.csv", "--model", "brain:predict", "--claim", "error <= 90%").code == 0
    import brain

    monkeypatch.setattr(brain, "LABEL", "dog")
    said = cli("risk", "m", "--oracle", "truth")
    assert said.code == 2
    assert "the model is not the one" in said.line
    monkeypatch.setattr(brain, "LABEL", "cat")
    assert cli("risk", "m", "--oracle", "truth").code == 0


def test_a_model_whose_module_is_gone(cli, tmp_path):
    make_pool(tmp_path / "pool.csv")
    (tmp_path / "mind.py").write_text("def predict(rows):\n    return ['cat' for row in rows]\n")
    assert cli("init", "m", "--pool", "pool.csv", "--model", "mind:predict").code == 0
    (tmp_path / "mind.py").unlink()
    import sys

    del sys.modules["mind"]
    said = cli("risk", "m", "--oracle", "truth")
    assert said.code == 2
    assert all(word in said.line for word in ["the study's model='mind:predict'", "mind.py"])
    assert cli("status", "m").code == 0, "what is known can be read without the model"


def test_a_study_made_in_python_is_sent_back_there(cli, tmp_path):
    make_study(tmp_path).close()
    said = cli("risk", "study", "--oracle", "truth")
    assert said.code == 2
    assert "Study.open" in said.line
    assert cli("status", "study").code == 0


def test_status_changes_nothing_and_shows_where_it_stands(cli, loans):
    before = loans.read_bytes()
    said = cli("status", "loans")
    assert said.code == 0
    assert "0 answers recorded" in said.out
    assert "not yet known" in said.out
    assert loans.read_bytes() == before


def test_a_finished_study_asks_nothing_more(cli, loans):
    first = numbers_of(cli("risk", "loans", "--oracle", "truth", "--json").out)
    again = cli("risk", "loans", "--oracle", "truth", "--json")
    assert (again.code, numbers_of(again.out)) == (0, first)
