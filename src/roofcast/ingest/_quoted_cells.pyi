"""Compiled: see ``_quoted_cells.c``. All arrays come as bytes; a row of each list names a launch or a metric."""

Numbers = tuple[bytearray, bytearray, bytearray, bytearray, list[str]]
"""Values (float64), kinds (uint8); positions of odd texts (int64), which of the texts each is (int32), the texts."""
Names = list[tuple[str, ...]]

def read_long(
    block: bytes,
    delimiter: int,
    identity: tuple[int, ...],
    key: tuple[int, ...],
    parts: tuple[int, ...],
    anchor: int,
    kernel: int,
    metric: int,
    value: int,
    text_metric: bytes,
    /,
) -> tuple[Names, bytearray, Names, bytearray, Numbers] | None: ...
def read_wide(
    block: bytes, delimiter: int, roles: bytes, anchor: int, kernel: int, /
) -> tuple[Names, Numbers] | None: ...
