"""A server that fails in every way that servers do, behind a proxy that has it fail: one clear line for each."""

import pytest

from ringtrue.core import RingtrueError, RingtrueWarning
from ringtrue.models import HttpModel, _limit, _patience
from ringtrue.models import _post as post_module
from support import served
from support.proxy import endless, half, proxy, refusal, silent, slow
from support.replay import replayed
from support.served_cases import CASES
from support.services import PROXIES, unhurried

CASE = CASES["numbers, told"]


@pytest.fixture(autouse=True)
def waiting(monkeypatch):
    for name in (*PROXIES, post_module.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_limit, "_LIMITS", {})
    return unhurried(monkeypatch)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    if served.home("mlserver") is None:
        pytest.skip("MLServer is not installed: `make servers` does it")
    folder = tmp_path_factory.mktemp("mlserver")
    served.make_models("mlserver", folder)
    with served.mlserver(folder) as url:
        yield url


@pytest.fixture(params=["recorded", pytest.param("real", marks=pytest.mark.servers)])
def server(request):
    """The address of the server itself: what MLServer answered, played again, or MLServer."""
    if request.param == "real":
        yield request.getfixturevalue("real")
        return
    with replayed("mlserver", "numbers, told") as (url, _):
        yield url


def first(*faults):
    """The first calls of the model fail in these ways, and no later one; before them the metadata is read."""
    return lambda number: faults[number - 1] if 1 <= number <= len(faults) else None


def always(fault):
    return lambda number: fault if number >= 1 else None


DATES = {"date": "Mon, 16 Nov 2026 10:00:00 GMT", "retry-after": "Mon, 16 Nov 2026 10:01:30 GMT"}
PASSING = {
    "429": (refusal(429), [0.5, 1.0]),
    "429, seconds": (refusal(429, {"retry-after": "7"}), [7, 7]),
    "429, milliseconds": (refusal(429, {"retry-after-ms": "1500", "retry-after": "2"}), [1.5, 1.5]),
    "503, a date": (refusal(503, DATES), [90, 90]),
    "500": (refusal(500), [0.5, 1.0]),
    "half a body": (half, [0.5, 1.0]),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_failure_that_passes_is_waited_for_and_told_in_one_line(name, server, waiting):
    fault, pauses = PASSING[name]
    with proxy(server, first(fault, fault)) as (url, passed), pytest.warns(RingtrueWarning) as warned:
        answer = HttpModel(url + CASE.path).answer(CASE.batch())
    assert answer.labels == CASE.labels
    assert waiting.pauses == pauses
    assert passed.numbers == 4, "the metadata, the calls that failed, the call that did not"
    [line] = {str(one.message) for one in warned}
    assert "trying again for 5 minutes" in line
    assert "\n" not in line


STAYING = {
    "429 for an hour": (refusal(429, {"retry-after": "3600"}), "asks to be left for 60 minutes, run again then"),
    "429 for years": (refusal(429, {"retry-after-ms": "9" * 12}), "asks to be left for more than 1,000 days"),
    "500": (refusal(500, words='{"error": "out of memory"}'), "status 500 (out of memory), after 15 requests in 5"),
    "a redirect": (refusal(307, {"location": "https://elsewhere.example/"}), "a redirect to elsewhere.example)"),
    "a page": (refusal(200, words="<html>welcome</html>"), "sent no JSON (<html>welcome</html>)"),
}  # fmt: skip


@pytest.mark.parametrize("name", STAYING)
@pytest.mark.filterwarnings("ignore:url:ringtrue.core.RingtrueWarning")
def test_a_failure_that_stays_ends_in_one_line(name, server, waiting):
    fault, words = STAYING[name]
    with proxy(server, always(fault)) as (url, _), pytest.raises(RingtrueError) as caught:
        HttpModel(url + CASE.path).answer(CASE.batch())
    assert words in str(caught.value), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fault", [silent, slow])
def test_a_server_that_hangs_or_drips_is_late(fault, server, monkeypatch):
    monkeypatch.setattr(_patience, "IN_ALL", -1.0)  # one try
    with proxy(server, always(fault)) as (url, _):
        model = HttpModel(url + CASE.path)
        model._meet(list(CASE.columns))  # with all the time that a busy machine takes
        model._post.timeout = 0.3
        with pytest.raises(RingtrueError, match=r"no answer within 0\.3 s"):
            model.answer(CASE.batch())


def test_of_two_gigabytes_no_more_is_read_than_an_answer_may_have(server, monkeypatch):
    monkeypatch.setattr(post_module, "MOST", 2**20)
    with proxy(server, always(endless(2 * 2**30))) as (url, passed):
        with pytest.raises(RingtrueError, match="sent more than 1 MB, unpacked: send one prediction per item"):
            HttpModel(url + CASE.path).answer(CASE.batch())
        written = passed.written
    assert written < 2**20 + 32 * 2**20, "what is on the way in buffers is not read"
