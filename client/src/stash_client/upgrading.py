"""A newer client from the server: which there is, whether it is what its index says, and how to install it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional
from urllib.parse import urldefrag, urljoin, urlsplit

from stash_client import api

_LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_WHEEL = re.compile(r"stash_client-(\d+(?:\.\d+){0,3}[a-z0-9.+]*)-[a-z0-9_.]+-none-any\.whl", re.IGNORECASE)
_HASH = re.compile(r"sha256=([0-9a-f]{64})", re.IGNORECASE)
_MOST_BYTES = 32 * 1024 * 1024
_SECONDS = 120.0


class NotOffered(Exception):
    """The server offers no client, or one whose content is not what its index says."""


class NotInstalled(Exception):
    """There is no way to replace this installation from here; the text says what to do instead."""


@dataclass(frozen=True)
class Offer:
    """``sha256``: in hex, as the server's index has it."""

    version: str
    url: str
    sha256: str
    name: str

    def is_newer_than(self, version: str) -> bool:
        return _numbers(self.version) > _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    """The release, zeros at its end left out; what follows the numbers decides nothing."""
    parts = re.match(r"\d+(?:\.\d+)*", version)
    found = [int(part) for part in parts[0].split(".")] if parts else []
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def offer_of(server: str) -> Offer:
    """The newest client that ``server`` offers. Raises NotOffered, api.Unreachable or api.Refused."""
    address = f"{server}/client/"
    links = _links(address)
    if not any(_wheel(link) for link in links):
        # The index of packages: one page further are the files.
        below = next((link for link in links if urlsplit(link).path.rstrip("/").endswith("stash-client")), None)
        links = _links(below) if below and _same_server(below, server) else []
    # The file may lie under the server's other names: what it must be is said here, and no key goes there.
    offers = [offer for link in links if (offer := _wheel(link))]
    if not offers:
        raise NotOffered(f"{server} offers no client")
    return max(offers, key=lambda offer: _numbers(offer.version))


def _links(address: str) -> list[str]:
    try:
        page = _fetched(address).decode("utf-8", "replace")
    except api.Refused as refusal:
        raise NotOffered(f"{address} answers {refusal.status}: no client is offered there") from None
    return [urljoin(address, link.replace("&amp;", "&")) for link in _LINK.findall(page)]


def _wheel(link: str) -> Optional[Offer]:
    """What a link to a wheel with its hash offers; one without a hash is none of ours."""
    url, fragment = urldefrag(link)
    name = urlsplit(url).path.rpartition("/")[2]
    match, told = _WHEEL.fullmatch(name), _HASH.search(fragment)
    return Offer(match[1], url, told[1].lower(), name) if match and told else None


def _same_server(url: str, server: str) -> bool:
    return urlsplit(url)[:2] == urlsplit(server)[:2]


def _fetched(url: str) -> bytes:
    transport = api.Transport()
    request = api.Request("GET", url, {"Accept": "*/*", "Connection": "close"})
    data = bytearray()
    try:
        with transport.stream(request, until=time.monotonic() + _SECONDS) as (_, _headers, pieces):
            for piece in pieces:
                data += piece
                if len(data) > _MOST_BYTES:
                    raise NotOffered(f"{url} is too large to be a client")
    finally:
        transport.close()
    return bytes(data)


def download(offer: Offer, folder: Path) -> Path:
    """The wheel in ``folder``, its content checked. Raises NotOffered, OSError, api.Unreachable or api.Refused."""
    data = _fetched(offer.url)
    if hashlib.sha256(data).hexdigest() != offer.sha256:
        raise NotOffered(f"{offer.name} is not what the server's index says; nothing was installed")
    path = folder / offer.name
    path.write_bytes(data)
    return path


def install_command(wheel: Path) -> list[str]:
    """How this installation is replaced: by what made it. Raises NotInstalled."""
    prefix = Path(sys.prefix)
    if _is_source():
        raise NotInstalled("This client runs from its sources; bring them up to date with git.")
    if (prefix / "uv-receipt.toml").exists():
        return [_needed("uv"), "tool", "install", "--force", str(wheel)]
    if (prefix / "pipx_metadata.json").exists():
        return [_needed("pipx"), "install", "--force", str(wheel)]
    if (prefix / "install.py").exists():
        # The server's install script left it there: it makes environments without pip.
        return [sys.executable, "-I", str(prefix / "install.py"), str(wheel), str(prefix)]
    if _has_pip():
        return [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", str(wheel)]
    return [_needed("uv"), "pip", "install", "--python", sys.executable, "--no-deps", "--reinstall", str(wheel)]


def install(wheel: Path) -> str:
    """Run it; what did it. Raises NotInstalled with what the installer said."""
    command = install_command(wheel)
    environ = {name: value for name, value in os.environ.items() if name != "STASH_KEY"}
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, stdin=nothing, capture_output=True, text=True, errors="replace", env=environ)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise NotInstalled(f"{Path(command[0]).name} could not install it:\n{said}")
    return "pip" if "pip" in command[1:4] else Path(command[0]).name


def _is_source() -> bool:
    """No wheel made it: there is no record of its files."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution("stash-client")
    except PackageNotFoundError:
        return True
    here = Path(__file__).resolve()
    return not any(Path(str(found.locate_file(file))).resolve() == here for file in found.files or ())


def _has_pip() -> bool:
    from importlib.util import find_spec

    return find_spec("pip") is not None


def _needed(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise NotInstalled(f"This client was installed with {program}, which is not on the PATH (any more).")
    return found
