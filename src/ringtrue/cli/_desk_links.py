"""The links of a desk: made, printed once, and opened in a browser."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.cli._asked import Asked
from ringtrue.cli._terminal import say
from ringtrue.core import Json

if TYPE_CHECKING:
    from ringtrue.desk import Place
    from ringtrue.study import Raters

_WEEK = 7 * 86_400.0
"""Seconds for which a link lets its rater in, also after the desk was stopped and started again."""


def make_links(raters: Raters, people: Sequence[str], place: Place, *, new: bool) -> dict[str, Any]:
    """Make a link for the owner and for each rater; the journal keeps the hash of each token.

    With `new`, all links that were made before end.
    """
    from ringtrue.desk import new_token, token_hash
    from ringtrue.study import Owner

    until, owner = time.time() + _WEEK, new_token()
    tokens = {name: new_token() for name in people}
    kept: list[Json] = [[token_hash(owner), "owner", None, until]]
    kept += [[token_hash(token), "rater", name, until] for name, token in tokens.items()]
    Owner(raters.study).set_desk(links=kept, unlink=new)
    return {
        "url": place.url,
        "owner": place.link("owner", owner),
        "raters": {name: place.link("rater", token) for name, token in tokens.items()},
    }


def tell_links(asked: Asked, links: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Print the links, and open one in a browser if that is wanted."""
    width = max(len(name) for name in ("owner", *links["raters"]))
    lines = [f"{name:<{width}}  {link}" for name, link in [("owner", links["owner"]), *links["raters"].items()]]
    say(
        bool(given.get("as_json")),
        {"study": str(asked.path), **links},
        f"the desk of {asked.study.name} is open; each link is for one person, and is shown once",
        *lines,
        "Ctrl-C ends it; every answer is kept",
    )
    opened = links["owner"] if given.get("open_page") else next(iter(links["raters"].values()))
    if given.get("open_page") or given.get("open_rater"):
        import webbrowser

        webbrowser.open(opened)
