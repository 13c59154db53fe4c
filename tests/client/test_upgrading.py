"""Upgrading from a server's index: real files over HTTP, and installations of every kind."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from stash import client_wheel
from stash_client import __version__, upgrading
from stash_client.upgrading import NotInstalled, NotOffered, Offer
from tests.client.api.scripted import said, scripted
from tests.client.machine import machine

__all__ = ["machine"]
SOURCE = Path(__file__).parents[2] / "client" / "src" / "stash_client"


def wheel(folder: Path, version: str) -> Path:
    """A wheel of this client that says it is ``version``."""
    path = folder / f"stash_client-{version}-py3-none-any.whl"
    info = f"stash_client-{version}.dist-info"
    files = {f"stash_client/{file.relative_to(SOURCE)}": file.read_bytes() for file in SOURCE.rglob("*.py")}
    main = files["stash_client/__init__.py"].replace(f'"{__version__}"'.encode(), f'"{version}"'.encode())
    files["stash_client/__init__.py"] = main
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: stash-client\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nstash = stash_client.cli:main\n"
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**files, f"{info}/RECORD": record.encode()}.items():
            archive.writestr(name, data)
    return path


def index(*files: Path, sha256: str = "") -> str:
    links = [f'<a href="{f.name}#sha256={sha256 or hashlib.sha256(f.read_bytes()).hexdigest()}">x</a>' for f in files]
    return "<!doctype html><body>" + "<br>".join(links)


def serving(pages: dict[str, bytes | str | Path]):
    def say(connection, request: bytes):
        page = pages.get(request.split(b" ")[1].decode())
        data = page.read_bytes() if isinstance(page, Path) else page.encode() if isinstance(page, str) else page
        connection.sendall(said(data, headers="Connection: close\r\n") if data else said(status="404 No"))

    return scripted(say)


def test_the_newest_of_the_index_is_offered(tmp_path):
    files = [wheel(tmp_path, version) for version in ("0.9", "0.10.1", "0.2.0")]
    with serving({"/client/": index(*files)}) as server:
        offer = upgrading.offer_of(server.url)
    assert (offer.version, offer.url) == ("0.10.1", f"{server.url}/client/stash_client-0.10.1-py3-none-any.whl")
    assert offer.is_newer_than("0.9.9")
    assert not offer.is_newer_than("0.10.1")


def test_an_index_of_packages_leads_to_the_files(tmp_path):
    file = wheel(tmp_path, "2.0")
    pages = {"/client/": '<a href="/client/stash-client/">stash-client</a>', "/client/stash-client/": index(file)}
    with serving(pages) as server:
        assert upgrading.offer_of(server.url).url == f"{server.url}/client/stash-client/{file.name}"


HASH = "0" * 64
NONE = {
    "empty": "<html>",
    "without a hash": '<a href="stash_client-9.0-py3-none-any.whl">x</a>',
    "of another package": f'<a href="other-9.0-py3-none-any.whl#sha256={HASH}">x</a>',
    "a pointer somewhere else": '<a href="http://127.0.0.1:9/stash-client/">stash-client</a>',
}


@pytest.mark.parametrize("page", NONE.values(), ids=NONE)
def test_what_cannot_be_trusted_is_not_offered(page):
    with serving({"/client/": page}) as server, pytest.raises(NotOffered):
        upgrading.offer_of(server.url)


def test_a_server_without_an_index_offers_none():
    with serving({}) as server, pytest.raises(NotOffered, match="404"):
        upgrading.offer_of(server.url)


def test_content_that_is_not_what_the_index_says_is_not_kept(tmp_path):
    file = wheel(tmp_path, "9.0")
    with serving({f"/client/{file.name}": file}) as server:
        offer = Offer("9.0", f"{server.url}/client/{file.name}", HASH, file.name)
        (tmp_path / "down").mkdir()
        with pytest.raises(NotOffered, match="not what"):
            upgrading.download(offer, tmp_path / "down")
    assert list((tmp_path / "down").iterdir()) == []


def test_sources_are_not_replaced(machine, tmp_path):  # noqa: F811
    with pytest.raises(NotInstalled, match="git"):
        upgrading.install_command(tmp_path / "x.whl")
    file = wheel(tmp_path, "99.0")
    with serving({"/client/": index(file), f"/client/{file.name}": file}) as server:
        machine.signed_in(server.url, "stash_k")
        done = machine.run("upgrade", "--json")
    assert (done.code, json.loads(done.err)["code"]) == (1, "not_installed")


def test_check_says_what_there_is(machine, tmp_path):  # noqa: F811
    with serving({"/client/": index(wheel(tmp_path, "99.0"))}) as server:
        machine.signed_in(server.url, "stash_k")
        told = machine.run("upgrade", "--check", "--json").json
        assert (told["installed"], told["offered"], told["newer"], told["upgraded"]) == (
            __version__,
            "99.0",
            True,
            False,
        )
        assert "99.0: stash upgrade" in machine.run("upgrade", "--check").out
    with serving({"/client/": index(wheel(tmp_path, "0.0.1"))}) as server:
        machine.signed_in(server.url, "stash_k")
        assert "nothing newer" in machine.run("upgrade").out
    with serving({"/client/": "<html>"}) as server:
        machine.signed_in(server.url, "stash_k")
        assert machine.run("upgrade").code == 4


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """A virtual environment with this client, installed from a wheel; its ``bin``."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder / "venv", with_pip=True)
    program = folder / "venv" / "bin"
    command = [program / "pip", "install", "--quiet", "--no-index", "--no-deps", wheel(folder, "0.0.9")]
    subprocess.run(command, check=True, capture_output=True)
    return program


