# SPDX-License-Identifier: Apache-2.0
"""Pictures whose colours are the page's: SVG with text as text and colours that follow light and dark."""
import io
import re
import textwrap

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib import ticker  # noqa: E402

SERIES = 7
WIDTH, HEIGHT = 4.3, 2.5  # inches: as wide as a phone, so that words keep their size there
LINE = .17  # of a legend
LONGEST = 24  # letters of an entry beside another one

# Stand-ins that matplotlib draws with, and what the page puts in their place.
INK, GRID, PAPER, MARK = "#010101", "#010102", "#010103", "#010104"
NAMES = {INK: "var(--ink)", GRID: "var(--grid)", PAPER: "var(--figure)", MARK: "var(--mark)"} | {
    f"#0101{16 + i:02x}": f"var(--s{i})" for i in range(SERIES)}
LIGHT = {"ink": "#24292f", "grid": "#d8dee4", "figure": "#ffffff", "mark": "#b42318", "s0": "#1f6feb", "s1": "#d97706", "s2": "#15803d",
         "s3": "#a21caf", "s4": "#0e7490", "s5": "#be185d", "s6": "#57606a"}
DARK = {"ink": "#e6edf3", "grid": "#30363d", "figure": "#0d1117", "mark": "#ff8a7a", "s0": "#6cb6ff", "s1": "#f0a94a", "s2": "#5fd38a",
        "s3": "#dfa0f5", "s4": "#56d4dd", "s5": "#ff8fb8", "s6": "#9ea7b3"}


def series(i):
    return f"#0101{16 + i % SERIES:02x}"


def variables(colours):
    return "".join(f"--{name}:{value};" for name, value in colours.items())


STANDALONE = (f"<style>svg{{{variables(LIGHT)}}}@media (prefers-color-scheme:dark){{svg{{{variables(DARK)}}}}}"
              "svg{background:var(--figure)}</style>")

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "armilla", "font.family": "sans-serif", "font.size": 9, "axes.titlesize": 10,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": GRID,
    "axes.titlecolor": INK, "xtick.color": INK, "ytick.color": INK, "grid.color": GRID, "axes.grid": True, "axes.axisbelow": True,
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "legend.frameon": False, "legend.fontsize": 8.5,
    "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.8, "hatch.color": PAPER, "hatch.linewidth": 1.2})


def figure(width=WIDTH, height=HEIGHT):
    return plt.subplots(figsize=(width, height), layout="constrained")


def title(ax, words, fig=None):
    """At the left of the axis, or of the figure where the axis begins far to the right; in two lines where one is too short."""
    words = "\n".join(textwrap.wrap(words, 50))
    if fig is None:
        ax.set_title(words)
    else:
        fig.suptitle(words, x=.01, ha="left", fontsize=plt.rcParams["axes.titlesize"], fontweight="bold")


def legend_below(fig, ax, columns=1):
    """Behind the axis' own words, across the whole figure, which grows by it; in one column where words are long."""
    handles, labels = ax.get_legend_handles_labels()
    if handles:
        columns = 1 if max(map(len, labels)) > LONGEST else columns
        inches = -(-len(labels) // columns) * LINE + .12
        fig.set_figheight(fig.get_figheight() + inches)
        below = inches / fig.get_figheight()
        fig.get_layout_engine().set(rect=(0, below, 1, 1 - below))
        fig.legend(handles, labels, loc="lower center", ncols=columns, columnspacing=1.2, handlelength=1.8, labelspacing=.25, borderaxespad=.2)


def few_ticks():
    return ticker.MaxNLocator(4)


def significant(value):
    """Three digits that count."""
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def svg_of(fig):
    """The picture as text of SVG that takes its colours from the page."""
    out = io.StringIO()
    fig.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(fig)
    text = out.getvalue()
    text = text[text.index("<svg"):]
    text = re.sub(r"#0101[0-9a-f]{2}", lambda m: NAMES.get(m[0], m[0]), text)
    text = re.sub(r"(<svg [^>]*?) width=\"[^\"]*\"", r"\1", text, count=1)
    text = re.sub(r"(<svg [^>]*?) height=\"[^\"]*\"", r"\1", text, count=1)
    text = text.replace("font: 9.5px 'sans-serif'", "font: 9.5px sans-serif")
    return re.sub(r"font: ([^;\"]*?)px [^;\"]*", r"font: \1px system-ui, sans-serif", text)


def unique_names(svg, prefix):
    """Names inside a picture, told apart from those of the page's other pictures."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'(xlink:href|href)="#([^"]+)"', rf'\1="#{prefix}-\2"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)


def standalone(svg):
    """The same as a file of its own."""
    head = svg.index(">") + 1
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    sized = svg[:head - 1] + f' width="{size[1]}pt" height="{size[2]}pt">' if size else svg[:head]
    return '<?xml version="1.0" encoding="utf-8"?>\n' + sized + STANDALONE + svg[head:]


def fixed(svg, colours):
    """A file of its own whose colours follow no theme: for pages that show it on a ground of their own."""
    svg = re.sub(r"var\(--(\w+)\)", lambda m: colours[m[1]], svg)
    head = svg.index(">") + 1
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    return (f'{svg[:head - 1]} width="{size[1]}pt" height="{size[2]}pt">'
            f'<rect width="100%" height="100%" rx="8" fill="{colours["figure"]}"/>{svg[head:]}')
