"""Private keys in their armour, of any length and in any frame."""

from __future__ import annotations

import pytest

from loom.redact import Redactor
from loom.redact.armour import armoured
from tests.kit.cases import all_cases
from tests.kit.secrets_made import KEY, MIXED

BEGIN, END = KEY.splitlines()[0], KEY.splitlines()[-1]
LINES = [f"{number:04d}{MIXED}{MIXED[:20]}" for number in range(300)]
MARK = "[redacted:private-key]"


@all_cases(
    "text",
    [
        "",
        "-----BEGIN CERTIFICATE-----\n" + LINES[0] + "\n-----END CERTIFICATE-----",
        f"{BEGIN}\nand no end",
        f"the line {BEGIN!r} begins a key",
        f"{BEGIN}\n{END}",
        "PRIVATE KEY",
    ],
)
def test_what_is_no_key(text: str) -> None:
    """Certificates, and lines of a key without a body, stay."""
    assert [*armoured(text)] == [] and Redactor()(text) == text


@all_cases("lines", [1, 3, 300])
@all_cases("name", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])
def test_a_key_of_any_length(lines: int, name: str) -> None:
    """It goes whole, and what stands around it stays."""
    key = "\n".join([f"-----BEGIN {name}PRIVATE KEY-----", *LINES[:lines]])
    key += f"\n-----END {name}PRIVATE KEY-----"
    assert Redactor()(f"before\n{key}\nafter") == f"before\n{MARK}\nafter"
    assert Redactor()(f"{key}\n{key}") == f"{MARK}\n{MARK}"


@all_cases("frame", ["-", "+", "    ", "> ", "12: ", "key.pem:"])
def test_a_key_in_a_frame(frame: str) -> None:
    """As a diff, a quote, a listing or a search prints it: no line of its body is left."""
    text = "".join(f"{frame}{line}\n" for line in ("a", BEGIN, *LINES[:9], END, "b"))
    clean = Redactor()(text)
    assert clean.startswith(f"{frame}a\n") and clean.endswith(f"{frame}b\n") and MARK in clean
    assert not any(line in clean for line in LINES[:9])


def test_a_key_that_was_cut() -> None:
    """Without its last line it goes as far as it can be told, and so does its end."""
    body = "\n".join(LINES[:9])
    assert Redactor()(f"a\n{BEGIN}\n{body}\n\nand more") == f"a\n{MARK}\n\nand more"
    clean = Redactor()(f"{body}\n{END}\nb")
    assert clean.endswith("\nb") and not any(line in clean for line in LINES[:9])


def test_a_key_by_hand() -> None:
    """A key shortened by hand, as tests have it, goes as well; others' lines are none of it."""
    short = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nxyz\n-----END RSA PRIVATE KEY-----"
    assert Redactor()(f"x\n{short}\ny") == f"x\n{MARK}\ny"
    other = "-----BEGIN EC PRIVATE KEY-----\n-----END CERTIFICATE-----\n"
    assert Redactor()(f"{other}{short}{short}").endswith(MARK * 2)


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
