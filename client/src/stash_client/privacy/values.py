"""Is this value a secret, or only a reference, a placeholder, a type or a piece of code?"""

from __future__ import annotations

import re

from .words import words

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]{1,40}\]")
IMAGE_NOTE = re.compile(r"\[image [a-z]+/[a-z0-9.+-]+ \d+ B sha256:[0-9a-f]{8}\]")
_REFERENCE = re.compile(
    r"\$\{\{[^{}]{0,200}\}\}|\$\{[^{}]{0,200}\}|\$\([^()]{0,200}\)|\$env:\w{1,60}|\$[A-Za-z_]\w{0,100}|\$\d"
    r"|\{\{[^{}]{0,200}\}\}|\{[\w.!:]{0,100}\}"
    r"|%\(\w{1,60}\)[sdr]|%[A-Za-z_]\w{1,60}%|%[sdrq]|<[^<>\n]{0,100}>|#\{[^{}]{0,200}\}"
    r"|\[redacted:[a-z0-9-]{1,40}\]|\[(?:\w{1,20} )?redacted\]|[*•x…#_-]{2,}|\.{3}|op://\S{1,200}|arn:aws:\S{1,200}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[:@/|,;. \"'`\\?*_-]")
_NOTHING = words(
    """
    none null nil undefined true false yes no on off str string bytes int integer number float bool boolean
    object any text char varchar binary required optional unknown empty n/a self this default secret password
    passwd token key redacted masked hidden removed prompt inherit basic bearer digest env literal missing
    invalid
    """
)
_MASKS = words(
    """
    your yours my the example sample dummy placeholder changeme todo insert enter replace
    """
)
_TELLING_WORDS = words(
    """
    password passwd pwd pass passphrase secret token key credential credentials auth apikey passcode
    """
)
_METAVARS = _TELLING_WORDS | words("text string str value name file path url arg id var env")
_MODIFIERS = words(
    """
    new old current csrf access refresh api auth session reset user confirm id x raw plain hashed encrypted
    default encoded decoded next is has get set to from with for by of and the client server admin db database
    field input name type value hash salt string text str data form login sign signing jwt bearer oauth private
    public middleware validator validation changed change forgot usable unusable base mixin view model error
    exception expired invalid request response header cookie env generator manager provider service factory
    config settings options
    """
)
_LABELS = words(
    """
    none null nil undefined true false string str bytes password passwd token key n/a required optional
    """
)
_TYPES = words(
    """
    number double long short byte char array list dict tuple set map symbol bigint never void date datetime uuid
    buffer struct interface class function lambda async await return import value values input output always
    manual auto
    """
)
_IDENTIFIER = re.compile(
    r"[A-Za-z_][A-Za-z_0-9]{0,200}(?:(?:\.|->|::|\?\.|!\.)[A-Za-z_][A-Za-z_0-9]{0,200}){0,20}[?!]?\Z"
)
_TELLS = re.compile(r"pass|pwd|secret|token|key|cred|auth", re.IGNORECASE)
_DIGIT, _LOWER, _UPPER = re.compile(r"[0-9]"), re.compile(r"[a-z]"), re.compile(r"[A-Z]")
_SWITCHES = re.compile(r"[A-Z](?=[^A-Z])|[^A-Z](?=[A-Z])")
"""In CamelCase twice a word, in random letters every other time."""
_TURNS = re.compile(r"[0-9](?=[^0-9])|[^0-9](?=[0-9])")
_HEXLIKE = re.compile(r"[0-9a-f]{16,}\Z", re.IGNORECASE)
_KNOWN_WORDS = re.compile(
    r"(?:sha\d{1,3}|md5|base(?:16|32|58|64|85)\w*|utf_?\d{1,2}\w*|ascii|latin1|pbkdf2\w*|oauth2?\w*|int\d+|uint\d+|x509"
    r"|ed25519|p256|v\d+|i18n\w*|http2|s3|ec2|k8s|str\d?|arg\d?|val\d?|tok\d?|t\d|p\d|k\d|s\d|user\d|r\d)\Z",
    re.IGNORECASE,
)


def is_reference(value: str) -> bool:
    """Nothing to hide: empty, ``$VAR``, ``${VAR}``, ``<your key>``, ``{{ x }}``, ``****``, an earlier placeholder."""
    value = value.strip()
    at = 0
    while at < len(value):
        piece = _REFERENCE.match(value, at) or _BETWEEN.match(value, at)
        if piece is None:
            return False
        at = piece.end()
    return True


