"""Where results go: standard output, or a file that nobody ever sees half of; and what all static figures share."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import stat
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line, refused_by_system
from roofcast.core.extras import require_matplotlib
from roofcast.core.markup import escape
from roofcast.kit.palette import GRID

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from roofcast.kit.table import Table

Render = Callable[[], str | Iterator[str]]
Write = Callable[[Path], object]

SUFFIXES = {".json": "json", ".csv": "csv", ".parquet": "parquet", ".txt": "table", ".md": "table"}


PLAIN = ("", ".txt", ".md", ".log", ".out", ".text")
"""Suffixes of plain text; what has another one is taken for a format that is not made."""

PICTURES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".html": "html", ".htm": "html"}
"""Suffixes of what only some commands draw; the others say so."""


def chosen_format(asked: str | None, output: str | None, default: str = "table") -> str:
    """The format asked for, else the one that the output's suffix shows, else the default."""
    suffix = Path(output).suffix.lower() if output else ""
    return asked or PICTURES.get(suffix) or SUFFIXES.get(suffix) or (default if suffix in PLAIN else suffix[1:])


def deliver(
    form: str, output: str | None, texts: Mapping[str, Render], files: Mapping[str, Write] | None = None, *,
    rows: Callable[[], Table] | None = None,
) -> None:  # fmt: skip
    """Render one format and print it, or write it to ``output`` in one step.

    texts : format -> function that renders it as text, whole or in parts that together end without a line end.
    files : format -> function that writes it to a path: binary formats, which need ``output``, and texts that are
        written to files more quickly than they are made.
    rows : makes the table that CSV and Parquet hold.

    Raises
    ------
    RoofcastError : a format that this command does not make, a binary one without ``output``, or a file that cannot
        be written.
    """
    files = files or {}
    if rows is not None:
        texts = {"csv": lambda: rows().csv(), **texts}
        files = {"parquet": lambda path: rows().write_parquet(path), **files}
    known = list(dict.fromkeys([*texts, *files]))
    if form not in known:
        raise RoofcastError(f"-o {one_line(output or '-', 200)}: no {form} here; formats: {', '.join(known)}")
    path = None if output in (None, "-") else output
    if path is None and form not in texts:
        raise RoofcastError(f"{form} is a binary format: name a file with -o FILE.{form}")
    if path is not None and form in files:
        write_with(path, files[form])
        tell_written(path)
        return
    text = texts[form]()
    parts = (text.rstrip("\n"),) if isinstance(text, str) else text
    if path is None:
        sys.stdout.writelines(parts)
        sys.stdout.write("\n")
        return
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as out:
        out.writelines(parts)
        out.write("\n")
    tell_written(path)


def tell_written(path: str | Path) -> None:
    """Say on standard error where a file went; nothing of a stream."""
    if find_target(path)[0] is not None:
        sys.stderr.write(f"{written(str(path))}\n")


def dump_json(data: Any) -> str:
    """The text of a value, as all commands write it."""
    return json.dumps(data, indent=1, ensure_ascii=False)


class Rows(str):
    """JSON texts of many rows of a list, a line each."""

    __slots__ = ()
    between = ",\n  "


def render_json(data: Mapping[str, Any]) -> Iterator[str]:
    """The text of an object in parts; what is an iterator in it becomes a list with a line per row
    (:class:`Rows` are many lines at a time).

    Lists can be long: Python writes a line of its own for every value twelve times slower, and it is half white space.

    >>> print("".join(render_json({"a": iter([1, {"b": 2, "c": [3]}])})))
    {
     "a": [
      1,
      {"b": 2, "c": [3]}
     ]
    }
    """
    row_text = json.JSONEncoder(ensure_ascii=False).encode

    before = "{"
    for key, value in data.items():
        yield f"{before}\n {json.dumps(key)}: "
        if isinstance(value, Iterator):
            start = "["
            for row in value:
                yield f"{start}\n  {row if isinstance(row, Rows) else row_text(row)}"
                start = ","
            yield "[]" if start == "[" else "\n ]"
        else:
            yield dump_json(value).replace("\n", "\n ")
        before = ","
    yield "\n}"


