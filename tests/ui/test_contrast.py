"""WCAG contrast of the token pairs, read from the stylesheet itself."""

import re
from pathlib import Path

import pytest
from django.conf import settings

CSS = (Path(settings.BASE_DIR) / "static/css/base.css").read_text()


def block(start: str) -> dict[str, str]:
    body = CSS.split(start, 1)[1].split("}", 1)[0]
    return dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", body))


LIGHT = block(":root {")
DARK = block(':root[data-theme="dark"] {')
THEMES = {"light": LIGHT, "dark": DARK}
SURFACES = ("canvas", "surface", "sunken", "hover", "selected", "raised")


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("ink", ["ink", "ink-2", "ink-3", "accent-ink"])
def test_text_is_readable_on_every_surface(theme, surface, ink):
    tokens = THEMES[theme]
    assert contrast(tokens[f"--{ink}"], tokens[f"--{surface}"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "ink, ground",
    [
        ("on-accent", "accent"),
        ("accent-ink", "accent-soft"),
        ("ok", "surface"),
        ("ok", "canvas"),
        ("ok", "ok-soft"),
        ("ok", "add"),
        ("warn", "surface"),
        ("warn", "canvas"),
        ("warn", "warn-soft"),
        ("bad", "surface"),
        ("bad", "sunken"),
        ("bad", "bad-soft"),
        ("bad", "del"),
        ("ink", "add"),
        ("ink", "add-2"),
        ("ink", "del"),
        ("ink", "del-2"),
        ("ink-3", "add"),
        ("ink-3", "del"),
        ("mark-ink", "mark"),
        ("surface", "ink"),
    ],
)
def test_state_and_diff_text_is_readable(theme, ink, ground):
    tokens = THEMES[theme]
    assert contrast(tokens[f"--{ink}"], tokens[f"--{ground}"]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("surface", ["canvas", "surface", "sunken"])
def test_edges_of_controls_and_focus_are_visible(theme, surface):
    tokens = THEMES[theme]
    focus = "--accent" if theme == "light" else "--accent-ink"
    assert contrast(tokens["--control"], tokens[f"--{surface}"]) >= 3
    assert contrast(tokens[focus], tokens[f"--{surface}"]) >= 3


def test_dark_is_the_same_by_choice_and_by_system():
    assert block(":root:not([data-theme]) {") == DARK


def test_both_themes_define_the_same_colours():
    assert LIGHT.keys() == DARK.keys()
