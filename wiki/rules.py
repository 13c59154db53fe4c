"""Who may do what with pages: the rights of the project they belong to."""

from __future__ import annotations

import rules

from accounts.models import Project
from accounts.rules import administers, can_read, can_write, may_change, reaches
from stash.actors import Actor


@rules.predicate
def is_system(actor: Actor, project: Project | None) -> bool:
    """Sweeps and operators write where their team is."""
    return actor.channel == "system" and project is not None and project.team_id == actor.team_id


rules.add_perm("wiki.read", can_read & reaches)
rules.add_perm("wiki.write", can_write & (may_change | is_system))
rules.add_perm("wiki.protect", administers & reaches)
