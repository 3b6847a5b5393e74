import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce import facts_of_reply
from loom.reduce.facts import FACTS, LENGTH, NAMES, sentences
from loom.reduce.lines import WINDOW, window
from loom_partitions.message import Fact
from tests.kit.cases import all_cases

TEXT = st.text(st.characters(codec=None), max_size=500)
WORDS = st.lists(
    st.sampled_from(["must", "never", "a.py", "`ls -l`", "5 ms", "?", ".", "\n", "- ", "because"]),
    max_size=80,
).map(" ".join)


def told(facts: tuple[Fact, ...]) -> list[tuple[str, str]]:
    """Facts as plain pairs."""
    return [(fact.kind, fact.text) for fact in facts]


@all_cases("text", ["", " ", "Hello there.", "```python\nx must be 1\n```", "# Must"])
def test_small_talk_code_and_headings_hold_no_facts(text: str) -> None:
    """Text without choice, plan or call gives nothing."""
    assert facts_of_reply(text, []) == ()


@all_cases(
    ("text", "calls", "facts"),
    [
        ("", [("Read", "{}")], []),
        ("", [("Read", "not json")], []),
        ("I chose SQLite.", [], [("decision", "I chose SQLite.")]),
        ("Next, I run it.", [], []),
        ("Plan:\n1. Read it\n2. Run it", [], [("plan", "1. Read it"), ("plan", "2. Run it")]),
        ("Ok", [("Read", {"file_path": "a.py"})], [("path", "a.py")]),
        ("", [("Bash", {"command": "ls"}), ("bash", {"command": "ls"})], [("command", "ls")]),
        ("", [("Task", {"command": "ls"})], []),
        ("a_name of my own", [], []),
        ("", [("Grep", {"pattern": "parseArgs|run_all"})], [("name", "parseArgs run_all")]),
        ("", [("Read", {"path": "src/my_file.py"})], [("path", "src/my_file.py")]),
        (
            "",
            [("Task", {"prompt": "see job-77 again"}), ("Task", {"prompt": "job-77 and e6d2bbd7"})],
            [("name", "job-77"), ("id", "e6d2bbd7")],
        ),
        (
            "I chose X instead.",
            [("Edit", {"path": "b"}), ("Edit", {"path": "a"})],
            [("decision", "I chose X instead."), ("path", "b"), ("path", "a")],
        ),
    ],
)
def test_facts_of_a_reply(
    text: str, calls: list[tuple[str, Any]], facts: list[tuple[str, str]]
) -> None:
    """Decisions and plans come from the text, paths and commands from the calls."""
    made = [(name, a if isinstance(a, str) else json.dumps(a)) for name, a in calls]
    assert told(facts_of_reply(text, made)) == facts


@given(TEXT | WORDS, TEXT | WORDS)
def test_facts_are_bounded_for_any_text(text: str, other: str) -> None:
    """A bounded number of different facts of one short line each, whatever the text."""
    facts = facts_of_reply(text, [("Read", other), ("Bash", other)])
    assert len(facts) <= FACTS + 1
    assert len(set(facts)) == len(facts)
    assert all(0 < len(fact.text) <= LENGTH for fact in facts if fact.kind != "name")
    assert all(len(fact.text.splitlines()) == 1 for fact in facts)


def test_only_both_ends_of_a_long_text_are_scanned() -> None:
    """The middle of a very long text costs nothing and gives nothing."""
    filler = "Some words. " * (WINDOW // 6)
    text = f"I chose one. {filler} I chose two. {filler} I chose three."
    found = [fact.text for fact in facts_of_reply(text, [])]
    assert found == ["I chose one.", "I chose three."]
    assert len(window("x" * 10_000_000)) == 2 * WINDOW + 1


def test_of_a_long_sentence_the_clauses_with_the_choice_are_kept() -> None:
    """They begin and end where clauses do, marked, and what governs the choice stands with it."""
    long = "and so it was at that time, " * 12
    (fact,) = facts_of_reply(f"The code is old, {long}I decided to keep the parser, {long}so.", [])
    assert fact.text.startswith("… I decided to keep the parser, and so it was at that time")
    assert fact.text.endswith(("at that time …", "(cut: what follows may limit this)"))
    governed = f"Only for a while, {long}I decided to keep the parser."
    (fact,) = facts_of_reply(governed, [])
    assert governed.startswith(fact.text.partition(" …")[0])


def test_a_choice_that_cannot_be_told_in_part_is_no_fact() -> None:
    """Half a sentence may say the opposite of it: the step has the whole."""
    assert facts_of_reply("I decided to use no " + "word " * 500, []) == ()


def test_sentences_know_where_they_stand() -> None:
    """Each sentence comes with the position of its line's text, bullets taken off."""
    text = "# Title\n- One. Two!\n\n> Three"
    assert [sentence for _, sentence in sentences(text)] == ["One.", "Two!", "Three"]
    assert next(sentences(text))[0] == text.index("One")


@all_cases("unit", ["`", "a.b/", "- ", "must ", "a=1 ", "1", "?", "/", "```\n", "[ ] "])
def test_a_megabyte_of_anything_is_scanned(unit: str) -> None:
    """Texts made to send a careless pattern into quadratic time come back."""
    text = unit * (1_000_000 // len(unit))
    assert len(facts_of_reply(text, [("Bash", text)])) <= FACTS
    assert len(facts_of_reply(text, [("Bash", json.dumps({"q": text}))])) <= FACTS + 1


@given(st.lists(st.sampled_from([f"name_{n}" for n in range(80)]), max_size=80))
def test_calls_name_a_bounded_number_of_things(said: list[str]) -> None:
    """One fact with every name the calls speak of, each once, the first NAMES of them."""
    facts = facts_of_reply("", [("Task", json.dumps({"prompt": name})) for name in said])
    kept = list(dict.fromkeys(said))[:NAMES]
    assert told(facts) == ([("name", " ".join(kept))] if said else [])
