"""`manage.py embed`: reads for its meaning what the index has taken in, and answers questions for likeness."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, InterfaceError, close_old_connections

from stash.errors import StashError
from stash.recall.locks import EMBEDDING, only_one

_LOOK_EVERY = 1.0
_TRY_AGAIN = 5.0
_NICE = 10


class Command(BaseCommand):
    help = "Keeps vectors for search by meaning, and answers from them, until it is stopped."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end when nothing is left to read")

    def handle(self, *, once: bool, **options: Any) -> None:
        self._stop = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self._stop.set())
        while not self._stop.is_set():
            try:
                done = settings.EMBEDDING == "off" or self._hold(once=once)
            except (DatabaseError, InterfaceError, StashError) as error:
                self.stderr.write(f"Search by meaning has to wait ({type(error).__name__}: {error}); trying again.")
                done = False
            if done and (once or settings.EMBEDDING != "off"):
                return
            self._stop.wait(_TRY_AGAIN)
            close_old_connections()

    def _hold(self, *, once: bool) -> bool:
        """Work while this process is the one; answers whether it is done for good."""
        from stash.recall.answering import Answerer
        from stash.recall.embedder import Embedder
        from stash.vectors.encoders import encoders

        with only_one(EMBEDDING) as won:
            if not won:
                return False
            embedder = Embedder(encoders())
            answerer = Answerer(embedder)
            answerer.start()
            try:
                with suppress(OSError):  # this thread alone: reading leaves the processors to answers
                    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
                while not self._stop.is_set():
                    if not embedder.work():
                        if once:
                            break
                        self._stop.wait(_LOOK_EVERY)
            finally:
                answerer.close()
            return True
