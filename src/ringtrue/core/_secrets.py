"""What in an address looks like a secret, by its shape: random letters and digits, or a prefix that issuers use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

HIDDEN = "…"

_ISSUED = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_\w{12,}|github_pat_\w{12,}|glpat-[\w-]{12,}|xox[a-z]-[\w-]{8,}|hf_[A-Za-z0-9]{12,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|ya29\.[\w-]{12,}|npm_\w{12,}|SG\.[\w-]{12,}"
    r"|eyJ[\w-]{5,}\.[\w-]{3,}\.[\w-]*|(?P<key>[spr]k[-_][\w-]{12,}))"
)
"""Tokens of GitHub, GitLab, Slack, Hugging Face, AWS, Google, npm, SendGrid; a JWT; keys that begin with sk, pk, rk."""

_OF_A_KEY = re.compile(r"[A-Za-z0-9]*[0-9][A-Za-z][A-Za-z0-9]*")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9]{8,}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SAYS_SO = re.compile(
    r"(?:^|api|access|subscription|[^a-z])key$|token|secret|passw|pwd|signature|credential|^sig$|^auth"
)

_LEAST = 16
"""So many letters and digits that read like no words make a secret."""

_ADDRESS = re.compile(r"""(?:\b[A-Za-z][A-Za-z0-9+.-]{0,20}://|\burl )(?:[^\s"`<>\\']|'(?=[^\s:,;.)]))+""")


class _Piece(NamedTuple):
    """A piece of an address; where it stands, if it seems to hold a secret, and how it is shown then."""

    text: str
    where: str | None = None
    shown: str = HIDDEN


def looks_secret(text: str, *, uuids: bool = False) -> bool:
    """Return whether a text looks like a secret; with `uuids`, one that is a UUID does not.

    Names are made of words and numbers; a random text changes between capitals, small letters and digits every other
    letter. Small letters alone may pass, as may a short password: nothing tells them from a name.

    >>> looks_secret("my-model-2024-10:predict"), looks_secret("4f9a1c07be5d2236a8819fe0")
    (False, True)
    """
    if _has_issued(text):
        return True
    if uuids:
        text = _UUID.sub("", text)
    return sum(len(run) for run in _RUN.findall(text) if _is_random(run)) >= _LEAST


def _has_issued(text: str) -> bool:
    """Return whether a text holds a token with a known prefix; sk-learn, without digits, only begins like one."""
    for found in _ISSUED.finditer(text):
        if found["key"] is None or any(len(run) >= 12 for run in _OF_A_KEY.findall(found["key"])):
            return True
    return False


def _is_random(run: str) -> bool:
    """Return whether letters and digits in a row do not read like words, which are longer; more make it surer."""
    words = _WORD.findall(run)
    sure = len(run) >= 20 and not run.isalpha()  # names in camel case have no digits
    usual = (3.8 if len(run) < 24 else 4.3) if sure else 2.7 if len(run) < 16 else 3.3
    return len(words) > 2 and len(run) < usual * len(words)


def secret_in(address: str) -> str | None:
    """Return where an address seems to hold a secret, None if it does not.

    A UUID in the path is taken for the name of a deployment; in a query it is not, as many keys look so.

    >>> secret_in("https://models.example/v1/models/mood:predict?version=2")
    >>> secret_in("https://models.example/predict?code=Zm9vYmFyMTIzNDU2Nzg5MA")
    "the value of 'code'"
    """
    return next((piece.where for piece in _pieces(address) if piece.where is not None), None)


def without_secrets(text: str) -> str:
    """Return a text with the secrets of all addresses in it hidden; all that is not an address stays as it is.

    >>> without_secrets("see https://me:pw@host/v1?key=abc&version=2 and /home/4f9a1c07be5d2236a8819fe0")
    'see https://…@host/v1?key=…&version=2 and /home/4f9a1c07be5d2236a8819fe0'
    """
    if "://" not in text and "url " not in text:
        return text
    return _ADDRESS.sub(lambda found: "".join(_shown(piece) for piece in _pieces(found[0])), text)


def holds_secret(text: str) -> bool:
    """Return whether a text such as a command holds a token with a known prefix, or an address with a secret.

    >>> holds_secret("python gold.py --seed 7"), holds_secret("curl https://me:pw@models.example/predict")
    (False, True)
    """
    return _has_issued(text) or without_secrets(text) != text


def _shown(piece: _Piece) -> str:
    return piece.text if piece.where is None else piece.shown


def _pieces(address: str) -> Iterator[_Piece]:
    """Take an address apart; the texts of the pieces, one after another, are the address again."""
    rest, hash_mark, fragment = address.partition("#")
    rest, question_mark, query = rest.partition("?")
    head, mark, rest = rest.partition("://") if "://" in rest else rest.rpartition(" ")
    host, *segments = rest.split("/")
    yield _Piece(head + mark)
    user, at, host = host.rpartition("@")
    yield _Piece(user, "what stands before its host" if at else None)
    yield _Piece(at + host)
    for segment in segments:
        yield _Piece("/")
        yield _Piece(segment, "its path" if looks_secret(unquote(segment), uuids=True) else None)
    yield _Piece(question_mark)
    for part in re.split("([&;])", query):
        yield _in_query(part)
    yield _Piece(hash_mark)
    yield _Piece(fragment, "what stands after its #" if looks_secret(unquote(fragment)) else None)


def _in_query(part: str) -> _Piece:
    name, _, value = part.partition("=")
    if looks_secret(unquote(name)):
        return _Piece(part, "its query")
    if looks_secret(unquote(value)) or (value and _SAYS_SO.search(name.lower())):
        return _Piece(part, f"the value of {unquote(name)!r}", f"{name}={HIDDEN}")
    return _Piece(part)
