"""Hashes of passwords as systems keep them, and the values of a secret of Kubernetes."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from loom.redact.likely import is_made, is_placeholder
from loom.redact.rule import SecretRule

_B = "[./A-Za-z0-9]"
_CRYPT = (
    rf"\$(?:apr1|1|5|6)\$(?:rounds=\d{{1,9}}\$)?{_B}{{1,16}}\${_B}{{22,86}}(?!{_B})"
    rf"|\$2[abxy]\$\d\d\${_B}{{53}}(?!{_B})"
    rf"|\$y\${_B}{{1,8}}\${_B}{{1,86}}\${_B}{{43}}(?!{_B})"
    r"|\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,5},p=\d{1,4}\$[A-Za-z0-9+/]{11,86}"
    r"\$[A-Za-z0-9+/]{16,128}"
)
_ENTRY = r"[ ]{1,8}[\w.-]{1,80}:[ ]"
_DATA = r"data:[ ]*\n"
_ENTRIES = 8  # of one secret


def is_base64(lead: str, value: str) -> bool:
    """True for base64 of a value that is no placeholder."""
    try:
        said = b64decode(value, validate=True)
    except (Error, ValueError):
        return False
    plain = said.decode("latin-1")
    return not is_placeholder(value) and not plain.isalpha() and is_made(value, 0.1, 8)


def _in_secret(entry: int) -> tuple[SecretRule, SecretRule]:
    """Rules for the value of an entry, counted from 0, where its kind stands before and behind."""
    line = rf"(?:{_ENTRY}[^\n]{{0,2000}}\n){{{entry}}}{_ENTRY}"
    value = r"(?P<secret>[A-Za-z0-9+/]{8,4000}+={0,2})(?=[ ]*(?:\n|$))"
    before = rf"kind:[ ]secret[ ]*\n(?:(?!---|data:)[^\n]{{0,200}}\n){{0,20}}?{_DATA}{line}{value}"
    behind = (
        rf"(?m:^){_DATA}{line}{value}[ ]*\n(?:[ ][^\n]{{0,2000}}\n){{0,8}}"
        r"kind:[ ]secret(?![a-z])"
    )
    return (
        SecretRule("secret", before, ("kind: secret",), is_base64, "folded", 40),
        SecretRule("secret", behind, ("data:",), is_base64, "folded", 20),
    )


HASHES: tuple[SecretRule, ...] = (
    SecretRule(
        "password-hash",
        _CRYPT,
        ("$apr1$", "$1$", "$5$", "$6$", "$2a$", "$2b$", "$2x$", "$2y$", "$y$", "$argon2"),
        lambda lead, value: len(set(value)) > 12,
        "lines",
    ),
    *(rule for entry in range(_ENTRIES) for rule in _in_secret(entry)),
)
