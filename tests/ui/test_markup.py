"""What the content security policy would refuse must not be in any template or script."""

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
OURS = [
    *ROOT.glob("templates/**/*.html"),
    *ROOT.glob("*/templates/**/*.html"),
    *ROOT.glob("static/**/*.svg"),
    *ROOT.glob("static/js/**/*.js"),
]
REFUSED = {
    "style attribute": re.compile(r"<[a-z][^>]*\sstyle\s*=", re.I),
    "event attribute": re.compile(r"<[a-z][^>]*\son[a-z]+\s*=", re.I),
    "hx-on": re.compile(r"\bhx-on\b", re.I),
    "inline script": re.compile(r"<script(?![^>]*\ssrc=)", re.I),
    "inline style": re.compile(r"<style\b", re.I),
    "javascript: address": re.compile(r"javascript:", re.I),
    "eval": re.compile(r"\beval\(|new Function\("),
    "style from a script": re.compile(r"\.style\.|setAttribute\(\s*[\"']style"),
    "parsed HTML from a script": re.compile(r"\.innerHTML|insertAdjacentHTML|document\.write"),
}
TAGS = re.compile(r"{%.*?%}|{#.*?#}|{{.*?}}", re.S)


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_the_policy_refuses(path):
    text = TAGS.sub("", path.read_text())
    assert [name for name, pattern in REFUSED.items() if pattern.search(text)] == []


def test_stylesheets_fetch_nothing_and_name_no_font_file():
    for path in ROOT.glob("static/css/**/*.css"):
        text = path.read_text()
        assert not re.search(r"url\(|@import|@font-face|https?:", text), path.name


def test_layers_are_the_ones_in_order():
    first = (ROOT / "static/css/base.css").read_text().splitlines()[0]
    assert first == "@layer base, frame, parts, pages, narrow;"
    for path in ROOT.glob("static/css/**/*.css"):
        layers = set(re.findall(r"@layer ([\w, ]+?)\s*{", path.read_text()))
        assert layers <= {"base", "frame", "parts", "pages", "narrow"}, path.name


def test_every_custom_property_that_is_used_is_defined():
    text = "".join(path.read_text() for path in ROOT.glob("static/css/**/*.css"))
    assert set(re.findall(r"var\((--[\w-]+)\)", text)) - set(re.findall(r"(--[\w-]+):", text)) == set()


def test_every_icon_that_is_named_is_vendored():
    vendored = {path.stem for path in ROOT.glob("static/vendor/lucide/*.svg")}
    text = "".join(path.read_text() for path in ROOT.glob("templates/**/*.html"))
    assert set(re.findall(r'{%-?\s*icon "([\w-]+)"', text)) - vendored == set()
