"""Kiro CLI, versions 2 and 3. What version 3 puts into its hooks is a guess; its names differ from version 2's."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.kiro.hooks import EVENTS, answer
from stash_client.harnesses.kiro.sessions import facts_beside, with_session
from stash_client.harnesses.kiro.transcript import KiroReader
from stash_client.harnesses.sources import JSONL, Source, folder_of, lines_of, stem
from stash_client.harnesses.transcripts import Transcript


def _version_2(path: str) -> Iterator[Transcript]:
    yield _with_facts(path, stem(path), f"{path[: -len('.jsonl')]}.json")


def _version_3(path: str) -> Iterator[Transcript]:
    yield _with_facts(path, folder_of(path), f"{path[: -len('messages.jsonl')]}session.json")


def _with_facts(path: str, native_id: str, beside: str) -> Transcript:
    reader = KiroReader(KIRO, native_id)
    reader.enter(native_id, **facts_beside(beside))
    return Transcript(reader, lines_of(path))


KIRO = Harness(
    name="kiro",
    label="Kiro",
    events=EVENTS,
    fallback=by_name,
    reader=KiroReader,
    tools={"use_aws": "other", "introspect": "other", "thinking": "other", "todo_list": "other"},
    resume=("kiro-cli", "chat", "--resume-id", "{session}"),
    ends=False,
    result_events=frozenset({"postToolUse", "PostToolUse"}),
    injects=frozenset({"agentSpawn", "SessionStart"}),
    answer=answer,
    sources=(
        Source("${KIRO_HOME:-~/.kiro}/sessions/cli/*.jsonl", JSONL, _version_2),
        # Version 3 does not look at KIRO_HOME.
        Source("~/.kiro/sessions/*/sess_*/messages.jsonl", JSONL, _version_3),
    ),
    supplement=with_session,
    context_limit=3_000,
)