def text_width(output: str | None) -> int:
    """Columns to fill: the terminal's, or enough for a file."""
    return 160 if output else shutil.get_terminal_size((120, 24)).columns


def written(path: str) -> str:
    """The line that says where a file went."""
    state = Path(path).stat()
    if not stat.S_ISREG(state.st_mode):
        return f"wrote {one_line(path)}"
    size = state.st_size
    amount = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB" if size >= 1e3 else f"{size} B"
    return f"wrote {one_line(path)} ({amount})"


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """The name of a temporary file that takes the place of ``path`` when the block ends well, and is removed else.

    Only what is absent or a plain file is replaced, behind links. A pipe or a terminal gets the content: it stays what
    it is, and formats that go back while they are written can go there too.

    Raises
    ------
    RoofcastError : the folder does not exist, cannot be written or is full; or the path is a folder or a disk.
    """
    import tempfile

    file = one_line(str(path))
    try:
        target, mode = find_target(path)
        with tempfile.TemporaryDirectory(prefix="roofcast-") if target is None else nullcontext() as apart:
            place = target or Path(path)
            prefix, suffix = temporary_name(place)
            handle, name = tempfile.mkstemp(suffix, prefix, apart if target is None else target.parent)
            os.close(handle)
            temporary = Path(name)
            try:
                yield temporary
                if target is None:
                    copy_into(temporary, Path(path))
                else:
                    # mkstemp makes files private; the result gets the permissions of any file the user makes.
                    temporary.chmod(0o666 & ~current_umask() if mode is None else mode)
                    temporary.replace(target)
            finally:
                temporary.unlink(missing_ok=True)
    except BrokenPipeError:
        # The reader has gone, as it may.
        raise
    except Exception as error:
        reason = refused_by_system(error)
        if not reason:
            raise
        raise RoofcastError(f"cannot write {file}: {reason}") from error


NAME_BYTES = 100
"""Bytes of a file's name, and of its suffix, in that of its temporary file; file systems take 255 (``NAME_MAX``)."""


def temporary_name(path: Path) -> tuple[str, str]:
    """How the name of a temporary file beside another begins and ends: hidden, the other's name as far as it goes.

    >>> temporary_name(Path("out/forecast.csv"))
    ('.forecast.csv.', '.csv')
    >>> [len(part.encode()) for part in temporary_name(Path(120 * "\u00fc" + ".json"))]
    [102, 5]
    """
    start = os.fsencode(path.name)[:NAME_BYTES].decode(errors="ignore")
    return f".{start}.", path.suffix if len(os.fsencode(path.suffix)) <= NAME_BYTES else ""


STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what is open already, whatever stands behind them."""


def find_target(path: str | Path) -> tuple[Path | None, int | None]:
    """The file to replace, behind links, and its permissions where it exists; None and None for a stream.

    Raises
    ------
    RoofcastError : a folder, or a disk.
    """
    name = one_line(str(path))
    try:
        state = Path(path).stat()
    except FileNotFoundError:
        return Path(os.path.realpath(path)), None
    if stat.S_ISDIR(state.st_mode):
        raise RoofcastError(f"{name} is a folder; give a file name")
    if stat.S_ISBLK(state.st_mode):
        raise RoofcastError(f"{name} is a disk; give a file name")
    if not stat.S_ISREG(state.st_mode) or str(Path(path).absolute()).startswith(STREAMS):
        return None, None
    return Path(os.path.realpath(path)), state.st_mode & 0o777


def copy_into(source: Path, stream: Path) -> None:
    """Append a file to a stream: what else was redirected there stays."""
    with source.open("rb") as content, stream.open("ab") as out:
        shutil.copyfileobj(content, out)


def current_umask() -> int:
    """The process's umask (reading it means setting it)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: str | Path, text: str) -> None:
    """Write a text file in one step, UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_with(path: str | Path, write: Write) -> None:
    """Let ``write`` fill a temporary file, then put it in the place of ``path``."""
    with replacing(path) as temporary:
        write(temporary)


FORMATS = ("svg", "pdf", "png")
NOTEBOOK_DPI = 72
"""Dots per inch of pictures in notebooks."""
STYLE: Any = {
    "svg.hashsalt": "roofcast", "svg.fonttype": "path", "pdf.fonttype": 42, "font.size": 8.5, "axes.linewidth": 0.7,
    "font.family": "DejaVu Sans", "text.parse_math": False, "axes.spines.top": False, "axes.spines.right": False,
    "path.simplify": False,
}  # fmt: skip


def write_figure_file(path: str | Path, draw: Callable[[], Figure]) -> None:
    """Draw into a file; the suffix chooses SVG, PDF or PNG. The same figure gives the same bytes.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise RoofcastError(f"{one_line(str(path))}: a figure is .svg, .pdf or .png")
    require_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # A name may hold characters that the font lacks: a box is right, a warning is not.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = draw()
        dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[form]
        dpi = choose_dpi(*figure.get_size_inches().tolist())
        write_with(path, lambda p: figure.savefig(p, format=form, dpi=dpi, metadata=dates, facecolor="white"))


