"""`manage.py index`: keeps the search index up to date, as a process of its own."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, InterfaceError, close_old_connections

from stash.recall.indexer import Indexer
from stash.recall.locks import only_one
from stash.search.services import clear

_LOOK_EVERY = 0.5
_TRY_AGAIN = 5.0


class Command(BaseCommand):
    help = "Indexes what happens for search until it is stopped. Where another one does it already, this one waits."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end when nothing is left to index")
        parser.add_argument("--rebuild", action="store_true", help="forget the index first; search fills up again")

    def handle(self, *, once: bool, rebuild: bool, **options: Any) -> None:
        self._stop = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self._stop.set())
        while not self._stop.is_set():
            try:
                done = self._hold(once=once, rebuild=rebuild)
            except (DatabaseError, InterfaceError) as error:
                self.stderr.write(f"The database cannot be used ({type(error).__name__}); trying again.")
                done = False
            if done or self._stop.wait(_TRY_AGAIN):
                return
            close_old_connections()

    def _hold(self, *, once: bool, rebuild: bool) -> bool:
        """Work while this process is the one; answers whether it is done for good."""
        with only_one() as won:
            if not won:
                if once or rebuild:
                    self.stderr.write("Another process indexes; waiting for it to end.")
                return False
            if rebuild:
                clear()
            self._work(once=once)
            return True

    def _work(self, *, once: bool) -> None:
        indexer = Indexer()
        while not self._stop.is_set():
            if not indexer.work():
                if once:
                    return
                self._stop.wait(_LOOK_EVERY)
