"""Work grows with the length of the text, whatever the text is. Work is counted, not timed: calls of functions and
methods, and characters that expressions were let loose on."""

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import stash_client.privacy as privacy
from stash_client.privacy import Patterns, scrub
from stash_client.privacy.tokens import BUILTIN_TOKENS

SIZE = 4_000
PREFIXES = sorted({token.prefix for token in BUILTIN_TOKENS})
NAMES = [
    f"{name}{form}"
    for name in ("password", "API_KEY", "token", "user_pw")
    for form in (
        " ",
        "=",
        ": ",
        "=a ",
        "=a;",
        ": a\n",
        "='",
        '="a" ',
        '\\": \\"',
        "=>",
        " is a1b2c3 ",
        "[",
        "=${",
        ": |\n  a\n",
    )
]
MARKS = [
    *"'\"`=;:,.<>()[]{}|&?@#$%^*~!_-+/\\ \n\tA0",
    *(
        "\\n",
        '\\"',
        "\\\\",
        "\\u0041",
        "%20",
        "://",
        "a@",
        "://a:b@",
        "a://b:c@d.e/ ",
        "--",
        "a ",
        "a\n",
        "a b c d e f g\n",
    ),
    *(
        "e\u0301",
        "\u0301",
        "鍵",
        "😀",
        "\u200d",
        "\u200b",
        "\ud800",
        "\ud83d\ude00",
        "\x08",
        "a\x08",
        "\r",
        "a\r",
        "\r\n",
    ),
    *("\x1b[", "\x1b]", "\x1b", "\x9b", "\x9d", "\x1b[1m", "\x1b]8;;x\x07"),
]
FORMS = [
    *("<private ", "<private>", "</private>", "<private></private>", "&lt;private", "\\u003cprivate ", "private"),
    *("-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD\n", "BEGIN "),
    *("-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD\n-----END PRIVATE KEY-----\n", "private-lines: 1\nAAAA\n"),
    *(
        "LS0tLS1CRUdJTi",
        "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCkZBS0VGQUtFRkFLRUZB",
        "authorization:",
        "authorization: bearer ",
        "bearer a1b2c3d4e5f6a7b8c9 ",
        "basic ",
        "cookie",
    ),
    *(
        "cookie: a=bcdef; ",
        "authorization: digest a=",
        " -b a=bcdef ",
        "curl",
        "curl ",
        "curl -u a:b ",
        "mysql -pa ",
        " -p",
    ),
    *(
        " -p a",
        " -u a:b",
        " -a a",
        " -w a",
        "docker login -p a ",
        "--user a:b ",
        "pass:",
        "-passin pass:a ",
        "htpasswd ",
    ),
    *(
        "identified by 'a' ",
        "role password 'a' ",
        "echo a | x -stdin ",
        "echo ",
        "-stdin",
        ":5432:",
        "a:5432:b:c:d\n",
        ":*:",
    ),
    *("$", "$1$", "$2b$12$abcdefgh", "pbkdf2_sha256$1$", "{sha}", "jdbc:oracle:thin:a/b@", "?sig=", "?sig=a1b2c3d4e5&"),
    *("https://hooks.slack.com/services/", "discord.com/api/webhooks/", "eyJ", "eyJhbGciOi.", "q~", ".atlasv1.", "1:a"),
    *(
        "[redacted:",
        "[redacted:key]",
        "[image ",
        "/home/a",
        "/home/",
        "C:\\Users\\a\\",
        "data:image/png;base64,",
        "/9j/4",
    ),
    *(
        "data:image/png;base64,iVBORw0KGgo=",
        '"data":"',
        "iVBORw0KGgo",
        "0a1B" * 5 + " ",
        "0a1b2c3d",
        "server=a;password=b;",
    ),
    *('secrets: ["a", ', "name: API_KEY\nvalue: x\n", '"name":"API_KEY","value":"x",', "--password x ", "set TOKEN x "),
    *("<password>a</password>", "login a password b ", ";;;password=", "a.b.key=", "the api key is a1b2c3d4e5 "),
]


class Counted:
    """An expression that notes how many characters it was let loose on."""

    def __init__(self, pattern, work):
        self.pattern, self.work = pattern, work

    def __getattr__(self, name):
        method = getattr(self.pattern, name)
        return self._search(method) if name in ("search", "finditer", "findall") else self._other(method, name)

    def _search(self, method):
        def search(text, begin=0, end=sys.maxsize):
            found = method(text, begin, end)
            stop = found.end() if isinstance(found, re.Match) else min(end, len(text))
            self.work[0] += max(0, stop - begin)
            return found

        return search

    def _other(self, method, name):
        if not callable(method):
            return method

        def call(*args):
            found = method(*args)
            self.work[0] += found.end() - found.start() if isinstance(found, re.Match) else 0
            self.work[0] += len(args[-1]) if name in ("sub", "split") else 0
            return found

        return call


def counted(value, work):
    if isinstance(value, re.Pattern):
        return Counted(value, work)
    if isinstance(value, dict):
        return {key: counted(item, work) for key, item in value.items()}
    return tuple(counted(item, work) for item in value) if type(value) is tuple else value


@pytest.fixture
def work(monkeypatch):
    """A function that scrubs a text and returns how much work that was."""
    done = [0]
    for path in Path(privacy.__file__).parent.glob("*.py"):
        module = import_module(f"stash_client.privacy.{path.stem}")
        for name, value in vars(module).copy().items():
            if isinstance(value, (re.Pattern, tuple, dict)) and not name.startswith("__"):
                monkeypatch.setattr(module, name, counted(value, done))

    def profile(_frame, event, _argument):
        done[0] += event in ("call", "c_call")

    def measured(text):
        done[0] = 0
        sys.setprofile(profile)
        try:
            scrub(text, patterns=TEAM)
        finally:
            sys.setprofile(None)
        return done[0]

    return measured


TEAM = Patterns.compile([{"type": "acme-key", "prefix": "acme_", "min": 8}, {"type": "pin", "names": ["LEDGER_PIN"]}])


def growth(work, unit, size):
    once, four = (work(unit * (length // len(unit))) for length in (size, size * 4))
    return round(four / once, 1)


@pytest.mark.parametrize("units", [MARKS, FORMS, NAMES, PREFIXES, ["acme_", "ledger_pin=1 "]], ids=lambda u: repr(u[0]))
def test_scrub_of_four_times_the_text_is_four_times_the_work(work, units):
    """Finders look some thousand characters ahead; where that hides the growth, a longer text shows it."""
    suspects = [unit for unit in units if growth(work, unit, SIZE) > 4.5]
    assert {unit: times for unit in suspects if (times := growth(work, unit, SIZE * 6)) > 4.5} == {}


def test_counting_sees_a_search_that_starts_over(work):
    """The measure itself: reading to the end of the text from every hit is found out."""
    done = [0]
    greedy = Counted(re.compile("a[^;]*;"), done)
    costs = []
    for size in (500, 2_000):
        done[0] = 0
        for at in range(size):
            greedy.search("a" * size, at)
        costs.append(done[0])
    assert costs[1] > costs[0] * 10
