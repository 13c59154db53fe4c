"""The corpora: every secret in them goes, every line that is none stays as it is, and what is around stays readable."""

import json
import re
from pathlib import Path

import pytest

from stash_client.privacy import scrub

CORPORA = Path(__file__).parent / "corpora"
SECRETS = {
    "R02.tokens.txt": """
        sk-proj- sk-svcacct- sk-ant- sk-sp- ghp_ github_pat_ glpat- AIza hf_ npm_ eyJ FAKE.token FAKElower ZGFuYTpmYWtl
        c3ZjOmZha2Ut fake-password-3 fakecookievalue fakeapikeyvalue MNOP5678 XYZ-0987654321 FakeSignature
    """,
    "R03.urls.txt": """
        p@ss w:rd ss/w fakePw12 onlyFakePassword s%40fe fake:colon FAKEtok FAKEuser Fake-Pass-123 FakeInline123
    """,
    "R06.named.txt": """
        AKIAFAKE FAKEoriole fake-smtp-pw fakepg fakevalue ZmFrZTpmYWtl with-hash fake-django fake1 corgi-lamp
        fakekey-777 fake-py fake-toml fakecode fakecs fake-sql fakeroot
    """,
}
KEPT = {
    "R02.tokens.txt": ["key one ", "https://api.example.test/v1", "鍵は", "ですよ", "Bearer ", "-u dana:",
        "theme=dark"],
    "R03.urls.txt": ["@db.example.test:5432/shop", "@cluster.example.test/db", "Encrypt=true", "dbname=shop",
        "-uapp -p"],
    "R06.named.txt": [
        "PATH=/usr/bin:/bin\n", "TOKENIZERS_PARALLELISM=false\n", "KEYBOARD=us\n", "SSH_AUTH_SOCK=/tmp/agent.1\n",
        '"passwordHint":"pet name"', "&page=2", "DEBUG=1 ./manage.py check", '"user":"app"', "'retries': 3", "mysql:8",
    ],
}  # fmt: skip


MARKED = (CORPORA / "marked-secrets.txt").read_text().strip("\n").split("\n\n")
"""Pieces of real output; what is secret in them stands between « and »."""
BENIGN = (CORPORA / "benign.txt").read_text().splitlines()


@pytest.mark.parametrize("piece", MARKED)
def test_scrub_takes_out_what_is_marked_and_nothing_else(piece):
    clean = scrub(re.sub("[«»]", "", piece)).value
    assert re.sub(r"\[redacted:[a-z0-9-]+\]", "[redacted]", clean) == re.sub("«[^»]+»", "[redacted]", piece)


@pytest.mark.parametrize("line", BENIGN)
def test_scrub_leaves_benign_lines_as_they_are(line):
    assert scrub(line).value == line


def test_scrub_leaves_benign_lines_as_they_are_in_company():
    assert scrub("\n".join(BENIGN)).value.splitlines() == BENIGN


@pytest.mark.parametrize("name", sorted(SECRETS))
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "line by line"])
def test_scrub_leaves_no_secret_of_the_corpora(name, whole):
    text = (CORPORA / name).read_text()
    clean = scrub(text).value if whole else "\n".join(scrub(line).value for line in text.split("\n"))
    left = [secret for secret in SECRETS[name].split() if secret in clean]
    gone = [word for word in KEPT[name] if word not in clean]
    assert (left, gone) == ([], [])


def test_scrub_leaves_addresses_without_password_alone():
    lines = [line for line in (CORPORA / "R03.urls.txt").read_text().splitlines() if line.startswith("KEEP")]
    assert [scrub(line).value for line in lines] == lines


def test_scrub_reaches_into_structured_tool_input():
    hook = json.loads((CORPORA / "R06.structured-hook.json").read_text())
    clean = scrub(hook).value
    assert clean["tool_input"]["env"] == {"SERVICE_TOKEN": "[redacted:token]", "LANG": "C"}
    assert clean["tool_response"]["headers"] == {"Authorization": "Basic [redacted:authorization]", "Accept": "*/*"}
    assert clean["tool_response"]["password"] == "[redacted:password]"
    assert json.loads(clean["tool_response"]["stdout"]) == {"ledger_password": "[redacted:password]"}


def test_scrub_cleans_a_git_remote():
    remote = json.loads((CORPORA / "R03.remote.json").read_text())["git_remote_origin_url"]
    assert scrub(remote).value == "https://oauth2:[redacted:url-password]@git.example.test/acme/shop.git"


@pytest.mark.parametrize("case", json.loads((CORPORA / "R07.private.json").read_text())["cases"], ids=lambda c: c["in"])
def test_scrub_removes_private_passages(case):
    clean = scrub(case["in"])
    assert "orchid" not in clean.value
    assert clean.redactions["private"] >= 1
    assert all(word in clean.value for word in case.get("out_has", []))


def test_scrub_keeps_hostile_markup_as_text():
    inert = json.loads((CORPORA / "M03.inert.json").read_text())
    clean = scrub(inert).value
    assert clean["html"] == inert["html"]
    assert clean["csv"] == inert["csv"]
    assert clean["terminal"] == ["", "", "link", "hidden", "abcgnp.exe", "", "a\nb", "zero width"]


def test_scrub_replaces_an_image_by_a_note():
    hook = json.loads((CORPORA / "T09.image-hook.json").read_text())
    for clean in (scrub(hook).value["tool_response"], json.loads(scrub(json.dumps(hook)).value)["tool_response"]):
        assert "iVBOR" not in json.dumps(clean)
        assert "[image image/png 69 B sha256:bd12b150]" in json.dumps(clean)
        assert clean[0] == {"type": "text", "text": "page loaded"}
