"""What a save costs at 200 and at 20,000 pages in shards, and how fast the index is made again.

    python benchmarks/wiki.py [--pages 20000]

Ratios are printed against a floor of the same run: the same number of bare commits by the same plumbing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "client/src")]
_SAVES = 40
_SHARD = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=20_000)
    wanted = parser.parse_args().pages
    with tempfile.TemporaryDirectory(prefix="stash-bench-") as folder:
        os.environ |= {"STASH_DATA": folder, "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "stash.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        _measure(wanted)


def _measure(wanted: int) -> None:
    from accounts.authentication import actor_of_membership
    from accounts.models import Membership, Project, Team, User

    team = Team.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user("bench", "bench@example.test", "correct-horse-9")
    actor = actor_of_membership(Membership.objects.create(team=team, user=user, role="member"))
    small, large = (Project.objects.create(team=team, slug=slug, name=slug) for slug in ("small", "large"))
    _fill(small, 200)
    rate = _fill(large, wanted)
    floor = _bare(large)
    # Alternating, so that whatever else the machine does meets both alike.
    took: dict[str, list[float]] = {"small": [], "large": []}
    for number in range(_SAVES):
        took["small"].append(_save(actor, small, number))
        took["large"].append(_save(actor, large, number))
    few, many = (statistics.median(took[name]) for name in ("small", "large"))
    print(f"bare commit at {wanted} pages    {floor * 1000:7.1f} ms (floor)")
    print(f"save at 200 pages           {few * 1000:7.1f} ms  {few / floor:5.1f} x floor")
    print(f"save at {wanted} pages         {many * 1000:7.1f} ms  {many / floor:5.1f} x floor")
    print(f"ratio                       {many / few:7.2f}     (at most 1.5)")
    print(f"rebuild                     {rate:7.0f} pages/s (at least 150)")


def _text(number: int) -> bytes:
    body = "\n\n".join(f"## Part {part}\n\nWords about fares, see [[page-{number // 2}]]." for part in range(4))
    return f"---\ntitle: Page {number}\n---\n# Page {number}\n\n{body}\n".encode()


def _path(number: int) -> str:
    return f"sessions/2026/{number // _SHARD:03}/page-{number}.md"


def _fill(project, count: int) -> float:  # type: ignore[no-untyped-def]
    """Pages straight into git, then into the index; pages a second of the latter."""
    from wiki.places import only_writer
    from wiki.services import rebuild_index
    from wiki.services.authors import COMMITTER

    with only_writer(project.pk) as store:
        for start in range(0, count, _SHARD):
            files = {_path(number): _text(number) for number in range(start, min(start + _SHARD, count))}
            head = store.head()
            commit = store.commit(head, files, author=COMMITTER, committer=COMMITTER, message="Fill")
            assert store.advance(head, commit)
    started = time.perf_counter()
    rebuild_index(project)
    return count / (time.perf_counter() - started)


def _bare(project) -> float:  # type: ignore[no-untyped-def]
    from wiki.places import store_of
    from wiki.services.authors import COMMITTER

    store, took = store_of(project.pk), []
    for number in range(_SAVES):
        started = time.perf_counter()
        files = {_path(number): f"floor {number}\n".encode()}
        store.commit(store.head(), files, author=COMMITTER, committer=COMMITTER, message="Floor")
        took.append(time.perf_counter() - started)
    return statistics.median(took)


def _save(actor, project, number: int) -> float:  # type: ignore[no-untyped-def]
    from wiki import services

    started = time.perf_counter()
    services.append_to_page(actor=actor, project=project, path=_path(number % 100), text=f"Line {number}.")
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