def choose_dpi(width: float, height: float) -> float:
    """Dots per inch of a figure of so many inches: 150, less where that made a picture that no viewer opens.

    >>> choose_dpi(14.0, 10.0), round(choose_dpi(14.0, 618.0))
    (150.0, 53)
    """
    return min(150.0, MOST_SIDE / max(width, height), math.sqrt(MOST_DOTS / (width * height)))


MOST_SIDE, MOST_DOTS = 32_767, 40_000_000
"""Dots of a side and of all of a picture: 16 bits, as many programs count, and 160 MB while it is drawn."""


class Picture:
    """A static figure that shows itself in a notebook. draw : makes it; called for each showing."""

    def __init__(self, draw: Callable[[], Figure]) -> None:
        self.draw = draw

    def figure(self) -> Figure:
        """The Matplotlib figure."""
        require_matplotlib()
        import matplotlib as mpl

        with mpl.rc_context(STYLE):
            return self.draw()

    def save(self, path: str) -> None:
        """Write it; the suffix chooses .svg, .png or .pdf.

        Raises
        ------
        RoofcastError : another suffix, or a file that cannot be written.
        """
        write_figure_file(path, self.draw)

    def _repr_png_(self) -> bytes:
        require_matplotlib()
        import matplotlib as mpl

        out = io.BytesIO()
        with mpl.rc_context(STYLE):
            self.draw().savefig(out, format="png", dpi=NOTEBOOK_DPI, metadata={"Software": None}, facecolor="white")
        return out.getvalue()


class SvgPicture:
    """A picture that is SVG text."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str) -> None:
        """Write it as .svg.

        Raises
        ------
        RoofcastError : another suffix, or a file that cannot be written.
        """
        if not path.lower().endswith(".svg"):
            raise RoofcastError(f"{one_line(path)}: this picture is .svg")
        write_text(path, self.svg)

    def _repr_svg_(self) -> str:
        # Within a notebook or an editor it is an element, not a file.
        return self.svg.removeprefix('<?xml version="1.0" encoding="utf-8"?>').lstrip()


def write_pictures(
    draws: Mapping[str, Callable[[], Figure | None]], folder: str | Path, form: str = "svg"
) -> list[Path]:
    """Draw whatever there is into a folder, a file per name; the files written.

    draws : name -> what draws it, or tells with None that there is nothing to draw.

    Raises
    ------
    RoofcastError : the folder cannot be made.
    """
    out = Path(folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RoofcastError(f"cannot write {one_line(str(out), 120)}: {error.strerror}") from error
    written = []
    for name, draw in draws.items():
        if draw() is not None:
            path = out / f"{name}.{form}"
            write_figure_file(path, lambda d=draw: d() or empty_figure(1, 1))  # type: ignore[misc]  # bound now
            written.append(path)
    return written


STYLED = re.compile(r' style="([^"]*)"')
NAMED = re.compile(r'(id="|url\(#|href="#)([^")]+)')


def draw_svg(name: str, draw: Callable[[], Figure | None]) -> str:
    """A picture as SVG for a page that allows no inline styles: they become attributes; '' where there is none.

    name : goes before the identifiers in it, so that several stand in one page. Where Matplotlib is not installed, a
    line that says so.
    """
    try:
        require_matplotlib()
    except MissingExtraError as error:
        return f"<p>{escape(str(error))}</p>"
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = draw()
        if figure is None:
            return ""
        plain = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=plain, transparent=True)
    text = out.getvalue()
    # Pages draw it light on dark where the reader's screen is dark.
    text = f'<svg class="painted" {text[text.index("<svg") + 5 :]}'
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = NAMED.sub(lambda m: f"{m[1]}{name}-{m[2]}", text)
    return STYLED.sub(write_attributes, text)


def write_attributes(match: re.Match[str]) -> str:
    """A style's declarations as presentation attributes."""
    pairs = [p.partition(":") for p in match[1].split(";") if ":" in p]
    return "".join(f' {k.strip()}="{v.strip()}"' for k, _, v in pairs)


