"""An address as a doctor sees it: one request that sends no item, and what the answer says of the service."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ringtrue.cli._consent import HOSTS, Calling, check_host
from ringtrue.cli._diagnosis import CLAIM, Ask, Diagnosis, typed
from ringtrue.core import InvalidInput, line, read_json

SECONDS = 10.0
"""The longest that the request may take, and each read of it."""

MOST = 2**20
"""Bytes of an answer that are read."""

_SHOWN = 5
_TELLS = (
    (re.compile(r"(.*/v2/models/[^/]+(?:/versions/[^/]+)?)(?:/infer|/ready)?/?"), r"\1"),
    (re.compile(r"(.*)/(?:invocations|ping|version)/?"), r"\1/version"),
    (re.compile(r"(.*/v1/models/[^/:]+)(?::predict)?/?"), r"\1"),
    (re.compile(r"(.*/v1)/(?:chat/completions|completions|models)/?"), r"\1/models"),
)
"""For the path of an address that takes items, where its service tells of itself."""

_PLACES = "/v2, /v2/models/M, /version, /v1/models or /v1/models/M"
_VERSION = re.compile(r"\d+(\.\d+)+[\w.+-]*")


class _Told(NamedTuple):
    """What an answer says: the protocol, what else is to be known, and the path that takes items, "" if none does."""

    protocol: str
    facts: tuple[str, ...] = ()
    path: str = ""


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes


def look_at_address(url: str) -> Diagnosis:
    """Return what one request to a service tells of it. No item is sent, and no redirect is followed."""
    from ringtrue.models._credentials import masked
    from ringtrue.models._post import checked_address

    where, parts = checked_address(url), urlsplit(url)
    path = _about(parts.path)
    headers, facts = _secrets(url)
    answer = _get(url if path == parts.path else _at(url, path), headers, where)
    text = masked(answer.content.decode("utf-8", "replace"), {})
    told = _protocol(path, answer.content, text) if answer.status < 300 else None
    wrong, server = _wrong(answer, parts.hostname or "", text), masked(answer.headers.get("server", ""), {})
    facts = [f"GET {path or '/'} answered with status {answer.status}", *facts]
    facts += [f"server: {line(server)}"] if server else []
    facts += told.facts if told is not None else [f"what it is can be told at {_PLACES}, if it has one of these"]
    target = url if told is None or not told.path else _at(url, told.path)
    takes_items = not wrong or answer.status in (401, 403, 405)
    return Diagnosis(
        "address",
        f"{where} can be reached: {'a service of a kind that is not known' if told is None else told.protocol}",
        facts,
        wrong=wrong,
        asks=_asks(target, told) if takes_items else (),
        details={"status": answer.status, "protocol": None if told is None else told.protocol, "model": target},
    )


def _at(url: str, path: str) -> str:
    """Return another path of the same service."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _about(path: str) -> str:
    """Return the path at which a service tells of itself, by the path that takes items.

    >>> [_about(path) for path in ("/v2/models/m/infer", "/invocations", "/v1/models/m:predict", "/v1/completions")]
    ['/v2/models/m', '/version', '/v1/models/m', '/v1/models']
    """
    for pattern, tells in _TELLS:
        if found := pattern.fullmatch(path):
            return found.expand(tells)
    return path


def _secrets(url: str) -> tuple[dict[str, str], list[str]]:
    """Return the headers with the token, where its host is one that may have it; else none, and a word about it."""
    from ringtrue.models import carried
    from ringtrue.models._credentials import credentials

    if not carried({}):
        return {}, []
    try:
        check_host(url, Calling())
        return credentials(url, {}), ["sent with the token"]
    except InvalidInput:
        return {}, [f"asked without the token: {HOSTS} does not name this host, or the address is not https"]


