"""A served model from the command line: what is sent is said first, classes are named, and moods are told of."""

import itertools
import json

import pytest

from ringtrue.models import _post as post_module
from support.services import PROXIES, played, service, unhurried

INFER = "/v2/models/loans/infer"


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    return unhurried(monkeypatch)


@pytest.fixture
def pool(tmp_path):
    lines = [f"i{n},{n},{2 * n},{'yes' if n % 2 else 'no'}" for n in range(60)]
    (tmp_path / "pool.csv").write_text("\n".join(["id,age,income,truth", *lines]) + "\n")


class Loans:
    """A server in the Open Inference Protocol that tells its inputs, and says 0 or 1 by the parity of the age."""

    def __init__(self, said=lambda age: int(age) % 2, version="1"):
        self.said, self.version, self.sent = said, version, []

    def __call__(self, method, path, body):
        inputs = [{"name": name, "datatype": "FP64", "shape": [-1]} for name in ("income", "age")]
        if method == "GET":
            return 200, {}, json.dumps({"name": "loans", "inputs": inputs, "outputs": []})
        self.sent.append(body)
        ages = next(one["data"] for one in body["inputs"] if one["name"] == "age")
        output = {"name": "predict", "datatype": "INT64", "shape": [len(ages), 1], "data": list(map(self.said, ages))}
        return 200, {}, json.dumps({"model_name": "loans", "model_version": self.version, "outputs": [output]})


def risk(url, *options):
    return ("risk", "s", "--pool", "pool.csv", "--model", url + INFER, "--oracle", "truth", *options)


LABELS = ("--labels", "no,yes", "--claim", "error <= 20%")


def test_a_model_is_not_sent_the_truth_whoever_answers_later(cli, pool, tmp_path):
    (tmp_path / "desk.py").write_text("def label(item):\n    return item['truth']\n")

    def parity(rows):
        return 200, {"predictions": ["yes" if row["age"] % 2 else "no" for row in rows]}, {}

    with service(parity) as (url, seen):
        said = cli("risk", "s", "--pool", "pool.csv", "--model", url, "--oracle", "truth", "--budget", "3")
        assert said.code == 0, said.err
        assert "is sent: age, income" in said.err
        later = cli("risk", "s", "--oracle", "desk:label", "--budget", "6")
        assert later.code == 0, later.err
        assert "is sent: age, income" in later.err
    assert {tuple(row) for _, _, sent in seen for row in sent["instances"]} == {("age", "income")}


def test_what_is_sent_is_said_in_one_line_before_it_is(cli, pool):
    server = Loans()
    with played(server) as url:
        said = cli(*risk(url, *LABELS))
        assert said.code == 0, said.err
        host = url.removeprefix("http://")
        assert said.err.splitlines()[0] == f"model url {host}{INFER} (KServe v2) is sent: income, age"
        assert {one["name"] for body in server.sent for one in body["inputs"]} == {"income", "age"}
        again = cli("risk", "s")
        assert again.code == 0, again.err
        assert "rings true" in again.out, "the names of the classes are remembered"


def test_an_oracle_behind_an_address_says_what_it_is_sent_too(cli, pool):
    with played(Loans()) as url:
        said = cli("risk", "s", "--pool", "pool.csv", "--model", "truth", "--oracle", url + INFER, "--budget", 1)
        assert f"oracle url {url.removeprefix('http://')}{INFER} (KServe v2) is sent: income, age" in said.err


def test_how_often_it_contradicts_itself_is_told_by_every_verb(cli, pool):
    calls = itertools.count()
    server = Loans(lambda age: next(calls) % 2 if age < 3 else int(age) % 2)
    sentence = "asked twice about 10 items, the model contradicted itself on "
    with played(server) as url:
        said = cli(*risk(url, *LABELS))
        assert sentence in said.err
        assert sentence in said.out
        told = json.loads(cli("risk", "s", "--json").out)
        assert [one.startswith(sentence) for one in told["warnings"]] == [True]
    assert sentence in cli("status", "s").out
    [finding] = json.loads(cli("status", "s", "--json").out)["findings"].values()
    assert finding["warnings"] == told["warnings"]
    assert cli("report", "s").code == 0
    assert cli("report", "--verify", "s.json").code == 0


def test_another_version_is_a_warning_and_another_model_stops(cli, pool):
    server = Loans()
    with played(server) as url:
        assert cli(*risk(url, *LABELS)).code == 0
        server.version = "2"
        said = cli("risk", "s")
        assert said.code == 0
        assert "tells of another version (model_version was '1', now '2')" in said.err
        server.said = lambda age: int(age < 30)
        said = cli("risk", "s")
        assert said.code == 2
        assert "the model is not the one this study was made with" in said.err.splitlines()[-1]


def test_numbers_without_names_are_not_labels(cli, pool):
    def answer(method, path, body):
        if method == "GET":
            return 404, {}, ""
        items = body["inputs"][0]["shape"][0]
        output = {"name": "output_0", "datatype": "FP32", "shape": [items, 2], "data": [0.75, 0.25] * items}
        return 200, {}, json.dumps({"outputs": [output]})

    with played(answer) as url:
        said = cli(*risk(url, "--budget", 5))
        assert said.code == 2
        last = said.err.splitlines()[-1]
        assert "compares labels, the model gives vectors" in last
        assert "--labels" in last
        assert cli(*risk(url, "--labels", "no,yes", "--budget", 5)).code == 0
