"""The page's server: uploads, forecasts, downloads. Nothing of this machine's files can be read through it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qs, unquote

from roofcast.catalog.current import choose_current
from roofcast.core.errors import InputError, RoofcastError, one_line, why_not
from roofcast.core.joined_parts import MEASURED
from roofcast.core.records import dataclass
from roofcast.kit.page import fill_skeleton, read_assets
from roofcast.kit.palette import PAGE, write_variables
from roofcast.web.answers import Result, answer, summary
from roofcast.web.choices import knobs_of, read_request, target_of
from roofcast.web.guard import COOKIE, HEADERS, PAGE_POLICY, Guard, Limits, hosts_of
from roofcast.web.keeping import Kept, Profile
from roofcast.web.parsing import StalledError, TooLargeError, Upload, parse_upload, receive_steadily, receive_upload
from roofcast.web.tabs import (
    KINDS,
    TABS,
    TARGETED,
    Shelved,
    View,
    describe_tabs,
    find_profiles,
    plan_view,
    run_command,
    shelve,
)
from roofcast.web.warm import Line, Warm

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

T = TypeVar("T")
HEALTH = "/health"
GARBAGE = 100_000
"""New objects after which circles of them are looked for while the server runs."""
ASSETS = {
    "app.css": ("roofcast.web", "text/css; charset=utf-8"),
    "app.js": ("roofcast.web", "text/javascript; charset=utf-8"),
}
"""Files that the page may load, by name: nothing else is served."""
ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M2 13L8 4h6' fill='none' "
    f"stroke='{PAGE['accent'][0]}' stroke-width='2.4'/></svg>"
)

LINKS = '<link rel="icon" href="/icon.svg" type="image/svg+xml">\n<link rel="stylesheet" href="/assets/app.css">'


@dataclass(frozen=True, slots=True)
class Access:
    """Who may do what, as the command line says it (:class:`Guard`)."""

    auth: str = ""
    proxy: bool = False
    read_only: bool = False


@dataclass
class Server:
    """What the handlers share."""

    guard: Guard
    limits: Limits = field(default_factory=Limits)
    profiles: Kept[Profile] = field(init=False)
    results: Kept[Result | Shelved] = field(init=False)
    shelf: TemporaryDirectory[str] = field(init=False)
    """The pages of views, within the budget of results."""
    receiving: asyncio.Semaphore = field(init=False)
    parsing: Line = field(init=False)
    forecasting: Line = field(init=False)
    warm: Warm | None = None
    """What does the work apart, where the system can fork."""
    first: list[dict[str, Any]] = field(default_factory=list)
    """Profiles named on the command line, as the page lists them."""

    def __post_init__(self) -> None:
        self.profiles = Kept(self.limits.profiles, self.limits.profile_bytes, self.limits.keep_s)
        self.results = Kept(self.limits.results, self.limits.result_bytes, self.limits.keep_s)
        self.shelf = TemporaryDirectory(prefix="roofcast-")
        self.receiving = asyncio.Semaphore(self.limits.receiving_at_once)
        self.parsing = Line(self.limits.parsing_at_once)
        self.forecasting = Line(self.limits.forecasts_at_once)
        self.warm = Warm() if hasattr(os, "fork") else None

    def keep(self, profile: Profile, *, for_ever: bool = False) -> dict[str, Any]:
        """Keep a profile; returns what the page lists of it."""
        kernels, name = profile.kernels, one_line(profile.name, 120)
        gpus = list(dict.fromkeys(one_line(str(g), 80) for g in kernels.strings("gpu") if g))
        key = self.profiles.add(profile, for_ever=for_ever)
        return {"id": key, "name": name, "kernels": len(kernels), "gpus": gpus[:4], "kind": profile.kind}


def make_guard(host: str, port: int, more: tuple[str, ...] = (), access: Access | None = None) -> Guard:
    """A guard with a fresh token for a server on a host and port."""
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
    access = access or Access()
    hosts = hosts_of(host, port, more, proxy=access.proxy)
    return Guard(secrets.token_urlsafe(24), hosts, everywhere, access.auth, access.proxy, access.read_only)


def make_app(server: Server) -> Starlette:
    """The application: routes behind one guard."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    routes = [
        Route("/", partial(page, server)),
        Route("/icon.svg", icon),
        Route("/assets/{name}", asset),
        Route(HEALTH, health),
        Route("/api/place", partial(answer_json, partial(place, server))),
        Route("/api/gpus", partial(answer_json, gpus)),
        Route("/api/targets", partial(answer_json, partial(targets_of, server)), methods=["POST"]),
        Route("/api/gpu", partial(answer_json, gpu)),
        Route("/api/profiles", partial(answer_json, partial(upload, server)), methods=["POST"]),
        Route("/api/profiles/{key}", partial(answer_json, partial(forget, server)), methods=["DELETE"]),
        Route("/api/forecast", partial(answer_json, partial(forecasts, server)), methods=["POST"]),
        Route("/api/tab/{name}", partial(answer_json, partial(tab, server)), methods=["POST"]),
        Route("/view/{key}", partial(view, server)),
        Route("/download/{file}", partial(download, server)),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        if server.warm is not None:
            await server.warm.start()
        yield
        if server.warm is not None:
            await server.warm.close()
        # What was dropped is deleted, however the server is asked to end.
        server.profiles.clear()
        server.results.clear()
        server.shelf.cleanup()

    return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Gate, guard=server.guard)])


