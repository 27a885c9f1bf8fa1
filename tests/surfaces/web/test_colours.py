"""The colours of the style sheet, as it names them: read in either scheme by whoever sees less."""

from __future__ import annotations

import re
from itertools import product

import pytest

from rag.surfaces.web.inspector import STATIC

SHEET = (STATIC / "inspector.css").read_text(encoding="utf-8")
# Web Content Accessibility Guidelines 2.2: 1.4.3 for text, 1.4.11 for what is not text.
TEXT, SHAPE = 4.5, 3.0
GROUNDS = ("paper", "panel", "sunk")
TEXTS = [
    *product(("ink", "muted", "accent", "high", "medium", "low", "none", "fault"), GROUNDS),
    *product(("ink", "muted", "fault"), ("fault-soft",)),
    *product(("ink", "muted", "accent"), ("accent-soft",)),
    ("accent-ink", "accent"),
    ("mark-ink", "mark"),
]
SHAPES = [
    *product(("accent", "words", "vector"), ("track", "panel")),
    *product(("edge", "accent"), ("paper", "panel")),
    ("edge", "sunk"),
]


def _schemes() -> dict[str, dict[str, str]]:
    """Return each scheme's colours by name; what the dark one does not name is the light one's."""
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", SHEET, flags=re.DOTALL)
    named = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    return {"light": named[0], "dark": named[0] | named[1]}


def _luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, in [0, 1]."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_most_contrast_there_is():
    assert _contrast("#000000", "#ffffff") == (1 + 0.05) / (0 + 0.05)
    assert _contrast("#777777", "#777777") == 1.0


@pytest.mark.scenario("web-inspector", "Colours by name")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_named_colours_stand_out_from_what_they_stand_on(scheme: str):
    colours = _schemes()[scheme]
    wanted = [(TEXT, *pair) for pair in TEXTS] + [(SHAPE, *pair) for pair in SHAPES]
    found = {
        f"{top} on {under}": round(ratio, 2)
        for least, top, under in wanted
        if (ratio := _contrast(colours[top], colours[under])) < least
    }
    assert found == {}


def test_both_schemes_name_every_colour():
    light, dark = re.findall(r":root \{(.*?)\n\s*\}", SHEET, flags=re.DOTALL)
    names = [set(re.findall(r"--([\w-]+): #", block)) for block in (light, dark)]
    assert names[0] == names[1]
    used = set(re.findall(r"var\(--([\w-]+)\)", SHEET))
    assert used <= set(re.findall(r"--([\w-]+):", SHEET))


def test_no_rule_has_a_colour_of_its_own():
    rules = SHEET.split("*, *::before, *::after", 1)[1]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?=[;\s])", rules) == []
