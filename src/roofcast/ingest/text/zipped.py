"""A single profile inside a ZIP archive, as browsers, trackers and TensorBoard hand them out."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC = b"PK\x03\x04"
FOREIGN = ("[content_types].xml", "data.pkl", "mimetype", "meta-inf/manifest.mf")
"""Members of archives that are documents, models or programs."""


class Member(io.RawIOBase):
    """A member of an archive; damage shows as an error of reading, as in any other file."""

    def __init__(self, inner: zipfile.ZipExtFile) -> None:
        super().__init__()
        self.inner = inner

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always: going back decompresses again."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """See :class:`io.RawIOBase`.

        Raises
        ------
        OSError : the archive is damaged.
        """
        room = memoryview(buffer).cast("B")
        try:
            data = self.inner.read(len(room))
        except zipfile.BadZipFile as error:
            raise OSError(f"the ZIP archive is damaged ({error})") from error
        room[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """See :class:`io.RawIOBase`."""
        return self.inner.seek(offset, whence)

    def tell(self) -> int:
        """See :class:`io.RawIOBase`."""
        return self.inner.tell()


def only_member(raw: BinaryIO) -> BinaryIO | None:
    """The one file in an archive, decompressed on the way; None where there is not just one, or it cannot be read."""
    try:
        archive = zipfile.ZipFile(raw)
        files = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
        alone = len(files) == 1 and files[0].filename.lower() not in FOREIGN
        if not alone or files[0].filename.lower().endswith((".pkl", ".npy")):
            raw.seek(0)
            return None
        inner = cast("zipfile.ZipExtFile", archive.open(files[0]))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError):
        raw.seek(0)
        return None
    return cast("BinaryIO", io.BufferedReader(Member(inner), 1 << 18))


def describe(head: bytes) -> str:
    """What an archive is that is not read."""
    folded = head.lower()
    if b"data.pkl" in folded or b"archive/version" in folded:
        return "a PyTorch file (ZIP with a pickle inside), which roofcast never loads because loading runs code"
    if b"[content_types].xml" in folded:
        return "an Office file: save the sheet as CSV"
    return "a ZIP archive of several files, or one that is damaged or encrypted: unpack it and give the folder"
