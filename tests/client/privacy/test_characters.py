"""What text may contain after the boundary."""

import json
from pathlib import Path

import pytest

from stash_client.privacy import scrub

CORPORA = Path(__file__).parent / "corpora"


@pytest.mark.parametrize(
    "given, kept",
    [
        ("D\0i\0r\0", "Dir"),
        ("binary \udc9f end", "binary \ufffd end"),
        ("half \ud83d tail \ud83d\ude00", "half \ufffd tail 😀"),
        ("smile 😀 family 👩‍👩‍👧 flag 🏳️‍🌈", "smile 😀 family 👩‍👩‍👧 flag 🏳️‍🌈"),
        ("می‌خواهم", "می‌خواهم"),
        (r"six letters \u0000", r"six letters \u0000"),
        ("\ufeff\ufeffstart", "start"),
        ("tab\tand\nnewline", "tab\tand\nnewline"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07shown", "red shown"),
        ("\x1b]8;;https://evil.example.test\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("one\r\ntwo", "one\ntwo"),
        ("one\rtwo", "one\ntwo"),
        ("10%\r55%\r100%\ndone", "100%\ndone"),
        ("N\x08NA\x08AM\x08ME\x08E", "NAME"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("pass\u200bword", "password"),
    ],
)
def test_scrub_repairs_characters(given, kept):
    assert scrub(given).value == kept


def test_scrub_sees_secrets_through_control_codes():
    assert "hunter2" not in scrub("PASS\u200bWORD=hun\x1b[1mter2").value
    assert "FAKE" not in scrub("ghp_\x1b[31mFAKEfakeFAKEfake\x00FAKEfakeFAKEfakeFAKE").value


def test_scrub_makes_hostile_records_storable():
    lines = (CORPORA / "T05.hostile-characters.jsonl").read_text().splitlines()
    for record in [json.loads((CORPORA / "T05.hook.json").read_text()), *map(json.loads, lines)]:
        text = json.dumps(scrub(record).value, ensure_ascii=False)
        assert text.encode("utf-8")
        assert "\\u0000" not in text.replace("\\\\u0000", "")


@pytest.mark.parametrize(
    "given, kept",
    [
        ("/home/dana/work/shop", "~/work/shop"),
        ("open '/Users/dana/a b'", "open '~/a b'"),
        (r"C:\Users\dana\src\app.py", r"~/src\app.py"),
        ("C:\\\\Users\\\\dana\\\\src", "~/src"),
        ("cd /home/dana", "cd ~"),
        ("PATH=/usr/bin:/home/dana/bin", "PATH=/usr/bin:~/bin"),
        ("https://example.test/home/dana/x", "https://example.test/home/dana/x"),
        ("src/home/page.py", "src/home/page.py"),
        ("/root/x", "/root/x"),
    ],
)
def test_scrub_shortens_homes(given, kept):
    assert scrub(given).value == kept


def test_scrub_shortens_the_given_home():
    assert scrub("/root/x and /rooted", home="/root").value == "~/x and /rooted"
