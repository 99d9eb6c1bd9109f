"""Work apart from the server: in a child of a process that has everything loaded, killed with who asked for it.

A fresh Python takes half a second to load roofcast, a child of a loaded one some milliseconds. Each piece of work still
has a process, bounds and files of its own (:mod:`roofcast.web.worker`), and nothing is lost when it is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

KILLED = -9
"""What a job that was cancelled ends with, as processes do that a signal killed."""
END_S = 5.0
"""How long a killed child may take to be gone."""
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Children of a process with threads could wait for ever for one that they do not have."""


class Warm:
    """One loaded process, and the work that its children do."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._jobs: dict[int, asyncio.Future[int]] = {}
        self._count = 0
        self.ready = False
        """Whether everything is loaded: until then a fresh process is sooner done."""
        self._closing = False
        self._starting = asyncio.Lock()

    async def start(self) -> asyncio.subprocess.Process:
        """The loaded process, begun where there is none."""
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "roofcast.web.worker", "--warm", stdin=pipe, stdout=pipe, stderr=nowhere,
                    env=os.environ | ONE_THREAD,
                )  # fmt: skip
                self._reading = asyncio.create_task(self._read(self._process))
            return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hear which work ended; all of it where the process itself did."""
        assert process.stdout is not None
        async for line in process.stdout:
            message = json.loads(line)
            self.ready = True
            if (job := self._jobs.get(message["n"])) is not None and not job.done():
                job.set_result(message["status"])
        await process.wait()
        fell, self.ready = self.ready and not self._closing, False
        for job in self._jobs.values():
            if not job.done():
                job.set_result(KILLED)
        if fell:
            # One that never got ready would not the next time either.
            await self.start()

    def _tell(self, process: asyncio.subprocess.Process, **words: object) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            process.stdin.write(json.dumps(words).encode() + b"\n")

    async def run(
        self, words: Sequence[str], folder: Path, most_s: float, *, errors: bool = False
    ) -> tuple[str, int | None]:
        """Do what :func:`roofcast.web.parsing.run_apart` does."""
        process = await self.start()
        self._count += 1
        n = self._count
        job = self._jobs[n] = asyncio.get_running_loop().create_future()
        output = folder / f".said-{n}"
        self._tell(process, n=n, words=list(words), folder=str(folder), said=str(output), errors=errors)
        try:
            ended = await asyncio.wait_for(asyncio.shield(job), most_s)
            return output.read_text("utf-8", "replace") if output.is_file() else "", ended
        except TimeoutError:
            return "", None
        finally:
            if not job.done():
                self._tell(process, n=n, kill=True)
                await asyncio.wait({job}, timeout=END_S)
            del self._jobs[n]
            output.unlink(missing_ok=True)

    async def close(self) -> None:
        """End the process and what its children do."""
        self._closing = True
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), END_S)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        if self._reading is not None:
            await self._reading


class Line:
    """Who waits for a turn, in order: some at once, the others have a place."""

    def __init__(self, at_once: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._waiting: list[str] = []

    def ahead(self, ticket: str) -> int:
        """How many wait before a ticket, itself included; 0 where its turn has come or it is unknown."""
        return self._waiting.index(ticket) + 1 if ticket in self._waiting else 0

    @contextlib.asynccontextmanager
    async def turn(self, ticket: str = "") -> AsyncIterator[None]:
        """Wait for a turn, and have it. Who is cancelled leaves the line."""
        self._waiting.append(ticket)
        try:
            await self._free.acquire()
        finally:
            self._waiting.remove(ticket)
        try:
            yield
        finally:
            self._free.release()
