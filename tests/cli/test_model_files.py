"""A model file on the command line: in every verb, found again from anywhere, and another one when its bytes change."""

import csv
import json
import shutil

import numpy as np
import pytest

from ringtrue.journal import SqliteJournal
from support import model_files, numbers_of
from support.model_files import NAMES

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: pip install 'ringtrue[onnx]'")

CLAIM = ("--claim", "error <= 40% at 95%")
SENT = "model credit.onnx is sent: age, income, region, score"


def lay_pool(folder, rows=120):
    """Write a pool of four numbers and the truth per item."""
    numbers = model_files.table(rows, seed=5)
    with open(folder / "p.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", *NAMES, "truth"])
        for row, (cells, label) in enumerate(zip(numbers, model_files.truth(numbers), strict=True)):
            lines.writerow([f"i{row}", *(f"{cell:.6g}" for cell in cells), label])


@pytest.fixture
def credit(cli, tmp_path):
    lay_pool(tmp_path)
    return model_files.onnx_forest(tmp_path).path


def notes_of(path):
    journal = SqliteJournal(path)
    try:
        (study,) = journal.studies()
        plan = next(event.payload for event in journal.read(study, 0) if event.kind == "created")
    finally:
        journal.close()
    return plan["notes"], plan["model"]


def test_a_study_is_made_gone_on_with_and_notices_another_file(cli, credit, tmp_path):
    made = cli("risk", "study", "--pool", "p.csv", "--model", "credit.onnx", "--oracle", "truth", *CLAIM, "--json")
    assert made.code == 0, made.err
    assert made.err.splitlines()[0] == SENT
    assert numbers_of(made.out)["answers"] > 4
    notes, model = notes_of(tmp_path / "study.ringtrue")
    assert (notes["model"], notes["sent"]) == ("credit.onnx", NAMES)
    assert model["name"].startswith("credit.onnx ")
    assert model["versions"]["library"].startswith("onnxruntime ")
    again = cli("risk", "study", "--claim", "error <= 30% at 95%")
    assert again.code == 0, again.err
    assert again.err.splitlines()[0] == SENT
    model_files.onnx_of(tmp_path, model_files.fitted("logistic"), zipmap=False)
    other = cli("risk", "study", "--claim", "error <= 25% at 95%")
    assert other.code == 2
    told, error = other.err.splitlines()
    assert told == SENT
    assert error.startswith("ringtrue: the model is not the one this study was made with (name was 'credit.onnx ")
    credit.unlink()
    assert cli("risk", "study").line.startswith("ringtrue: credit.onnx: no such file: check the path")


