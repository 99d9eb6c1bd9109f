"""A cache of derived binaries by content hash, in the user's cache folder: small, atomic, never needed.

Every entry is what a pure function made of its inputs, so a lost or damaged entry only costs time. Nothing here fails:
a folder that cannot be written means no cache.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

from roofcast.core.extras import load_zstd

try:
    # As `random` does: hashlib itself loads OpenSSL, 3.5 MB and 2 ms of every run.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

LIMIT_BYTES = 256 * 2**20
"""B of all entries: the oldest go when they are more."""
MAX_ENTRY_BYTES = 64 * 2**20
"""B of one entry: what is larger is not kept."""
BLOCK_BYTES = 2**18
"""B of a file that are hashed at once."""
FORMAT = b"roofcast-cache-3\n"
HASH_BYTES = 32
"""B of a hash."""


def folder() -> Path:
    """Where entries lie: ``$ROOFCAST_CACHE``, else the platform's cache folder."""
    stated = os.environ.get("ROOFCAST_CACHE")
    if stated:
        return Path(stated)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "roofcast"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "roofcast" / "cache"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "roofcast"


def key_of(*parts: bytes | str) -> str:
    """Hash of the inputs of a computation; each part is delimited, so that ``ab, c`` and ``a, bc`` differ."""
    digest = blake2b(digest_size=HASH_BYTES)
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def key_of_file(path: str | Path) -> str:
    """Hash of a file's content; '' where it cannot be read."""
    digest = blake2b(digest_size=HASH_BYTES)
    try:
        with Path(path).open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
    except OSError:
        return ""
    return digest.hexdigest()


def seal(body: bytes) -> bytes:
    """What stands before an entry's content: the format and the content's hash."""
    return FORMAT + blake2b(body, digest_size=HASH_BYTES).digest()


def cached(key: str, make: Callable[[], bytes]) -> bytes:
    """The entry of that key, or what ``make`` returns, kept for the next time."""
    entry = find(key)
    if entry is not None:
        return entry
    content = make()
    keep(key, content)
    return content


def find(key: str) -> bytes | None:
    """The entry of that key; None where there is none."""
    try:
        return load(folder() / key[:2] / key)
    except RuntimeError:  # no home folder
        return None


def keep(key: str, content: bytes) -> None:
    """Keep an entry, unless it is too large."""
    if len(content) <= MAX_ENTRY_BYTES:
        with contextlib.suppress(RuntimeError):
            store(folder() / key[:2] / key, content)


def load(path: Path) -> bytes | None:
    """Content of an entry; None where there is none or it is damaged."""
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    start = len(FORMAT) + HASH_BYTES
    head, body = raw[:start], raw[start:]
    if not head.startswith(FORMAT) or seal(body) != head:
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # what was used last is thrown away last
    zstd = load_zstd()
    try:
        unpacking = zstd.ZstdDecompressor()
        content: bytes = unpacking.decompress(body, MAX_ENTRY_BYTES)
    except (zstd.ZstdError, MemoryError):
        return None
    return content if unpacking.eof else None


def store(path: Path, content: bytes) -> None:
    """Write an entry atomically, then throw old ones away where the cache has grown too large."""
    import tempfile

    body = load_zstd().compress(content, 1)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".new-", delete=False) as file:
            temporary = file.name
            file.write(seal(body) + body)
        Path(temporary).replace(path)
        shrink(path.parent.parent)
    except OSError:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()


def shrink(root: Path, limit: int = LIMIT_BYTES) -> None:
    """Remove the entries used longest ago until the rest fits into the limit."""
    entries = []
    for path in root.glob("??/*"):
        with contextlib.suppress(OSError):
            state = path.stat()
            entries.append((state.st_mtime, state.st_size, path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
