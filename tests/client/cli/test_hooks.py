"""``stash hooks`` and ``stash agents`` as a person runs them."""

from __future__ import annotations

import json

import pytest

from stash_client.recent import Recent

SETTINGS = '{\n  // mine\n  "model": "x"\n}\n'


@pytest.fixture
def claude(laptop):
    path = laptop.user_home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    return path


def test_install_shows_the_difference_asks_and_can_be_taken_back(laptop, claude):
    terminal = laptop.terminal("hooks", "install")
    shown = terminal.expect("[Y/n, d shows every line] ")
    assert shown.startswith("  ~/.claude/settings.json  Claude Code calls Stash  145 lines added, 1 line changed\n")
    assert "Change 1 file? Copies as they are now are kept." in shown
    terminal.type("d")
    shown = terminal.expect("[Y/n, d shows every line] ")
    assert f"Claude Code calls Stash: {claude}\n--- {claude}" in shown
    assert '\n-  "model": "x"\n+  "model": "x",\n+  "hooks": {\n' in shown
    assert claude.read_text() == SETTINGS
    terminal.type("y")
    terminal.expect("Done.")
    assert terminal.end() == 0

    assert f'"command": "{laptop.home}/bin/stash-hook claude-code Stop"' in claude.read_text()
    assert (laptop.home / "bin" / "stash-hook").stat().st_mode & 0o100
    assert laptop.run("hooks", "install")[1] == "Nothing to change.\n"
    assert laptop.run("hooks", "uninstall", "--yes")[0] == 0
    assert claude.read_text() == SETTINGS


def test_no_is_an_answer(laptop, claude):
    terminal = laptop.terminal("hooks", "install", "claude-code")
    terminal.expect("[Y/n, d shows every line] ")
    terminal.type("n")
    terminal.expect("Nothing was changed.")
    assert terminal.end() == 0
    assert claude.read_text() == SETTINGS


def test_dry_run_changes_nothing(laptop, claude):
    code, out, err = laptop.run("hooks", "install", "claude-code", "codex", "--dry-run")
    assert (code, err) == (0, "")
    assert "stash-hook claude-code Stop" in out
    assert "stash-hook codex Stop" in out
    assert claude.read_text() == SETTINGS
    assert not (laptop.user_home / ".codex").exists()


def test_what_must_be_approved_is_said(laptop):
    assert "Codex CLI: Codex runs a hook only after" in laptop.run("hooks", "install", "codex", "--yes")[1]


def test_install_goes_on_beside_a_file_that_it_leaves_alone(laptop, claude):
    claude.write_text('{"model": ')
    (laptop.user_home / ".codex").mkdir()
    code, out, _ = laptop.run("hooks", "install", "claude-code", "codex", "--yes")
    assert code == 1
    assert f"{claude} was left alone: line 1: no value where one should be." in out
    assert "What to add: stash hooks show claude-code" in out
    assert claude.read_text() == '{"model": '
    assert (laptop.user_home / ".codex" / "hooks.json").exists()


def test_an_agent_that_is_wired_by_hand_says_how(laptop):
    code, out, _ = laptop.run("hooks", "install", "crush")
    assert code == 1
    assert "Crush is connected by hand." in out
    shown = laptop.json("hooks", "show", "crush")["files"][0]
    assert shown["path"] == "~/.config/crush/crush.json"
    assert json.loads(shown["text"])["hooks"]["PreToolUse"][0]["command"].endswith("stash-hook crush PreToolUse")


def test_names_are_forgiving_and_unknown_ones_listed(laptop):
    assert laptop.run("hooks", "show", "claude")[0] == 0
    code, _, err = laptop.run("hooks", "install", "nobody")
    assert code == 2
    assert "No agent 'nobody'. Known: antigravity, claude-code" in err


def test_install_without_any_agent_says_so(laptop):
    code, _, err = laptop.run("hooks", "install", PATH="/usr/bin:/bin")
    assert code == 1
    assert "No agent that Stash can wire was found here." in err


def test_json_is_one_document(laptop, claude):
    done = laptop.json("hooks", "install", "claude-code")
    assert done["done"] is True
    assert [change["path"] for change in done["changes"]] == [str(claude)]
    assert laptop.json("hooks", "install", "claude-code")["changes"] == []


def test_agents_says_what_is_wired_trusted_and_working(laptop, claude):
    (laptop.user_home / ".codex").mkdir()
    agents = {agent["harness"]: agent for agent in laptop.json("agents", PATH="/usr/bin:/bin")["agents"]}
    assert {name: agent["wiring"] for name, agent in agents.items()} == {
        "claude-code": "not wired",
        "codex": "not wired",
    }
    assert agents["codex"]["todo"] == "stash hooks install codex"

    laptop.run("hooks", "install", "--yes", PATH="/usr/bin:/bin")
    agents = {agent["harness"]: agent for agent in laptop.json("agents")["agents"]}
    assert (agents["claude-code"]["wiring"], agents["claude-code"]["trusted"]) == ("wired", None)
    assert (agents["codex"]["wiring"], agents["codex"]["trusted"]) == ("wired", False)
    assert "/hooks" in agents["codex"]["todo"]

    seen = [vars(Recent("codex", "s-1", last_at="2100-01-01T00:00:00Z"))]
    (laptop.home / "recent.json").write_text(json.dumps(seen))
    codex = next(agent for agent in laptop.json("agents")["agents"] if agent["harness"] == "codex")
    assert (codex["trusted"], codex["todo"], codex["seen"]) == (True, "", 4102444800.0)


def test_agents_finds_what_is_doubled_or_half_there(laptop, claude):
    laptop.run("hooks", "install", "claude-code", "--yes")
    text = claude.read_text()
    handler = text[text.index('{\n            "type"') : text.index("}", text.index('"type"')) + 1]
    claude.write_text(text.replace(handler, f"{handler}, {handler}", 1))
    assert _wiring(laptop) == "double"
    claude.write_text(text.replace('"timeout": 10', '"timeout": 11', 1))
    assert _wiring(laptop) == "partly"
    laptop.run("hooks", "install", "claude-code", "--yes")
    assert _wiring(laptop) == "wired"
    claude.write_text("{")
    assert _wiring(laptop) == "unreadable"


def _wiring(laptop) -> str:
    return next(agent["wiring"] for agent in laptop.json("agents")["agents"] if agent["harness"] == "claude-code")


def test_agents_as_a_table(laptop, claude):
    code, out, _ = laptop.run("agents", "--all")
    assert code == 0
    assert out.splitlines()[0].split("  ")[0] == "AGENT"
    assert "Claude Code" in out
    assert "stash hooks show zero" in out
