"""Of a huge text only the ends are searched; no secret survives the cuts, whole or in part."""

import pytest

from stash_client.privacy import EVENT_TEXT_LIMIT, scrub
from stash_client.privacy.ends import SEARCHED

HALF = SEARCHED // 2
LINE = f"API_KEY={'x1' * 2000}\n"
"""Long lines that become short ones, so that what is near the cut is kept to the end."""
SECRETS = [
    "ghp_" + "a1" * 18,
    "-----BEGIN RSA PRIVATE KEY-----\n" + "a1a1a1a1a1a1a1a1\n" * 40 + "-----END RSA PRIVATE KEY-----",
    "postgres://app:a1a1a1a1a1a1a1a1@db.example.test/shop",
    'DB_PASSWORD="a1a1 a1a1 a1a1 a1a1"',
    "https://x.example.test/?password=a1a1a1a1a1&user=app",
    "sk-ant-" + "a1" * 100_000,
    "<private>" + "a1 a1a1a1\n" * 50_000 + "</private>",
]


def lines(size):
    return (LINE * (size // len(LINE) + 1))[-size:]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("part", [0.02, 0.5, 0.98])
def test_scrub_lets_no_part_of_a_secret_survive_the_cuts(secret, part):
    into = int(len(secret) * part)
    before = "\n" + lines(HALF - into - 1)[1:]
    after = "\n" + lines(HALF - len(secret) + into - 1) if len(secret) - into < HALF else "\n"
    middle = "\n" + "ordinary words\n" * 20_000
    clean = scrub(before[1:] + "\n" + secret + middle + secret + after).value
    assert "a1a1" not in clean
    assert len(clean.encode()) <= EVENT_TEXT_LIMIT


def test_scrub_says_how_much_of_a_huge_text_went():
    text = "".join(f"line {number}\n" for number in range(300_000))
    clean = scrub(text).value
    head, _, tail = clean.partition("\n[… ")
    said, _, tail = tail.partition(" bytes left out …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert int(said) == pytest.approx(len(text) - len(head) - len(tail), abs=80)


def test_scrub_hides_a_private_passage_that_begins_in_the_part_left_out():
    text = "words\n" * 400_000 + "<private>\n" + "orchid\n" * 300_000 + "</private>\nend"
    clean = scrub(text)
    assert "orchid" not in clean.value
    assert clean.value.endswith("end")
    assert clean.redactions == {"private": 1}
