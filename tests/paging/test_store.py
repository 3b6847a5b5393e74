"""The store of files behaves as the store in memory, whatever is done to both."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_paging import FileStore, MemoryStore, PagingError, Store

# Few names, some of them folders of others, so that calls meet.
NAMES = st.sampled_from(["a", "b", "a/b", "a/b/c", "outputs/x", "outputs/y", "../out", "LOCK"])
DATA, PLACE = st.binary(max_size=6), st.integers(-1, 9)
CALLS = st.one_of(
    st.tuples(st.sampled_from(["put", "append", "sketch"]), NAMES, DATA),
    st.tuples(st.just("link"), NAMES, NAMES),
    st.tuples(st.sampled_from(["delete", "has", "size", "get"]), NAMES),
    st.tuples(st.just("truncate"), NAMES, PLACE),
    st.tuples(st.just("read"), NAMES, PLACE, PLACE),
    st.tuples(st.just("names"), st.sampled_from(["", "a", "a/", "outputs/", "outputs/x", "../"])),
    st.just(("reopened",)),
)


def called(store: Store, name: str, words: list[Any]) -> object:
    """What a call gives, or the type of what it raises."""
    try:
        return getattr(store, name)(*words)
    except (PagingError, ValueError) as error:
        return type(error)


@settings(max_examples=200, deadline=None)
@given(calls=st.lists(CALLS, max_size=30))
def test_both_answer_alike(
    calls: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same results and errors, and the same bytes under the same names, opened anew or not."""
    memory = MemoryStore()
    files = FileStore(tmp_path_factory.mktemp("store"), durable=False)
    for name, *words in calls:
        if name == "reopened":
            files.close()
            files = FileStore(files.root, durable=False, create=False)
        else:
            assert called(files, name, words) == called(memory, name, words)
        held, found = ({at: one.get(at) for at in one.names()} for one in (memory, files))
        assert held == found
    files.close()
