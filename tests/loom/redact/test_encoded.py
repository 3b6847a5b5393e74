"""Texts in base64, in JSON and in wide characters."""

from __future__ import annotations

from base64 import b64encode, encodebytes

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import json

from loom.redact import Redactor
from loom.redact.redactor import with_distinct_keys
from loom.redact.secret_search import encoded_texts
from loom.redact.text_in_bytes import byte_encoding
from tests.kit.cases import all_cases
from tests.kit.secrets_made import SECRET

SAID = f"the key is {SECRET}, keep it"


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), min_size=24, max_size=90))
def test_what_a_run_says(said: str) -> None:
    """Base64 and digits of an ASCII text say it, at the place where they stand."""
    for run in (b64encode(said.encode()).decode(), said.encode().hex()):
        text = f"<{run}>"
        spans = [
            (text[start:end], found) for start, end, found in encoded_texts(text, [(0, len(text))])
        ]
        if any(map(str.isdigit, run)):
            assert (run, said) in spans or said.strip() != said


def test_base64_of_several_lines() -> None:
    """Wrapped, it goes with all of its lines; words behind it are none of it."""
    run = encodebytes((SAID * 9).encode()).decode().strip()
    assert "\n" in run
    clean = "it said\n[redacted:api-key]\nand ended"
    assert Redactor()(f"it said\n{run}\nand ended") == clean
    one = b64encode(SAID.encode()).decode()
    assert Redactor()(f"it said\n{one}\nand ended here") == f"{clean} here"


MARK = "[redacted:a]"


def test_base64_of_several_lines_within_a_text_of_another() -> None:
    """The same as a value of JSON and as Python writes it: a line end there is two characters."""
    secret = "ghp_Xk9fQ2mTzW7bRc4LpN8sVd3HyJ6uAe5KgB1q"
    netrc = f"machine github.com\n  login bob-the-builder\n  password {secret}\nmachine x.org\n"
    lines = encodebytes(netrc.encode()).decode()
    for text in (json.encode({"stdout": lines}).decode(), repr(lines)):
        clean = Redactor()(text)
        assert not any(line in clean for line in lines.splitlines())


@all_cases(
    ("text", "told"),
    [
        (f'{{"{MARK}":1}}', f'{{"{MARK}":1}}'),
        (f'{{"{MARK}":1,"{MARK}" : 2}}', f'{{"{MARK}":1,"{MARK}#2" : 2}}'),
        (
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}":2,"{MARK}":3}}',
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}#3":2,"{MARK}#4":3}}',
        ),
        (f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]', f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]'),
        (
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}":"{{"}}',
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}#2":"{{"}}',
        ),
    ],
)
def test_keys_are_told_apart(text: str, told: str) -> None:
    """Each key of one object has a name of its own; done twice it is as done once."""
    assert with_distinct_keys(text) == told and with_distinct_keys(told) == told
    assert len(json.decode(told)) == len(json.decode(text)) or MARK in told


def test_many_keys_are_told_apart() -> None:
    """Thousands of the same mark: each name is looked up a bounded number of times."""
    text = "{" + ",".join(f'"{MARK}":{number}' for number in range(20_000)) + "}"
    assert len(json.decode(with_distinct_keys(text))) == 20_000


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
    encoding, errors, end = byte_encoding(data)
    assert encoding == name and len(data) - end in (0, 1)
    assert data[:end].decode(encoding, errors).encode(encoding, errors) == data[:end]


REDACT = Redactor()


@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"a\0" * 20 + b"\x00\xd8")
@example(b"\0a" * 20 + b"\xd8")
@example("密 key".encode("utf-16") * 9)
def test_any_bytes(data: bytes) -> None:
    """Bytes without a secret come back exactly, whatever encoding they seem to have."""
    assert REDACT.data(data) == data
