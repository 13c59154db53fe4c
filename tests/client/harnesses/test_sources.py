import os
import shutil
import sqlite3

import pytest

from stash_client.harnesses import HARNESSES
from stash_client.harnesses.databases import opened, rows
from stash_client.harnesses.sources import Source, expanded
from tests.client.harnesses.stories import SAMPLES

# Nobody has seen their session files.
UNKNOWN = {"devin-cli", "pool", "windsurf", "zcode", "zero"}


def test_variables_move_a_source_and_are_no_pattern(monkeypatch):
    monkeypatch.setenv("HOME", "/home/dana")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    assert expanded("${CODEX_HOME:-~/.codex}/*.jsonl") == "/home/dana/.codex/*.jsonl"
    monkeypatch.setenv("CODEX_HOME", "~/odd[1]")
    assert expanded("${CODEX_HOME:-~/.codex}/*.jsonl") == "/home/dana/odd[[]1]/*.jsonl"


def test_a_file_that_a_link_names_again_is_listed_once(tmp_path):
    (tmp_path / "b.jsonl").write_text("")
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "b.jsonl")
    (tmp_path / "d.jsonl").mkdir()
    found = Source(f"{tmp_path}/*.jsonl", "jsonl", lambda path: iter(())).files()
    assert list(found) == [str(tmp_path / "b.jsonl")]


@pytest.mark.parametrize("harness", HARNESSES.values(), ids=lambda harness: harness.name)
def test_every_harness_says_where_its_sessions_lie(harness, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for source in harness.sources:
        assert source.kind in ("jsonl", "json", "sqlite")
        assert os.path.isabs(expanded(source.pattern))
        assert list(source.files()) == []
    assert harness.sources or harness.name in UNKNOWN


@pytest.mark.parametrize("place, sample, session", [
    (".claude/projects/-home-x/e4bbcf61-f6fb-4587-adc0-dea7d4307be9.jsonl", "claude-code/transcript.jsonl",
     "e4bbcf61-f6fb-4587-adc0-dea7d4307be9"),
    (".claude/projects/-home-x/e4bbcf61/subagents/agent-a7c31f09e2d4.jsonl",
     "claude-code/subagents/agent-a7c31f09e2d4.jsonl", "e4bbcf61-f6fb-4587-adc0-dea7d4307be9/a7c31f09e2d4"),
    (".codex/sessions/2026/11/24/rollout-x.jsonl", "codex/transcript.jsonl", "019ab2f4-7c10-7d31-9e55-3b2f60c7a911"),
    (".cursor/projects/x/agent-transcripts/040708d4/040708d4.jsonl", "cursor/transcript.jsonl", "040708d4"),
    (".cursor/projects/x/agent-transcripts/040708d4/subagents/65051a02.jsonl",
     "cursor/subagents/65051a02-9a2c-461b-ae7e-dfc1c58e8f05.jsonl", "040708d4/65051a02"),
    (".config/Cursor/User/globalStorage/state.vscdb", "cursor/state.vscdb", "040708d4-78ab-4f87-a613-f68954f08c9b"),
    (".factory/sessions/-home-x/27d9a3ab.jsonl", "droid/transcript.jsonl", "27d9a3ab"),
    (".kimi-code/sessions/4f2a/13e871bc/agents/main/wire.jsonl", "kimi-code/transcript.jsonl", "13e871bc"),
    (".kimi-code/sessions/4f2a/13e871bc/agents/explore/wire.jsonl", "kimi-code/transcript.jsonl", "13e871bc/explore"),
    (".grok/sessions/%2Fhome%2Fx/36e0a2b8/chat_history.jsonl", "grok/transcript.jsonl", "36e0a2b8"),
    (".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/17/api_conversation_history.json",
     "cline/api_conversation_history.json", "17"),
    (".pi/agent/sessions/--home-x--/2026_7d.jsonl", "pi/transcript.jsonl", "7d606088-a2d3-4bf4-a921-2e674a7b736b"),
    (".omp/agent/sessions/x/2026_7d606088.jsonl", "omp/transcript.jsonl", "7d606088-a2d3-4bf4-a921-2e674a7b736b"),
    (".local/share/crush/crush.db", "crush/crush.db", "f178114c-0249-42f7-acf4-94d7f539d6ec"),
    (".commandcode/projects/x/dc0377d9.jsonl", "command-code/transcript.jsonl",
     "dc0377d9-3498-41f9-ac91-6a11775361aa"),
])  # fmt: skip
def test_sessions_are_found_where_agents_leave_them(place, sample, session, monkeypatch, tmp_path):
    assert session in told_from(place, sample, monkeypatch, tmp_path)


def told_from(place, sample, monkeypatch, tmp_path):
    """Native ids of the sessions with events, found in a home that holds this one file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / place).parent.mkdir(parents=True)
    shutil.copy(SAMPLES / sample.replace("omp/transcript", "pi/transcript"), tmp_path / place)
    harness = HARNESSES[sample.partition("/")[0]]
    transcripts = (read for source in harness.sources for path in source.files() for read in source.read(path))
    return {batch.session.native_id for read in transcripts for batch in read if batch.events}


def test_vs_code_writes_the_records_of_copilot_cli(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    place = tmp_path / ".config/Code/User/workspaceStorage/4f/GitHub.copilot-chat/transcripts/3391465e.jsonl"
    place.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / "copilot-cli/transcript.jsonl", place)
    (path,) = HARNESSES["vscode-copilot"].sources[0].files()
    (read,) = HARNESSES["vscode-copilot"].sources[0].read(path)
    told = {(batch.session.harness, batch.session.native_id) for batch in read}
    assert ("vscode-copilot", "3391465e") in told


# Databases in use


@pytest.fixture
def in_use(tmp_path):
    """A database in WAL mode that its agent holds open, with a row that is in the log only."""
    path = tmp_path / "agent.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("CREATE TABLE t (a, b)")
    writer.execute("INSERT INTO t VALUES ('one', CAST(x'ff41' AS TEXT))")
    yield path, writer
    writer.close()


def test_what_is_only_in_the_log_is_read(in_use):
    with opened(str(in_use[0])) as database:
        assert list(rows(database, "t")) == [{"a": "one", "b": "\ufffdA"}]


def test_a_locked_database_is_read_from_a_copy(tmp_path):
    path = tmp_path / "agent.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("CREATE TABLE t (a)")
    writer.execute("INSERT INTO t VALUES ('one')")
    writer.execute("BEGIN EXCLUSIVE")
    with opened(str(path)) as database:
        assert list(rows(database, "t")) == [{"a": "one"}]
    writer.close()


def test_reading_never_writes(in_use):
    with opened(str(in_use[0])) as database, pytest.raises(sqlite3.OperationalError):
        database.execute("INSERT INTO t VALUES (1, 2)")


def test_what_is_no_database_or_not_there_is_an_error(tmp_path):
    path = tmp_path / "agent.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(sqlite3.DatabaseError), opened(str(path)):
        pass
    with pytest.raises(OSError), opened(str(tmp_path / "absent.db")):
        pass
