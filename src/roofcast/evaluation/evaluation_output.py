"""An evaluation in the format that was asked for."""

from __future__ import annotations

from pathlib import Path

from roofcast.evaluation.reporting import Evaluation, render
from roofcast.kit.output import chosen_format, deliver

PICTURES = ("svg", "png", "pdf")


def deliver_evaluation(
    found: Evaluation, form: str | None, output: str | None, worst: int | None, command: str = ""
) -> None:
    """Print or write an evaluation (see :func:`roofcast.kit.output.deliver`). worst : kernels to list per model.

    command : what makes the page again, shown at its end.
    """

    def picture(path: Path) -> None:
        found.draw(str(path))

    def page() -> str:
        from roofcast.evaluation.evaluation_html import render_evaluation_html

        return render_evaluation_html(found, worst, command)

    texts = render(found, worst) | {"html": page}
    deliver(chosen_format(form, output), output, texts, dict.fromkeys(PICTURES, picture))
