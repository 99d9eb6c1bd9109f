"""Compiled: see ``_quoted_cells.c``. All arrays come as bytes; a row of each list names a launch or a metric."""

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
) -> (
    tuple[
        list[tuple[str, ...]],
        bytearray,
        list[tuple[str, ...]],
        bytearray,
        bytearray,
        bytearray,
        bytearray,
        bytearray,
        list[str],
    ]
    | None
): ...
def read_wide(
    block: bytes, delimiter: int, roles: bytes, anchor: int, kernel: int, /
) -> tuple[list[tuple[str, ...]], bytearray, bytearray, bytearray, bytearray, list[str]] | None: ...
