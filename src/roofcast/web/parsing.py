"""Uploads to kernel tables: stored in a private folder, parsed in a process that can be killed, deleted afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from roofcast.core.errors import InputError, one_line
from roofcast.core.joined_parts import KERNELS, MODEL
from roofcast.core.records import dataclass
from roofcast.web.guard import Limits
from roofcast.web.keeping import Profile
from roofcast.web.transport import load_table
from roofcast.web.warm import Warm
from roofcast.web.worker import CODE_SUFFIX, FAILED, KIND_SUFFIX

NAME_LIMIT = 120
"""Characters of an uploaded file's name."""
CODE_UNREAD = "the machine code in the profile was not used: reading it took too long"


def safe_name(name: str) -> str:
    """A file name without folders and without what any file system treats specially.

    >>> safe_name("../../etc/passwd"), safe_name("a b.ncu-rep"), safe_name("..")
    ('passwd', 'a_b.ncu-rep', 'profile')
    """
    last = re.split(r"[\\/]", name)[-1]
    plain = re.sub(r"[^A-Za-z0-9._+-]", "_", last).strip("._")[-NAME_LIMIT:]
    return plain or "profile"


class TooLargeError(InputError):
    """An upload beyond the limit."""


class StalledError(InputError):
    """A visitor who stopped sending, or sends next to nothing."""


async def receive_steadily(chunks: AsyncIterator[bytes], limits: Limits) -> AsyncIterator[bytes]:
    """The parts of a request's body as they come, as long as they come.

    Raises
    ------
    StalledError : nothing came for a while, or too little for a longer while.
    """
    began, size = time.monotonic(), 0
    while True:
        try:
            chunk = await asyncio.wait_for(anext(chunks), limits.silence_s)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise StalledError(f"nothing came for {limits.silence_s:g} s: send it again") from None
        size += len(chunk)
        passed = time.monotonic() - began
        if passed > limits.silence_s and size < passed * limits.least_bytes_per_s:
            raise StalledError("it comes too slowly: send it again")
        yield chunk


@dataclass(frozen=True)
class Upload:
    """A file that was received."""

    name: str
    path: Path
    folder: tempfile.TemporaryDirectory[str]
    """Its own; deleted with the profile at the latest."""


async def receive_upload(chunks: AsyncIterator[bytes], name: str, limits: Limits) -> Upload:
    """Store an upload as it comes.

    Raises
    ------
    TooLargeError : more bytes than allowed; reading stops there.
    StalledError : it does not come.
    """
    folder = tempfile.TemporaryDirectory(prefix="roofcast-")
    try:
        path = Path(folder.name) / safe_name(name)
        size = 0
        with path.open("wb") as out:
            async for chunk in receive_steadily(chunks, limits):
                size += len(chunk)
                if size > limits.upload_bytes:
                    raise TooLargeError(f"larger than {limits.upload_bytes / 1e6:.0f} MB: use `roofcast forecast`")
                out.write(chunk)
    except BaseException:
        folder.cleanup()
        raise
    return Upload(name, path, folder)


async def parse_upload(upload: Upload, limits: Limits, warm: Warm | None = None) -> Profile:
    """Parse an upload; the file stays for the commands of the views. warm : what has roofcast loaded already.

    Raises
    ------
    InputError : not a profile that roofcast reads, or parsing took too long.
    """
    name, path, folder = upload.name, upload.path, upload.folder
    try:
        result = path.parent / "result.npz"
        complete = await run_worker(path, result, limits, warm)
        kernels = await asyncio.to_thread(load_table, result)
        result.unlink()
    except BaseException:
        folder.cleanup()
        raise
    has_code, kind_file = Path(f"{result}{CODE_SUFFIX}"), Path(f"{result}{KIND_SUFFIX}")
    if complete and has_code.exists():
        origins = tuple(dataclasses.replace(p, path=str(path)) for p in kernels.provenance)
        kernels = dataclasses.replace(kernels, provenance=origins)
    if not complete:
        kernels = dataclasses.replace(kernels, flags=tuple((*f, CODE_UNREAD) for f in kernels.flags))
    kind = kind_file.read_text("utf-8") if kind_file.exists() else KERNELS
    for mark in (has_code, kind_file):
        mark.unlink(missing_ok=True)
    source = name_model(path) if kind == MODEL else path
    return Profile(name, kernels, folder, str(source), kind)


def name_model(path: Path) -> Path:
    """The config of a model in a folder that has the name of its type: models are called by their folders."""
    try:
        kind = safe_name(str(json.loads(path.read_bytes()).get("model_type") or "model"))
    except (ValueError, AttributeError):
        kind = "model"
    place = path.parent / kind / path.name
    place.parent.mkdir(exist_ok=True)
    return path.rename(place)


async def run_worker(path: Path, result: Path, limits: Limits, warm: Warm | None = None) -> bool:
    """Parse a file in a process of its own, killed when it takes too long; whether it did all of its work.

    Raises
    ------
    InputError : there is no result.
    """
    words = (str(path), str(result), str(limits.memory_bytes), str(limits.file_bytes))
    output, ended = await run_apart(words, path.parent, limits.parse_s, warm=warm)
    if ended == FAILED or not result.is_file():
        message = output.strip() if ended == FAILED else ""
        if not message:
            message = "parsing took too long or too much memory for this page: use `roofcast forecast`"
        raise InputError(one_line(message.replace(f"{path.parent}/", ""), 500))
    return ended == 0


async def run_apart(
    words: Sequence[str], folder: Path, most_s: float, *, errors: bool = False, warm: Warm | None = None
) -> tuple[str, int | None]:
    """What a worker said, and its exit status; None where it took too long and was killed.

    errors : hear its standard error, not its output; the other goes nowhere.
    warm : what has roofcast loaded already; without it a fresh process is begun.
    """
    if warm is not None and warm.ready:
        return await warm.run(words, folder, most_s, errors=errors)
    nowhere, heard = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "roofcast.web.worker", *words, stdin=nowhere, stdout=nowhere if errors else heard,
        stderr=heard if errors else nowhere, env=os.environ | {"TMPDIR": str(folder)},
    )  # fmt: skip
    try:
        output = await asyncio.wait_for(worker.communicate(), most_s)
        return (output[errors] or b"").decode("utf-8", "replace"), worker.returncode
    except TimeoutError:
        return "", None
    finally:
        if worker.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
            await worker.wait()
