#!/usr/bin/env python
"""Every administrative task of Stash: `python manage.py help`."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "stash.settings")
    if sys.argv[1:2] == ["serve"]:  # without Django, or every start would load it once more
        from stash.ops.serving import main as serve

        sys.exit(serve(sys.argv[2:]))
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
