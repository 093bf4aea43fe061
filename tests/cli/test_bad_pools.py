"""Broken pools, in each format, through `init` and `risk`: one line with the file, the row and the remedy."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

FINE = [
    {"id": "a", "predicted": "cat", "truth": "cat"},
    {"id": "b", "predicted": "dog", "truth": "cat"},
    {"id": "c", "predicted": "dog", "truth": "dog"},
]
FORMATS = ["csv", "parquet", "jsonl"]


def write(folder, rows, suffix):
    """The rows as a file of this format."""
    path = folder / f"pool.{suffix}"
    columns = list(FINE[0])
    if suffix == "csv":
        lines = [",".join("" if row[name] is None else str(row[name]) for name in columns) for row in rows]
        path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        schema = pa.schema([(name, pa.string()) for name in columns])
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    return path


def changed(row, **cells):
    """The fine rows with some cells of one of them changed."""
    return [{**entry, **cells} if place == row else entry for place, entry in enumerate(FINE)]


def init(cli, path, *more):
    return cli("init", "s", "--pool", path.name, "--model", "predicted", *more)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        pytest.param(changed(1, id="a"), [], ["'a'", "row"], id="duplicate id"),
        pytest.param(changed(1, id=None), [], ["row 2", "id"], id="missing id"),
        pytest.param(changed(2, predicted=None), [], ["row 3", "'predicted'", "missing"], id="missing prediction"),
        pytest.param(changed(0, predicted="cow"), ["--labels", "cat,dog"], ["row 1", "'cow'", "cat, dog"], id="label"),
        pytest.param(FINE, ["--id", "name"], ["'name'", "id, predicted, truth"], id="no such id column"),
        pytest.param([], [], ["row"], id="no rows"),
    ],
)
def test_init_names_the_file_the_row_and_the_remedy(cli, tmp_path, suffix, rows, more, words):
    path = write(tmp_path, rows, suffix)
    said = init(cli, path, *more)
    assert said.code == 2
    assert path.name in said.line
    assert all(word in said.line for word in words), said.line
    assert ": " in said.line.split(path.name, 1)[1], "a remedy follows"
    assert not (tmp_path / "s.ringtrue").exists(), "a study of a broken pool would have to be removed by hand"


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("rows", "more", "words"),
    [
        pytest.param(changed(1, truth=None), [], ["row 2", "'truth'", "missing"], id="missing truth"),
        pytest.param(changed(2, truth="cow"), ["--labels", "cat,dog"], ["row 3", "'cow'", "cat, dog"], id="label"),
    ],
)
def test_risk_looks_before_anything_is_asked(cli, tmp_path, suffix, rows, more, words):
    path = write(tmp_path, rows, suffix)
    assert init(cli, path, *more).code == 0
    said = cli("risk", "s", "--oracle", "truth")
    assert said.code == 2
    assert all(word in said.line for word in [path.name, *words]), said.line
    assert json.loads(cli("status", "s", "--json").out)["spending"]["answered"] == 0


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_fine_pool_is_fine_in_every_format(cli, tmp_path, suffix):
    assert init(cli, write(tmp_path, FINE, suffix)).code == 0
    said = cli("risk", "s", "--oracle", "truth")
    assert said.code == 0
    assert "1 failure in 3 answers" in said.out


@pytest.mark.parametrize("suffix", [*FORMATS, "tsv"])
def test_an_empty_file(cli, tmp_path, suffix):
    path = tmp_path / f"pool.{suffix}"
    path.write_bytes(b"")
    said = init(cli, path)
    assert said.code == 2
    assert "pool." in said.line
    assert "empty" in said.line


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_missing_file(cli, suffix):
    said = cli("init", "s", "--pool", f"nowhere.{suffix}", "--model", "predicted")
    assert said.code == 2
    assert f"nowhere.{suffix}: no such file: check the path" in said.line


def test_a_truncated_parquet_file(cli, tmp_path):
    path = write(tmp_path, FINE, "parquet")
    path.write_bytes(path.read_bytes()[:-20])
    said = init(cli, path)
    assert said.code == 2
    assert "pool.parquet" in said.line


def test_a_truncated_line_of_json(cli, tmp_path):
    path = write(tmp_path, FINE, "jsonl")
    path.write_text(path.read_text()[:-12])
    said = init(cli, path)
    assert said.code == 2
    assert "pool.jsonl" in said.line
    assert "line 3" in said.line


@pytest.mark.parametrize("text", ['id,predicted,truth\na,"cat,cat\n', "id,predicted,truth\na,cat\n", "a,b,b\n1,2,3\n"])
def test_a_torn_csv(cli, tmp_path, text):
    path = tmp_path / "pool.csv"
    path.write_text(text)
    said = init(cli, path)
    assert said.code == 2
    assert "pool.csv" in said.line


def test_not_text_at_all(cli, tmp_path):
    path = tmp_path / "pool.csv"
    path.write_bytes(b"id,predicted\n\xff\xfe\x00,1\n")
    said = init(cli, path)
    assert said.code == 2
    assert "pool.csv" in said.line


@pytest.mark.parametrize(
    ("name", "word"),
    [("pool.xls", "suffix"), ("pool.xlsx", "not an xlsx file"), ("pool", "suffix"), (".", "no image")],
)
def test_what_is_no_pool(cli, tmp_path, name, word):
    if name != ".":
        (tmp_path / name).write_text("x")
    said = cli("init", "s", "--pool", name, "--model", "predicted")
    assert said.code == 2
    assert word in said.line


def test_a_misspelt_column_is_guessed(cli, tmp_path):
    path = write(tmp_path, FINE, "csv")
    said = cli("init", "s", "--pool", path.name, "--model", "predictd")
    assert said.code == 2
    assert "did you mean 'predicted'?" in said.line


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--claim", "mostly fine"], ["'mostly fine'", '"error <= 5% at 95%"']),
        (["--claim", "error <= 0%"], ["claim", "between 0 and 1"]),
        (["--claim", "error <= 5% at 20%"], ["level=0.2"]),
        (["--money", "5"], ["--money=5", "--price"]),
        (["--money", "lots", "--price", "1"], ["--money='lots'"]),
        (["--price", "-1"], ["--price='-1'"]),
        (["--labels", "cat,,dog"], ["--labels='cat,,dog'", "empty"]),
        (["--model", "nomodule:f"], ["--model='nomodule:f'", "no module 'nomodule'", "nomodule.py"]),
        (["--model", "os:nothing"], ["module 'os' has no 'nothing'"]),
        (["--model", "os:sep"], ["is a str", "name a function"]),
        (["--model", ":f"], ["':f'", "module:function"]),
        (["--model", "ftp://127.0.0.1/"], ["is not an address of a web service"]),
    ],
)
def test_options_that_break_a_rule(cli, tmp_path, options, words):
    path = write(tmp_path, FINE, "csv")
    said = init(cli, path, *options)
    assert said.code == 2
    assert all(word in said.line for word in words), said.line
    assert not (tmp_path / "s.ringtrue").exists()


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("import no_such_thing_at_all", "not installed"),
        ("def f(:", "SyntaxError"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_module_that_cannot_be_imported(cli, tmp_path, source, word):
    path = write(tmp_path, FINE, "csv")
    (tmp_path / "broken_desk.py").write_text(source)
    said = init(cli, path, "--model", "broken_desk:f")
    assert said.code == 2
    assert "broken_desk" in said.line
    assert word in said.line
