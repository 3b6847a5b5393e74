"""The objects of `memory://` behave as obstore's own store in memory does."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom_paging.remote.bucket import Bucket
from loom_paging.remote.memory_objects import MemoryObjects

KEYS = st.sampled_from(("log/1", "log/2", "logs", "a/log/1", "a/b/c", "pages/x", "lease"))
FOLDERS = st.sampled_from(("log/", "a/", "a/log/", "pages/", ""))
CALLS = st.one_of(
    st.tuples(st.sampled_from(("create", "replace")), KEYS, st.binary(max_size=3)),
    st.tuples(st.sampled_from(("read", "has", "size")), KEYS),
    st.tuples(st.just("remove"), st.lists(KEYS, max_size=2)),
    st.tuples(st.just("keys"), FOLDERS, st.one_of(st.just(""), KEYS)),
    st.tuples(st.just("folders"), FOLDERS),
    st.tuples(st.just("entries")),
)
WITHOUT = """
import sys
sys.modules["obstore"] = None  # as where it is not installed
import loom
with loom.open("memory://one/w") as ctx:
    ctx.user("Mend the parser.")
print(loom.read("memory://one/w").page_in("user_0001").text)
"""


@given(st.lists(CALLS, max_size=12), st.sampled_from(("", "here/")))
def test_every_call_answers_the_same(calls: list[Any], prefix: str) -> None:
    """What each call returns or raises, whatever was put and removed before it."""
    store = pytest.importorskip("obstore.store").MemoryStore()
    ours, theirs = (Bucket(one, "memory://m", prefix) for one in (MemoryObjects(), store))
    for name, *arguments in calls:
        assert _told(getattr(ours, name), arguments) == _told(getattr(theirs, name), arguments)


def _told(call: Callable[..., object], arguments: list[Any]) -> object:
    try:
        return call(*arguments)
    except KeyError as error:
        return str(error)


def test_it_needs_no_obstore() -> None:
    """A workspace in memory is written and read where obstore is not installed."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "Mend the parser.\n"), done.stderr
