"""Texts in wide characters."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loom.redact import Redactor
from loom.redact.wide import encoding_of, wide
from tests.kit.cases import all_cases
from tests.kit.secrets_made import SECRET

MARK = "[redacted:a]"


@all_cases(
    ("data", "name"),
    [
        (b"", "utf-8"),
        (b"a text", "utf-8"),
        (b"\0", "utf-8"),
        (b"\0" * 99, "utf-8"),
        (b"\x7fELF" + bytes(60), "utf-8"),
        ("a text".encode("utf-16"), "utf-16-le"),
        ("a longer text".encode("utf-16-le"), "utf-16-le"),
        ("a longer text".encode("utf-16-be"), "utf-16-be"),
        ("\ufeff密".encode("utf-16-be"), "utf-16-be"),
        ("a longer text".encode("utf-32-le"), "utf-8"),
        (b"\xff\xfea", "utf-16-le"),
        (b"\xff\xfea\0b", "utf-16-le"),
    ],
)
def test_the_encoding_of_bytes(data: bytes, name: str) -> None:
    """UTF-16 by its mark or by its NULs; anything else is taken for UTF-8."""
    encoding, errors, end = encoding_of(data)
    assert encoding == name and len(data) - end in (0, 1)
    assert data[:end].decode(encoding, errors).encode(encoding, errors) == data[:end]


@all_cases(
    ("secret", "mark"),
    [
        ("abc", MARK),
        ("a\0bc", MARK),
        ("a\0b\0c", "\0".join(MARK)),
        ("a\0\0\0b\0\0\0c", "\0\0\0".join(MARK)),
        ("a\0b\0\0c", MARK),
    ],
)
def test_a_mark_is_as_wide_as_its_secret(secret: str, mark: str) -> None:
    """So many NULs stand between its letters, where there are as many everywhere."""
    assert wide(MARK, secret) == mark


REDACT = Redactor()


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"a\0" * 20 + b"\x00\xd8")
@example(b"\0a" * 20 + b"\xd8")
@example("密 key".encode("utf-16") * 9)
def test_any_bytes(data: bytes) -> None:
    """Bytes without a secret come back exactly, whatever encoding they seem to have."""
    assert REDACT.data(data) == data


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_wide_letters_among_others(encoding: str) -> None:
    """What stands beside a secret in UTF-16 may be the bytes of letters."""
    given = f"パス密{SECRET}です".encode(encoding)
    assert REDACT.data(given).decode(encoding) == "パス密[redacted:api-key]です"
    binary = b"\x89\xff0123" + given + b"\xfeZ"
    assert SECRET.encode() not in REDACT.data(binary).replace(b"\0", b"")
