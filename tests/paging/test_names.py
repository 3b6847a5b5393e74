"""The name rule, and the seals and errors that carry names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import (
    BadLookup,
    CorruptJournal,
    CorruptPage,
    MissingPage,
    OutsideStore,
    PageExists,
    PagingError,
    StoreLocked,
    seal,
    verify,
)
from loom_paging.names import checked, lawful, parents
from tests.kit.cases import all_cases


@all_cases(
    ("name", "good"),
    [
        ("a", True),
        ("outputs/read_0007.json", True),
        ("outputs/..hidden", True),
        ("a" * 255, True),
        ("é" * 127, True),
        ("outputs/LOCK", True),
        ("", False),
        ("/a", False),
        ("a/../b", False),
        ("LOCK", False),
        ("Lock/a", False),
        ("D:\\a", False),
        ("d:a", False),
        ("é" * 128, False),
        ("a/.tmp-9", False),
    ],
)
def test_lawful(name: str, good: bool) -> None:
    """Plain relative paths are names, everything else is not."""
    assert lawful(name) is good


@given(st.text(max_size=40))
def test_checked_names_stay_inside(name: str) -> None:
    """A name that passes has only plain parts; one that does not is in the error."""
    try:
        parts = checked(name).split("/")
    except OutsideStore as error:
        assert error.name == name
    else:
        assert not {"", ".", ".."} & set(parts)


@pytest.mark.parametrize(("name", "folders"), [("a", []), ("a/b", ["a"]), ("a/b/c", ["a", "a/b"])])
def test_parents(name: str, folders: list[str]) -> None:
    """The folders of a name are listed from the outside in."""
    assert parents(name) == folders


@given(st.binary(max_size=64), st.binary(max_size=64))
def test_seal_and_verify(data: bytes, other: bytes) -> None:
    """What was sealed verifies, and nothing else does."""
    ref = seal("a", data)
    assert verify(ref, data) == data
    if other != data:
        with pytest.raises(CorruptPage) as caught:
            verify(ref, other)
        assert (caught.value.name, caught.value.expected) == ("a", ref.sha256)
        assert caught.value.found == seal("a", other).sha256


@all_cases(
    ("error", "fields"),
    [
        (CorruptPage("p", "e" * 64, "f" * 64), {"name": "p", "expected": "e" * 64}),
        (MissingPage("p", "w"), {"name": "p", "where": "w"}),
        (PageExists("p"), {"name": "p"}),
        (CorruptJournal("s", 3, "y"), {"path": "s", "line": 3, "why": "y"}),
        (StoreLocked("s", "h"), {"path": "s", "holder": "h"}),
        (OutsideStore("p"), {"name": "p"}),
        (BadLookup("w"), {"what": "w"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_carry_and_say_their_fields(error: PagingError, fields: dict[str, object]) -> None:
    """Each error has its fields as attributes, and its message holds the short ones."""
    assert isinstance(error, PagingError)
    assert {name: getattr(error, name) for name in fields} == fields
    assert all(str(value)[:10] in str(error) for value in fields.values())
