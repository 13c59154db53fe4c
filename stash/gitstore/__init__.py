"""Git plumbing: repositories of text without a work tree. No models, no settings of a user, no hooks."""