class Gate:
    """Refuses what the guard refuses, and puts the headers on every answer."""

    def __init__(self, app: Any, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}

        async def sealed(message: Any) -> None:
            if message["type"] == "http.response.start":
                present = {k.lower() for k, _ in message["headers"]}
                wanted = {**HEADERS, "Content-Security-Policy": PAGE_POLICY}
                message["headers"] += [
                    (k.encode(), v.encode()) for k, v in wanted.items() if k.lower().encode() not in present
                ]
            await send(message)

        why = self.guard.refusal(scope["method"], headers)
        if why:
            from starlette.responses import PlainTextResponse

            await PlainTextResponse(why, 403)(scope, receive, sealed)
            return
        if scope["path"] != HEALTH and not self.guard.is_known(headers):
            await self.greet(scope, headers)(scope, receive, sealed)
            return
        await self.app(scope, receive, sealed)

    def greet(self, scope: Any, headers: Mapping[str, str]) -> Response:
        """Who brings the word in the address gets it as a cookie that no script can read, and an address without."""
        from starlette.responses import PlainTextResponse, RedirectResponse

        given = parse_qs(scope["query_string"].decode("latin-1")).get("auth", [""])[0]
        if scope["method"] != "GET" or scope["path"] != "/" or not self.guard.is_word(given):
            return PlainTextResponse("this page asks for a word: open it as /?auth=WORD\n", 401)
        answer = RedirectResponse("/", 303)
        secure = self.guard.seen(headers)[0] == "https"
        answer.set_cookie(COOKIE, given, httponly=True, samesite="strict", secure=secure)
        return answer


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Do work as long as who asked for it is there; the body has been read.

    Raises
    ------
    ClientDisconnect : the visitor went, and the work was ended.
    """
    from starlette.requests import ClientDisconnect

    async def gone() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    doing, leaving = asyncio.create_task(work), asyncio.create_task(gone())
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return await doing
    finally:
        for task in (doing, leaving):
            task.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


def ticket_of(request: Request) -> str:
    """The name under which a visitor asks for the place of what waits."""
    return request.headers.get("x-ticket", "")[:64]


async def health(request: Request) -> Response:
    """Whether the server answers, for who looks after it."""
    from starlette.responses import PlainTextResponse

    return PlainTextResponse("ok")


async def place(server: Server, request: Request) -> Any:
    """How many wait before a request, itself included; 0 where its turn has come."""
    ticket = request.query_params.get("ticket", "")[:64]
    return {"ahead": max(server.parsing.ahead(ticket), server.forecasting.ahead(ticket)) if ticket else 0}


async def answer_json(handler: Callable[[Request], Awaitable[Any]], request: Request) -> Response:
    """JSON answers; what the visitor can fix is one line with status 400."""
    from starlette.requests import ClientDisconnect
    from starlette.responses import JSONResponse, Response

    try:
        return JSONResponse(finite(await handler(request)))
    except TooLargeError as error:
        return JSONResponse({"error": one_line(str(error), 400)}, 413)
    except StalledError as error:
        return JSONResponse({"error": one_line(str(error), 400)}, 408)
    except ClientDisconnect:
        return Response(status_code=408)
    except OSError as error:
        # Of the disk, most likely: the visitor cannot mend it, and need not know where it is.
        sys.stderr.write(f"roofcast: {one_line(str(error), 400)}\n")
        return JSONResponse({"error": f"this page cannot do it now: {one_line(why_not(error), 200)}"}, 503)
    except RoofcastError as error:
        return JSONResponse({"error": one_line(str(error), 400)}, 400)


def finite(value: Any) -> Any:
    """JSON has no NaN: absent is null."""
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None  # noqa: PLR0124 - NaN
    if isinstance(value, Mapping):
        return {k: finite(v) for k, v in value.items()}
    return [finite(v) for v in value] if isinstance(value, (list, tuple)) else value


async def page(server: Server, request: Request) -> Response:
    """The page, with its token and what was named on the command line."""
    from starlette.responses import HTMLResponse

    from roofcast.core.markup import escape
    from roofcast.models.registry import DEFAULT_MODEL, FORECASTERS

    # A profile of the command line may have been removed since: it must not come back as a name without content.
    first = [p for p in server.first if server.profiles.get(str(p["id"]))]
    targets = choose_current(gpu for p in first for gpu in p["gpus"]) if first else []
    start = {"profiles": first, "targets": targets, "models": list(FORECASTERS), "model": DEFAULT_MODEL,
             "read_only": server.guard.read_only, "tabs": describe_tabs()}  # fmt: skip
    metas = {"roofcast-token": server.guard.token, "roofcast-start": json.dumps(start)}
    head = [f'<meta name="{name}" content="{escape(content)}">' for name, content in metas.items()]
    return HTMLResponse(fill_skeleton("roofcast", "\n".join((*head, LINKS)), read_assets("roofcast.web", "app.html")))


async def icon(request: Request) -> Response:
    """A small picture for the tab."""
    from starlette.responses import Response

    return Response(ICON, media_type="image/svg+xml")


async def asset(request: Request) -> Response:
    """A style or script of the page."""
    from starlette.responses import PlainTextResponse, Response

    name = request.path_params["name"]
    if name not in ASSETS:
        return PlainTextResponse("no such file", 404)
    package, kind = ASSETS[name]
    folder = files(package) / "assets"
    content = (folder / name).read_bytes()
    if name.endswith(".css"):
        content = write_variables().encode() + content
    return Response(content, media_type=kind)


async def gpus(request: Request) -> Any:
    """Names of the catalog's GPUs."""
    from roofcast.catalog import names

    return {"gpus": await asyncio.to_thread(names)}


