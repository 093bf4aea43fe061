"""`ringtrue doctor` on tables, logs, studies and other files: what is told, and that the commands can be typed."""

import csv
import hashlib
import json
import pickle
import shlex
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from ringtrue.judges import Vote
from ringtrue.stats import plan_rate
from ringtrue.study import Study

FIXTURES = Path(__file__).parents[1] / "logs" / "fixtures"
SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0"


def rows_of(size=60):
    """Items with a prediction that fails now and then, the truth, a confidence and a feature."""
    for n in range(size):
        truth = "cat" if n % 3 else "dog"
        said = truth if n % 20 else "cat" if truth == "dog" else "dog"
        yield {"id": f"i{n}", "size": n * n % 17, "predicted": said, "confidence": 0.5 + n % 50 / 100, "truth": truth}


def write_csv(path, rows, delimiter=","):
    rows = list(rows)
    path.parent.mkdir(exist_ok=True)
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
    return path


def write_parquet(path, rows):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    polars.DataFrame(list(rows)).write_parquet(path)


def write_xlsx(path, rows):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book, rows = openpyxl.Workbook(), list(rows)
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(path)


def write_npz(path, rows):
    rows = list(rows)
    np.savez(path, **{name: np.array([row[name] for row in rows]) for name in rows[0]})


def write_parts(path, rows):
    rows = list(rows)
    for place in (0, 1):
        write_csv(path.parent / f"{place}.csv", rows[place::2])


WRITERS = {
    "pool.csv": write_csv,
    "pool.tsv": lambda path, rows: write_csv(path, rows, "\t"),
    "pool.jsonl": lambda path, rows: path.write_text("".join(f"{json.dumps(row)}\n" for row in rows)),
    "pool.parquet": write_parquet,
    "pool.xlsx": write_xlsx,
    "pool.npz": write_npz,
    "parts/*.csv": write_parts,
}


def told(said):
    assert said.code in (0, 2), said.err
    return json.loads(said.out)


