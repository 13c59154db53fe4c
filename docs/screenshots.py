"""Takes the pictures of the documentation from the demo: ``python docs/screenshots.py docs/images``.

Needs Chromium and the requirements of the tests. Starts a server of its own over a temporary data folder.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.servers import Server, running  # noqa: E402

CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SIZES = {1440: 900, 390: 844}
THEMES = ("light", "dark")
LONG = "Stop double receipts on webhook retry"
TEAM = "/t/harbour/"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="stash-pictures-") as data, running(Path(data)) as server:
        said = server.manage("demo")
        server.manage("index", "--once")
        link = next(line.strip() for line in said.splitlines() if line.strip().startswith(server.url))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            state = _signed_in(browser, link)
            for theme in THEMES:
                for width, height in SIZES.items():
                    context = browser.new_context(
                        storage_state=state,
                        viewport={"width": width, "height": height},
                        color_scheme="dark" if theme == "dark" else "light",
                        device_scale_factor=1,
                    )
                    _take_all(context.new_page(), server, folder, f"{theme}-{width}")
                    context.close()
            browser.close()


def _signed_in(browser: Browser, link: str) -> Path:
    """Where the cookies of the demo's owner are kept."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state("load")
    state = Path(tempfile.mkdtemp(prefix="stash-pictures-")) / "state.json"
    context.storage_state(path=state)
    context.close()
    return state


def _take_all(page: Page, server: Server, folder: Path, variant: str) -> None:
    for name, address in _pages(page, server).items():
        page.goto(address)
        page.wait_for_load_state("load")
        page.wait_for_timeout(600)
        page.screenshot(path=folder / f"{name}-{variant}.png")
        print(f"{name}-{variant}.png", flush=True)  # noqa: T201


def _pages(page: Page, server: Server) -> dict[str, str]:
    base = server.url + TEAM
    page.goto(f"{base}sessions/?q=receipts")
    long = page.get_by_role("link", name=LONG).first.get_attribute("href") or ""
    session = server.url + long.split("?")[0]
    return {
        "home": base,
        "sessions": f"{base}sessions/",
        "session": f"{session}?at=112#e112",
        "session-end": session,
        "search": f"{base}search/?q=nullable+side+of+an+outer+join",
        "search-empty": f"{base}search/",
        "settings": f"{base}settings/",
        "keys": f"{base}settings/keys/",
        "connect": f"{base}connect/",
        "not-found": f"{base}sessions/00000000-0000-7000-8000-000000000000/",
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
