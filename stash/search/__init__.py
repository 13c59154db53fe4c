"""The index: words of units, where they are, how well they fit a question. Knows no session and no person."""
