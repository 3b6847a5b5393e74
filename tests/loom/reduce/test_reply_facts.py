import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.reply_facts import IDS, SAID, SHORTENED, THOUGHT, facts_of_reply, sentences_of
from loom_partitions.message import Fact

TEXT = st.text(st.characters(codec=None), max_size=500)
WORDS = st.lists(
    st.sampled_from(["must", "never", "a.py", "`ls -l`", "5 ms", "?", ".", "\n", "- ", "because"]),
    max_size=80,
).map(" ".join)


def told(facts: tuple[Fact, ...]) -> list[tuple[str, str]]:
    """Facts as plain pairs."""
    return [(fact.kind, fact.text) for fact in facts]


@pytest.mark.parametrize(
    ("text", "calls", "facts"),
    [
        ("", [("Read", "{}")], []),
        ("", [("Read", "not json")], []),
        ("I chose SQLite.", [], [("model", "I chose SQLite.")]),
        ("Plan:\n1. Read it\n2. Run it", [], [("model", "Plan: 1. Read it 2. Run it")]),
        ("Ok", [("Read", {"file_path": "a.py"})], []),  # it announces its call
        ("Now to src/a.py.", [("Read", {"file_path": "src/a.py"})], []),
        (
            "The lock in a.py is never given back.",
            [("Read", {"file_path": "a.py"})],
            [("model", "The lock in a.py is never given back.")],
        ),
        ("", [("Bash", {"command": "ls"})], []),
        (
            "",
            [("Task", {"prompt": "see 4711 again"}), ("Task", {"prompt": "4711, e6d2bbd7"})],
            [("id", "e6d2bbd7")],
        ),
    ],
)
def test_facts_of_a_reply(
    text: str, calls: list[tuple[str, Any]], facts: list[tuple[str, str]]
) -> None:
    """What was said comes from the text, ids from the calls."""
    made = [(name, a if isinstance(a, str) else json.dumps(a)) for name, a in calls]
    assert told(facts_of_reply(text, made)) == facts


@given(TEXT | WORDS, TEXT | WORDS)
def test_facts_are_bounded_for_any_text(text: str, other: str) -> None:
    """A bounded number of different facts of one short line each, whatever the text."""
    facts = facts_of_reply(text, [("Read", other), ("Bash", other)])
    assert len(set(facts)) == len(facts)
    assert len([fact for fact in facts if fact.kind != "closed"]) <= 2
    assert all(len(fact.text) <= 2 * SAID + 3 for fact in facts if fact.kind == "model")
    assert all(len(fact.text.splitlines()) == 1 for fact in facts)


def test_a_long_text_is_told_from_both_ends() -> None:
    """Its first and last words stand, and a mark that it was longer."""
    text = f"It was a race. {'Some words. ' * SAID}So the lock goes."
    (fact,) = facts_of_reply(text, [])
    assert fact.text.startswith("It was a race. ") and fact.text.endswith(" So the lock goes.")
    assert (fact.kind, fact.came, len(fact.text) <= 2 * SAID + 3) == ("model", SHORTENED, True)


def test_what_was_thought_is_no_word_of_the_reply() -> None:
    """It has a kind of its own, and less room."""
    first, second = facts_of_reply("Done.", [], "Why is that? " * 100)
    assert (first.kind, first.came, second.kind) == ("thought", SHORTENED, "model")
    assert len(first.text) <= 2 * THOUGHT + 3
    assert facts_of_reply("", [], " \n") == ()


def test_sentences_stand_without_bullets() -> None:
    """Bullets and headings are taken off."""
    text = "# Title\n- One. Two!\n\n> Three"
    assert list(sentences_of(text)) == ["One.", "Two!", "Three"]


@given(st.lists(st.integers(0x10000000, 0x1000004F).map("a{:x}".format), max_size=80))
def test_calls_use_a_bounded_number_of_ids(said: list[str]) -> None:
    """One fact with every id the calls speak of, each once, the first IDS of them."""
    facts = facts_of_reply("", [("Task", json.dumps({"prompt": name})) for name in said])
    kept = list(dict.fromkeys(said))[:IDS]
    assert told(facts) == ([("id", " ".join(kept))] if said else [])
