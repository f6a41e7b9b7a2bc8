"""One look for all figures: panels side by side, axes with units, the seed in the footer.

The same numbers give the same bytes of SVG: ids are salted by a fixed word, and no date is written.
"""
from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Okabe and Ito's colours, which colour-blind readers tell apart, and a marker each for print.
STYLES = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P"),
          ("#000000", "x"), ("#999999", "*")]


@dataclass
class Series:
    """One line, or one row of bars; `style` picks colour and marker, so that a method looks the same everywhere."""

    label: str
    xs: Sequence[float | str]
    ys: Sequence[float | None]
    style: int
    dashed: bool = False


@dataclass
class Panel:
    title: str
    x_label: str
    y_label: str
    series: list[Series]
    kind: str = "lines"  # lines, bars (side by side), stack (on top of each other)
    log_x: bool = False
    log_y: bool = False
    levels: dict[str, float] = field(default_factory=dict)  # horizontal lines with a name
    zero: bool = True    # the y axis begins at 0


def draw(folder: Path, name: str, panels: list[Panel], footer: str, columns: int = 2) -> None:
    """Writes NAME.svg and NAME.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    settings = {"svg.hashsalt": "throng", "svg.fonttype": "none", "font.family": "DejaVu Sans", "font.size": 9,
                "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#dddddd",
                "grid.linewidth": 0.6, "axes.axisbelow": True, "lines.linewidth": 1.4, "lines.markersize": 4,
                "axes.titlesize": 10, "legend.fontsize": 8, "legend.frameon": False}
    with plt.rc_context(settings):
        columns = min(columns, len(panels))
        rows = -(-len(panels) // columns)
        most = max(len(panel.series) + len(panel.levels) for panel in panels)
        figure, axes = plt.subplots(rows, columns, figsize=(4.5 * columns if columns > 1 else 5.6, 3.1 * rows + 0.17 * most),
                                    squeeze=False, layout="constrained")
        for axis, panel in zip(axes.flat, panels):
            _panel(axis, panel)
        _legend(figure, list(axes.flat)[:len(panels)])
        for axis in list(axes.flat)[len(panels):]:
            axis.set_visible(False)
        figure.supxlabel(footer, fontsize=7, color="#555555", x=0.01, ha="left")
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        drawn = io.BytesIO()
        figure.savefig(drawn, format="png", dpi=100, metadata={"Software": None})
        plt.close(figure)
    _small(drawn, folder / f"{name}.png")


def _small(drawn: io.BytesIO, path: Path) -> None:
    """A palette does for lines and letters, and makes a third of the bytes."""
    from PIL import Image

    with Image.open(drawn) as image:
        image.convert("RGB").quantize(colors=256, method=Image.Quantize.FASTOCTREE).save(path, optimize=True)


def _panel(axis, panel: Panel) -> None:
    from matplotlib import ticker

    {"lines": _lines, "bars": _bars, "stack": _stack}[panel.kind](axis, panel)
    for i, (label, level) in enumerate(panel.levels.items()):
        axis.axhline(level, color="#444444", linewidth=1, linestyle=[(0, (4, 2)), (0, (1, 1.5)), (0, (6, 1, 1, 1))][i % 3],
                     label=label)
    axis.set_title(panel.title)
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    if panel.log_x:  # a tick where something was measured
        axis.set_xscale("log")
        ticks = sorted({x for series in panel.series for x in series.xs})
        axis.set_xticks(ticks, [_short(x) for x in ticks])
        axis.xaxis.set_minor_locator(ticker.NullLocator())
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    elif panel.zero:
        axis.set_ylim(bottom=0)
    else:  # bars that begin above 0 are told apart; the axis says where they begin
        shown = [y for series in panel.series for y in series.ys if y is not None] + list(panel.levels.values())
        axis.set_ylim(int(min(shown)) - 1, max(shown) + 0.5)
        axis.set_ylabel(f"{panel.y_label} (from {int(min(shown)) - 1})")
    if panel.kind == "lines" and not panel.log_x:
        axis.xaxis.set_major_locator(ticker.MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    if not panel.log_y:
        axis.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.10g}"))


def _short(number: float) -> str:
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if number >= size:
            return f"{number / (1000 if letter == 'k' else size):g}{letter}"
    return f"{number:g}"


def _legend(figure, axes: list) -> None:
    """One legend above all panels where they show the same, else one below each."""
    labels = [axis.get_legend_handles_labels()[1] for axis in axes]
    if max(len(names) for names in labels) < 2:
        return
    if all(names == labels[0] for names in labels):
        handles, names = axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2 if len(names) != 3 or len(axes) == 1 else 3)
        return
    for axis in axes:
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.24))


def _lines(axis, panel: Panel) -> None:
    for series in panel.series:
        colour, marker = STYLES[series.style]
        axis.plot(series.xs, [float("nan") if y is None else y for y in series.ys], color=colour, marker=marker,
                  linestyle="--" if series.dashed else "-", label=series.label)


def _bars(axis, panel: Panel) -> None:
    width = 0.8 / len(panel.series)
    for i, series in enumerate(panel.series):
        places = [x + width * (i - (len(panel.series) - 1) / 2) for x in range(len(series.xs))]
        axis.bar(places, [y or 0 for y in series.ys], width * 0.92, color=STYLES[series.style][0], label=series.label)
    axis.set_xticks(range(len(panel.series[0].xs)), [str(x) for x in panel.series[0].xs])
    axis.grid(False, axis="x")


def _stack(axis, panel: Panel) -> None:
    below = [0.0] * len(panel.series[0].xs)
    for series in panel.series:
        axis.bar(range(len(series.xs)), [y or 0 for y in series.ys], 0.6, bottom=below, color=STYLES[series.style][0],
                 label=series.label)
        below = [low + (y or 0) for low, y in zip(below, series.ys)]
    axis.set_xticks(range(len(panel.series[0].xs)), [str(x) for x in panel.series[0].xs])
    axis.grid(False, axis="x")
