"""Installing the client from the server: the script in a clean home, and the package index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stash import client_wheel
from stash_client import __version__
from stash_client.upgrading import download, offer_of
from tests.servers import running

pytestmark = pytest.mark.one_engine


@pytest.fixture
def wheel(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"
    client_wheel.make()
    return client_wheel.current()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server")) as server:
        yield server


def run(script: str, home: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """In a shell that knows nothing but a home and the usual programs."""
    clean = {"HOME": str(home), "PATH": "/usr/bin:/bin", "STASH_PYTHON": sys.executable, "STASH_INSTALL_WITH": "venv"}
    return subprocess.run(
        ["/bin/sh", "-c", script, *arguments], env={**clean, **environ}, capture_output=True, text=True, timeout=120
    )


def asked(server) -> str:
    return f'sh -c "$(curl -fsSL {server.url}/install)"'


@pytest.mark.parametrize("folder", ["home", "a home with spaces"])
def test_one_line_installs_the_client_in_a_clean_home(server, tmp_path, folder):
    home = tmp_path / folder
    home.mkdir()
    done = run(asked(server), home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].endswith(f"bin/stash signin {server.url}")
    command = home / ".local/bin/stash"
    assert (home / ".local/bin/stash-hook").exists()
    bare = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    said = subprocess.run([command, "--version"], env=bare, capture_output=True, text=True, check=True, cwd="/")
    assert __version__ in said.stdout
    assert sorted(path.name for path in home.iterdir()) == [".local"]


def test_processes_that_python_starts_do_not_run_the_command_again(server, tmp_path):
    run(asked(server), tmp_path)
    again = f"import runpy; runpy.run_path('{tmp_path}/.local/bin/stash', run_name='__mp_main__')"
    done = subprocess.run([tmp_path / ".local/share/stash-client/bin/python", "-c", again], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_file_in_the_current_folder_is_not_what_starts(server, tmp_path):
    run(asked(server), tmp_path)
    (tmp_path / "stash_client.py").write_text("raise SystemExit(7)")
    command = tmp_path / ".local/bin/stash"
    assert subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_again_and_through_a_pipe_repairs_it(server, tmp_path):
    run(asked(server), tmp_path)
    inside = next((tmp_path / ".local/share/stash-client").rglob("stash_client/__init__.py"))
    inside.write_text("raise SystemExit(7)")
    done = run(f"curl -fsSL {server.url}/install | sh", tmp_path, STASH_INSTALL_WITH="")
    assert (done.returncode, done.stderr) == (0, "")
    assert __version__ in inside.read_text()
    assert [path.name for path in (tmp_path / ".local/share").iterdir()] == ["stash-client"]


def test_it_says_how_to_call_it_only_when_that_is_needed(server, tmp_path):
    done = run(asked(server), tmp_path)
    assert "export PATH=" in done.stdout
    done = run(asked(server), tmp_path, PATH=f"{tmp_path}/.local/bin:/usr/bin:/bin")
    assert "export PATH=" not in done.stdout
    assert done.stdout.splitlines()[-1] == f"Next, in a repository of yours:  stash signin {server.url}"


def test_a_wheel_that_is_not_the_promised_one_is_not_installed(server, tmp_path):
    script = f"curl -fsSL {server.url}/install | sed 's/^sha256=./sha256=0/' | sh"
    done = run(script, tmp_path)
    assert done.returncode == 1
    assert "nothing was installed" in done.stderr
    assert not (tmp_path / ".local").exists()


def test_without_a_python_it_says_what_is_needed(server, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "curl", "cut", "mktemp", "rm", "dirname", "sha256sum"):
        (tools / name).symlink_to(shutil.which(name))
    done = run(asked(server), tmp_path, PATH=str(tools), STASH_PYTHON="")
    assert done.returncode == 1
    assert "Python 3.9 or newer" in done.stderr


def test_pip_finds_it_in_the_index(server, tmp_path):
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", tmp_path]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    subprocess.run(
        [*pip, "--index-url", f"{server.url}/client/", "stash-client"],
        check=True,
        env={**clean, "PIP_CONFIG_FILE": os.devnull, "no_proxy": "*"},
    )
    assert [path.name for path in tmp_path.iterdir()] == [f"stash_client-{__version__}-py3-none-any.whl"]


def test_the_client_finds_its_own_next_version_there(server, tmp_path):
    offer = offer_of(server.url)
    assert (offer.version, offer.is_newer_than(__version__), offer.is_newer_than("0.0.1")) == (__version__, False, True)
    assert download(offer, tmp_path).name == offer.name


def test_what_was_installed_so_can_be_upgraded(server, tmp_path):
    run(asked(server), tmp_path)
    home = tmp_path / ".local/share/stash-client"
    package = next(home.rglob("stash_client/__init__.py")).parent
    (package / "left_over.py").write_text("")
    wheel = download(offer_of(server.url), tmp_path)
    code = (
        "import sys; from pathlib import Path; from stash_client import upgrading; upgrading.install(Path(sys.argv[1]))"
    )
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([home / "bin/python", "-c", code, wheel], env=bare, check=True, cwd="/")
    assert not (package / "left_over.py").exists()
    said = subprocess.run(
        [tmp_path / ".local/bin/stash", "--version"], env=bare, capture_output=True, text=True, check=True
    )
    assert __version__ in said.stdout


# ---- what the server answers ----


def test_addresses_are_the_configured_ones_whatever_a_request_calls_us(client, wheel, settings):
    settings.URL, settings.ALLOWED_HOSTS = "https://stash.example.org", ["*"]
    for path in ("/install", "/install.ps1", "/client/stash-client/"):
        text = client.get(path, headers={"Host": "evil.example.test", "X-Forwarded-Host": "evil.example.test"})
        assert "evil" not in text.content.decode()
        assert "https://stash.example.org" in text.content.decode()
        assert wheel.sha256 in text.content.decode()


def test_an_odd_address_stays_one_word_of_the_script(client, wheel, settings, tmp_path):
    settings.URL = "http://x.test/$(touch owned)'`touch owned`"
    script = client.get("/install").content.decode()
    line = next(line for line in script.splitlines() if line.startswith("server="))
    done = subprocess.run(["sh", "-c", f'{line}\nprintf %s "$server"'], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == settings.URL
    assert list(tmp_path.glob("owned")) == []
    assert "= 'http://x.test/$(touch owned)''`touch owned`'\n" in client.get("/install.ps1").content.decode()


def test_the_wheel_may_be_kept_for_ever_and_the_script_not(client, wheel):
    answer = client.get(wheel.address)
    assert answer.content == wheel.path.read_bytes()
    assert "immutable" in answer["Cache-Control"]
    assert client.get("/install")["Cache-Control"] == "no-cache"
    assert client.get("/install")["Content-Type"] == "text/plain; charset=utf-8"
    assert client.get(wheel.address.replace("/client/", "/client/0")).status_code == 404
    assert client.get("/client/..%2f..%2fsecret_key/x").status_code == 404
    assert client.post("/install").status_code == 405


def test_a_server_without_the_client_says_so(client, settings, tmp_path):
    settings.STATIC_ROOT = tmp_path
    for path in ("/install", "/install.ps1", "/client/stash-client/"):
        answer = client.get(path)
        assert (answer.status_code, b"manage.py prepare" in answer.content) == (503, True)
