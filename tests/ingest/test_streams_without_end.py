"""What never ends, or grows without measure when it is decompressed, is refused quickly and leaves the disk alone."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from roofcast.core.errors import InputError
from roofcast.core.extras import load_zstd
from roofcast.ingest import readers
from roofcast.ingest.text import files

BOMB = 1 << 24
"""Bytes that a bomb of these tests holds; what is plausible is set lower."""


def zipped(content: bytes) -> bytes:
    import io

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("kernels.csv", content)
    return out.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "kernels.csv.gz": gzip.compress, "kernels.csv.zst": lambda b: load_zstd().compress(b, 1), "kernels.zip": zipped,
    "run.ncu-repz": lambda b: load_zstd().compress(b, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_is_refused_before_it_fills_the_disk(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PLAUSIBLE_BYTES", 1 << 20)
    spooled: list[int] = []
    write = files.Spool.write

    def watch(spool: files.Spool, data: bytes) -> int:
        spooled.append(len(data))
        return write(spool, data)

    monkeypatch.setattr(files.Spool, "write", watch)
    path = tmp_path / name
    path.write_bytes(PACKERS[name](b"kernel,gpu,time_s\n" + b"k,V100,1e-3\n" * (BOMB // 12)))
    with pytest.raises(InputError, match=r"holds more than \d+ MiB, far more than a profile of its size would"):
        readers.read_file(path)
    assert sum(spooled) < BOMB // 2


@pytest.mark.parametrize("name", [n for n in PACKERS if "ncu" not in n])
def test_what_shrinks_as_profiles_do_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PLAUSIBLE_BYTES", 1000)
    rows = "".join(f"k{i * 7919},V100,{1e-6 * (i + 1):g},{i * 31}\n" for i in range(5000))
    path = tmp_path / name
    path.write_bytes(PACKERS[name](f"kernel,gpu,time_s,bytes_dram\n{rows}".encode()))
    assert len(readers.read_file(path)) == 5000


ENDLESS = {
    "zeros": b"", "noise": b"", "gzip": b"\x1f\x8b", "gzip of nothing known": b"\x1f\x8b\x08\0\0\0\0\0\0\3",
    "zstd": b"\x28\xb5\x2f\xfd", "UTF-16": b"\xff\xfe",
}  # fmt: skip
"""First bytes of streams that never end; noise follows, the same in every run: real noise may begin like gzip."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_stream_without_end_is_refused(kind: str, tmp_path: Path) -> None:
    import random
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))

    draw = random.Random(7)
    with (tmp_path / "said").open("wb") as heard:
        started = subprocess.Popen(
            [sys.executable, "-m", "roofcast", "inspect", "-"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=heard,
            preexec_fn=limit,  # noqa: PLW1509 - this process has no threads
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )  # fmt: skip
    assert started.stdin is not None
    written = 0
    try:
        started.stdin.write(ENDLESS[kind])
        while written < 1 << 28:
            written += started.stdin.write(bytes(1 << 20) if kind == "zeros" else draw.randbytes(1 << 20))
    except BrokenPipeError:
        pass
    with contextlib.suppress(BrokenPipeError):
        started.stdin.close()
    assert started.wait() == 2
    said = (tmp_path / "said").read_text()
    assert len(said.splitlines()) == 1, said
    known = ("unknown format", "not a format", "damaged", "not a gzip", "Unknown compression", "decompress")
    assert any(words.lower() in said.lower() for words in known), said
    assert written < 1 << 27


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(device: str, tmp_path: Path) -> None:
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "roofcast", "inspect", device], capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26)),
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "File too large" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="devices of POSIX")
@pytest.mark.parametrize(
    "words",
    [
        ("gpus", "--validate", "/dev/zero"),
        ("hull", "--from-source", "/dev/zero"),
        ("hull", "LINK"),
        ("hull", "8x8|element -> 8x8|element", "--on", "LINK"),
        ("hull", "8x8|element -> 8x8|element", "--on", "V100", "--measured", "/dev/zero", "-o", "x.svg"),
        ("choose", "LINK"),
        ("gpus", "LINK"),
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)
def test_a_file_by_hand_without_end_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    import resource

    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-m", "roofcast", *("zero.toml" if w == "LINK" else w for w in words)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30)),
    )  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "longer than" in done.stderr


def test_a_pipe_that_ends_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["/bin/sh", "-c", f"printf 'kernel,gpu,time_s\nk,V100,1e-3\n' > '{pipe}'"])
    assert len(readers.read_file(pipe)) == 1
    assert writer.wait() == 0


def test_room_is_left_for_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 62)
    monkeypatch.setattr(files, "LOOK_BYTES", 1000)
    path = tmp_path / "k.csv.zst"
    rows = "".join(f"k{i * 7919},V100,{1e-6 * (i + 1):g}\n" for i in range(500))
    path.write_bytes(load_zstd().compress(f"kernel,gpu,time_s\n{rows}".encode(), 1))
    with pytest.raises(InputError, match="set TMPDIR to a larger folder"):
        readers.read_file(path)