def is_prose(value: str) -> bool:
    """``Enter your password`` is a label; ``correct horse battery staple`` and ``fake value with spaces`` are not."""
    parts = value.split()
    if len(parts) < 2 or any(any(c.isdigit() for c in word) for word in parts):
        return False
    capital = parts[0][:1].isupper() and parts[0][1:].islower()
    ends = value.rstrip()[-1:] in (".", "?", "!", ":") or "%" in value
    return (
        (capital and parts[1][:1].islower())
        or (ends and len(parts) > 2)
        or any(word.strip(".,:;!?'\"()").lower() in _TELLING_WORDS for word in parts)
    )


def is_secret_literal(value: str, *, strong: bool) -> bool:
    """A quoted value beside a telling name."""
    if is_reference(value) or is_prose(value) or not any(map(str.isalnum, value)):
        return False
    if value.lower() in _LABELS or is_template(value):
        return False
    if strong:
        return not _names_something(value)
    return looks_random(value) or (
        len(value) >= 8 and value.count("-") >= 2 and re.fullmatch(r"\w[\w-]+", value) is not None
    )


def is_secret_word(value: str, *, strong: bool) -> bool:
    """An unquoted value where code could stand as well: ``token = get_token()``, ``password: str``."""
    if is_reference(value) or value.lower() in _NOTHING or len(value) < 3 or is_template(value):
        return False
    if _IDENTIFIER.match(value):
        return _is_secret_identifier(value, strong=strong)
    if value[0] in "([{<&|=*/\\@" or "(" in value or value.endswith(("[", "{", "::", ">")) or "=>" in value:
        return False
    return strong or looks_random(value)


def is_secret_scalar(value: str, *, header: bool) -> bool:
    """A plain word that stands alone after ``password:`` as in YAML, where a type could stand as well.

    ``header``: the name is one of ``X-Api-Key`` or ``PASSWORD`` form, which no variable has.
    """
    if header and value.isalnum():
        return value.lower() not in _TYPES and value.lower() not in _NOTHING and is_secret_literal(value, strong=True)
    plain = value.isalpha() and value.islower() and len(value) >= 5
    return (plain and value not in _NOTHING and value not in _TYPES) or is_secret_word(value, strong=True)


def _is_secret_identifier(value: str, *, strong: bool) -> bool:
    if "." in value or "->" in value or "::" in value or _KNOWN_WORDS.match(value):
        return False
    digits = sum(c.isdigit() for c in value)
    if _HEXLIKE.match(value) and digits:
        return True
    if _made_of_labels(value):
        return digits >= 2 and strong and "_" not in value
    if strong:
        return digits >= 1 and len(value) >= 5
    return digits >= 1 and len(value) >= 8 and looks_random(value)


def _made_of_labels(value: str) -> bool:
    """``new_password``, ``csrfToken2``: a variable called after what it holds."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", value)
    return bool(parts) and all(word.lower() in _MODIFIERS or word.lower() in _TELLING_WORDS for word in parts)


def is_metavar(value: str) -> bool:
    """``[--password PASSWORD]``, ``--api-key TEXT``, ``--token string``: how a usage text names a value."""
    word = value.rstrip("].")
    return word in ("string", "strings", "stringArray") or (
        word.isupper() and re.split("[_-]", word.lower())[-1] in _METAVARS
    )


def is_template(value: str) -> bool:
    """``your-api-key-here``, ``changeme``: a gap to fill in."""
    parts = re.split(r"[^A-Za-z]+", value.lower(), maxsplit=3)
    return (parts[0] in _MASKS and len(parts) > 1 and _TELLS.search(value) is not None) or value.lower() in _MASKS


def _names_something(value: str) -> bool:
    """``"password": "new_password"``, ``token = "csrf-token"``, ``"reset.password.title"``: a field's name."""
    if re.fullmatch(r"[A-Za-z]+(?:[_-][A-Za-z]+)*|_[a-z_]+", value) and value.lower() not in _TELLING_WORDS:
        return _made_of_labels(value)
    return re.fullmatch(r"[a-z]+(?:\.[a-z]+)+", value) is not None and _TELLS.search(value) is not None


def looks_random(value: str) -> bool:
    """Enough of a mixture that no word, version or path explains it."""
    value = value[:256]
    if len(value) < 8 or " " in value or value.startswith(("/", "./", "~/", "http://", "https://")):
        return False
    lower, upper = _LOWER.search(value) is not None, _UPPER.search(value) is not None
    if _DIGIT.search(value):
        return lower or upper
    return lower and upper and len(value) >= 20 and len(_SWITCHES.findall(value)) * 3 >= len(value)


def turns(value: str) -> int:
    """How often digits and other characters take turns."""
    return len(_TURNS.findall(value))