async def targets_of(server: Server, request: Request) -> Any:
    """The GPUs that `roofcast FILE` compares the profiles' with."""
    asked = read_request(await body(request.stream(), server.limits), server.limits, targets=False)
    profiles = find_profiles(asked, server.profiles)
    return {"targets": choose_current(str(g) for p in profiles for g in p.kernels.strings("gpu") if g)}


async def gpu(request: Request) -> Any:
    """One GPU with what its sliders start from."""
    match = await asyncio.to_thread(target_of, request.query_params.get("name", "")[:200])
    return {"name": match.processor.name, "notes": list(match.notes), "knobs": knobs_of(match.processor)}


def check_writable(server: Server) -> None:
    """Refuse what a page that only shows does not do."""
    if server.guard.read_only:
        raise InputError("this page shows what it was started with: dropping and removing files is switched off")


async def upload(server: Server, request: Request) -> Any:
    """Take a profile: its bytes are the body, its name a header."""
    check_writable(server)
    name = one_line(unquote(request.headers.get("x-file-name", "profile"))[:400], 120)
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > server.limits.upload_bytes:
        raise TooLargeError(f"larger than {server.limits.upload_bytes / 1e6:.0f} MB: use `roofcast forecast`")
    async with server.receiving:
        # Who sends slowly keeps nobody from parsing.
        received = await receive_upload(aiter(request.stream()), name, server.limits)
        try:
            profile = await while_there(request, parse_in_turn(server, received, ticket_of(request)))
        except BaseException:
            received.folder.cleanup()
            raise
    if profile.kind in MEASURED and not len(profile.kernels):
        profile.close()
        raise InputError(f"{name}: no kernels in it")
    return server.keep(profile)


async def parse_in_turn(server: Server, received: Upload, ticket: str) -> Profile:
    """Parse an upload when its turn has come."""
    async with server.parsing.turn(ticket):
        return await parse_upload(received, server.limits, server.warm)


async def run_in_turn(server: Server, planned: View, form: str, ticket: str) -> bytes:
    """What a command writes, run when its turn has come."""
    async with server.parsing.turn(ticket):
        return await run_command(planned, form, server.limits, server.warm)


async def forget(server: Server, request: Request) -> Any:
    """Forget a profile."""
    check_writable(server)
    server.profiles.remove(request.path_params["key"])
    return {}


async def body(stream: AsyncIterator[bytes], limits: Limits) -> Any:
    """A JSON body of bounded size."""
    content = b""
    async for chunk in receive_steadily(aiter(stream), limits):
        content += chunk
        if len(content) > limits.json_bytes:
            raise TooLargeError("the request is too long")
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError("the request is no JSON") from error


