"""Secrets in bytes, of whatever encoding; what is no text stays."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loom.redact import Redactor
from tests.kit.secrets_made import SECRET

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
