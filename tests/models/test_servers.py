"""The real servers themselves, from environments of their own: `make servers` installs them and runs these tests."""

import pytest

from ringtrue import Risk, Study
from ringtrue.models import HttpModel, _patience
from ringtrue.models import _post as post_module
from ringtrue.pools import TablePool
from support import served
from support.served_cases import CASES, NUMBERS
from support.served_checks import check_case
from support.services import PROXIES

SERVERS = list(dict.fromkeys(case.server for case in CASES.values()))
pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def plain_network(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Return the folder with the models of a kind of server, made when they are first needed."""
    made = {}

    def folder(kind):
        if served.home(kind) is None:
            pytest.skip(f"{kind} is not installed: `make servers` does it")
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp(kind)
            served.make_models(kind, made[kind])
        return made[kind]

    return folder


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.filterwarnings("ignore:url:ringtrue.core.RingtrueWarning")
def test_every_case_at_the_real_server(server, folders, monkeypatch, tmp_path):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # a status of 500 that stays is asked once
    kind, _, name = server.partition("/")
    folder = folders(kind)
    with served.mlserver(folder) if kind == "mlserver" else served.mlflow(folder / name) as url:
        for case in CASES.values():
            if case.server == server:
                model = check_case(case, url)
                if case.served is not None and kind == "mlserver":
                    assert model.versions == case.served
        if kind == "mlserver":
            study_of(url, tmp_path)


def study_of(url, folder):
    """A whole study of a served model: made, run, and opened again."""
    pool = TablePool({**{name: column * 10 for name, column in NUMBERS.items()}, "truth": [0, 1, 2] * 10}, name="table")
    model = HttpModel(f"{url}/v2/models/grades/infer", features=["a", "b"])
    with Study.create(folder / "s", pool=pool, model=model, question=Risk("error <= 20%")) as study:
        assert study.run("truth").verdict.value == "rings true"
        described = study.plan["model"]
    assert (described["twice"], described["contradicted"], len(described["answers"])) == (10, 0, 20)
    assert described["versions"] == {"model_version": "v1.2", "ce-modelid": "grades"}
    Study.open(folder / "s", pool=pool, model=model).close()