async def forecasts(server: Server, request: Request) -> Any:
    """Forecast; the answer holds the totals and the name under which the report and the downloads are found."""
    data = await body(request.stream(), server.limits)

    def work() -> tuple[Result, dict[str, Any]]:
        result = answer(read_request(data, server.limits), server.profiles)
        return result, summary(result)

    async def in_turn() -> tuple[Result, dict[str, Any]]:
        async with server.forecasting.turn(ticket_of(request)):
            return await asyncio.to_thread(work)

    result, summary_of = await while_there(request, in_turn())
    # One that the page no longer shows. Not the one before this: who breaks this off goes on with it.
    server.results.remove(str(data.get("replaces", "")))
    return {"result": server.results.add(result), **summary_of}


async def tab(server: Server, request: Request) -> Any:
    """What a tab shows: the page that its command writes, kept under a name, and that command."""
    name = request.path_params["name"]
    data = await body(request.stream(), server.limits)
    targets = name in TABS and TABS[name].command in TARGETED
    asked = read_request(data, server.limits, targets=targets, files=False)
    planned = plan_view(name, asked, data, server.profiles)
    html = await while_there(request, run_in_turn(server, planned, "html", ticket_of(request)))
    view_of = replace(planned, html=html)
    key = server.results.add(await asyncio.to_thread(shelve, view_of, Path(server.shelf.name)))
    return {"result": key, "command": view_of.typed, "forms": TABS[name].forms,
            "lead": view_of.lead}  # fmt: skip


GONE = "this forecast is no longer here: change a setting to make it again"


async def view(server: Server, request: Request) -> Response:
    """The report of a forecast, or what a command wrote, inside the page; its policy names its scripts by hash."""
    from starlette.responses import HTMLResponse, PlainTextResponse

    result = server.results.get(request.path_params["key"])
    try:
        page_view = None if result is None else await asyncio.to_thread(result.render)
    except OSError:
        page_view = None  # somebody tidied the disk
    policy = page_view.policy if page_view is not None else "default-src 'none'; frame-ancestors 'self'"
    framed = {"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"}
    if page_view is None:
        return PlainTextResponse(GONE, 404, headers=framed)
    return HTMLResponse(page_view.framed, headers=framed)


async def download(server: Server, request: Request) -> Response:
    """What a view's command writes, as a file."""
    from starlette.requests import ClientDisconnect
    from starlette.responses import PlainTextResponse, Response

    key, _, form = request.path_params["file"].partition(".")
    result = server.results.get(key)
    if result is None or form not in KINDS:
        return PlainTextResponse(GONE, 404)
    command_view = result.view
    try:
        content = (await asyncio.to_thread(result.render)).html if form == "html" else b""
        content = content or await while_there(request, run_in_turn(server, command_view, form, ticket_of(request)))
    except ClientDisconnect:
        return Response(status_code=408)
    except OSError:
        return PlainTextResponse(GONE, 404)
    except RoofcastError as error:
        return PlainTextResponse(one_line(str(error), 400), 400)
    headers = {"Content-Disposition": f'attachment; filename="{command_view.command}.{form}"'}
    return Response(content, media_type=KINDS[form], headers=headers)


def serve(
    profiles: Sequence[Profile],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    allow_hosts: Sequence[str] = (),
    open_browser: bool = False,
    limits: Limits | None = None,
    access: Access | None = None,
) -> None:
    """Serve the page until interrupted.

    profiles : what is there from the start.
    port : 0 takes a free one.
    allow_hosts : names under which the server may be reached besides its address.
    access : who may do what; everybody everything where it is not given.
    """
    import uvicorn

    listening = listen(host, port)
    port = listening.getsockname()[1]
    server = Server(make_guard(host, port, tuple(allow_hosts), access), limits or Limits())
    server.first = [server.keep(profile, for_ever=True) for profile in profiles]
    address = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not bound
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}/"
    url += f"?auth={access.auth}" if access and access.auth else ""
    sys.stderr.write(f"roofcast is at {url} (Ctrl-C stops it)\n")
    sys.stderr.flush()
    if open_browser:
        import webbrowser

        webbrowser.open(url)
    from roofcast.web.connections import make_protocol

    config = uvicorn.Config(
        make_app(server), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2,
        http=make_protocol(server.limits), h11_max_incomplete_event_size=32 << 10,
    )  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):
        # Each request leaves circles behind, and a server stays: they are looked for more often than by a command.
        gc.set_threshold(GARBAGE)
        uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise RoofcastError(
            f"cannot listen on {one_line(host, 60)}:{port}: {one_line(str(reason))}; choose another --port or --host"
        ) from error
    listener.listen(64)
    return listener
