"""GitHub Copilot CLI."""

from collections.abc import Iterator

from stash_client.harnesses.base import Harness
from stash_client.harnesses.copilot_cli.hooks import EVENTS, answer
from stash_client.harnesses.copilot_cli.said import with_last_words
from stash_client.harnesses.copilot_cli.transcript import CopilotReader
from stash_client.harnesses.copilot_cli.workspace import facts_beside
from stash_client.harnesses.generic import by_name
from stash_client.harnesses.sources import JSONL, Source, folder_of, lines_of
from stash_client.harnesses.transcripts import Transcript


def _session(path: str) -> Iterator[Transcript]:
    """The folder is named after the session; a title stands only in the file beside the events."""
    reader = CopilotReader(COPILOT_CLI, folder_of(path))
    reader.enter(folder_of(path), **facts_beside(path))
    yield Transcript(reader, lines_of(path))


COPILOT_CLI = Harness(
    name="copilot-cli",
    label="Copilot CLI",
    events=EVENTS,
    fallback=by_name,
    reader=CopilotReader,
    tools={"report_intent": "other", "update_todo": "other", "web_fetch": "web"},
    resume=("copilot", "--resume", "{session}"),
    ends=True,
    result_events=frozenset({"postToolUse", "postToolUseFailure", "PostToolUse", "PostToolUseFailure"}),
    injects=frozenset({"sessionStart", "SessionStart"}),
    answer=answer,
    sources=(Source("~/.copilot/session-state/*/events.jsonl", JSONL, _session),),
    supplement=with_last_words,
)
