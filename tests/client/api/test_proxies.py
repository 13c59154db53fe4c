"""Through proxies and TLS: certificates made for the test, proxies that are real programs on sockets."""

from __future__ import annotations

import base64
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from stash_client import api
from tests.client.api.scripted import read_request, said, scripted


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    """(certificate, key) for stash.example.test and localhost."""
    folder = tmp_path_factory.mktemp("tls")
    pem, key = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=DNS:stash.example.test,DNS:localhost"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", "2", "-subj", "/CN=test", "-addext", names, "-keyout", str(key), "-out", str(pem)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return pem, key


@pytest.fixture
def secure(certificate):
    """The port of an HTTPS server that answers every request."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                plain, _ = listener.accept()
            except OSError:
                return
            try:
                with context.wrap_socket(plain, server_side=True) as connection:
                    request = read_request(connection)
                    connection.sendall(said(b'{"secure": true}' if b"stash_k" in request else b"{}"))
            except OSError:
                plain.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(5)


def test_a_server_whose_certificate_is_trusted_is_spoken_to(secure, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert api.get(f"https://localhost:{secure}/", key="stash_k").body == {"secure": True}


def test_a_certificate_nobody_vouches_for_is_refused(secure):
    with pytest.raises(api.Unreachable, match="(?i)certificate"):
        api.get(f"https://localhost:{secure}/", key="stash_k")


def test_a_certificate_of_another_name_is_refused(secure, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with pytest.raises(api.Unreachable, match="(?i)certificate"):
        api.get(f"https://127.0.0.1:{secure}/", key="stash_k")


def test_a_trust_store_that_is_not_there_is_named(secure, tmp_path, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(api.Unreachable, match=r"SSL_CERT_FILE.*none\.pem"):
        api.get(f"https://localhost:{secure}/")


def test_plain_http_goes_through_a_proxy_with_the_whole_address(monkeypatch):
    with scripted([said(b'{"a":1}')]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert api.get("http://stash.example.test/x?y=1", key="stash_k").body == {"a": 1}
    assert proxy.asked[0].startswith(b"GET http://stash.example.test/x?y=1 HTTP/1.1\r\nHost: stash.example.test\r\n")


def test_https_goes_through_a_tunnel_and_the_proxy_sees_no_key(secure, certificate, monkeypatch):
    def tunnel(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n")
        with socket.create_connection(("127.0.0.1", secure)) as other:
            back = threading.Thread(target=_copy, args=(other, connection), daemon=True)
            back.start()
            _copy(connection, other)

    with scripted(tunnel) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", f"http://dana:p%40ss@127.0.0.1:{proxy.port}")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        assert api.get("https://stash.example.test/", key="stash_k").body == {"secure": True}
    (asked,) = proxy.asked
    assert asked.startswith(b"CONNECT stash.example.test:443 HTTP/1.")
    assert b"Basic " + base64.b64encode(b"dana:p@ss") in asked
    assert b"stash_k" not in asked


def _copy(source: socket.socket, target: socket.socket) -> None:
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@pytest.mark.parametrize("answer", [said(status="407 Who are you"), b"nonsense\r\n\r\n", b""])
def test_a_proxy_that_refuses_is_said(answer, monkeypatch):
    with scripted([answer]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        with pytest.raises(api.Unreachable):
            api.get("https://stash.example.test/", key="stash_k")


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(api.Unreachable, match="(?i)refused"):
        api.post(f"http://127.0.0.1:{port}/", {})