def empty_figure(width_in: float, height_in: float) -> Figure:
    """A figure that no window system knows of."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in))
    FigureCanvasAgg(figure)
    return figure


def thin_ticks(axes: Axes, axis: Axis | None = None) -> None:
    """A handful of ticks on a logarithmic axis (default: the horizontal one), however little it spans."""
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

    axis = axis or axes.xaxis
    low, high = sorted(axis.get_view_interval())
    steps = [m * 10.0**d for d in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
             for m in (1, 2, 5)]  # fmt: skip
    inside = [s for s in steps if low <= s <= high]
    if len(inside) < 3:
        inside = [s for s in MaxNLocator(4).tick_values(low, high) if low <= s <= high]
    while len(inside) > 5:
        inside = inside[::2]
    axis.set_major_locator(FixedLocator(inside))
    axis.set_minor_locator(NullLocator())


def prepare_log_axes(
    axes: Axes, x: tuple[float, float], y: tuple[float, float], value_y: Callable[[float], str]
) -> None:
    """Logarithmic axes with plain numbers and a faint grid.

    value_y : text of a value on the vertical axis.
    """
    from matplotlib.markers import TICKDOWN, TICKLEFT
    from matplotlib.ticker import FuncFormatter, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(x)
    axes.set_ylim(y)
    # Two paths for all minor ticks: those of Matplotlib, an artist each, take longer than a thousand points.
    style: Any = {"linestyle": "none", "markersize": 2, "markeredgewidth": 0.6, "color": "black", "clip_on": False}
    along, up = list_minor_ticks(x), list_minor_ticks(y)
    axes.plot(along, [0.0] * len(along), marker=TICKDOWN, transform=axes.get_xaxis_transform(), **style)
    axes.plot([0.0] * len(up), up, marker=TICKLEFT, transform=axes.get_yaxis_transform(), **style)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: value_y(v)))
    for axis, (low, high), between in ((axes.xaxis, x, along), (axes.yaxis, y, up)):
        if math.log10(high / low) < FEW_DECADES:
            # One power of ten alone would leave the reader without a second number.
            ticks = (*between, *axis.get_ticklocs())
            axis.set_ticks([v for v in ticks if low <= v <= high and f"{v:e}"[0] in "125"])
    axes.grid(True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


FEW_DECADES = 2.0
"""Fewer powers of ten than these get numbers in between."""


def list_minor_ticks(limits: tuple[float, float]) -> list[float]:
    """The values between the powers of ten of a logarithmic axis.

    >>> list_minor_ticks((0.45, 25.0))
    [0.5, 0.6, 0.7, 0.8, 0.9, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 20.0]
    """
    low, high = (math.floor(math.log10(v)) for v in limits)
    values = (float(f"{k}e{decade}") for decade in range(low, high + 1) for k in range(2, 10))
    return [v for v in values if limits[0] <= v <= limits[1]]
