"""Paths and ids in a text, found by their form alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from loom.lazy import lazy_re

TOKEN = 300  # characters: no longer run of non-blanks is looked at as a path

EXTENSIONS = frozenset((
    "bash", "bat", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "dockerfile",
    "env", "gif", "go", "gradle", "graphql", "h", "hpp", "html", "ini", "ipynb", "java", "jpg",
    "jpeg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mjs", "mod", "pdf",
    "php", "png", "proto", "py", "pyi", "rb", "rs", "rst", "scala", "sh", "sql", "svg", "swift",
    "tar", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml", "zip", "zsh",
))  # fmt: skip

_TOKEN = lazy_re(r"[^\s\"'`<>(){}\[\],;|*，。、；：（）「」]+")
_LETTER = lazy_re(r"[A-Za-z]")
# Hexadecimal digits of 7 to 40 places, a number of 7 to 19, a UUID; no part of a word, a decimal.
_ID = lazy_re(
    r"(?<![\w.])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{7,19}"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40})(?![\w-]|\.\d)"
)
NEAR = 40  # characters before an id that may say what it is
_SECRET = lazy_re(
    r"(?:(?:key|token|secret|passw(?:or)?d|passphrase|pin|otp|cookie|credentials?|signature|card)"
    r"[\"'\])]*(?:\s+is\b)?\s*[=:]*|session(?:id)?=)\s*[\"']?(?:\w{1,12} )?$",
    re.I,
)
_PREFIX = lazy_re(r"(?:(?<![\w./-])[A-Za-z]{1,8}-)?$")  # `i-0abc…`, `vpc-…`: a part of the id
_DATE = lazy_re(r"(?:19|20)\d\d[01]\d[0-3]\d(?:[0-2]\d[0-5]\d[0-5]\d)?")


def is_path(token: str) -> bool:
    """Return True for a token that looks like a path, of limited length."""
    return len(token) <= TOKEN and _is_path(token)


@lru_cache(maxsize=4_096)  # the same few stand in every text of a session
def _is_path(token: str) -> bool:
    """Return True for a token that looks like a path, whatever its length."""
    if "://" in token or not _LETTER.search(token):
        return False
    extension = token[-16:].rpartition(".")[2].lower() if "." in token[-16:] else ""
    nested = token.count("/") + token.count("\\")
    if extension in EXTENSIONS:
        return len(token) > len(extension) + 1
    if token.startswith(("/", "~/", "./", "../")):
        return nested >= 2 or token.startswith((".", "~"))
    return nested >= 2 and not token.startswith("-")


def paths_in(text: str) -> Iterator[str]:
    """Yield the paths in a text, without line numbers and punctuation: "see a.py:12." → "a.py"."""
    for token in _TOKEN.findall(text):
        if len(token) > TOKEN:
            continue
        token = token.lstrip("@#=").rstrip(".:!?")
        stem, _, suffix = token.partition(":")
        # `a.py:12` is a place in a path; `C:\a` is a path.
        if suffix and suffix[0].isdigit():
            token = stem
        if is_path(token):
            yield token


def opaque_ids(text: str) -> Iterator[str]:
    """Yield the ids in a text, such as UUIDs, commit hashes and long numbers. Dates, payment card
    numbers, and values that the text calls a secret are skipped."""
    for found in _ID.finditer(text):
        before = text[max(found.start() - NEAR, 0) : found.start()]
        if not (_DATE.fullmatch(found[0]) or _SECRET.search(before) or _is_card_number(found[0])):
            yield _PREFIX.search(before)[0] + found[0]  # type: ignore[index]  # it matches nothing too


def _is_card_number(digits: str) -> bool:
    """Return True for digits with a valid payment card checksum (Luhn)."""
    if not (digits.isdigit() and 13 <= len(digits) <= 19):
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0
