"""The guard, without a network: what it lets in, in whose name, and what every answer carries."""

import asyncio
import json
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ringtrue.core import RingtrueWarning
from ringtrue.desk._guard import ERROR_HANDLERS, Guard, enter, entered, required
from ringtrue.desk._links import Attempts, Link, Links, Place, new_token, token_hash
from ringtrue.desk._refusals import is_plain
from support import Clock

HOST, ORIGIN = "127.0.0.1:23456", "http://127.0.0.1:23456"
ANN, BOB, OWNER = new_token(), new_token(), new_token()
LINKS = [
    Link(token_hash(ANN), "rater", "Änn/1", 2_000.0),
    Link(token_hash(BOB), "rater", "bob", 2_000.0),
    Link(token_hash(OWNER), "owner", None, 2_000.0),
]
SECRET = "a secret of the program"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


async def page(request):
    return PlainTextResponse(str([entered(request, role) for role in ("rater", "owner")]))


async def rater(request):
    return JSONResponse({"name": required(request, "rater").name})


async def owner(request):
    return JSONResponse({"role": required(request, "owner").role})


async def come_in(request):
    return enter(request, (await request.json())["token"])


async def echo(request):
    return PlainTextResponse(await request.body())


async def broken(request):
    raise RuntimeError(SECRET)


async def no_such_item(request):
    raise HTTPException(404, "There is no item 7.")


async def picture(request):
    headers = {"Content-Security-Policy": "sandbox", "Cache-Control": "public", "X-Own": "kept"}
    return Response(b"<svg/>", media_type="image/svg+xml", headers=headers)


ROUTES = [
    Route("/", page),
    Route("/live", page),
    Route("/api/rater", rater, methods=["GET", "POST"]),
    Route("/api/owner", owner),
    Route("/enter", come_in, methods=["POST"]),
    Route("/echo", echo, methods=["GET", "POST"]),
    Route("/broken", broken),
    Route("/items/{query}", no_such_item),
    Route("/picture", picture),
]


class Answer:
    """What came back: the status, the headers as a list and by name, the body."""

    def __init__(self, messages):
        self.status = messages[0]["status"]
        self.pairs = [(key.decode(), value.decode()) for key, value in messages[0]["headers"]]
        self.headers = dict(self.pairs)
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def error(self):
        """The sentence of an answer that is nothing but one."""
        told = json.loads(self.body)
        assert list(told) == ["error"]
        assert self.headers["content-type"] == "application/json"
        return told["error"]


class Desk:
    """A guarded app, with a clock to move and a list of what went wrong."""

    def __init__(self, *, public_url=None, app=None):
        self.clock, self.trouble = Clock(), []
        self.guard = Guard(
            app or Starlette(routes=ROUTES, exception_handlers=ERROR_HANDLERS),
            place=Place.of("127.0.0.1", 23456, public_url),
            links=Links(LINKS, clock=self.clock),
            attempts=Attempts(clock=self.clock),
            trouble=lambda *told: self.trouble.append(told),
        )

    def ask(self, method, path, *headers, body=(b"",), peer="10.0.0.1", host=HOST):
        """Send a request; `headers` are pairs, `body` comes in these pieces."""
        given = [*([] if host is None else [("host", host)]), *headers]
        raw = path.encode("latin-1")
        scope = {
            "type": "http",
            "method": method,
            "path": unquote(raw.decode("latin-1")),  # as uvicorn does it
            "raw_path": raw,
            "query_string": b"",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given],
            "client": (peer, 4711),
        }
        pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
        pieces[-1]["more_body"] = False
        sent = []

        async def receive():
            return pieces.pop(0) if pieces else {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        asyncio.run(self.guard(scope, receive, send))
        answer = Answer(sent)
        assert {name: answer.headers[name] for name in ALWAYS} == ALWAYS, "every answer has them"
        assert "camera=()" in answer.headers["permissions-policy"]
        return answer

    def get(self, path, *headers, **how):
        return self.ask("GET", path, *headers, **how)

    def post(self, path, value, *headers, **how):
        """Send JSON as the desk's own page does."""
        own = ("content-type", "application/json"), ("origin", ORIGIN), ("sec-fetch-site", "same-origin")
        return self.ask("POST", path, *own, *headers, body=[json.dumps(value).encode()], **how)


def cookie(**tokens):
    names = {"rater": "rt-desk-23456", "owner": "rt-owner-23456"}
    return "cookie", "; ".join(f"{names[role]}={token}" for role, token in tokens.items())


def bearer(token):
    return "authorization", f"Bearer {token}"


@pytest.fixture
def desk():
    return Desk()


# The name of the desk.


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "evil.example:23456",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:23457",
        "localhost:23456",
        "127.0.0.1:23456.",
        "127.0.0.1.:23456",
        "user@127.0.0.1:23456",
        "127.0.0.1:23456, evil.example",
        "127.0.0.1:23456/",
        "http://127.0.0.1:23456",
        "0.0.0.0:23456",
        "[::1]:23456",
        "2130706433:23456",
        "127.1:23456",
    ],
)
@pytest.mark.parametrize("path", ["/", "/static/desk.css", "/api/rater", "/nothing", "/x/../api/rater"])
def test_another_name_is_refused_before_anything_else(desk, host, path):
    answer = desk.get(path, cookie(rater=ANN), host=host)
    assert answer.status == 421
    assert "open the link as it was printed" in answer.error


