"""Every command: the module that does it, and one line of help.

A module has ``arguments(parser)`` and ``run(chosen, out) -> int | None``; it raises ``Failed`` with what to do.
"""

from __future__ import annotations

from dataclasses import dataclass

MACHINE, CAPTURE, MEMORY = "This machine", "Capture", "Reading back"
GROUPS = (MACHINE, CAPTURE, MEMORY)


@dataclass(frozen=True)
class Command:
    module: str
    help: str
    group: str
    hidden: bool = False


COMMANDS = {
    "signin": Command("stash_client.cli.signin", "sign this machine in; a person confirms in the browser", MACHINE),
    "status": Command("stash_client.cli.status", "who, where to, who sees it, what waits", MACHINE),
    "doctor": Command("stash_client.cli.doctor", "find what is wrong on this machine, and mend it", MACHINE),
    "agents": Command("stash_client.cli.agents", "which agents are here, wired, trusted and working", MACHINE),
    "hooks": Command("stash_client.cli.hooks", "wire agents to Stash, or show how", MACHINE),
    "mcp": Command("stash_client.cli.mcp", "the memory as tools of agents (MCP): install, or carry messages", MACHINE),
    "upgrade": Command("stash_client.cli.upgrade", "replace this client by the one the server offers", MACHINE),
    "completions": Command(
        "stash_client.cli.completions", "completion of commands and sessions for your shell", MACHINE
    ),
    "logout": Command("stash_client.cli.logout", "end this machine's key and forget it", MACHINE),
    "help": Command("stash_client.cli.help", "what stash can do, and how", MACHINE),
    "connect": Command("stash_client.cli.connect", "let sessions in this repository be captured", CAPTURE),
    "disconnect": Command("stash_client.cli.disconnect", "capture nothing more in this repository", CAPTURE),
    "private": Command("stash_client.cli.private", "keep the running session to yourself", CAPTURE),
    "share": Command("stash_client.cli.share", "let the project see the running session", CAPTURE),
    "forget": Command("stash_client.cli.forget", "remove what was captured, here and on the server", CAPTURE),
    "pause": Command("stash_client.cli.pause", "capture nothing for a while", CAPTURE),
    "resume": Command("stash_client.cli.resume", "end a pause", CAPTURE),
    "preview": Command("stash_client.cli.preview", "what would be sent of the last session here", CAPTURE),
    "import": Command("stash_client.cli.import_", "bring in the sessions agents kept on this machine", CAPTURE),
    "note": Command("stash_client.cli.note", "leave a remark in the session that runs here", CAPTURE),
    "emit": Command("stash_client.cli.emit", "capture any agent: its events as JSON lines on stdin", CAPTURE),
    "spool": Command("stash_client.cli.spool", "what waits here to be sent, and why; show, retry", CAPTURE),
    "flush": Command("stash_client.cli.flush", "send all that waits, and stay until it is sent", CAPTURE),
    "send": Command("stash_client.cli.send", "send what waits", CAPTURE, hidden=True),
    "top": Command("stash_client.cli.top", "what your agents do now; who waits for you comes first", MEMORY),
    "sessions": Command("stash_client.cli.sessions", "list, read, watch and export sessions", MEMORY),
    "search": Command("stash_client.cli.search", "ask all sessions one question: words, quotes, filters", MEMORY),
    "vfs": Command("stash_client.cli.vfs", "the team's memory as files: ls, cat, rg, find and more", MEMORY),
    "open": Command("stash_client.cli.open", "open a page of the server in the browser", MEMORY),
}
