"""Patterns of grep and of ripgrep on an engine that takes linear time (RE2)."""

from stash.vfs.regex.matching import Dialect, Matcher, Wish, matcher

__all__ = ["Dialect", "Matcher", "Wish", "matcher"]
