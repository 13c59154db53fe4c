"""Pages of a project: markdown files in a git repository, and the index that is derived from them."""
