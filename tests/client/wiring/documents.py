"""Strategies for settings files as people write them, and the entries that go into them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from stash_client.wiring.edits import Entry, Ours, spliced

HOOK = "/home/dana/.config/stash/bin/stash-hook"
OURS = Ours(("hooks",))
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)
NAMES = st.sampled_from(["a", "b", "model", "env", "x y", "é", "hooks2", "Stop"])
BLANK = st.sampled_from(
    ["", " ", "\n", "\r\n", "\t", "\n  ", " // note\n", "/* note */", " /* a\nb */ ", "\n// [{\n\t"]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 10**6), WORDS).map(lambda v: json.dumps(v))


def handler(event: str) -> dict[str, object]:
    return {"type": "command", "command": f"{HOOK} claude-code {event}", "timeout": 10}


def nested(*events: str) -> list[Entry]:
    return [Entry(("hooks", event), {"hooks": [handler(event)]}) for event in events]


def flat(*events: str) -> list[Entry]:
    return [Entry(("hooks", event), {"command": f"{HOOK} hermes {event}", "timeout": 10}) for event in events]


def listed(*events: str) -> list[Entry]:
    return [Entry(("hooks",), {"event": event, "command": f"{HOOK} kimi-code {event}"}) for event in events]


def put(form, text: str, entries: list[Entry]) -> str:
    for entry in entries:
        text = spliced(text, form.insert(text, entry))
    return text


def taken(form, text: str, ours: Ours = OURS) -> str:
    while splices := form.removal(text, ours):
        text = spliced(text, splices)
    return text


@st.composite
def _object(draw, members, quote=json.dumps):
    parts = []
    for key, value in members:
        parts.append(draw(BLANK) + quote(key) + draw(BLANK) + ":" + draw(BLANK) + value + draw(BLANK))
    tail = "," + draw(BLANK) if parts and draw(st.booleans()) else ""
    return "{" + (",".join(parts) or draw(BLANK)) + tail + "}"


@st.composite
def _array(draw, items):
    parts = [draw(BLANK) + item + draw(BLANK) for item in items]
    tail = "," + draw(BLANK) if parts and draw(st.booleans()) else ""
    return "[" + (",".join(parts) or draw(BLANK)) + tail + "]"


def _members(values):
    return st.dictionaries(NAMES, values, max_size=3).map(lambda found: list(found.items()))


_VALUES = st.recursive(
    SCALARS, lambda inner: _members(inner).flatmap(_object) | st.lists(inner, max_size=3).flatmap(_array), max_leaves=6
)
_GROUPS = st.lists(
    st.sampled_from(['{"hooks": [{"type": "command", "command": "say done"}]}', '{"matcher":"Bash","hooks":[]}']),
    max_size=2,
).flatmap(_array)
_EVENTS = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "Other"]), _GROUPS, max_size=3)


@st.composite
def jsonc(draw) -> str:
    """A settings file, with or without foreign hooks."""
    members = draw(_members(_VALUES))
    if draw(st.booleans()):
        hooks = draw(_object(list(draw(_EVENTS).items())))
        members.insert(draw(st.integers(0, len(members))), ("hooks", hooks))
    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return bom + draw(BLANK) + draw(_object(members)) + draw(BLANK)


_TOML_LINES = st.sampled_from([
    "", "# note", "  # [[hooks]]", "[tools]", "[tools.x]", "[[servers]]", "[[servers.env]]", "[[hooks]]",
    "[ a . 'b c' ]",
])  # fmt: skip
_TOML_VALUES = st.sampled_from([
    '"x"', "'x'", '"""\n[[hooks]]\nx"""', "'''a\n'''", "1", "-1_000", "1.5", "true", "1979-05-27T07:32:00Z", "[1, 2, ]",
    '[\n  "a", # note\n  "b"\n]', "{ a = 1, b.c = 'x' }", '"é \\u00e9 \\""', "[]", "{}",
])  # fmt: skip


@st.composite
def toml(draw) -> str:
    """Often no TOML at all: keys may come twice."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = []
    for number in range(draw(st.integers(0, 8))):
        if draw(st.booleans()):
            lines.append(draw(_TOML_LINES))
        else:
            lines.append(f"k{number} = {draw(_TOML_VALUES)}" + draw(st.sampled_from(["", "  # note"])))
    text = end.join(line.replace("\n", end) for line in lines)
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", end, end * 3]))


_YAML_SCALARS = st.sampled_from([
    "x", "a b", "10", "true", '"q # r"', "'it''s'", "/bin/sh -c x", "a:b", "-5", "http://x", "~", "x#y", "{}", "[]", "",
    '"\\u2615 \\U0001F600 \\x41 \\e"', "[a, b-c, 'd, e']", '{ a: 1, b: "x: y" }',
])  # fmt: skip
_YAML_NOTES = st.sampled_from(["", "  # note"])


@st.composite
def _yaml_lines(draw, indent: int, depth: int) -> list[str]:
    pad, lines = " " * indent, []
    for number in range(draw(st.integers(1, 3))):
        lines += draw(st.sampled_from([[], [], ["", f"{pad}# note"], ["# far left"]]))
        kind = draw(st.integers(0, 5)) if depth else 0
        key = f"{pad}{draw(st.sampled_from(['k', 'key', 'a_b']))}{number}:"
        if kind == 1:
            lines += [key, *draw(_yaml_lines(indent + draw(st.integers(1, 4)), depth - 1))]
        elif kind == 2:
            dash = indent + draw(st.sampled_from([0, 2]))
            lines += [key, *(" " * dash + "- " + draw(_YAML_SCALARS.filter(bool)) for _ in range(2))]
        elif kind == 3:
            lines += [f"{key} |", f"{pad}  hooks:", "", f"{pad}    - command: x"]
        elif kind == 4:
            lines += [key, f"{pad}  - command: foo", f"{pad}    timeout: 3", f"{pad}  - x: 1"]
        elif kind == 5:
            long = draw(st.sampled_from([["a b", "c d"], ['"a', "", "b\\", 'c"'], ["'a", "b: ''c'"], ["x", "y#z"]]))
            lines += [f"{key} {long[0]}", *(f"{pad} {more}" for more in long[1:])]
        else:
            lines.append(f"{key} {draw(_YAML_SCALARS)}".rstrip() + draw(_YAML_NOTES))
    return lines


_YAML_HOOKS = st.sampled_from([
    [], ["hooks: {}"], ["hooks:"], ["hooks:", "  Stop:", "  - command: foo"], ["hooks:", "    Stop: []  # none"],
    ["hooks:", "  # mine", "  Other:", "    - command: foo", "      matcher: x", "  # end"],
])  # fmt: skip


@st.composite
def yaml(draw) -> str:
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = draw(st.sampled_from([[], ["---"], ["# top"]]))
    lines = lines + draw(_yaml_lines(0, 3)) + draw(_YAML_HOOKS)
    if draw(st.booleans()):
        lines += ["zz: 1", *draw(st.sampled_from([[], ["# last"], [""]]))]
    return end.join(lines) + draw(st.sampled_from(["", end, end * 2]))