def state_of(folder):
    """All files of a folder, by their content."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("name", WRITERS)
def test_every_command_that_is_offered_for_a_pool_can_be_typed(cli, tmp_path, name):
    WRITERS[name](tmp_path / name, rows_of())
    before = state_of(tmp_path)
    made = told(cli("doctor", name, "--json"))
    assert state_of(tmp_path) == before, "nothing is written"
    assert (made["kind"], made["usable"], made["details"]["items"]) == ("pool", True, 60)
    assert made["wrong"] == []
    roles = {column["name"]: column["may_be"] for column in made["details"]["columns"]}
    assert roles == {
        "id": ["the id"],
        "size": [],
        "predicted": ["stored answers"],
        "confidence": ["confidence"],
        "truth": ["the truth"],
    }
    verbs = []
    for ask in made["asks"]:
        program, verb, *arguments = shlex.split(ask["command"])
        assert program == "ringtrue"
        verbs.append(verb)
        said = cli(verb, *arguments)
        assert said.code in (0, 1, 3), said.err
    assert verbs == ["risk", "blind"]


def test_a_pool_is_told_in_lines(cli, tmp_path):
    write_csv(tmp_path / "pool.csv", rows_of())
    said = cli("doctor", "pool.csv")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[:4] == [
        "pool.csv is a pool of 60 items with 5 columns",
        "  column      kind           missing  values         may be",
        "  id          text                    60 different   the id",
        "  size        whole numbers           9: 1, 2, 4, …",
    ]
    assert lines[-2:] == [
        "  where is it confidently wrong? (at most 34 labels)",
        "    ringtrue blind pool-blind --pool pool.csv --model predicted --oracle truth --confidence confidence "
        "--distance none --budget 34",
    ]


def test_the_cost_is_that_of_the_planner(cli, tmp_path):
    write_csv(tmp_path / "pool.csv", rows_of(500))
    plan = plan_rate(0.05, level=0.95, rates=[0.01], population=500)
    least, about = plan.fewest_watched, round(plan.cases[0].mean)
    ask = told(cli("doctor", "pool.csv", "--json"))["asks"][0]
    assert (
        ask["cost"] == f"at least {least} labels if nothing fails, about {about} labels if 1% fail, at most 500 labels"
    )
    ask = told(cli("doctor", "pool.csv", "--price", "0.40", "--json"))["asks"][0]
    assert f"at least {least} labels for {least * Decimal('0.40')} if nothing fails" in ask["cost"]
    assert cli("doctor", "pool.csv", "--price", "cheap").code == 2


def test_faults_are_told_and_a_secret_is_not(cli, tmp_path):
    rows = [{**row, "api_key": SECRET, "country": "NL", "note": ""} for row in rows_of()]
    rows[1]["truth"], rows[2]["truth"], rows[4]["note"] = "Cat", "", "late"
    rows.append({**rows[5], "id": "again"})
    write_csv(tmp_path / "pool.csv", rows)
    for arguments in ([], ["--json"]):
        said = cli("doctor", "pool.csv", *arguments)
        assert said.code == 0
        assert SECRET not in said.out + said.err
    made = json.loads(said.out)
    assert made["wrong"] == [
        "column 'truth' (the truth) has 1 missing cell: the truth of those must be asked for, as with --oracle ask",
        "column 'api_key' may hold secrets, by its values: take it out, since the people who label see the columns",
        "column 'note' has 60 missing cells (98.36%)",
        "the labels 'Cat' and 'cat' differ in spelling alone, and count as two: write them alike",
        "the same in every row: 'api_key', 'country'",
        "1 row with the same as an earlier one: remove what is one item twice",
    ]
    assert "--oracle ask" in made["asks"][0]["command"]


def test_a_column_is_secret_by_its_name_too(cli, tmp_path):
    write_csv(tmp_path / "pool.csv", [{**row, "password": f"hunter{n}"} for n, row in enumerate(rows_of())])
    said = cli("doctor", "pool.csv")
    assert "column 'password' may hold secrets, by its name" in said.out
    assert "hunter" not in said.out


def test_ids_that_come_twice_make_a_pool_unusable_unless_another_column_serves(cli, tmp_path):
    rows = [{**row, "id": "same"} for row in rows_of()]
    write_csv(tmp_path / "pool.csv", rows)
    said = cli("doctor", "pool.csv")
    assert said.code == 2
    assert "rows 1 and 2 have the same id 'same' in column 'id': remove one of them, or name another column" in said.out
    assert "ask:" not in said.out
    write_csv(tmp_path / "pool.csv", [{**row, "loan_id": n} for n, row in enumerate(rows)])
    made = told(cli("doctor", "pool.csv", "--json"))
    assert made["usable"]
    command = shlex.split(made["asks"][0]["command"])
    assert command[5:7] == ["--id", "loan_id"]
    assert cli(*command[1:]).code in (0, 1, 3)


def test_judges_and_a_row_per_vote(cli, tmp_path):
    rows = [
        {"id": n, **{judge: "yes" if (n * place) % 5 else "no" for place, judge in enumerate("abc", 1)}}
        for n in range(90)
    ]
    write_csv(tmp_path / "votes.csv", rows)
    made = told(cli("doctor", "votes.csv", "--json"))
    commands = [shlex.split(ask["command"]) for ask in made["asks"]]
    assert commands[-1] == ["ringtrue", "judges", "votes.csv", "--judges", "a,b,c"]
    assert cli(*commands[-1][1:]).code in (0, 1, 3)
    votes = [{"item": row["id"], "rater": judge, "label": row[judge]} for row in rows for judge in "abc"]
    write_csv(tmp_path / "long.csv", votes)
    made = told(cli("doctor", "long.csv", "--json"))
    assert [ask["command"] for ask in made["asks"]] == ["ringtrue judges long.csv"]
    assert cli("judges", "long.csv").code in (0, 1, 3)


def test_two_answers_can_be_compared(cli, tmp_path):
    rows = [{**row, "later": row["truth"]} for row in rows_of()]
    write_csv(tmp_path / "pool.csv", [{name: row[name] for name in row if name != "confidence"} for row in rows])
    commands = [shlex.split(ask["command"]) for ask in told(cli("doctor", "pool.csv", "--json"))["asks"]]
    assert commands[1][:2] == ["ringtrue", "changed"]
    said = cli(*commands[1][1:])
    assert said.code in (0, 1, 3), said.err


def test_without_stored_answers_the_way_on_is_told(cli, tmp_path):
    write_csv(tmp_path / "pool.csv", [{"id": n, "size": n / 7} for n in range(40)])
    said = cli("doctor", "pool.csv")
    assert "no column looks like stored answers: name the model with --model" in said.out
    assert said.out.splitlines()[-1] == "    ringtrue plan 'error <= 5% at 95%' --pool pool.csv"


def test_a_folder_of_images(cli, tmp_path):
    from PIL import Image

    for label in ("cat", "dog"):
        (tmp_path / "photos" / label).mkdir(parents=True)
        Image.new("L", (4, 4)).save(tmp_path / "photos" / label / "1.png")
    assert "photos is a pool of 2 items with 2 columns" in cli("doctor", "photos").out
    made = told(cli("doctor", "photos#truth", "--json"))
    assert [column["name"] for column in made["details"]["columns"]] == ["id", "image", "truth"]
    (tmp_path / "photos" / "readme.txt").write_text("hello")
    assert "is not an image" in cli("doctor", "photos").line


def test_names_that_steer_a_terminal_are_spelt_out_and_never_part_of_a_command(cli, tmp_path):
    evil = "\x1b[2J\u202e"
    rows = [
        {("predicted" if name == "predicted" else name + evil): value for name, value in row.items()}
        for row in rows_of()
    ]
    path = write_csv(tmp_path / f"pool{evil}.csv", rows)
    said = cli("doctor", path.name)
    assert all(line.isprintable() for line in said.out.split("\n"))
    assert "has a name that cannot be typed: rename it" in said.out
    assert "ask:" not in said.out


@pytest.mark.parametrize(
    "name", ["inspect_ai_later.json", "promptfoo.json", "lm_eval_filters.jsonl", "label_studio.json"]
)
def test_a_log(cli, tmp_path, name):
    (tmp_path / name).write_bytes((FIXTURES / name).read_bytes())
    made = told(cli("doctor", name, "--json"))
    assert (made["kind"], made["usable"]) == ("log", True)
    assert made["sentence"].startswith(f"{name} (")
    commands = {shlex.split(ask["command"])[1]: shlex.split(ask["command"])[1:] for ask in made["asks"]}
    assert commands["risk"][2:4] == ["--from", name]
    said = cli(*[name if one == "LATER.json" else one for one in commands["changed"]])
    assert said.code in (0, 1, 3), said.err
    if "judges" in commands:
        assert cli(*commands["judges"]).code in (0, 1, 3)
    else:
        assert "name those who vote on one question with --judges" in made["facts"][-1]


def test_a_study_that_is_as_it_was(cli, loans):
    cli("risk", "loans", "--oracle", "truth", "--budget", 5)
    before = state_of(loans.parent)
    said = cli("doctor", "loans")
    assert state_of(loans.parent) == before
    assert said.code == 0
    assert "the chain of all is sound" in said.out
    assert "\npool: same\nmodel: same\n" in said.out
    assert "wrong:" not in said.out
    command = next(ask for ask in told(cli("doctor", loans, "--json"))["asks"] if " risk " in ask["command"])["command"]
    assert command.endswith("loans.ringtrue --oracle ask --budget 10")


def test_a_study_whose_pool_changed_or_is_gone(cli, loans, tmp_path):
    pool = tmp_path / "pool.csv"
    text = pool.read_text()
    pool.write_text(text.replace("dog", "cow", 1))
    made = told(cli("doctor", "loans", "--json"))
    assert made["details"]["looked_at"]["pool"] == "changed"
    assert "the pool is not the one that was judged" in made["wrong"][0]
    assert [shlex.split(ask["command"])[1] for ask in made["asks"]] == ["report"]
    pool.rename(tmp_path / "elsewhere.csv")
    made = told(cli("doctor", "loans", "--json"))
    assert made["wrong"] == [
        "the pool was not looked at, which is no longer at 'pool.csv': bring it back, or give --pool FILE"
    ]


def test_a_study_of_votes_is_not_gone_on_with_by_a_command_that_lacks_its_judges(cli, tmp_path):
    write_csv(tmp_path / "pool.csv", rows_of())
    question = Vote({"ann": {}}, {"question": "Is it a cat?"})
    Study.create(tmp_path / "votes", pool=tmp_path / "pool.csv", question=question).close()
    assert told(cli("doctor", "votes", "--json"))["asks"][0]["command"] == "ringtrue status votes.ringtrue"


def test_what_is_out_is_told_with_whom(cli, loans):
    with Study.open(loans, pool=loans.parent / "pool.csv", model="predicted") as study:
        study.ask(2, rater="ann\x1b[2J")
    said = cli("doctor", "loans")
    assert "with ann\\x1b[2J until" in said.out
    assert "    ringtrue release loans.ringtrue" in said.out
    assert told(cli("doctor", "loans", "--json"))["details"]["out"] == 2


def test_a_damaged_study_is_unusable(cli, loans):
    cli("risk", "loans", "--oracle", "truth")
    data = loans.read_bytes()
    loans.write_bytes(data.replace(b'"predicted"', b'"predicted!'[:11]))
    assert data != loans.read_bytes()
    said = cli("doctor", "loans")
    assert said.code == 2
    assert "is damaged" in said.line


def test_no_code_that_a_study_names_is_imported_and_no_address_called(cli, tmp_path):
    """Whoever sent the study chose the names in it."""
    write_csv(tmp_path / "pool.csv", rows_of())
    (tmp_path / "evil.py").write_text(
        "from pathlib import Path\n"
        "Path('imported').write_text('x')\n"
        "def predict(rows):\n    return ['cat' for row in rows]\n"
        "def label(item):\n    return 'cat'\n"
    )
    made = cli("risk", "s", "--pool", "pool.csv", "--model", "evil:predict", "--oracle", "evil:label", "--budget", 3)
    assert made.code in (0, 1, 3), made.err
    (tmp_path / "imported").unlink()
    import sys

    del sys.modules["evil"]
    said = cli("doctor", "s")
    assert said.code == 0
    assert "the model was not looked at, since it would have to be run" in said.out
    assert not (tmp_path / "imported").exists()


def test_a_report_claims_and_a_space(cli, loans, tmp_path):
    cli("risk", "loans", "--oracle", "truth")
    cli("report", "loans")
    for name in ("loans.json", "loans.html"):
        made = told(cli("doctor", name, "--json"))
        assert made["kind"] == "report"
        assert [ask["command"] for ask in made["asks"]] == ["ringtrue report --verify loans.json"]
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "loans"\nsays = "error <= 20%"\n')
    made = told(cli("doctor", "claims.toml", "--json"))
    assert (made["kind"], made["usable"], made["facts"]) == ("claims", True, ["loans: error <= 20% at 95%"])
    assert [ask["command"] for ask in made["asks"]] == ["ringtrue check claims.toml"]
    (tmp_path / "claims.toml").write_text('[[claim]]\nstudy = "gone"\nsays = "error <= 20%"\n')
    said = cli("doctor", "claims.toml")
    assert (said.code, "study 'gone' is not there" in said.out) == (2, True)
    (tmp_path / "space.toml").write_text("[parameters]\nx = { low = 0.0, high = 1.0 }\n")
    assert "space.toml is a space of 1 parameter to search" in cli("doctor", "space.toml").out
    twin = json.loads((tmp_path / "loans.json").read_text())
    (tmp_path / "loans.json").write_text(json.dumps({**twin, "format": 99}))
    assert "its format 99 is not one that is verified here" in cli("doctor", "loans.json").out


def zipped(path, *names):
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, "x")


MODELS = {
    "m.onnx": (lambda path: path.write_bytes(b"\x08\x09\x12\x04test"), "ONNX"),
    "m.skops": (lambda path: zipped(path, "schema.json"), "skops"),
    "m.pt2": (lambda path: zipped(path, "m/archive_format", "m/models/model.json"), "torch.export"),
    "m.ubj": (lambda path: path.write_bytes(b"{L\x00\x00\x00\x00\x00\x00\x00\x07learner"), "XGBoost"),
    "m.json": (lambda path: path.write_text('{"learner": {}, "version": [3, 2, 0]}'), "XGBoost"),
    "m.txt": (lambda path: path.write_text("tree\nversion=v4\n"), "LightGBM"),
    "m": (lambda path: (path.mkdir(), (path / "config.json").write_text("{}")), "Hugging Face"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_file_is_known_by_its_first_bytes_and_not_loaded(cli, tmp_path, name):
    write, what = MODELS[name]
    write(tmp_path / name)
    made = told(cli("doctor", name, "--json"))
    assert (made["kind"], made["usable"]) == ("model", True)
    assert made["sentence"].startswith(f"{name} is a model in the format of {what}: ")
    assert made["sentence"].endswith(f"--model {name} takes it")


RUBRIC = """
question = "Is it?"
show = ["text"]
[choices]
yes = ""
no = ""
[judges.ann]
url = "http://127.0.0.1:1/v1/chat/completions"
model = "one"
[judges.bob]
url = "http://127.0.0.1:1/v1/chat/completions"
model = "one"
seed = 2
"""


def test_a_rubric_and_prices_are_told_and_nobody_is_called(cli, tmp_path):
    (tmp_path / "judges.toml").write_text(RUBRIC)
    made = told(cli("doctor", "judges.toml", "--json"))
    assert (made["kind"], made["sentence"]) == ("rubric", "judges.toml is a rubric for 2 judges")
    assert "judge ann: one at 127.0.0.1:1/v1/chat/completions" in made["facts"]
    assert made["wrong"] == ["ann, bob ask one model and err together: ask others"]
    assert made["asks"][0]["command"] == "ringtrue vote judges --pool POOL.jsonl --judges judges.toml"
    (tmp_path / "prices.toml").write_text('currency = "EUR"\n[models.one]\ninput = 0.15\noutput = 0.6\n')
    assert told(cli("doctor", "prices.toml", "--json"))["facts"] == ["one: EUR 0.15 read, 0.6 written"]
    (tmp_path / "judges.toml").write_text(RUBRIC.replace("model", "modle"))
    assert "judge 'ann' needs url" in cli("doctor", "judges.toml").line


class Evil:
    def __reduce__(self):
        return (Path.write_text, (Path("unpickled"), "x"))


@pytest.mark.parametrize("name", ["m.pkl", "m.joblib", "m.bin", "m.pt"])
def test_a_pickle_is_refused_with_the_reason_and_not_opened(cli, tmp_path, name):
    (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    said = cli("doctor", name)
    assert said.code == 2
    assert "is a pickle, which can run any code as it is opened: export the model" in said.line
    zipped(tmp_path / name, "archive/data.pkl")
    assert "is a file of torch.save, which is a pickle" in cli("doctor", name).line
    assert not (tmp_path / "unpickled").exists()


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("notes.txt", b"hello", "is nothing that is known here: give one of tables, folders of images, studies"),
        ("x.json", b'{"a": 1}', "is nothing that is known here"),
        ("empty.csv", b"", "the file is empty"),
        ("x.csv", b"a,b\n1\n", "row 1 has 1 cell, the header has 2"),
        ("x.jsonl", b"{\n", "x.jsonl: line 1 is not JSON that can be read"),
        ("x.ringtrue", b"hello", "x.ringtrue"),
        ("x.toml", b"= 1", "x.toml is not TOML"),
    ],
)
def test_what_cannot_be_used_gets_one_line(cli, tmp_path, name, data, why):
    (tmp_path / name).write_bytes(data)
    said = cli("doctor", name)
    assert said.code == 2
    assert why in said.line


def test_what_is_not_there_gets_one_line(cli, tmp_path):
    assert "none.csv: no such file" in cli("doctor", "none.csv").line
    assert "no file has such a name" in cli("doctor", "none/*.csv").line
    (tmp_path / "empty").mkdir()
    assert "there is no image in the folder" in cli("doctor", "empty").line