def test_pip_installs_what_the_server_offers(installed, machine, tmp_path):  # noqa: F811
    file = wheel(tmp_path, "99.0")
    environ = {**machine.whole_environ(), "PIP_NO_INDEX": "1"}
    del environ["PYTHONPATH"]
    with serving({"/client/": index(file), f"/client/{file.name}": file}) as server:
        machine.signed_in(server.url, "stash_k")
        done = subprocess.run(
            [installed / "stash", "upgrade"], env=environ, capture_output=True, text=True, timeout=120
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0.0.9 -> 99.0, with pip.\n", "")
    after = subprocess.run([installed / "stash", "--version"], env=environ, capture_output=True, text=True)
    assert after.stdout == "99.0\n"


@pytest.mark.parametrize("file, program, words", [
    ("uv-receipt.toml", "uv", ["tool", "install", "--force"]), ("pipx_metadata.json", "pipx", ["install", "--force"]),
])  # fmt: skip
def test_uv_and_pipx_replace_what_they_installed(file, program, words, installed, tmp_path, monkeypatch):
    """Asked in the environment itself: the tool that made it left its mark there."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / program).write_text("#!/bin/sh\n")
    (tools / program).chmod(0o755)
    code = (
        "from stash_client import upgrading; from pathlib import Path; print(upgrading.install_command(Path('x.whl')))"
    )
    environ = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    environ.pop("PYTHONPATH", None)
    mark = installed.parent / file
    mark.touch()
    try:
        done = subprocess.run([installed / "python", "-c", code], env=environ, capture_output=True, text=True)
    finally:
        mark.unlink()
    assert done.stdout.strip() == str([str(tools / program), *words, "x.whl"])
    assert sys.prefix != str(installed.parent)


@pytest.mark.django_db(transaction=True)
def test_the_real_server_offers_what_it_was_built_with(live_server, settings, tmp_path):
    settings.URL, settings.STATIC_ROOT = live_server.url, tmp_path / "static"
    client_wheel.make()
    built = client_wheel.current()
    offer = upgrading.offer_of(live_server.url)
    assert (offer.version, offer.sha256, offer.name) == (built.version, built.sha256, built.name)
    assert upgrading.download(offer, tmp_path).read_bytes() == built.path.read_bytes()