def _get(url: str, headers: Mapping[str, str], where: str) -> _Answer:
    """Send one request; a service that cannot be reached, or takes too long, is refused."""
    import httpx

    from ringtrue.models._credentials import is_loopback, masked

    host = urlsplit(url).hostname or ""
    # No proxy of the environment is asked about this very machine.
    direct = {f"all://[{host}]" if ":" in host else f"all://{host}": None} if is_loopback(host) else {}
    wanted = {"Accept": "application/json, text/plain", "Accept-Encoding": "identity", **headers}
    until, content = time.monotonic() + SECONDS, bytearray()
    try:
        with (
            httpx.Client(timeout=SECONDS, follow_redirects=False, mounts=direct) as client,
            client.stream("GET", url, headers=wanted) as response,
        ):
            for piece in response.iter_raw():  # piece by piece as they come, so that one that drips is left
                content += piece
                if len(content) > MOST or time.monotonic() > until:
                    break
            return _Answer(response.status_code, response.headers, bytes(content[:MOST]))
    except httpx.TimeoutException:
        why = f"no answer within {SECONDS:g} s"
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        why = masked(str(error), {}) or type(error).__name__
    raise InvalidInput(f"{where} cannot be reached ({line(why)}): check that it runs, and the address")


def _wrong(answer: _Answer, host: str, text: str) -> list[str]:
    """Return what is wrong with an answer."""
    said = f" ({line(text[:100])})" if text.strip() else ""
    if answer.status in (401, 403):
        return [f"it wants a token{said}: set RINGTRUE_MODEL_TOKEN, and {HOSTS}={host} so that it may have it"]
    if 300 <= answer.status < 400:
        return ["it leads to another address, which is not followed: give the final one"]
    if answer.status == 405:
        return ["it takes no GET: what it is cannot be told without sending items"]
    if answer.status >= 400:
        return [f"it answered with status {answer.status}{said}: check the path"]
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        return ["its answer is packed, which was not asked for: it was not read"]
    return []


def _protocol(path: str, content: bytes, text: str) -> _Told | None:
    """Return what an answer shows of the protocol; None if it shows nothing."""
    if path.endswith("/version") and _VERSION.fullmatch(text.strip()):
        return _Told("MLflow", (f"version {line(text.strip())}",), path.removesuffix("/version") + "/invocations")
    try:
        value = read_json(content)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("model_version_status"), list):
        found = [f"version {_text(one, 'version')}: {_text(one, 'state')}" for one in value["model_version_status"]]
        return _Told("TensorFlow Serving", tuple(found[:_SHOWN]), f"{path}:predict")
    if isinstance(value.get("data"), list) and value.get("object") == "list":
        models = ", ".join(_text(one, "id") for one in value["data"][:_SHOWN])
        return _Told("OpenAI style", (f"models: {models}",) if models else ())
    if "extensions" in value and "name" in value:
        server = f"it runs {_text(value, 'name')} {_text(value, 'version')}".rstrip()
        return _Told("KServe v2", (server, "look at one of its models: ringtrue doctor ADDRESS/models/M"))
    if "name" in value and {"inputs", "outputs", "platform"} & set(value):
        return _Told("KServe v2", _tensors(value), f"{path}/infer")
    if "name" in value and "ready" in value and "/v1/models/" in path:
        return _Told("KServe v1", (f"ready: {_text(value, 'ready')}",), f"{path}:predict")
    return None


def _tensors(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the metadata of a model says of its versions, inputs and outputs."""
    told = {"versions": [line(one) for one in _listed(value, "versions")]}
    for side in ("inputs", "outputs"):
        told[side] = [
            " ".join(_text(one, key) for key in ("name", "datatype", "shape")) for one in _listed(value, side)
        ]
    return tuple(f"{what}: {', '.join(entries)}" for what, entries in told.items() if entries)


def _listed(value: Mapping[str, Any], key: str) -> list[Any]:
    """Return the first of what a list holds; nothing where there is no list."""
    found = value.get(key)
    return found[:_SHOWN] if isinstance(found, list) else []


def _text(value: Any, key: str) -> str:
    """Return an entry of what a service sent as one short, harmless text."""
    return line(value.get(key, "")) if isinstance(value, dict) else ""


def _asks(target: str, told: _Told | None) -> list[Ask]:
    """Return what can be asked of a model at an address; nothing where the address is not a model's."""
    if told is not None and told.protocol == "OpenAI style":
        target = "module:function"  # which makes a prompt of an item, and a label of what comes back
    elif told is not None and not told.path:
        return []
    pool = ["--pool", "POOL.csv", "--model", target, "--oracle", "ask", "--claim", CLAIM]
    old = ["--old", "ANSWERS.csv", "--model", target, "--error", "1%"]
    return [
        Ask("how often does it fail? (POOL.csv stands for your items)", typed("risk", "service", *pool)),
        Ask("did it change? (ANSWERS.csv stands for its old answers)", typed("changed", "service-changed", *old)),
    ]
