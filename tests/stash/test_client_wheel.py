"""The wheel that the server hands out is a wheel, and the same one for the same source."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest

from stash import client_wheel
from stash_client import __version__


@pytest.fixture
def source(tmp_path):
    copy = tmp_path / "client"
    shutil.copytree(client_wheel.SOURCE, copy)
    return copy


@pytest.fixture
def place(settings, tmp_path):
    settings.STATIC_ROOT = tmp_path / "static"
    return settings.STATIC_ROOT / "client"


def test_the_same_source_gives_the_same_bytes_whatever_its_file_times(source):
    name, content = client_wheel.build(client_wheel.SOURCE)
    for path in source.rglob("*"):
        os.utime(path, (10**9, 10**9))
    (source / "src" / "stash_client" / "__pycache__").mkdir(exist_ok=True)
    (source / "src" / "stash_client" / "__pycache__" / "x.pyc").write_bytes(b"x")
    (source / "src" / "stash_client.egg-info").mkdir(exist_ok=True)
    (source / "src" / "stash_client.egg-info" / "PKG-INFO").write_text("x")
    assert client_wheel.build(source) == (name, content)
    assert name == f"stash_client-{__version__}-py3-none-any.whl"
    (source / "src" / "stash_client" / "ids.py").write_text("changed = True")
    assert client_wheel.build(source)[1] != content


def test_the_date_of_its_files_can_be_chosen(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    archive = zipfile.ZipFile(BytesIO(client_wheel.build(client_wheel.SOURCE)[1]))
    assert {entry.date_time for entry in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def test_everything_in_it_is_recorded_with_its_digest():
    archive = zipfile.ZipFile(BytesIO(client_wheel.build(client_wheel.SOURCE)[1]))
    rows = {row[0]: row[1:] for row in csv.reader(archive.read(archive.namelist()[-1]).decode().splitlines())}
    assert set(rows) == set(archive.namelist())
    for name in archive.namelist()[:-1]:
        digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
        assert rows[name] == [f"sha256={digest}", str(len(archive.read(name)))]


def test_pip_installs_it_without_anything_else(place, tmp_path):
    client_wheel.make()
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", target, client_wheel.current().path], check=True)
    command = next((target / "bin").glob("stash"))
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(target), "HOME": str(tmp_path)}
    done = subprocess.run([command, "--version"], env=environ, check=True, capture_output=True, text=True)
    assert __version__ in done.stdout
    about = next(target.glob("*.dist-info"))
    assert f"Version: {__version__}" in (about / "METADATA").read_text()


def test_making_it_again_changes_nothing_and_an_old_one_goes(place):
    assert client_wheel.current() is None
    assert client_wheel.make() is True
    (place / "stash_client-0.0.1-py3-none-any.whl").write_bytes(b"old")
    made = place / f"stash_client-{__version__}-py3-none-any.whl"
    made.write_bytes(b"damaged")
    assert client_wheel.make() is True
    assert client_wheel.make() is False
    assert [path.name for path in place.iterdir()] == [made.name]
    wheel = client_wheel.current()
    assert (wheel.version, wheel.sha256) == (__version__, hashlib.sha256(made.read_bytes()).hexdigest())
