"""What is found, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.memory.longterm import BadMemory, Draft, LongTerm, open_longterm
from loom.search.semantic import MiniLM, available
from tests.kit.cases import all_cases
from tests.kit.standins import Letters

TEXTS = [
    "The kraken sleeps in src/auth/login.py, says issue CVE-2024-1.",
    "run setup.go before the tests",
    "user prefers tabs; func runEnableInteractive is theirs",
    "接続が失敗しました。サーバーを再起動する",
    "数据库连接池的大小是二十",
    "v1.2.3 was released; v12.3 was not",
]


def found(store: LongTerm, words: str, limit: int = 5, now: float = 10.0) -> list[int]:
    """Ids a query finds, best first."""
    return [one.memory.id for one in store.query(words, limit, now=now)]


@all_cases(
    ("words", "ids"),
    [
        ("?", []),
        ("xyzzy", []),
        ("\0\ud800", []),
        ("kraken", [1]),
        ("KRAKENS", [1]),
        ("setup.go", [2]),
        ("login.py", [1]),
        ("/home/me/src/auth/login.py", [1]),
        ("cve-2024-1", [1]),
        ("run_enable_interactive", [3, 2]),
        ("失敗", [4]),
        ("连接池", [5]),
        ("v1.2.3", [6]),
        ('setup.go" OR names:*', [2]),
    ],
)
def test_what_is_found(store: LongTerm, words: str, ids: list[int]) -> None:
    """Identifiers, paths, any form of a word, any script; whatever is asked is words."""
    store.save_many(Draft(text, 1) for text in TEXTS)
    assert found(store, words) == ids


def test_a_blank_query_gives_the_newest(store: LongTerm) -> None:
    """As many as asked for, none for a limit of nothing."""
    store.save_many(Draft(text, 1) for text in TEXTS)
    for blank in ("", " \n"):
        assert found(store, blank, 3) == [6, 5, 4]
    assert found(store, "", 0) == found(store, "kraken", -1) == []
    assert store.query("", 1, now=1)[0].score == 0.0


def test_equals_stand_newest_first(store: LongTerm) -> None:
    """Recency decides between scores that are nearly equal, and no others."""
    filler = "and other words of no account at all"
    store.save(f"the blue door, the blue wall {filler}", now=1)
    drafts = (Draft(f"one blue thing {filler} {at}", at) for at in range(100, 300))
    assert [m.id for m in store.save_many(drafts)][-1] == 201
    assert found(store, "blue", 3, now=999) == [1, 201, 200]
    assert found(store, "thing 107", 1, now=999) == [9]


def test_kind_and_agent_narrow(store: LongTerm) -> None:
    """Both must be those asked for, also where others score better."""
    store.save_many(Draft(f"kraken kraken {at}", 1) for at in range(200))
    mine = store.save("a kraken among very many other words", kind="rule", agent="a", now=1)
    for words in ("kraken", ""):
        assert [one.memory for one in store.query(words, now=1, kind="rule")] == [mine]
        assert [one.memory for one in store.query(words, now=1, agent="a")] == [mine]
        assert store.query(words, now=1, kind="rule", agent="b") == []


def test_the_dead_take_no_place(store: LongTerm) -> None:
    """However many better ones expired or were superseded, the live ones are found."""
    store.save_many(Draft(f"kraken kraken {at}", 1, ttl=1) for at in range(150))
    store.save_many(Draft(f"kraken kraken {at}", 1, "k") for at in range(150))
    last = store.save("a kraken among very many other words", now=1)
    assert found(store, "kraken") == [300, last.id]


def test_a_bad_time_is_refused(store: LongTerm) -> None:
    """A query and a sweep need a time as a save does."""
    for bad in (float("nan"), -1.0):
        with pytest.raises(BadMemory, match="now"):
            store.query("x", now=bad)
        with pytest.raises(BadMemory, match="now"):
            store.expire(bad)


def test_meaning_is_added_where_an_embedder_is_given(path: Path, engine: str) -> None:
    """By words alone, by both, and by words alone again; vectors outlive the store's closing."""
    embedder = Letters()
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        assert found(store, "act") == []
        for text in ("stock fell", "cat", "act now"):
            store.save(text, now=1)
        store.use_embedder(None)
        assert found(store, "act") == [3]
        store.use_embedder(embedder)
        assert found(store, "act") == [3, 2, 1]
        assert found(store, "tac", 2) == [2, 3]
    with open_longterm(path, engine) as store:
        store.use_embedder(embedder)
        before = embedder.given
        assert found(store, "tac", 1) == [2] and embedder.given == before + 1
        store.save("dog", key="pet", now=2)
        store.forget(2)
        assert found(store, "tac", 9) == [3, 1, 4] and embedder.given == before + 3
        store.save("hen", key="pet", now=3)
        assert found(store, "god", 9, now=4)[0] != 4


def test_vectors_of_two_embedders_are_not_mixed(store: LongTerm) -> None:
    """Another embedder embeds everything anew."""
    store.save_many(Draft(text, 1) for text in ("cat", "dog", "hen"))
    for name in ("one", "two", "one"):
        embedder = Letters(name)
        store.use_embedder(embedder)
        assert found(store, "god", 1) == [2] and embedder.given == 4


def test_the_extra_finds_what_no_word_tells(path: Path, engine: str) -> None:
    """The embedder of the extra, from text to answer: its vectors outlive the store's closing."""
    if not available():
        pytest.skip("the extra is not installed")
    with open_longterm(path, engine) as store:
        store.save_many(
            Draft(text, 1)
            for text in (
                "The deployment failed because the disk was full.",
                "Our cat sleeps on the windowsill all afternoon.",
                "Invoices are sent to customers on the first of the month.",
            )
        )
        assert found(store, "kitten napping") == found(store, "billing schedule") == []
        store.use_embedder(MiniLM())
        assert found(store, "kitten napping", 1) == [2]
        assert found(store, "billing schedule", 1) == [3]
    with open_longterm(path, engine) as store:
        store.use_embedder(MiniLM())
        newer = store.save("No room was left on the server, so the release broke.", now=2)
        assert {1, newer.id} == set(found(store, "out of storage space", 2))
        store.forget(2)
        assert found(store, "kitten napping", 1) != [2]
