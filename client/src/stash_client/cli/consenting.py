"""Asking a person whether a repository may be captured: what goes where, and who will see it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from stash_client import api, connecting, marker, repofiles, service
from stash_client.accounts import Account
from stash_client.cli.asking import choose
from stash_client.cli.output import Output, plain
from stash_client.connecting import PRIVATE, VISIBLE, Proposal
from stash_client.consent import Connection
from stash_client.service import Joined, Project

_SHOWN_PEOPLE = 4
_WHAT = (
    "Stash keeps what your coding agents do: prompts, replies, commands and their output.",
    "Secrets are removed on this machine, before anything is kept or sent.",
)


def server_of(account: Account) -> str:
    """How a person recognises it; an account of their own name for it says so."""
    place = urlsplit(account.url).netloc or account.url
    return place if account.label == place else f"{account.label} ({place})"


def described(project: Project) -> str:
    """Name and short name: what a marker calls itself counts for nothing."""
    return project.name if project.name == project.slug else f"{project.name} ({project.slug})"


def about(proposal: Proposal) -> list[str]:
    """Where sessions would go, in rows."""
    account, checkout, target = proposal.account, proposal.checkout, proposal.target
    called = checkout.name or checkout.place
    remote = next((name for name in checkout.identities if not name.startswith("local:")), "no remote")
    origin = "named in .stash.toml" if proposal.from_marker else "named by you" if proposal.project else "by its remote"
    team = f", team {account.team}" if account.team else ""
    rows = [
        f"  Repository  {called} ({remote})" if checkout.is_git else f"  Folder      {checkout.place}",
        f"  Server      {server_of(account)}{team}, signed in as {account.user or 'the owner of STASH_KEY'}",
        f"  Project     {described(target)}, {origin}" if target else f"  Project     a new one, called {called}",
    ]
    return [plain(row) for row in rows]


def doubts(proposal: Proposal) -> list[str]:
    """What a person should know before agreeing, each in a paragraph."""
    found = []
    if proposal.foreign:
        found.append(
            f"{marker.NAME} names the server {proposal.foreign}. This machine is not signed in there, so nothing goes"
            f" there. If you trust it: stash signin {proposal.foreign}"
        )
    if proposal.unknown:
        found.append(
            f"{marker.NAME} names a project ({proposal.unknown}) that {server_of(proposal.account)} does not have, or"
            " does not show to you. It is not used."
        )
    if proposal.from_marker and proposal.project and proposal.by_remote != proposal.project:
        found.append(_other_project(proposal, proposal.project))
    if proposal.fault:
        found.append(proposal.fault)
    return [plain(words) for words in found]


def _other_project(proposal: Proposal, named: Project) -> str:
    ours = ", ".join(name for name in proposal.checkout.identities if not name.startswith("local:")) or "no remote"
    if proposal.by_remote:
        known = f"but by its remote ({ours}) this repository is {described(proposal.by_remote)}"
    else:
        theirs = [name for name in named.identities if not name.startswith(("local:", "marker:"))]
        known = f"which so far is {', '.join(theirs) or 'without a repository'}; this repository is {ours}"
    return (
        f"{marker.NAME} names the project {described(named)}, {known}."
        f" Agree only if these sessions belong in {named.name}."
    )


def audience(account: Account, project: Project | None) -> str:
    """Who reads what is visible to the project, as exactly as the server tells this person."""
    if project is None:
        return f"everybody in the team {account.team}" if account.team else "everybody in the team"
    try:
        people = service.members(account, project.slug)
    except (api.Refused, api.Unreachable):
        return f"everybody who can see {project.name}"
    more = len(people) - _SHOWN_PEOPLE
    named = ", ".join(people[:_SHOWN_PEOPLE]) + (f" and {more} more" if more > 0 else "")
    return plain(f"everybody who can see {project.name}: {named}")


def ask_who_sees(out: Output, readers: str, *, decline: str) -> str:
    """private, project, or "" for no."""
    answers = (
        (VISIBLE, f"Visible to the project: {readers}"),
        (PRIVATE, "Private: only you, until you share a session"),
        ("", decline),
    )
    return choose(out, "Who may see new sessions?", answers, default="")


def really(out: Output) -> bool:
    """For what a person must look at, however the command was called."""
    answers = (("yes", "Connect it all the same"), ("no", "Do not connect"))
    return choose(out, "Is this what you mean?", answers, default="no") == "yes"


def offer(out: Output, proposal: Proposal) -> Connection | None:
    """Ask about this repository once, in plain words; a no is remembered. None for no, and where nobody can answer."""
    out.say("", *_WHAT, *about(proposal), *warnings(out, proposal))
    answers = (
        ("here", f"Yes, sessions in {proposal.checkout.name or 'this folder'}"),
        ("all", "Yes, sessions in all repositories on this machine"),
        ("no", "Not now (stash connect does it later)"),
    )
    chosen = choose(out, "Let sessions be captured?", answers, default="no")
    readers = audience(proposal.account, None if chosen == "all" else proposal.target)
    readers = "in each project, everybody who can see it" if chosen == "all" else readers
    visibility = ask_who_sees(out, readers, decline="Nobody: do not capture") if chosen != "no" else ""
    if not visibility:
        connecting.refuse(proposal.checkout.place)
        out.say("Nothing is captured here. To change that: stash connect")
        return None
    if chosen == "all":
        connection = connecting.connect_everything(proposal.account, visibility)
        out.say(f"Connected all repositories. {sees(connection)}")
        return connection
    connection, joined = connecting.connect(proposal, visibility)
    out.say(*connected(connection, joined))
    return connection


def warnings(out: Output, proposal: Proposal) -> list[str]:
    return [f"{out.styled('Note:', 'yellow')} {doubt}" for doubt in doubts(proposal)]


def sees(connection: Connection) -> str:
    if connection.visibility == PRIVATE:
        return "New sessions are private: only you can read them, until you share one."
    name = "its project" if connection.is_everything else connection.name or "the project"
    return f"New sessions can be read by everybody who can see {name}."


def connected(connection: Connection, joined: Joined) -> list[str]:
    lines = [f"Connected {connection.name or connection.place}. {sees(connection)}"]
    if joined.fixed_by:
        lines.append(f"The {joined.fixed_by} has decided who sees new sessions: {joined.visibility}.")
    return lines


def write_files(out: Output, connection: Connection, proposal: Proposal, joined: Joined) -> list[str]:
    """Show what goes into the repository, ask, write. The names of the files written."""
    root = proposal.checkout.root or proposal.checkout.place
    if joined.project is None or (proposal.checkout.is_git and root == proposal.checkout.place):
        return []
    plan = repofiles.to_connect(Path(root), server=proposal.account.url, project=joined.project)
    for path, why in plan.left_alone:
        out.aside(f"{path.name} is left as it is: {why}")
    written = apply_plan(out, plan, Path(root), "Write this? Once committed, each colleague is asked once")
    if marker.NAME in written:
        connecting.pin(connection, proposal.account, proposal.checkout, joined.project)
    return written


def apply_plan(out: Output, plan: repofiles.Plan, root: Path, question: str) -> list[str]:
    """The names of the files written after a yes."""
    if not plan.changes:
        return []
    for change in plan.changes:
        out.say("", *shown(out, change, root))
    if not out.ask(question, default=False):
        return []
    for change in plan.changes:
        repofiles.apply(change)
    return [_name(change.path, root) for change in plan.changes]


def shown(out: Output, change: repofiles.Change, root: Path) -> list[str]:
    """A file's change as lines with + and -."""
    from difflib import unified_diff

    before = (change.before or b"").decode("utf-8", "replace").splitlines()
    after = (change.after or b"").decode("utf-8", "replace").splitlines()
    verb = "new file" if change.before is None else "goes away" if change.after is None else "changes"
    styles = {"+": "green", "-": "red"}
    body = list(unified_diff(before, after, lineterm="", n=1))[3:]
    lines = [out.styled(line, styles[line[0]]) if line[:1] in styles else line for line in body if line[:2] != "@@"]
    return [out.styled(f"{_name(change.path, root)} ({verb})", "bold"), *(f"  {line}" for line in lines)]


def _name(path: Path, root: Path) -> str:
    try:
        return str(path.relative_to(root))
    except ValueError:
        return str(path)
