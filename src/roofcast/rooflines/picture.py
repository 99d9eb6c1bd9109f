"""The picture of a roofline: it shows itself in a notebook and writes itself."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from roofcast.kit.output import Picture
from roofcast.rooflines.show import render_roofline_text, write_roofline
from roofcast.rooflines.view import RooflineView

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Roofline(Picture):
    """A hierarchical roofline that shows itself as a picture; ``save("r.html")`` is one to look around in."""

    def __init__(self, view: RooflineView) -> None:
        self.view = view
        super().__init__(self.draw_view)

    def draw_view(self) -> Figure:
        """The Matplotlib figure."""
        from roofcast.rooflines.figure import draw_figure

        return draw_figure(self.view)

    def save(self, path: str) -> None:
        """Write it; the suffix chooses .svg, .png, .pdf, .html, .csv or .txt."""
        write_roofline(self.view, path)

    def html(self) -> str:
        """The picture inside of HTML."""
        return f'<img src="data:image/png;base64,{base64.b64encode(self._repr_png_()).decode()}" alt="roofline">'

    def __repr__(self) -> str:
        return render_roofline_text(self.view)
