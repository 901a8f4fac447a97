# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser, in light and dark, as a phone and a desk show it: pictures, and what a reader would stumble over."""
import pathlib

from . import browser, store

FOLDER = pathlib.Path(__file__).resolve().parent
WIDTHS = {"phone": 390, "desk": 1280}
TALLEST = 16000  # pixels that a browser draws in one piece


def look(folder, piece=TALLEST):
    """Writes `folder`/look/{light,dark}-{phone,desk}.png; returns (files, what was found wrong)."""
    page, out = pathlib.Path(folder) / "index.html", pathlib.Path(folder) / "look"
    if not page.is_file():
        raise store.ReportError(f"{page}: no page there; armilla-report page {folder} draws it")
    out.mkdir(exist_ok=True)
    for old in out.glob("*.png"):
        old.unlink()
    script = (FOLDER / "look.js").read_text()
    files, wrong = [], []
    with browser.Browser() as it:
        for dark in (False, True):
            for screen, width in WIDTHS.items():
                it.show(page, width, 800, dark)
                name = f"{'dark' if dark else 'light'}-{screen}"
                seen = it.ask(script)
                wrong += [f"{name}: {what}" for what in seen["found"]]
                for number, top in enumerate(range(0, seen["height"], piece)):
                    files.append(out / (f"{name}-{number + 1}.png" if seen["height"] > piece else f"{name}.png"))
                    files[-1].write_bytes(it.picture(top, width, min(piece, seen["height"] - top)))
    return files, wrong
