"""Whether HTML could act: tags, attributes and addresses that run, load or restyle something."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

CASES = json.loads((Path(__file__).parents[1] / "cases" / "M03.inert.json").read_text())
PAYLOADS: list[str] = [*CASES["html"], *CASES["terminal"], *CASES["csv"]]
ATTRIBUTES_OF_OURS = {"hx-get", "hx-post", "hx-target", "hx-trigger", "hx-swap", "hx-push-url", "hx-headers"}
URLS = ("href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href", "hx-get", "hx-post")
RUNS = {"iframe", "object", "embed", "base", "frame", "applet", "math", "audio", "video"}


class Judge(HTMLParser):
    """Collects what must not be there. Scripts and stylesheets of the page itself come from our own origin."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.tags: set[str] = set()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = {name: value or "" for name, value in attrs}
        if tag in RUNS or (tag == "script" and not given.get("src", "").startswith("/static/")):
            self.faults.append(f"<{tag}>")
        if tag == "img" or (tag == "link" and not given.get("href", "").startswith("/static/")):
            self.faults.append(f"<{tag}> loads {given}")
        for name, value in given.items():
            if name.startswith(("on", "hx-on")) or name in ("style", "srcdoc"):
                self.faults.append(f"{tag} {name}={value}")
            if name in URLS and value.strip().lower().startswith(("javascript:", "data:", "vbscript:", "//")):
                self.faults.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def judged(html: str) -> Judge:
    judge = Judge()
    judge.feed(html)
    judge.close()
    return judge