def test_two_names_are_refused_even_if_one_is_right(desk):
    assert desk.get("/", ("host", "evil.example")).status == 421
    assert desk.get("/", ("host", HOST)).status == 421


def test_a_name_may_be_written_large(desk):
    public = Desk(public_url="https://desk.example")
    assert public.get("/", host="Desk.Example").status == 200
    assert public.get("/", host=HOST).status == 200
    assert public.get("/", host="desk.example:443").status == 421
    assert desk.get("/", host="desk.example").status == 421


# The path.

TWISTED = [
    "/x/../api/rater",
    "/x/..",
    "/..",
    "/./api/rater",
    "/.",
    "//api/rater",
    "/api//rater",
    "/api\\rater",
    "/x/%2e%2e/api/rater",
    "/x/%2E./api/rater",
    "/x/.%2e/api/rater",
    "/%2e/api/rater",
    "/api%2frater",
    "/api%2Frater",
    "/api%5crater",
    "/api%5Crater",
    "/api/rater%00",
    "/api/rater%00.css",
    "/x/%252e%252e/api/rater",
    "/api%252frater",
    "/api%255crater",
    "/api/rater%0d%0aset-cookie:x",
    "/api/rater%7f",
    "/x/%c0%ae%c0%ae/api/rater",
    "/%ff",
    "/é",
    "http://127.0.0.1:23456/api/rater",
    "http://evil.example/",
    "*",
    "api/rater",
    "",
]


@pytest.mark.parametrize("path", TWISTED)
def test_a_path_has_one_form(desk, path):
    answer = desk.get(path or "?", cookie(rater=ANN))
    assert answer.status == 404
    assert answer.error == "There is nothing at this address."


@pytest.mark.parametrize(
    "path", ["/", "/live", "/items/loans%3A17", "/items/a%20b", "/items/%C3%A9", "/x...y", "/a%25b"]
)
def test_usual_paths_pass(path):
    assert is_plain(path.encode())


def test_without_a_raw_path_the_decoded_one_counts(desk):
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/x/../y", "headers": [(b"host", HOST.encode())]}
    asyncio.run(desk.guard(scope, None, send))
    assert sent[0]["status"] == 404


# The method, the content and its length.


@pytest.mark.parametrize(
    "method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "POSTS", "PROPFIND"]
)
def test_other_methods_are_refused(desk, method):
    answer = desk.ask(method, "/", ("origin", ORIGIN))
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    assert "access-control-allow-origin" not in answer.headers


