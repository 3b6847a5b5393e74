"""Tells a secret value from a word, a name, a placeholder or an expression.

A name such as `password` says that a secret may follow; most of the time, in code, none does. A
value counts as a secret when it reads like no word: pairs of letters that words do not have,
letters and digits in turn, all four classes of characters. The pairs that words have (`_PAIRS`)
make up 96.5 % of the pairs in the words of Python's standard library."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from loom.lazy import lazy_re

_FOLLOWERS = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyz",
        [
            "abcdfgiklmnprstuvwxy",
            "abceijlorsuy",
            "acdefhiklmorstuy",
            "abdefilorstuy",
            "abcdefgiklmnopqrstuvwxy",
            "adefilorstu",
            "aeghilnorsu",
            "aeilortu",
            "abcdefglmnoprstvxz",
            "aeou",
            "eils",
            "acdeilnopstuy",
            "abeilmopstu",
            "acdefgiklnopstuv",
            "abcdefgiklmnoprstuvwx",
            "acdehiloprstuy",
            "u",
            "acdefgiklmnoprstuvy",
            "acdefghiklmnoprstuwy",
            "acdefhilmoprstuwy",
            "abcdefgilmnoprst",
            "aeio",
            "aehinors",
            "aceipt",
            "emnpst",
            "ei",
        ],
        strict=True,
    )
)
_PAIRS = frozenset(first + after for first, many in _FOLLOWERS.items() for after in many)
_TEMPLATE = lazy_re(
    r"\$\{|\$\((?=[\w ./-]+\))|\{\{|\}\}|<[\w .:/-]*>?|%\((?=\w+\)[a-z])|%[sdrv]\b"
    r"|%[YmdHMS][-/:. T_]?%[YmdHMS]|\{[\w.!:\[\]'\"]*\}|\*{3}|\.{3}|…|•"
    r"|ENC\[|^Ag[A-D][A-Za-z0-9+/]{250}|EXAMPLE|[xX]{4}|#\{|\[redacted|(?i:abcdefgh|qwertyui)|\bredacted\b|^\$?\$[A-Za-z_]\w*$|^\$[A-Z_]+|^%[A-Za-z_]\w*%$|^@\w+@$",
    re.ASCII,
)
# Words of placeholders. A value is judged without them, so `my-secret-x9Kq…` is one still.
WORDS = lazy_re(
    r"example|change[-_]?(?:me|it|this)|place[-_]?holder|dummy|your|insert|replace|sample|foobar"
    r"|pass(?:word|wd|phrase)?|secret|token|credentials?|default|string|qwerty|letmein|testing|test"
    r"|deadbeef|12345(?:6(?:7(?:8(?:9(?:0)?)?)?)?)?|abcdef?g?|undefined|null|none|true|false|admin"
    r"|user(?:name)?|login|api[-_]?key|my|the|some|fake|mock|foo|bar|baz|spam|eggs|private|public"
    r"|hello|world|value|super|key|auth|here|bearer|basic|client|access|refresh|invalid|wrong"
    r"|valid|expired|old|new|python|postgres|mysql|mongo|redis|rabbit|guest|root|docker|insecure",
    re.IGNORECASE,
)
_LONG_WORDS = lazy_re(
    r"example|changeme|placeholder|redacted|your[-_]|xxxxx|dummy|insert[-_]|deadbeef|1234567890ab"
    r"|abcdefghij",
    re.IGNORECASE,
)
# A host with its port, a path, an address, an option.
_PLACE = lazy_re(
    r"(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%\w+)?$|(?:[\w-]+\.)+[\w-]+:\d+$|~/|\./|[a-z+]{2,12}://|-[a-z]|pk_(?:live|test)_"
)
# Digits of a key, a UUID, groups of letters and digits as recovery keys have them.
_SURE = lazy_re(
    r"^(?=\d*[a-fA-F])(?=[a-fA-F]*\d)(?:[0-9a-f]{20,}|[0-9A-F]{20,})$"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|^(?:[A-Z0-9]{4,6}-){3,}[A-Z0-9]{4,6}$"
)
# Words a person joined and gave a number: `Maple-Anchor1483`.
_HAND_MADE = lazy_re(
    r"(?=[^\d]*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9]{3,}(?:[-_.=+!@#?&*~^%$][A-Za-z0-9]{2,})+"
    r"[!@#$%?*]{0,2}"
)
_CALL = lazy_re(r"[A-Za-z_$][\w.$]*\([^()]*\)[;,]?")  # f(x)
_CALLED = lazy_re(r"([A-Za-z_]{3,})\([^()]*\)")
_WORDLIKE = 0.2  # share of strange neighbours that names of functions have at most
_CLASS = lazy_re(r"\[[^\]]{1,40}\]|\(\?|\\[dwsbxu]")  # of a regular expression, an index
_FOREIGN = lazy_re(r"[^\x00-\x7f]")
_JOINTS = frozenset("_-./=:,")
_RANDOM = lazy_re(r"[0-9]|[A-Za-z]{16}")  # of a token, at least
MIXED = 4  # classes of characters: small, capital, digits, others
JUDGED = 256  # characters of a value that are looked at


@cache
def _char_pair_kinds() -> bytes:
    """Return one byte for each pair of ASCII characters, at index 128 * first + second: 0 if the
    pair does not count, 1 if words have it, 2 if only names have it (`lC` in `camelCase`), 3 if it
    is strange."""
    return bytes(_char_pair_kind(chr(pair >> 7), chr(pair & 127)) for pair in range(1 << 14))


def _char_pair_kind(before: str, after: str) -> int:
    """Return the kind of a pair of characters, 0 to 3 as in `_char_pair_kinds`."""
    if before in _JOINTS or after in _JOINTS:
        return 0
    if before.isalpha() and after.isalpha():
        if before.islower() and after.isupper():
            return 2
        return 1 if (before + after).lower() in _PAIRS else 3
    return 1 if before.isdigit() and after.isdigit() else 3


def strange_share(value: str) -> float:
    """Return the share, from 0 to 1, of a value's pairs of neighbouring characters that no word or
    name has."""
    kinds = _char_pair_kinds()
    plain = value if value.isascii() else _FOREIGN.sub("_", value)  # the pairs are those of English
    odd = pairs = 0
    for before, after in pairwise(plain.encode()):
        kind = kinds[before << 7 | after]
        if kind:
            pairs += 1
            odd += kind == 3 or (kind == 2 and pairs % 2)  # a name may go on so once in a while
    return odd / pairs if pairs else 0.0


def is_hand_made(value: str) -> bool:
    """Return True for a value like a password that a person made up: words joined by signs, with a
    capital letter and a digit (`Maple-Anchor1483`)."""
    if len(value) < 10 or is_placeholder(value) or _PLACE.match(value):
        return False
    return _HAND_MADE.fullmatch(value) is not None and len(WORDS.sub("", value)) >= 8


def is_secret_in_sentence(value: str) -> bool:
    """Return True for a value in a sentence that looks random or made up by a person."""
    if is_placeholder(value):
        return False
    digits = sum(map(str.isdigit, value))
    if not digits:
        return is_random_looking(value, 0.42, 12)
    if is_random_looking(value, 0.35, 8):
        return digits > 1 or len(value) >= 12 or _count_classes(value) == MIXED
    return digits > 1 and is_hand_made(value)


def is_placeholder(value: str) -> bool:
    """Return True for a template (`${TOKEN}`), a word that documents put in place of a secret, or a
    value with fewer than five different characters."""
    return len(set(value)) < 5 or _TEMPLATE.search(value) is not None


def is_random_looking(value: str, odd: float = 0.3, least: int = 8) -> bool:
    """Return True for a value that looks random, as keys and good passwords do. It must have at
    least `least` characters, and either a `strange_share` of at least `odd`, or small letters,
    capitals, digits and other signs together."""
    value = value[:JUDGED]
    if len(value) < least or is_placeholder(value) or _PLACE.match(value):
        return False
    if _SURE.search(value):
        return True
    rest, whole = WORDS.sub("", value), value
    if rest != value:
        if len(rest) < least or len(set(rest)) < 5:
            return False
        value = rest
    if _has_call(whole) or _CLASS.search(value):
        return False
    found = strange_share(whole)
    if value != whole:
        found = min(found, strange_share(value))
    if _count_classes(value) == MIXED:
        return True
    if not any(map(str.isdigit, value)):
        return len(value) >= 12 and found >= max(odd, 0.33)
    return found >= odd


def _count_classes(value: str) -> int:
    """Return how many of these a value has: small letters, capitals, digits, other characters."""
    return (
        any(map(str.islower, value))
        + any(map(str.isupper, value))
        + any(map(str.isdigit, value))
        + any(not one.isalnum() and one not in _JOINTS for one in value)
    )


def _has_call(value: str) -> bool:
    """Return True for a value with a call (`name(…)`), or with parentheses and no digit."""
    if "(" not in value or ")" not in value:
        return False
    if not any(map(str.isdigit, value)):
        return True
    return _CALL.fullmatch(value) is not None or any(
        strange_share(found[1]) < _WORDLIKE for found in _CALLED.finditer(value)
    )


def is_provider_token(lead: str, value: str) -> bool:
    """Return True for a value that may be a provider's token: no placeholder, and no example from a
    provider's documentation. `lead` is unused."""
    return (
        len(set(value[-24:])) >= 5
        and _RANDOM.search(value) is not None
        and _LONG_WORDS.search(value[:JUDGED]) is None
        and value not in DOCUMENTED
    )


# Tokens that providers print in their own documentation, and give access to nothing.
DOCUMENTED = frozenset(
    (
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwi"
        "aWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwi"
        "aWF0IjoxNTE2MjM5MDIyfQ.KMUFsIDTnFmyG3nMiGM6H9FNFUROf3wh7SmqJp-QV30",
    )
)
