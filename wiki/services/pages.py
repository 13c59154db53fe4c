"""What people and agents do to pages. Every verb is one commit of theirs."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from accounts.models import Project
from stash.access import gate, require
from stash.actors import Actor
from stash.errors import Conflict, Invalid, NotFound
from stash.gitstore.merging import merged
from stash.gitstore.paths import name_for
from wiki.content import MOST_BYTES, clean_text, page_path
from wiki.errors import Overlapping, Stale, VersionNeeded
from wiki.frontmatter import BadFrontMatter, with_key
from wiki.models import Page, Revision, Tombstone
from wiki.reading import anchor_of, read
from wiki.services.linking import rewritten
from wiki.services.writing import Desk, Draft, Version, write

_MOST_REWRITTEN = 500


@dataclass(frozen=True, slots=True)
class Saved:
    """``is_merged``: somebody else had changed other lines meanwhile; both changes are in it."""

    page: Page
    commit: str | None
    is_new: bool = False
    is_merged: bool = False


def create_page(
    *, actor: Actor, project: Project, text: str, path: str = "", title: str = "", folder: str = "", session: str = ""
) -> Saved:
    """A new page at a path, or at one made from its title. Raises Stale where a page is, Conflict where none can be."""
    if path:
        return save_page(actor=actor, project=project, path=path, text=text, create=True, session=session)
    if not title.strip():
        raise Invalid("A page needs a path or a title.")
    text = clean_text(actor, text)
    if read("x.md", text).title != title:
        try:
            text = with_key(text, "title", " ".join(title.split()) if "\n" in title else title)
        except BadFrontMatter as error:
            raise Invalid(str(error), code="bad_front_matter") from None
    made = ""

    def plan(desk: Desk) -> Draft:
        nonlocal made
        made = _free_path(desk, folder, title)
        return Draft({made: text}, f"Create {made}", "page.created", name=made)

    commit = write(actor=actor, project=project, plan=plan, session=session)
    return Saved(_page(project, made), commit, is_new=True)


def _free_path(desk: Desk, folder: str, title: str) -> str:
    name = name_for(title)
    for number in range(1, 1000):
        path = page_path(posixpath.join(folder.strip("/"), f"{name}-{number}.md" if number > 1 else f"{name}.md"))
        if desk.store.find(desk.head, path) is None and desk.store.clash(desk.head, path) is None:
            return path
    raise Conflict("There are too many pages of this title.", code="path_taken")


def save_page(
    *,
    actor: Actor,
    project: Project,
    path: str,
    text: str,
    base: str = "",
    create: bool = False,
    message: str = "",
    session: str = "",
) -> Saved:
    """Replace the text of a page, or make it. ``base``: the ETag of the version the writer started from.

    A stale one is merged where other lines changed; Overlapping brings both versions. Without ``base`` and ``create``
    an existing page is not touched (VersionNeeded).
    """
    path, text = page_path(path), clean_text(actor, text)
    is_new = is_merged = False

    def plan(desk: Desk) -> Draft | None:
        nonlocal is_new, is_merged
        current = desk.read(path)
        is_new = current is None
        new = _settled(desk, project, path, current, text, base, create)
        is_merged = new != text
        if current is not None and new == current.text:
            return None
        verb = "page.created" if is_new else "page.saved"
        said = message or f"{'Create' if is_new else 'Change'} {path}"
        return Draft({path: new}, said, verb, name=path, facts={"merged": is_merged})

    commit = write(actor=actor, project=project, plan=plan, session=session)
    return Saved(_page(project, path), commit, is_new, is_merged)


def _settled(
    desk: Desk, project: Project, path: str, current: Version | None, text: str, base: str, create: bool
) -> str:
    """The text to save, with what somebody else did meanwhile."""
    if current is None:
        if base:
            raise Stale("The page is gone.", current=None)
        return text
    if create:
        raise Stale("There is a page already.", current=_told(current))
    if not base:
        raise VersionNeeded("Send If-Match with the ETag of the page you read.", current={"etag": current.blob})
    if base == current.blob:
        return text
    if not Revision.objects.filter(project=project, path=path, blob=base).exists():
        raise Stale("This version is not known.", current=_told(current))
    before = desk.text(base)
    both = merged(base=before.encode(), ours=text.encode(), theirs=current.text.encode())
    if both is None:
        raise Overlapping(current=_told(current), base={"etag": base, "text": before}, yours={"text": text})
    return both.decode()


def _told(version: Version) -> dict[str, str]:
    return {"etag": version.blob, "text": version.text}


def append_to_page(
    *, actor: Actor, project: Project, path: str, text: str, heading: str = "", session: str = ""
) -> Saved:
    """Add a paragraph at the end of a page, or of the section under a heading; makes what is not there yet."""
    path, text = page_path(path), clean_text(actor, text).strip("\r\n")
    if not text:
        raise Invalid("There is nothing to append.")
    is_new = False

    def plan(desk: Desk) -> Draft:
        nonlocal is_new
        current = desk.read(path)
        is_new = current is None
        new = appended(path, current.text if current else "", text, heading)
        if len(new.encode()) > MOST_BYTES:
            raise Invalid("The page would become too large.", code="too_large", limit=MOST_BYTES)
        return Draft({path: new}, f"Append to {path}", "page.appended", name=path)

    commit = write(actor=actor, project=project, plan=plan, session=session)
    return Saved(_page(project, path), commit, is_new)


def appended(path: str, before: str, text: str, heading: str = "") -> str:
    """The text with more at its end. What was there stays to the byte, and its kind of line ends is kept."""
    end = "\r\n" if "\r\n" in before else "\n"
    text = end.join(text.splitlines())
    at = len(before)
    if heading.strip():
        heading = " ".join(heading.split())
        sections = read(path, before).sections
        place = next((n for n, one in enumerate(sections) if one.heading and one.anchor == anchor_of(heading)), None)
        if place is None:
            text = f"## {heading}{end}{end}{text}"
        else:
            later = [one.start for one in sections[place + 1 :] if one.level <= sections[place].level]
            at = later[0] if later else at
    head, tail = before[:at], before[at:]
    gap = "" if not head or head.endswith((end * 2, "\n\n")) else (end if head.endswith("\n") else end * 2)
    if head.endswith("\n") and _is_list(head) and _is_item(text):
        gap = ""
    return head + gap + text + end + (end if tail else "") + tail


def _is_list(text: str) -> bool:
    return _is_item(text.rstrip("\r\n").rsplit("\n", 1)[-1])


def _is_item(line: str) -> bool:
    return line.startswith(("- ", "* ", "+ "))


def move_page(*, actor: Actor, project: Project, path: str, to: str, base: str = "", session: str = "") -> Saved:
    """Give a page another path; links to it, in all pages, are written anew in the same commit."""
    path, to = page_path(path), page_path(to)
    if path == to:
        raise Invalid("It is there already.")

    def plan(desk: Desk) -> Draft:
        current = _current(desk, path, base)
        if desk.read(to) is not None:
            raise Conflict(f"There is a page at {to} already.", code="path_taken")
        files: dict[str, str | None] = dict(rewritten(desk, path, to, current.text, most=_MOST_REWRITTEN))
        count = len(files) - 1
        return Draft(
            {**files, path: None}, f"Move {path} to {to}", "page.moved", name=to,
            facts={"before": path, "links_in": count}, moved=((path, to),),
        )  # fmt: skip

    commit = write(actor=actor, project=project, plan=plan, session=session)
    return Saved(_page(project, to), commit)


def delete_page(*, actor: Actor, project: Project, path: str, base: str = "", session: str = "") -> None:
    """Remove a page. It leaves a tombstone, stays in git and can come back."""
    path = page_path(path)

    def plan(desk: Desk) -> Draft:
        _current(desk, path, base)
        return Draft({path: None}, f"Delete {path}", "page.deleted", name=path)

    write(actor=actor, project=project, plan=plan, session=session)


def undelete_page(*, actor: Actor, project: Project, path: str) -> Saved:
    """Bring back the last text of a deleted page. Raises NotFound where none was deleted."""
    require(actor, "wiki.write", project)
    path = page_path(path)

    def plan(desk: Desk) -> Draft:
        stone = gate(Tombstone.objects.filter(project=project), path=path)
        return Draft({path: desk.text(stone.last_blob)}, f"Bring back {path}", "page.undeleted", name=path)

    commit = write(actor=actor, project=project, plan=plan)
    return Saved(_page(project, path), commit, is_new=True)


def restore_page(*, actor: Actor, project: Project, path: str, commit: str, base: str = "") -> Saved:
    """Make the page what it was at one of its commits; a new commit on top, nothing is taken out of history."""
    path = page_path(path)

    def plan(desk: Desk) -> Draft | None:
        current = _current(desk, path, base)
        then = gate(Revision.objects.filter(project=project, path=path).exclude(blob=""), commit=commit)
        if then.blob == current.blob:
            return None
        said = f"Restore {path} as of {commit[:8]}"
        return Draft({path: desk.text(then.blob)}, said, "page.restored", name=path, facts={"of": commit})

    made = write(actor=actor, project=project, plan=plan)
    return Saved(_page(project, path), made)


def pin_page(*, actor: Actor, project: Project, path: str, pinned: bool) -> Saved:
    """A pinned page does not fade, and no machine writes it anew."""
    verb = "page.pinned" if pinned else "page.unpinned"
    return _marked(actor, project, path, "pinned", pinned, verb)


def protect_page(*, actor: Actor, project: Project, path: str, protected: bool) -> Saved:
    """A protected page is changed by administrators only."""
    require(actor, "wiki.protect", project)
    verb = "page.protected" if protected else "page.unprotected"
    return _marked(actor, project, path, "protected", protected, verb)


def _marked(actor: Actor, project: Project, path: str, key: str, on: bool, verb: str) -> Saved:
    path = page_path(path)

    def plan(desk: Desk) -> Draft | None:
        current = _current(desk, path, "")
        try:
            new = with_key(current.text, key, True if on else None)
        except BadFrontMatter as error:
            raise Invalid(str(error), code="bad_front_matter") from None
        if new == current.text:
            return None
        return Draft({path: new}, f"Mark {path}: {key}{'' if on else ' no more'}", verb, name=path)

    commit = write(actor=actor, project=project, plan=plan)
    return Saved(_page(project, path), commit)


def _current(desk: Desk, path: str, base: str) -> Version:
    current = desk.read(path)
    if current is None:
        raise NotFound()
    if base and base != current.blob:
        raise Stale("Somebody changed it meanwhile.", current=_told(current))
    return current


def _page(project: Project, path: str) -> Page:
    return gate(Page.objects.filter(project=project).select_related("project__team"), path=path)
