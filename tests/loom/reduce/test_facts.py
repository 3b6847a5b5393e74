import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce import facts_of_reply, facts_of_result, facts_of_user, reduce
from loom.reduce.facts import FACTS, LENGTH, NAMES, QUOTA, SAID, WINDOW, sentences, window
from loom_partitions.message import Fact

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
        ("see src/a.py:12", [("user", "see src/a.py:12"), ("path", "src/a.py")]),
        ("`make test`", [("command", "make test")]),
        ("run `make test` now", [("user", "run `make test` now"), ("command", "make test")]),
        ("use the blue one. Fine then.", [("user", "use the blue one.")]),
        ("- take the red pill\n- and the blue", [("user", "take the red pill"),
         ("user", "and the blue")]),
        ("请使用蓝色。好的。", [("user", "请使用蓝色。")]),
        ("青です", []),
        ("これは青です", [("user", "これは青です")]),
        ("Never a. Is it b? It is the c.", [("rule", "Never a."), ("question", "Is it b?"),
         ("user", "It is the c.")]),
        ("```sh\nmake\n```", [("command", "make")]),
        ("give it 500 ms", [("user", "give it 500 ms")]),
        ("timeout: 30", [("number", "timeout: 30")]),
        ("see `parse_args`", [("symbol", "parse_args")]),
        ("wait at most 5 s", [("rule", "wait at most 5 s")]),
    ],
)  # fmt: skip
def test_facts_of_a_user(text: str, facts: list[tuple[str, str]]) -> None:
    """Every sentence that says something, and paths, commands, numbers and symbols by form."""
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
        ("a_name of my own", [], []),
        ("", [("Grep", {"pattern": "parseArgs|run_all"})], [("name", "parseArgs run_all")]),
        ("", [("Read", {"path": "src/my_file.py"})], [("path", "src/my_file.py")]),
        (
            "",
            [("Task", {"prompt": "see job-77 again"}), ("Task", {"prompt": "job-77 and e6d2bbd7"})],
            [("name", "job-77 e6d2bbd7")],
        ),
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
    """A bounded number of different facts of one short line each, whatever the text."""
    reduction = reduce("Bash", other, text, error=error).reduction
    for facts, most in (
        (facts_of_user(text), SAID),
        (facts_of_reply(text, [("Read", other), ("Bash", other)]), FACTS + 1),
        (facts_of_result(reduction, text, error), FACTS),
    ):
        assert len(facts) <= most
        assert len(set(facts)) == len(facts)
        assert all(0 < len(fact.text) <= LENGTH for fact in facts if fact.kind != "name")
        assert all(len(fact.text.splitlines()) == 1 for fact in facts)


def test_rules_outlast_paths_when_there_are_too_many() -> None:
    """A flood of one kind does not drive out the rules, and the order of the text is kept."""
    text = " ".join(f"src/file{n}.py" for n in range(50)) + "\nNever delete them."
    facts = facts_of_user(text)
    assert facts[-1] == Fact("rule", "Never delete them.")
    assert facts[0].kind == "user"
    assert [fact.text for fact in facts[1:4]] == ["src/file0.py", "src/file1.py", "src/file2.py"]


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
    assert len(facts_of_user(text)) <= SAID
    assert len(facts_of_reply(text, [("Bash", text)])) <= FACTS
    assert len(facts_of_reply(text, [("Bash", json.dumps({"q": text}))])) <= FACTS + 1


@given(st.integers(0, 60), st.sampled_from(["Part {} of it goes on.", "这是我说的话{}。"]))
def test_of_a_long_message_the_first_and_the_last_sentences_stay(count: int, form: str) -> None:
    """All sentences while there are few, then as many from either end, in their order."""
    said = [form.format(number) for number in range(count)]
    found = [fact.text for fact in facts_of_user(" ".join(said)) if fact.kind == "user"]
    most = QUOTA["user"]
    assert found == (said if count <= most else said[: most // 2] + said[-(most // 2) :])


@given(st.lists(st.sampled_from([f"name_{n}" for n in range(80)]), max_size=80))
def test_calls_name_a_bounded_number_of_things(said: list[str]) -> None:
    """One fact with every name the calls speak of, each once, the first NAMES of them."""
    facts = facts_of_reply("", [("Task", json.dumps({"prompt": name})) for name in said])
    kept = list(dict.fromkeys(said))[:NAMES]
    assert told(facts) == ([("name", " ".join(kept))] if said else [])


def test_signs_are_counted_across_a_number() -> None:
    """Four signs of a script that parts no words say something, a number between them or not."""
    assert told(facts_of_user("改成5个吧。")) == [("user", "改成5个吧。")]
