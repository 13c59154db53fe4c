"""The index of the pages, and what the wiki learns."""
