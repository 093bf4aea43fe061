"""Opens a desk: puts the guard around the routes, and serves them until the desk is ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ringtrue.desk._app import App
from ringtrue.desk._desk import Desk
from ringtrue.desk._fields import Fields
from ringtrue.desk._guard import Guard
from ringtrue.desk._links import Link, Links
from ringtrue.desk._live import Live
from ringtrue.desk._serve import Bound, Stopping, serve
from ringtrue.study import Raters, Study


def serve_desk(
    raters: Raters,
    watched: Study,
    bound: Bound,
    *,
    fields: Fields | None = None,
    outputs: Sequence[str] = (),
    ready: Callable[[str], None] = lambda _: None,
    stopping: Stopping | None = None,
) -> None:
    """Serve a desk until it is ended.

    Parameters
    ----------
    raters, watched
        Who answers, and the same study opened once more, for the owner to watch.
    bound
        Where it listens.
    fields, outputs
        How items are shown, and the numbers that are asked for; without any, labels are.
    ready
        Called with the address once it listens.
    stopping
        By which another thread ends the desk.
    """
    ends = Stopping() if stopping is None else stopping
    desk = Desk(raters, Fields() if fields is None else fields, outputs)
    app = App(desk, Live(desk, watched), ends)

    def links() -> list[Link]:
        known = raters.study.people.links
        return [Link(token, link.role, link.rater, link.until) for token, link in known.items()]

    try:
        guard = Guard(app.starlette(), place=bound.place, links=Links(links))
        serve(guard, bound, ready=ready, stopping=ends)
    finally:
        app.close()
