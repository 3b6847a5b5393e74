"""Private keys in their armour, of any length and in any frame."""

from __future__ import annotations

import pytest

from loom.redact import Redactor
from tests.kit.secrets_made import KEY, MIXED

BEGIN, END = KEY.splitlines()[0], KEY.splitlines()[-1]
LINES = [f"{number:04d}{MIXED}{MIXED[:20]}" for number in range(300)]
MARK = "[redacted:private-key]"


def test_a_key_that_was_cut() -> None:
    """Without its last line it goes as far as it can be told, and so does its end."""
    body = "\n".join(LINES[:9])
    assert Redactor()(f"a\n{BEGIN}\n{body}\n\nand more") == f"a\n{MARK}\n\nand more"
    clean = Redactor()(f"{body}\n{END}\nb")
    assert clean.endswith("\nb") and not any(line in clean for line in LINES[:9])


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{body}\n=a1B2\n"
        "-----END PGP PRIVATE KEY BLOCK-----",
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 9\n{body}\nPrivate-MAC: 1234",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{body}\n"
        "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ],
)
def test_other_armours(text: str) -> None:
    """PGP, PuTTY and SSH2 have lines of their own."""
    clean = Redactor()(text.format(body="\n".join(LINES[:9])))
    assert MARK in clean and not any(line in clean for line in LINES[:9])
