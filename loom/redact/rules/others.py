"""Names with a word for secrets in them that name something else: `token_count`, `next_token`."""

from __future__ import annotations

from loom.lazy import lazy_re

# Words behind it that make it the name of something else: `token_count`, `password_field`.
_BEHIND = lazy_re(
    r"(?<=...)(?:count|len(?:gth)?|limit|max|min|types?|ids?|names?|files?|path|dir|fields?|format"
    r"|policy|regex|pattern|ur[il]s?|endpoint|expir\w*|ttl|age|size|index|class|label|prompt"
    r"|placeholder|usage|ized?|izer|izing|ization|version|digest|sum|algorithm|arn|ref|scopes?"
    r"|issuer|host|port|column|table|prefix|suffix|hint|help|message|error|status|enabled"
    r"|required|valid\w*|source|kind|mode|provider|manager|store|service|generator|reset|strength"
    r"|rotation|timeout|budget|hash(?:er|ing)s?|encoder|backends?|test|finger_?print)"
    r"[\"'`\]\s]*$"
)
_NAME = lazy_re(r"[\w.-]*")
_VERDICT = lazy_re(r"PASS:? +$")
# A branch of somebody, a file of a module: words, and at most a piece of them drawn.
_BRANCH = lazy_re(r"[a-z]{3,}(?:[-_.][A-Za-z0-9]+)+")
# The name of a method: `ES256-signed`, `PBKDF2-hashed`, `camelCase2Snake`.
_METHOD = lazy_re(r"(?:[A-Z]{2,8}\d{0,4}[A-Z]?-)+[a-z]{3,}")


def is_other(lead: str) -> bool:
    """True when the name that begins what stands before a value is that of something else."""
    name = _NAME.match(lead)
    return name is not None and _BEHIND.search(name[0].lower()) is not None


def is_verdict(lead: str) -> bool:
    """True for the `PASS` of a test, which its name follows."""
    return _VERDICT.match(lead) is not None


def is_branch(value: str) -> bool:
    """True for small words and what is joined to them, as behind the `/` of a branch or a path."""
    return _BRANCH.fullmatch(value) is not None


def is_method(value: str) -> bool:
    """True for how a thing is done, told in a sentence: by an algorithm."""
    return _METHOD.fullmatch(value) is not None


def _not_behind(words: tuple[str, ...], joints: tuple[str, ...], name: str) -> str:
    """A pattern that holds behind a name which none of some words is before, joined or not."""
    return "".join(rf"(?<!{word}{joint}{name})" for word in words for joint in joints)


# Keys that are public, or keys of a table, of a cache, of a host.
NO_KEY = _not_behind(
    (
        *("public", "publishable", "pub", "site", "host", "foreign", "cache", "idempotency"),
        "websocket",
    ),
    ("_", "-", " ", ""),
    "key",
)
# Places in a list, marks of a model's text, what a form is protected by.
NO_TOKEN = _not_behind(
    (
        *("page", "continuation", "next", "sync", "cancel", "public_key", "publickey", "end"),
        *("start", "stop", "eos", "csrf"),
    ),
    ("_", "-", ""),
    "token",
)
# `pass` as a verb, and within other words: compass, bypass; what tests do.
NO_PASS = _not_behind(
    ("by", "com", "tres", "sur", "under", "over", "im", "tests", "test", "checks", "cases"),
    ("", " "),
    "pass",
)
# A secretion, a secretary.
NO_SECRET = "(?!ions?(?![a-z])|ary|ari|ive)"


def no_type(name: str) -> str:
    """A pattern that holds behind a name, but not when it ends a type: `"AWS::IAM::AccessKey":`."""
    behind = "".join(rf"(?<!::[a-z]{{{size}}}{name})" for size in range(16))
    return rf"(?:(?![\"']:)|{behind})"