def test_a_wrong_method_of_a_route_is_told_in_a_sentence(desk):
    answer = desk.post("/broken", {})
    assert answer.status == 405
    assert "each at its own address" in answer.error


@pytest.mark.parametrize(
    "kinds",
    [
        [],
        ["text/plain"],
        ["text/plain; application/json"],
        ["application/x-www-form-urlencoded"],
        ["multipart/form-data; boundary=x"],
        ["application/json-seq"],
        ["application/jsonp"],
        ["application/json, text/plain"],
        ["text/plain", "application/json"],
        ["application/json", "text/plain"],
        [""],
    ],
)
def test_a_post_that_is_not_json_is_refused(desk, kinds):
    answer = desk.ask("POST", "/echo", ("origin", ORIGIN), *(("content-type", kind) for kind in kinds), body=[b"{}"])
    assert answer.status == 415


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=x"])
def test_json_may_have_parameters(desk, kind):
    answer = desk.ask("POST", "/echo", ("origin", ORIGIN), ("content-type", kind), body=[b'{"a"', b": 1}"])
    assert (answer.status, answer.body) == (200, b'{"a": 1}')


JSON = ("content-type", "application/json"), ("origin", ORIGIN)
LIMIT = 64 * 1024


@pytest.mark.parametrize("length", [LIMIT + 1, 10**12, "9" * 5000, "-1", "1e3", "²", ""])
def test_a_length_that_is_too_long_or_no_number_is_refused_unread(desk, length):
    answer = desk.ask("POST", "/echo", *JSON, ("content-length", str(length)), body=[b"{}"])
    assert answer.status == 413
    assert "64 kB" in answer.error


