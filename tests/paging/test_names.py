"""The name rule, and the seals and errors that carry names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging import CorruptPage, OutsideStore, seal, verify
from loom_paging.names import checked_name


@given(st.text(max_size=40))
def test_checked_names_stay_inside(name: str) -> None:
    """A name that passes has only plain parts; one that does not is in the error."""
    try:
        parts = checked_name(name).split("/")
    except OutsideStore as error:
        assert error.name == name
    else:
        assert not {"", ".", ".."} & set(parts)


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
