"""Running the page's server."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Sequence

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.web.limits import Limits


def serve(
    profiles: Sequence[tuple[str, KernelTable]],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    allow_hosts: Sequence[str] = (),
    open_browser: bool = False,
    limits: Limits | None = None,
) -> None:
    """Serve the page until interrupted.

    profiles : (name, table) of what is there from the start.
    port : 0 takes a free one.
    allow_hosts : names under which the server may be reached besides its address.

    Raises
    ------
    MissingExtraError : the extra ``web`` is not installed.
    RoofcastError : the port is taken or the host is not this machine's.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the page needs the extra `web`: pip install 'roofcast[web]'") from error
    from roofcast.web.keeping import Profile
    from roofcast.web.server import Server, make_app, make_guard

    listening = listen(host, port)
    port = listening.getsockname()[1]
    server = Server(make_guard(host, port, tuple(allow_hosts)), limits or Limits())
    server.first = [server.keep(Profile(name, kernels), for_ever=True) for name, kernels in profiles]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - compared, not bound
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    sys.stderr.write(f"roofcast is at {url} (Ctrl-C stops it)\n")
    sys.stderr.flush()
    if open_browser:
        import webbrowser

        webbrowser.open(url)
    config = uvicorn.Config(
        make_app(server), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2,
        limit_concurrency=64, h11_max_incomplete_event_size=32 << 10,
    )  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise RoofcastError(
            f"cannot listen on {one_line(host, 60)}:{port}: {one_line(str(reason))}; choose another --port or --host"
        ) from error
    made.listen(64)
    return made