def test_a_body_may_have_64_kb_and_no_more_whatever_its_length_says(desk):
    assert len(desk.ask("POST", "/echo", *JSON, body=[b"x" * LIMIT]).body) == LIMIT
    assert len(desk.ask("POST", "/echo", *JSON, body=[b"x" * (LIMIT // 2)] * 2).body) == LIMIT
    for body in ([b"x" * (LIMIT + 1)], [b"x" * (LIMIT // 2)] * 3, [b"x"] * (LIMIT + 1)):
        answer = desk.ask("POST", "/echo", *JSON, ("content-length", "2"), body=body)
        assert answer.status == 413
        assert desk.get("/echo", body=body).status == 413, "of a GET too"


def test_somebody_who_leaves_before_the_end_of_a_body_is_not_answered(desk):
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    headers = [(name.encode(), value.encode()) for name, value in (("host", HOST), *JSON)]
    scope = {"type": "http", "method": "POST", "path": "/echo", "raw_path": b"/echo", "headers": headers}

    async def receive():
        return messages.pop(0)

    asyncio.run(desk.guard(scope, receive, None))
    assert not messages
    assert not desk.trouble


# The origin, and what browsers say of a request.

FOREIGN = [
    "null",
    "",
    "http://evil.example",
    "https://127.0.0.1:23456",
    "http://127.0.0.1",
    "http://127.0.0.1:23457",
    "http://127.0.0.1:234567",
    "http://localhost:23456",
    "http://127.0.0.1:23456/",
    "http://127.0.0.1:23456 http://evil.example",
    "HTTP://127.0.0.1:23456",
    "127.0.0.1:23456",
    "file://",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_another_origin_is_refused(desk, origin):
    content = "content-type", "application/json"
    for who in (cookie(rater=ANN), bearer(ANN)):
        assert desk.ask("POST", "/api/rater", content, ("origin", origin), who).status == 403
        assert desk.get("/api/rater", ("origin", origin), who).status == 403
    assert desk.ask("POST", "/api/rater", *JSON, ("origin", origin), cookie(rater=ANN)).status == 403, "two of them"


def test_a_post_without_origin_needs_a_token_in_a_header(desk):
    content = "content-type", "application/json"
    assert desk.ask("POST", "/api/rater", content, cookie(rater=ANN)).status == 403
    assert desk.ask("POST", "/api/rater", content, cookie(rater=ANN), ("authorization", "Basic eA==")).status == 403
    assert desk.ask("POST", "/api/rater", content, bearer(ANN)).status == 200
    assert desk.ask("POST", "/api/rater", *JSON, cookie(rater=ANN)).status == 200
    assert desk.ask("POST", "/enter", content, body=[b'{"token": "x"}']).status == 403


def test_the_public_origin_is_the_own_one_behind_a_proxy():
    desk = Desk(public_url="https://desk.example")
    content, ann = ("content-type", "application/json"), cookie(rater=ANN)
    asked = {
        ("desk.example", "https://desk.example"): 200,
        (HOST, "https://desk.example"): 200,
        (HOST, ORIGIN): 200,
        ("desk.example", ORIGIN): 403,
        ("desk.example", "http://desk.example"): 403,
    }
    for (host, origin), status in asked.items():
        assert desk.ask("POST", "/api/rater", content, ann, ("origin", origin), host=host).status == status


def fetched(site, mode="navigate", dest="document"):
    return ("sec-fetch-site", site), ("sec-fetch-mode", mode), ("sec-fetch-dest", dest)


FETCHES = [
    ("GET", "/api/rater", fetched("same-origin", "cors", "empty"), 200),
    ("POST", "/api/rater", fetched("same-origin", "cors", "empty"), 200),
    ("GET", "/picture", fetched("same-origin", "no-cors", "image"), 200),
    ("GET", "/", fetched("none"), 200),
    ("GET", "/api/rater", fetched("none"), 200),
    ("GET", "/api/rater", fetched("none", "no-cors", "image"), 403),
    ("POST", "/api/rater", fetched("none"), 403),
    ("GET", "/", fetched("cross-site"), 200),
    ("GET", "/live", fetched("cross-site"), 200),
    ("HEAD", "/live", fetched("cross-site"), 200),
    ("GET", "/", fetched("same-site"), 200),
    ("GET", "/", fetched("cross-site", "navigate", "iframe"), 403),
    ("GET", "/", fetched("cross-site", "no-cors", "script"), 403),
    ("GET", "/", fetched("cross-site", "cors", "document"), 403),
    ("GET", "/", [("sec-fetch-site", "cross-site")], 403),
    ("GET", "/api/rater", fetched("cross-site"), 403),
    ("GET", "/live/", fetched("cross-site"), 403),
    ("GET", "/picture", fetched("cross-site", "no-cors", "image"), 403),
    ("GET", "/picture", fetched("same-site", "no-cors", "image"), 403),
    ("POST", "/", fetched("cross-site"), 403),
    ("POST", "/api/rater", fetched("same-site", "cors", "empty"), 403),
    ("GET", "/", [*fetched("same-origin"), ("sec-fetch-site", "cross-site")], 403),
    ("GET", "/", fetched("SAME-ORIGIN", "cors", "empty"), 403),
    ("GET", "/api/rater", fetched("", "cors", "empty"), 403),
]


@pytest.mark.parametrize(("method", "path", "headers", "status"), FETCHES)
def test_a_browser_says_who_made_a_request(desk, method, path, headers, status):
    own = JSON if method == "POST" else ()
    assert desk.ask(method, path, *own, *headers, cookie(rater=ANN)).status == status


# Who asks.


def test_who_asks_is_known_by_a_cookie_or_by_a_header(desk):
    for who in (cookie(rater=ANN), cookie(owner=OWNER, rater=ANN), bearer(ANN), ("authorization", f"bearer  {ANN} ")):
        assert json.loads(desk.get("/api/rater", who).body) == {"name": "Änn/1"}
    for who in (cookie(owner=OWNER), bearer(OWNER)):
        assert json.loads(desk.get("/api/owner", who).body) == {"role": "owner"}
    assert desk.get("/", cookie(owner=OWNER, rater=ANN)).body.count(b"Identity") == 2


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/rater", [], 401),
        ("/api/rater", [cookie(rater="")], 401),
        ("/api/rater", [cookie(rater=new_token())], 401),
        ("/api/rater", [cookie(rater=OWNER)], 401),
        ("/api/owner", [cookie(owner=ANN)], 401),
        ("/api/rater", [("cookie", f"rt-desk-1={ANN}; rt-desk={ANN}; RT-DESK-23456={ANN}")], 401),
        ("/api/rater", [cookie(owner=OWNER)], 403),
        ("/api/owner", [cookie(rater=ANN)], 403),
        ("/api/owner", [bearer(ANN)], 403),
        ("/api/owner", [bearer(ANN), cookie(owner=OWNER)], 403),
        ("/api/rater", [("authorization", f"Basic {ANN}")], 401),
        ("/api/rater", [("authorization", ANN)], 401),
        ("/api/rater", [bearer(ANN), bearer(BOB)], 401),
        ("/api/rater", [cookie(rater=BOB), cookie(rater=ANN)], 401),
        ("/api/rater", [cookie(rater=ANN), cookie(rater=ANN)], 200),
        ("/api/rater", [("authorization", "Basic eA=="), cookie(rater=ANN)], 200),
        ("/", [], 200),
        ("/", [bearer("wrong")], 401),
        ("/nothing", [bearer("wrong")], 401),
    ],
)
def test_nobody_and_somebody_else(desk, path, headers, status):
    answer = desk.get(path, *headers)
    assert answer.status == status
    if status == 401:
        assert answer.headers["www-authenticate"] == "Bearer"
    if status >= 400:
        assert "link" in answer.error


@pytest.mark.parametrize(
    ("pages", "status"),
    [
        (["%C3%84nn%2F1"], 200),
        (["bob"], 403),
        ([""], 403),
        (["%C3%84nn%2F1", "bob"], 403),
        (["%FF"], 403),
    ],
)
def test_a_page_that_was_made_for_somebody_else_is_told(desk, pages, status):
    answer = desk.get("/api/rater", cookie(rater=ANN), *(("desk-rater", page) for page in pages))
    assert answer.status == status
    assert status == 200 or "Another person's link" in answer.error


def test_a_link_that_has_ended_lets_nobody_in(desk):
    desk.clock.now = 2_000.0
    assert desk.get("/api/rater", cookie(rater=ANN)).status == 401
    assert desk.get("/api/rater", bearer(ANN)).status == 401


# Coming in.


def test_a_token_is_exchanged_for_the_cookie_of_its_role(desk):
    answer = desk.post("/enter", {"token": ANN})
    assert json.loads(answer.body) == {"role": "rater"}
    set_cookie = [value for name, value in answer.pairs if name == "set-cookie"]
    parts = set_cookie[0].split("; ")
    assert parts[0] == f"rt-desk-23456={ANN}"
    assert sorted(parts[1:], key=str.lower) == ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=strict"]
    assert len(set_cookie) == 1
    answer = desk.post("/enter", {"token": OWNER})
    assert answer.headers["set-cookie"].startswith(f"rt-owner-23456={OWNER};")
    assert json.loads(answer.body) == {"role": "owner"}


@pytest.mark.parametrize(("url", "secure"), [("https://desk.example", True), ("http://desk.example", False)])
def test_a_cookie_is_for_tls_alone_where_browsers_have_it(url, secure):
    answer = Desk(public_url=url).ask(
        "POST",
        "/enter",
        ("content-type", "application/json"),
        ("origin", url),
        host="desk.example",
        body=[json.dumps({"token": ANN}).encode()],
    )
    assert ("Secure" in answer.headers["set-cookie"].split("; ")) is secure


@pytest.mark.parametrize(
    "token",
    ["", "x", new_token(), token_hash(ANN), "\ud800", "é\r\nx: y"],
    ids=["none", "short", "another", "the hash", "half a character", "a header"],
)
def test_a_wrong_token_gets_no_cookie(desk, token):
    answer = desk.post("/enter", {"token": token})
    assert answer.status == 401
    assert "set-cookie" not in answer.headers
    assert not token or token not in answer.error


@pytest.mark.parametrize("token", [None, 7, True, [ANN], {"token": ANN}])
def test_a_token_is_text(desk, token):
    assert desk.post("/enter", {"token": token}).status == 400


def test_five_wrong_tokens_a_minute_and_only_their_sender_waits(desk):
    for _ in range(3):
        assert desk.post("/enter", {"token": "wrong"}).status == 401
    for _ in range(2):
        assert desk.get("/", bearer("wrong")).status == 401
    for _ in range(3):
        for answer in (desk.post("/enter", {"token": ANN}), desk.get("/api/rater", bearer(ANN))):
            assert (answer.status, answer.headers["retry-after"]) == (429, "60")
            assert "wait a minute" in answer.error
    assert desk.get("/api/rater", cookie(rater=ANN)).status == 200, "who is in stays in"
    assert desk.post("/enter", {"token": ANN}, peer="10.0.0.2").status == 200
    desk.clock.now += 60
    assert desk.post("/enter", {"token": ANN}).status == 200


def test_a_page_left_open_with_an_old_cookie_locks_nobody_out(desk):
    for _ in range(20):
        assert desk.get("/api/rater", cookie(rater="old", owner="old")).status == 401
    assert desk.post("/enter", {"token": ANN}).status == 200


# What is told of errors, and the headers.


def test_an_error_is_told_in_one_sentence_without_what_it_was(desk):
    answer = desk.get("/broken")
    assert answer.status == 500
    assert answer.error == "The desk could not do this: its owner sees why in the terminal."
    [(what, error)] = desk.trouble
    assert (what, str(error)) == ("GET /broken", SECRET)


def test_an_app_without_handlers_tells_no_more():
    for error, status in ((RuntimeError(SECRET), 500), (HTTPException(418), 418), (HTTPException(409, "No."), 409)):

        async def app(scope, receive, send, error=error):
            raise error

        answer = Desk(app=app).get("/")
        assert answer.status == status
        assert answer.error in (
            "The desk could not do this: its owner sees why in the terminal.",
            "I'm a Teapot.",
            "No.",
        )


def test_an_error_after_the_beginning_of_an_answer_is_told_to_the_owner_alone():
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError(SECRET)

    desk = Desk(app=app)
    assert desk.get("/").body == b""
    assert len(desk.trouble) == 1


def test_the_owner_is_warned_unless_trouble_is_told_otherwise(desk):
    guard = Guard(desk.guard._app, place=desk.guard.place, links=desk.guard.links)
    desk.guard = guard
    with pytest.warns(RingtrueWarning, match="the desk failed at GET /broken: RuntimeError: a secret"):
        assert desk.get("/broken").status == 500


def test_an_own_sentence_of_a_route_is_kept(desk):
    assert desk.get("/nothing").error == "There is nothing at this address."
    assert desk.get("/items/7").error == "There is no item 7."


def test_a_route_can_only_forbid_more(desk):
    answer = desk.get("/picture")
    assert [value for name, value in answer.pairs if name == "content-security-policy"] == ["sandbox", POLICY]
    assert [value for name, value in answer.pairs if name == "cache-control"] == ["no-store"]
    assert answer.headers["x-own"] == "kept"


def test_nothing_but_http_is_spoken(desk):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(desk.guard({"type": "websocket", "path": "/", "headers": []}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_no_refusal_repeats_what_was_sent(desk):
    odd = "x7odd"
    asked = [
        desk.get(f"/{odd}"),
        desk.get("/", host=odd),
        desk.get("/", ("origin", odd)),
        desk.get("/", bearer(odd)),
        desk.ask(odd.upper(), "/"),
        desk.post("/enter", {"token": odd}),
        desk.ask("POST", "/", ("content-type", odd)),
    ]
    for answer in asked:
        assert answer.status >= 400
        assert odd not in str(answer.pairs).lower() + answer.error.lower()
