"""Connections that ask for nothing do not stay: not for long, and not where others need the room."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from roofcast.web.guard import Limits


def make_protocol(limits: Limits) -> type[asyncio.Protocol]:
    """The server's side of a connection, within limits."""

    class Connection(H11Protocol):
        """One connection; uvicorn makes one per visitor and keeps them in ``connections``."""

        idle_looks = 0

        def connection_made(self, transport: Any) -> None:
            """Begin; where there are too many, one that asks for nothing ends."""
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                idle = [c for c in self.connections if isinstance(c, Connection) and c is not self and c.is_idle()]
                if idle:
                    max(idle, key=lambda c: c.idle_looks).transport.close()
            self.look_later()

        def is_idle(self) -> bool:
            """Whether no request is being answered; half of a request's head is none."""
            return self.cycle is None or self.cycle.response_complete

        def look_later(self) -> None:
            """Look at half the time allowed, so that three looks at an idle connection are enough of it."""
            self.loop.call_later(limits.silence_s / 2, self.look)

        def look(self) -> None:
            """End the connection where it has been idle for long."""
            if self.transport.is_closing():
                return
            self.idle_looks = self.idle_looks + 1 if self.is_idle() else 0
            if self.idle_looks > 2:
                self.transport.close()
            else:
                self.look_later()

    return Connection
