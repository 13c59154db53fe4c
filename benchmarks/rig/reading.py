"""Answers requests of a measurement one by one, in a process of the application: milliseconds, queries, size."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import django


def main() -> None:
    django.setup()
    from django.db import connection
    from django.test import Client

    from accounts.models import User

    browser = Client(headers={"host": "localhost"})
    browser.force_login(User.objects.get(username="person1"))
    for line in sys.stdin:
        path = json.loads(line)
        queries = 0

        def count(execute: Any, *arguments: Any) -> Any:
            nonlocal queries
            queries += 1
            return execute(*arguments)

        started, cpu = time.perf_counter(), time.process_time()
        with connection.execute_wrapper(count):
            answer = browser.get(path)
            body = answer.getvalue()
        spent = (time.perf_counter() - started) * 1000
        said = {"status": answer.status_code, "ms": spent, "queries": queries, "bytes": len(body)}
        print(json.dumps(said | {"cpu": (time.process_time() - cpu) * 1000}), flush=True)


if __name__ == "__main__":
    main()
