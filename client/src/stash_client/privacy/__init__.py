"""The privacy boundary: what leaves a machine or reaches a disk has passed ``scrub``.

Order is law: characters are repaired and terminal codes stripped, briefings that an agent repeats are dropped, then the
whole text is searched for secrets, then it is cut to size; titles and snippets are made from the result. Findings
become ``[redacted:<type>]``. ``<private>…</private>`` (any case, spaced, nested, with attributes, also with ``&lt;`` or
``\\u003c`` for ``<``) becomes ``[redacted:private]``; without an end it reaches to the end of the text.
"""

from .clean import Clean, scrub
from .patterns import BUILTIN, PatternError, Patterns
from .policy import METADATA_ONLY, OPEN, Policy, stricter
from .size import EVENT_TEXT_LIMIT, snippet, truncate

__all__ = [
    "BUILTIN", "EVENT_TEXT_LIMIT", "METADATA_ONLY", "OPEN", "Clean", "PatternError", "Patterns", "Policy", "scrub",
    "snippet", "stricter", "truncate",
]  # fmt: skip
