"""The index as a whole: made again from the files, and kept level with them."""

from __future__ import annotations

import logging

from accounts.models import Project
from stash.gitstore.commands import GitFailed
from wiki.models import Repository
from wiki.places import only_writer, store_of
from wiki.services.indexing import catch_up, rebuild

logger = logging.getLogger(__name__)


def rebuild_index(project: Project) -> int:
    """Everything the index says of this project, from its files alone; returns how many pages there are."""
    with only_writer(project.pk) as store:
        return rebuild(project, store)


def sweep() -> int:
    """Index what was committed and not indexed; returns how many wikis were behind."""
    behind = 0
    for row in Repository.objects.select_related("project"):
        store = store_of(row.pk)
        if (store.head() or "") != row.indexed_commit:
            try:
                with only_writer(row.pk) as held:
                    behind += catch_up(row.project, held)
            except (GitFailed, OSError, KeyError):
                logger.exception("wiki not indexed", extra={"project": str(row.pk)})
    return behind
