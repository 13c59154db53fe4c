"""A small shell over the tree: real quoting, pipes and exit codes, and only commands that read."""

from stash.vfs.shell.running import Outcome, run_line

__all__ = ["Outcome", "run_line"]
