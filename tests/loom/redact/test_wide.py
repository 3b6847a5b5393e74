"""Texts in wide characters."""

from __future__ import annotations

from loom.redact.wide import encoding_of, wide
from tests.kit.cases import all_cases

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
