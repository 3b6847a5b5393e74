"""What is saved, superseded, not stored twice, and refused; what is found, and in which order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loom.capabilities.memory.longterm.memories import LongTerm, open_longterm
from loom.capabilities.memory.longterm.memories import open_longterm as opened
from loom.capabilities.memory.longterm.memory_item import (
    LABEL_BYTES,
    TEXT_BYTES,
    MemoryItem,
    memory_digest,
    new_memory,
)
from loom.errors import BadInput
from loom.text import encodable
from loom_paging import StoreLocked
from tests.kit.cases import all_cases
from tests.kit.standins import Letters

ROOT = Path(__file__).parents[5]


def test_what_a_store_holds_of_identity_is_as_ever() -> None:
    """These bytes are in stores; another digest would orphan them."""
    assert memory_digest(new_memory("same", 1, "k")).hex() == "a3a6ff2efffa4a038e37dbfeefdcfafd"


BAD = [
    ({"text": ""}, "blank"),
    ({"text": " \n\t"}, "blank"),
    ({"text": "x" * (TEXT_BYTES + 1)}, "65,537 bytes"),
    ({"text": "é" * (TEXT_BYTES // 2 + 1)}, "bytes"),
    ({"text": None}, "NoneType"),
    ({"text": b"bytes"}, "bytes"),
    ({"key": "k" * (LABEL_BYTES + 1)}, "key has"),
    ({"source": 7}, "source is a int"),
    ({"now": float("nan")}, "now"),
    ({"now": float("inf")}, "now"),
    *(({"ttl": ttl}, "ttl") for ttl in ("5", True, 1e30, float("nan"), -1)),
    ({"now": -1.0}, "now"),
    ({"now": "soon"}, "now"),
    ({"ttl": -1.0}, "ttl"),
    ({"now": 1.7e308, "ttl": 1.7e308}, "ttl"),
]


@all_cases(("given", "said"), BAD)
def test_bad_ones_are_refused(store: LongTerm, given: dict[str, object], said: str) -> None:
    """Each with what is wrong; nothing is stored, and the store goes on."""
    arguments: dict[str, object] = {"text": "fine", "now": 1.0, **given}
    with pytest.raises(BadInput, match=said):
        store.save(new_memory(**arguments))  # type: ignore[arg-type]
    assert store.save(new_memory("fine", now=1)).id == 1


def test_an_error_undoes_all_of_a_transaction(store: LongTerm) -> None:
    """Nothing of it is found, and its id is given again."""
    with pytest.raises(ZeroDivisionError), store.store.write_transaction():
        store.store.insert(MemoryItem(store.store.next_id(), "lost"))
        raise ZeroDivisionError
    assert store.get(1) is None and store.query("lost", now=1) == []
    assert store.save(new_memory("next", now=9)).id == 1


HOLDS = """
import sys
from loom.capabilities.memory.longterm.memories import open_longterm
with open_longterm(*sys.argv[1:]) as store:
    with store.store.write_transaction():
        print("held", flush=True)
        sys.stdin.readline()
"""


def test_a_store_in_use_says_so(path: Path, engine: str) -> None:
    """Who waits in vain is told; nothing is harmed, and the next call works."""
    command = [sys.executable, "-c", HOLDS, str(path), engine]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with (
            pytest.raises(StoreLocked, match="another process"),
            opened(path, engine, wait=0.01) as store,
        ):
            store.save(new_memory("x", now=1))
        process.communicate("\n")
    with opened(path, engine, wait=0.01) as store:
        assert store.save(new_memory("x", now=1)).id == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(), min_size=1, max_size=60),
    st.text(st.characters(), max_size=20),
    st.text(st.characters(), max_size=20),
)
def test_any_text_is_kept(store: LongTerm, text: str, key: str, kind: str) -> None:
    """Lone surrogates become U+FFFD; NUL and all else come back, and can be asked for."""
    if not text.strip():
        return
    saved = store.save(new_memory(text, key=key, kind=kind, source=text, now=1))
    assert (saved.text, saved.key, saved.kind) == tuple(map(encodable, (text, key, kind)))
    assert store.get(saved.id) == saved
    assert saved.id == store.save(new_memory(text, key=key, kind=kind, now=1)).id
    assert all(one.memory.alive(1) for one in store.query(text, now=1, kind=kind))


def found(store: LongTerm, words: str, limit: int = 5, now: float = 10.0) -> list[int]:
    """Ids a query finds, best first."""
    return [one.memory.id for one in store.query(words, limit, now=now)]


def test_what_may_not_be_found_takes_no_place(store: LongTerm) -> None:
    """Of a word that many hold, the live ones of the kind that is asked for are ranked alone."""
    for at in range(9):
        store.save(new_memory(f"red fox {at}", now=1, kind="rule", ttl=4))
    store.save(new_memory("one red fox among many other words of the forest", now=1))
    assert [one.memory.id for one in store.query("red fox", 1, now=2, kind="fact")] == [10]
    assert found(store, "red fox 3", 1, now=2) == [4] and found(store, "red fox 3") == [10]


def test_meaning_is_added_where_an_embedder_is_given(path: Path, engine: str) -> None:
    """By words alone, by both, and by words alone again; vectors outlive the store's closing."""
    embedder = Letters()
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        assert found(store, "act") == []
        for text in ("stock fell", "cat", "act now"):
            store.save(new_memory(text, now=1))
        store.use_embedder(None)
        assert found(store, "act") == [3]
        store.use_embedder(embedder)
        assert found(store, "act") == [3, 2, 1]
        assert found(store, "tac", 2) == [2, 3]
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        before = embedder.given
        assert found(store, "tac", 1) == [2] and embedder.given == before + 1
        store.save(new_memory("dog", key="pet", now=2))
        with store.store.write_transaction():
            store.store.delete(*store.store.read([2]).values())
        assert found(store, "tac", 9) == [3, 1, 4] and embedder.given == before + 3
        store.save(new_memory("hen", key="pet", now=3))
        assert found(store, "god", 9, now=4)[0] != 4


def test_vectors_of_two_embedders_are_not_mixed(store: LongTerm) -> None:
    """Another embedder embeds everything anew."""
    store.save_many(new_memory(text, 1) for text in ("cat", "dog", "hen"))
    for name in ("one", "two", "one"):
        embedder = Letters(name)
        store.use_embedder(embedder)
        assert found(store, "god", 1) == [2] and embedder.given == 4
