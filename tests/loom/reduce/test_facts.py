import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce import facts_of_reply, facts_of_result, facts_of_user, reduce
from loom.reduce.facts import FACTS, LENGTH, WINDOW, sentences, window
from partitions.message import Fact

TEXT = st.text(st.characters(codec=None), max_size=500)
WORDS = st.lists(
    st.sampled_from(["must", "never", "a.py", "`ls -l`", "5 ms", "?", ".", "\n", "- ", "because"]),
    max_size=80,
).map(" ".join)


def told(facts: tuple[Fact, ...]) -> list[tuple[str, str]]:
    """Facts as plain pairs."""
    return [(fact.kind, fact.text) for fact in facts]


@pytest.mark.parametrize("text", ["", " ", "Hello there.", "```python\nx must be 1\n```", "# Must"])
def test_small_talk_code_and_headings_hold_no_facts(text: str) -> None:
    """Text without force, question, path, command or measure gives nothing."""
    assert facts_of_user(text) == ()
    assert facts_of_reply(text, []) == ()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("- Never push to main.", [("rule", "Never push to main.")]),
        ("1. use tabs\n2. You must test it", [("rule", "You must test it")]),
        ("Fine. Don't edit it! Ok", [("rule", "Don't edit it!")]),
        ("不要修改测试。谢谢", [("rule", "不要修改测试。")]),
        ("Should we ship?", [("question", "Should we ship?")]),
        ("これでいい？", [("question", "これでいい？")]),
        ("look at src/a.py:12", [("path", "src/a.py")]),
        ("run `make test` now", [("command", "make test")]),
        ("```sh\nmake\n```", [("command", "make")]),
        ("give it 500 ms", [("number", "give it 500 ms")]),
        ("timeout: 30", [("number", "timeout: 30")]),
        ("see `parse_args`", [("symbol", "parse_args")]),
        ("wait at most 5 s", [("rule", "wait at most 5 s")]),
    ],
)
def test_facts_of_a_user(text: str, facts: list[tuple[str, str]]) -> None:
    """Rules, questions, paths, commands, numbers and symbols are told by form and language."""
    assert told(facts_of_user(text)) == facts


@pytest.mark.parametrize(
    ("text", "calls", "facts"),
    [
        ("", [("Read", "{}")], []),
        ("", [("Read", "not json")], []),
        ("I chose SQLite.", [], [("decision", "I chose SQLite.")]),
        ("Next, I run it.", [], [("plan", "Next, I run it.")]),
        ("Ok", [("Read", {"file_path": "a.py"})], [("path", "a.py")]),
        ("", [("Bash", {"command": "ls"}), ("bash", {"command": "ls"})], [("command", "ls")]),
        ("", [("Task", {"command": "ls"})], []),
        (
            "It failed because of X.",
            [("Edit", {"path": "b"}), ("Edit", {"path": "a"})],
            [("decision", "It failed because of X."), ("path", "b"), ("path", "a")],
        ),
    ],
)
def test_facts_of_a_reply(
    text: str, calls: list[tuple[str, Any]], facts: list[tuple[str, str]]
) -> None:
    """Decisions and plans come from the text, paths and commands from the calls."""
    made = [(name, a if isinstance(a, str) else json.dumps(a)) for name, a in calls]
    assert told(facts_of_reply(text, made)) == facts


@pytest.mark.parametrize(
    ("name", "arguments", "result", "error", "facts"),
    [
        ("tool", {}, "error: not one", False, []),
        ("Read", {"path": "a.py"}, "raise ValueError", False, [("path", "a.py")]),
        ("Read", {"path": "a"}, "<tool_use_error>gone</tool_use_error>", True,
         [("path", "a"), ("error", "gone")]),
        ("Bash", {"command": "x"}, "ok\nE: fatal\nok", True, [("error", "E: fatal")]),
        ("Bash", {"command": "x"}, "Exit code 1\nTypeError: no", False,
         [("error", "TypeError: no")]),
        ("Bash", {"command": "x"}, '{"stdout": "error", "stderr": "a\\npanic: b", "exit_code": 2}',
         False, [("error", "panic: b")]),
        ("Bash", {"command": "x"}, "0 errors", False, []),
    ],
)  # fmt: skip
def test_facts_of_a_result(
    name: str, arguments: dict[str, str], result: str, error: bool, facts: list[tuple[str, str]]
) -> None:
    """A result gives its path, and its error lines only when it failed."""
    reduction = reduce(name, json.dumps(arguments), result, error=error).reduction
    assert told(facts_of_result(reduction, result, error)) == facts


@given(TEXT | WORDS, TEXT | WORDS, st.booleans())
def test_facts_are_bounded_for_any_text(text: str, other: str, error: bool) -> None:
    """At most twelve different facts of one short line each, whatever the text."""
    reduction = reduce("Bash", other, text, error=error).reduction
    for facts in (
        facts_of_user(text),
        facts_of_reply(text, [("Read", other), ("Bash", other)]),
        facts_of_result(reduction, text, error),
    ):
        assert len(facts) <= FACTS
        assert len(set(facts)) == len(facts)
        assert all(0 < len(fact.text) <= LENGTH for fact in facts)
        assert all(len(fact.text.splitlines()) == 1 for fact in facts)


def test_rules_outlast_paths_when_there_are_too_many() -> None:
    """A flood of one kind does not drive out the rules, and the order of the text is kept."""
    text = " ".join(f"src/file{n}.py" for n in range(50)) + "\nNever delete them."
    facts = facts_of_user(text)
    assert facts[-1] == Fact("rule", "Never delete them.")
    assert [fact.text for fact in facts[:3]] == ["src/file0.py", "src/file1.py", "src/file2.py"]


def test_only_both_ends_of_a_long_text_are_scanned() -> None:
    """The middle of a very long text costs nothing and gives nothing."""
    filler = "Some words. " * (WINDOW // 6)
    text = f"Never one. {filler} Never two. {filler} Never three."
    assert [fact.text for fact in facts_of_user(text)] == ["Never one.", "Never three."]
    assert len(window("x" * 10_000_000)) == 2 * WINDOW + 1


def test_a_long_sentence_is_kept_around_its_telling_word() -> None:
    """Of a sentence longer than a fact, the part with the rule in it is the fact."""
    (fact,) = facts_of_user("word " * 500 + "never push " + "word " * 500)
    assert fact.text.startswith("…")
    assert "never push" in fact.text


def test_sentences_know_where_they_stand() -> None:
    """Each sentence comes with the position of its line's text, bullets taken off."""
    text = "# Title\n- One. Two!\n\n> Three"
    assert [sentence for _, sentence in sentences(text)] == ["One.", "Two!", "Three"]
    assert next(sentences(text))[0] == text.index("One")


@pytest.mark.parametrize(
    "unit", ["`", "a.b/", "- ", "must ", "a=1 ", "1", "?", "/", "```\n", "[ ] "]
)
def test_a_megabyte_of_anything_is_scanned(unit: str) -> None:
    """Texts made to send a careless pattern into quadratic time come back."""
    text = unit * (1_000_000 // len(unit))
    assert len(facts_of_user(text)) <= FACTS
    assert len(facts_of_reply(text, [("Bash", text)])) <= FACTS
