"""The part of Stash that runs beside a coding agent: vocabulary, privacy boundary, parsers. Standard library only."""

__version__ = "0.1.0"
