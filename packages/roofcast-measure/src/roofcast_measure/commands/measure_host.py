"""`roofcast measure host`: microseconds of this machine's host per operator of PyTorch."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  roofcast measure host"""


@click.command("host", epilog=EPILOG)
def command() -> None:
    """Time small PyTorch steps: microseconds of the host per operator, for `host_us` of `roofcast.torch.forecast`.

    With a GPU that PyTorch sees, launches are in it; without one they come on top. Takes a second and PyTorch.
    """
    from roofcast_measure.host_steps import measure_host

    timings = measure_host()
    for t in timings:
        click.echo(
            f"{t.what}: {t.us:.1f} us of the host per operator ({t.low_us:.1f}–{t.high_us:.1f}, 10 and 90 % of the "
            f"steps; {t.operators:.0f} operators)"
        )
    if timings[0].device == "cpu":
        click.echo(
            "- at least: PyTorch sees no GPU here, and launches come on top; run it beside the GPU, then state host_us"
        )
    else:
        click.echo(f"- say it: roofcast.torch.forecast(model, inputs, to=..., host_us={timings[0].us:.0f})")
