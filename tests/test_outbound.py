"""Against a real TLS server on this machine."""

from __future__ import annotations

import datetime
import ipaddress
import json
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from stash import outbound
from stash.outbound import OutboundFailed, OutboundRefused, is_public
from stash.vectors.encoders import ModelMissing, encoders


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        if path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", path.removeprefix("/to/"))
            self.end_headers()
        elif path == "/large":
            self._answer(b"x" * 300_000)
        elif path == "/slow":
            for _ in range(100):
                self.wfile.write(b"HTTP/1.0 200 OK\r\n" if _ == 0 else b"x: y\r\n")
                time.sleep(0.1)
        else:
            self._answer(f"{self.command} {self.path} {self.headers['Host']}".encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self._embeddings(body) if self.path == "/v1/embeddings" else body)

    def _embeddings(self, body: bytes) -> bytes:
        """As OpenAI answers, last one first: how long a text is, and how many words it has."""
        asked = json.loads(body)
        assert (asked["model"], self.headers["Authorization"]) == ("small", "Bearer k3y")
        rows = [{"index": n, "embedding": [len(text), len(text.split())]} for n, text in enumerate(asked["input"])]
        return json.dumps({"data": rows[::-1]}).encode()

    def _answer(self, body: bytes):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.DNSName("named.test")]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "pair.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + signed.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def server(certificate, monkeypatch, settings):
    """Its port; trusted and allowed under the name localhost."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    settings.OUTBOUND_ALLOW = ["localhost"]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield httpd.server_port
    httpd.shutdown()
    httpd.server_close()


def test_get_and_post(server):
    answer = outbound.request("GET", f"https://localhost:{server}/a?b=c")
    assert (answer.status, answer.body) == (200, f"GET /a?b=c localhost:{server}".encode())
    assert outbound.request("POST", f"https://localhost:{server}/", body=b"hello").body == b"hello"


def test_private_address_is_refused_unless_allowed(server, settings):
    settings.OUTBOUND_ALLOW = []
    with pytest.raises(OutboundRefused, match="not a public address"):
        outbound.request("GET", f"https://localhost:{server}/")
    settings.OUTBOUND_ALLOW = ["127.0.0.0/8"]
    assert outbound.request("GET", f"https://localhost:{server}/").status == 200


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "ftp://localhost/", "https:///x", "https://u:p@localhost/", "https://[::1", "https://a b/"],
)
def test_other_forms_are_refused(url, settings):
    settings.OUTBOUND_ALLOW = ["localhost"]
    with pytest.raises(OutboundRefused):
        outbound.request("GET", url)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_what_is_not_public(host):
    assert not is_public(ipaddress.ip_address(host))


@pytest.mark.parametrize("host", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101"])
def test_what_is_public(host):
    assert is_public(ipaddress.ip_address(host))


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "0177.0.0.1", "127.1"])
def test_other_spellings_of_this_machine_are_refused(host, settings):
    answers = {"localhost": "127.0.0.1"}
    with pytest.MonkeyPatch.context() as patch:
        real = socket.getaddrinfo
        patch.setattr(socket, "getaddrinfo", lambda name, *a, **k: real(answers.get(name, "127.0.0.1"), *a, **k))
        with pytest.raises(OutboundRefused):
            outbound.request("GET", f"https://{host}/")


def test_name_is_resolved_once_and_the_checked_address_is_used(server, settings, monkeypatch):
    """A name server that answers differently the second time changes nothing."""
    settings.OUTBOUND_ALLOW = ["127.0.0.1/32"]
    real, asked = socket.getaddrinfo, []

    def answering(host, port, *args, **options):
        if host != "named.test":
            return real(host, port, *args, **options)
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "10.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", answering)
    assert outbound.request("GET", f"https://named.test:{server}/").body == f"GET / named.test:{server}".encode()
    assert asked == ["named.test"]


def test_one_private_address_among_public_ones_refuses_the_name(monkeypatch):
    def answering(host, port, *args, **options):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in ("1.1.1.1", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", answering)
    with pytest.raises(OutboundRefused):
        outbound.request("GET", "https://mixed.test/")


def test_redirect_within_the_host_is_followed(server):
    assert outbound.request("GET", f"https://localhost:{server}/to//there").body.startswith(b"GET /there")


def test_redirect_elsewhere_is_refused(server):
    for target in ("https://example.test/", "http://localhost/", f"https://localhost:{server + 1}/"):
        with pytest.raises(OutboundRefused):
            outbound.request("GET", f"https://localhost:{server}/to/{target}")


def test_redirects_end(server):
    with pytest.raises(OutboundFailed, match="Too many redirects"):
        outbound.request("GET", f"https://localhost:{server}/to//to//to//to//to//x")


def test_answer_is_bounded_in_size(server):
    with pytest.raises(OutboundFailed, match="larger than 1000 bytes"):
        outbound.request("GET", f"https://localhost:{server}/large", max_bytes=1000)


def test_answer_is_bounded_in_time(server):
    with pytest.raises(OutboundFailed):
        outbound.request("GET", f"https://localhost:{server}/slow", timeout=0.5)


def test_a_certificate_of_nobody_is_refused(server, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(OutboundFailed, match="SSLCertVerificationError"):
        outbound.request("GET", f"https://localhost:{server}/")


def test_nobody_there(settings):
    settings.OUTBOUND_ALLOW = ["localhost"]
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(OutboundFailed):
            outbound.request("GET", f"https://localhost:{closed.getsockname()[1]}/")


def test_an_api_serves_as_a_model_where_the_operator_allows_it(settings, server):
    settings.EMBEDDING = f"https://localhost:{server}/v1"
    settings.EMBEDDING_MODEL, settings.EMBEDDING_KEY = "small", "k3y"
    (model,) = encoders()
    assert (model.name, model.dimension) == (f"small of https://localhost:{server}/v1", 2)
    assert np.allclose(model.encode(["abc", "a bc d"]), [[0.9487, 0.3162], [0.8944, 0.4472]], atol=1e-4)
    settings.OUTBOUND_ALLOW = []
    with pytest.raises(OutboundRefused):
        encoders()
    settings.EMBEDDING = "/nowhere"
    with pytest.raises(ModelMissing, match="no model.onnx"):
        encoders()
