"""The routes of a desk: pages, what raters do, what the owner sees and decides, and the same for programs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import jinja2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ringtrue.core import InvalidInput, Json, RingtrueError
from ringtrue.desk._desk import Desk
from ringtrue.desk._export import answers, as_csv
from ringtrue.desk._guard import ERROR_HANDLERS, enter, entered, refused, required
from ringtrue.desk._live import Live
from ringtrue.desk._serve import Stopping
from ringtrue.study import Budget, Owner

HERE = Path(__file__).parent

Told: TypeAlias = dict[str, Any]
Result = TypeVar("Result")

_BEAT = 15.0
"""Seconds without news after which a stream says that it lives."""


class App:
    """Answers requests. One thread writes, since a study has one pen; another reads for the owner, apart from it."""

    def __init__(self, desk: Desk, live: Live, stopping: Stopping) -> None:
        self._desk, self._live, self._stopping = desk, live, stopping
        self._owner = Owner(desk.raters.study)
        self._writer, self._reader = ThreadPoolExecutor(1, "desk-writer"), ThreadPoolExecutor(1, "desk-reader")
        self._view: tuple[int, dict[str, Json]] | None = None
        self._wait = 0.5
        self._pages = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True)

    def close(self) -> None:
        """End the threads, after what they are at."""
        self._writer.shutdown()
        self._reader.shutdown()

    def starlette(self) -> Starlette:
        """Return the application; the guard goes around it."""
        posts: dict[str, Callable[[Request, Told], Awaitable[Response]]] = {
            "ask": self.rater(lambda rater, told: self._desk.ask(rater, told.get("n", 1))),
            "tell": self.rater(self._desk.tell),
            "amend": self.rater(self._desk.amend),
            "later": self.rater(self._desk.later),
            "renew": self.rater(self._desk.renew),
            "release": self.rater(self._desk.release),
            "pause": self.owner(self._pause),
            "budget": self.owner(self._budget),
            "settle": self.owner(self._settle),
            "giveup": self.owner(self._give_up),
        }
        gets: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "last": self._last, "live": self._see, "events": self._events, "status": self._status,
            "finding": self._finding, "answers.csv": self._answers, "answers.json": self._answers,
        }  # fmt: skip
        return Starlette(
            routes=[
                Route("/", partial(self._page, role="rater")),
                Route("/live", partial(self._page, role="owner")),
                Route("/enter", self._enter, methods=["POST"]),
                Route("/items/{name}/{place:int}", self._picture),
                *(Route(f"/api/{name}", partial(_posted, act), methods=["POST"]) for name, act in posts.items()),
                *(Route(f"/api/{name}", act) for name, act in gets.items()),
                Mount("/static", StaticFiles(directory=HERE / "static")),
            ],
            exception_handlers=ERROR_HANDLERS,
        )

    # Work off the event loop

    async def _in(self, executor: Executor, act: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(executor, act)

    def rater(
        self, act: Callable[[str, Told], dict[str, Json] | None]
    ) -> Callable[[Request, Told], Awaitable[Response]]:
        """Return what lets a rater act."""

        async def acted(request: Request, told: Told) -> Response:
            name = required(request, "rater").name or ""
            return JSONResponse(await self._in(self._writer, lambda: act(name, told)) or {})

        return acted

    def owner(self, act: Callable[[Told], None]) -> Callable[[Request, Told], Awaitable[Response]]:
        """Return what lets the owner act."""

        async def acted(request: Request, told: Told) -> Response:
            required(request, "owner")
            await self._in(self._writer, lambda: act(told))
            return JSONResponse({})

        return acted

    # Pages

    async def _page(self, request: Request, *, role: Any) -> Response:
        identity = entered(request, role)
        study = self._desk.raters.study.name
        if identity is None:
            return HTMLResponse(self._pages.get_template("enter.html").render())
        given: Told = {"study": study, "version": version("ringtrue")}
        if role == "rater":
            rater = identity.name or ""
            given |= {"rater": rater, "config": self._desk.config(rater)}
        else:
            given["config"] = {
                **self._desk.config(""),
                "version": given["version"],
                "can_settle": not self._desk.outputs,
            }
        return HTMLResponse(self._pages.get_template(f"{role}.html").render(given))

    async def _enter(self, request: Request) -> Response:
        return enter(request, (await _body(request)).get("token"))

    async def _picture(self, request: Request) -> Response:
        rater = entered(request, "rater")
        owner = entered(request, "owner")
        if rater is None and owner is None:
            required(request, "rater")
        name, place = request.path_params["name"], request.path_params["place"]
        whose = None if owner is not None else (rater.name if rater is not None else "")
        try:
            picture = await self._in(self._writer, lambda: self._desk.picture(name, place, whose))
        except InvalidInput:
            picture = None
        if picture is None:
            return refused(404, "There is no such image.")
        policy = "default-src 'none'; sandbox"
        return Response(picture.content, media_type=picture.media_type, headers={"Content-Security-Policy": policy})

    # Reading

    async def _last(self, request: Request) -> Response:
        name = required(request, "rater").name or ""
        return JSONResponse(await self._in(self._writer, lambda: self._desk.last(name)))

    async def _see(self, request: Request) -> Response:
        required(request, "owner")
        return JSONResponse(await self._in(self._reader, self._seen))

    def _seen(self) -> dict[str, Json]:
        """Return the view of the newest event; several pages share it."""
        sequence = self._live.sequence
        if self._view is None or self._view[0] != sequence:
            began = self._live.clock()
            view = self._live.view()
            # Looking may take a tenth of the time: of a long study it takes longer, so it is looked at more rarely.
            self._wait = max(0.5, 10 * (self._live.clock() - began))
            self._view = sequence, view
        return self._view[1]

    async def _events(self, request: Request) -> Response:
        required(request, "owner")
        return StreamingResponse(self._changes(), media_type="text/event-stream")

    async def _changes(self) -> AsyncIterator[str]:
        """Say how far the journal has come, whenever it grew."""
        known, quiet = -1, 0.0
        while True:
            now = await self._in(self._reader, lambda: self._live.sequence)
            if now != known:
                known, quiet = now, 0.0
                yield f"event: change\nid: {now}\ndata: {now}\n\n"
            elif quiet >= _BEAT:
                quiet = 0.0
                yield ": still here\n\n"
            if await self._stopping.pause(self._wait):
                return
            quiet += self._wait

    async def _status(self, request: Request) -> Response:
        required(request, "owner")
        return JSONResponse(await self._in(self._reader, self._live.status))

    async def _finding(self, request: Request) -> Response:
        required(request, "owner")
        return JSONResponse(await self._in(self._reader, self._live.finding))

    async def _answers(self, request: Request) -> Response:
        required(request, "owner")
        rows = await self._in(self._reader, lambda: answers(self._live.study))
        ending = request.url.path.rpartition(".")[2]
        named = {"Content-Disposition": f'attachment; filename="answers.{ending}"'}
        if ending == "csv":
            return Response(as_csv(rows), media_type="text/csv; charset=utf-8", headers=named)
        return Response(json.dumps(rows, ensure_ascii=False), media_type="application/json", headers=named)

    # What the owner does

    def _pause(self, told: Told) -> None:
        paused = told.get("paused")
        if not isinstance(paused, bool):
            raise InvalidInput(f"paused={paused!r} must be true or false: say whether the desk rests")
        self._owner.set_desk(paused=paused)

    def _budget(self, told: Told) -> None:
        self._desk.raters.study.set_budget(Budget(told.get("labels"), told.get("money")))

    def _settle(self, told: Told) -> None:
        query, reason = self._desk.query(told.get("query")), told.get("reason")
        answer, _ = self._desk.answer(told)
        self._owner.settle(query, answer, reason=reason if isinstance(reason, str) else "")

    def _give_up(self, told: Told) -> None:
        reason = told.get("reason")
        if not isinstance(reason, str) or not reason.strip():
            raise InvalidInput("reason must say why the item is given up: write a few words")
        self._desk.raters.study.abandon(self._desk.query(told.get("query")), reason=reason)


async def _posted(act: Callable[[Request, Told], Awaitable[Response]], request: Request) -> Response:
    """Answer a request with a JSON body; what is wrong with it is said in one sentence."""
    try:
        return await act(request, await _body(request))
    except RingtrueError as error:
        return refused(400, str(error))


async def _body(request: Request) -> Told:
    try:
        told = await request.json()
    except (ValueError, RecursionError):
        raise InvalidInput("the body is not JSON: send an object such as {}") from None
    if not isinstance(told, dict):
        raise InvalidInput(f"the body is a {type(told).__name__}: send an object such as {{}}")
    return told