def test_the_file_is_found_from_the_folder_of_the_study(cli, credit, tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    made = cli("init", "deep/study", "--pool", "p.csv", "--model", "credit.onnx", "--input", ",".join(NAMES))
    assert made.code == 0, made.err
    assert notes_of(tmp_path / "deep" / "study.ringtrue")[0]["model"] == "../credit.onnx"
    monkeypatch.chdir(tmp_path / "deep")
    gone_on = cli("risk", "study", "--oracle", "truth", "--budget", 3)
    assert gone_on.code == 0, gone_on.err
    monkeypatch.chdir(tmp_path)
    same = cli("risk", "deep/study", "--model", "credit.onnx", "--oracle", "truth", "--budget", 4)
    assert same.code == 0, same.err


VERBS = {
    "risk": ("risk", "s", "--pool", "p.csv", "--oracle", "truth", "--budget", "5"),
    "init": ("init", "s", "--pool", "p.csv", "--input", ",".join(NAMES)),
    "blind": ("blind", "s", "--pool", "p.csv", "--oracle", "truth", "--budget", "4", "--input", ",".join(NAMES),
              "--queries", "20", "--above", "0.5"),
    "changed": ("changed", "s", "--old", "p.csv", "--answer", "truth", "--truth", "none", "--budget", "5",
                "--confidence", "none", "--features", ",".join(NAMES)),
}  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_answers_in_every_verb(cli, credit, verb):
    said = cli(*VERBS[verb], "--model", "credit.onnx")
    assert said.code in (0, 1, 3), said.err
    assert SENT in said.err.splitlines()
    if verb != "init":
        again = cli(verb, "s")
        assert again.code == said.code, again.err


def test_a_regressor_is_searched_for_its_worst(cli, tmp_path):
    model_files.onnx_regressor(tmp_path).path.rename(tmp_path / "credit.onnx")
    parameters = "\n".join(f"{name} = {{ low = -1.0, high = 1.0 }}" for name in NAMES)
    (tmp_path / "space.toml").write_text(f"[parameters]\n{parameters}\n")
    (tmp_path / "gold.py").write_text("def gold(item):\n    return 2 * item['age'] + item['income']\n")
    started = ("worst", "s", "--space", "space.toml", "--model", "credit.onnx", "--oracle", "gold:gold")
    said = cli(*started, "--budget", 3, "--model-queries", 0)
    assert said.code == 0, said.err
    assert SENT in said.err.splitlines()
    again = cli("worst", "s", "--budget", 4)
    assert again.code == 0, again.err


def test_columns_that_do_not_fit_are_one_line_with_both_lists(cli, credit, tmp_path):
    said = cli("init", "s", "--pool", "p.csv", "--model", "credit.onnx")
    assert said.line.startswith(
        "ringtrue: the model credit.onnx takes 4 columns and is given 5 (age, income, region, score, truth): name "
        "those that it takes, in their order, with --input A,B"
    )
    made = model_files.xgboost_ubj(tmp_path)
    shutil.copy("p.csv", "q.csv")
    text = (tmp_path / "q.csv").read_text().replace("income", "incomes")
    (tmp_path / "q.csv").write_text(text)
    said = cli("init", "s", "--pool", "q.csv", "--model", made.path.name)
    assert said.line == (
        "ringtrue: the model credit.ubj takes age, income, region, score, and the pool has no 'income', did you mean "
        "'incomes'? columns: id, age, incomes, region, score, truth"
    )
    stored = cli("init", "s", "--pool", "p.csv", "--model", "truth", "--input", "age")
    assert stored.line == "ringtrue: --input=age has no use with stored answers: leave it out"


@pytest.mark.slow
def test_labels_name_the_classes_of_a_file_that_has_numbers(cli, credit, tmp_path):
    made = model_files.xgboost_ubj(tmp_path)
    named = ("risk", "s", "--pool", "p.csv", "--model", made.path.name, "--oracle", "truth", "--budget", 10)
    said = cli(*named, "--labels", "lost,open,paid", "--json")
    assert said.code == 0, said.err
    assert numbers_of(said.out)["failures"] <= 3
    gone_on = cli("risk", "s", "--budget", 12, "--json")
    assert numbers_of(gone_on.out)["failures"] <= 3
    few = cli(*(word if word != "s" else "t" for word in named), "--labels", "lost,paid")
    assert few.line.startswith("ringtrue: classes=['lost', 'paid']: the model credit.ubj has 3 (0, 1, 2): name as many")


@pytest.mark.slow
def test_images_are_one_tensor(cli, tmp_path):
    made = model_files.torch_images(tmp_path)
    images = made.batch.columns["image"][:30]
    truth = np.array(["dark", "light"])[made.values[:30].argmax(axis=1)]
    np.savez(tmp_path / "p.npz", image=images, truth=truth)
    started = ("risk", "s", "--pool", "p.npz", "--model", "net.pt2", "--oracle", "truth", "--budget", 10)
    said = cli(*started, "--labels", "dark,light", "--json")
    assert said.code == 0, said.err
    assert said.err.splitlines()[0] == "model net.pt2 is sent: image"
    assert numbers_of(said.out)["failures"] == 0


@pytest.mark.slow
def test_a_stranger_must_trust_the_file_and_its_types(cli, tmp_path, monkeypatch):
    pytest.importorskip("skops.io", reason="skops is not installed: pip install 'ringtrue[skops]'")
    lay_pool(tmp_path)
    path = model_files.skops_forest(tmp_path).path
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "maker"))
    start = ("risk", "s", "--pool", "p.csv", "--model", path.name, "--oracle", "truth", "--budget", 3)
    refused = cli(*start)
    assert "give --trust-type sklearn.tree._tree.Tree" in refused.line
    assert not (tmp_path / "s.ringtrue").exists()
    made = cli(*start, "--trust-type", "sklearn.tree._tree.Tree")
    assert made.code == 0, made.err
    assert cli("risk", "s", "--budget", 4).code == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "stranger"))
    said = cli("risk", "s", "--budget", 5)
    assert said.line == (
        "ringtrue: study 's' would run the model file 'forest.skops' and load the type 'sklearn.tree._tree.Tree', "
        "which its file names and you did not: say --trust once if you trust it"
    )
    assert cli("risk", "s", "--budget", 5, "--trust").code == 0
    assert cli("risk", "s", "--budget", 6).code == 0
    assert "--trust-type='a.b' is for a model file" in cli("init", "t", "--pool", "p.csv", "--model", "truth",
                                                          "--trust-type", "a.b").line  # fmt: skip


def test_check_runs_a_file_only_if_the_claims_name_it(cli, credit, tmp_path):
    made = cli("risk", "study", "--pool", "p.csv", "--model", "credit.onnx", "--oracle", "truth", *CLAIM)
    assert made.code == 0, made.err
    claim = '[[claim]]\nstudy = "study.ringtrue"\nsays = "error <= 40% at 95%"\n'
    (tmp_path / "claims.toml").write_text(claim)
    seen = json.loads(cli("check", "claims.toml", "--json").out)["claims"][0]["looked_at"]
    assert seen == {"pool": "same", "model": "not looked at"}
    (tmp_path / "claims.toml").write_text(f'{claim}model = "credit.onnx"\n')
    assert json.loads(cli("check", "claims.toml", "--json").out)["claims"][0]["looked_at"]["model"] == "same"
    model_files.onnx_of(tmp_path, model_files.fitted("logistic"), zipmap=False)
    said = cli("check", "claims.toml", "--json")
    assert said.code == 3
    assert json.loads(said.out)["claims"][0]["looked_at"]["model"] == "changed"
