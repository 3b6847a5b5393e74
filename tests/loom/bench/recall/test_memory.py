"""The memory benchmark: what it reads, what counts as brought back, what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.memory import memory
from loom.bench.errors import BadBench
from loom.bench.recall.asked import figures, measure
from loom.bench.recall.beam import (
    EvidenceMatch,
    Plain,
    Question,
    conversations,
    passages,
)
from loom.search import semantic
from tests.kit.cases import all_cases

TOPICS = ("harbour", "orchard", "railway", "library", "glacier", "bakery", "desert", "theatre")
FILLER = (
    "we went on with the plan and wrote down every single point of it again today, as nobody did "
)


def written(folder: Path, name: str = "1", **changed: Any) -> Path:
    """A conversation as BEAM writes it: a message about each topic, and a reply to each."""
    turns = []
    for at, topic in enumerate(TOPICS):
        said = f"the {topic} opens at {at + 3}, " + f"as {topic} people know " * 8
        turns += [
            {"role": "user", "id": 2 * at, "content": said},
            {"role": "assistant", "id": 2 * at + 1, "content": FILLER * 40},
        ]
    questions = [
        {"question": f"When does the {TOPICS[2]} open?", "source_chat_ids": [4]},
        {"question": f"{TOPICS[0]} or {TOPICS[5]}?", "source_chat_ids": {"a": [0], "b": [[10]]}},
        {"question": "What was never said?", "source_chat_ids": []},
        {"question": "What is the plan?"},
    ]
    files = {
        "chat.json": [{"batch_number": 1, "turns": [turns[:4], turns[4:]]}],
        "probing_questions.json": {"kind": questions},
        **changed,
    }
    (folder / name).mkdir(parents=True)
    for file, value in files.items():
        (folder / name / file).write_text(json.dumps(value), "utf-8")
    return folder


def test_no_folder_no_conversation(tmp_path: Path) -> None:
    """A folder without conversations has none."""
    assert list(conversations(tmp_path)) == []


def test_conversations_are_read(tmp_path: Path) -> None:
    """By number, from the folder or the one above; questions without evidence are left out."""
    for name in ("10", "2"):
        written(tmp_path / "beam-100k", name)
    found = list(conversations(tmp_path))
    assert [one.name for one in found] == ["2", "10"]
    assert found == list(conversations(tmp_path / "beam-100k"))
    assert [message.id for message in found[0].messages] == list(range(16))
    assert [question.evidence for question in found[0].questions] == [(4,), (0, 10)]


@all_cases(
    "changed",
    [
        {"chat.json": 7},
        {"chat.json": [{"turns": [[{"role": "user"}]]}]},
        {"probing_questions.json": [1]},
        {"probing_questions.json": {"a": [{"question": "q", "source_chat_ids": ["x"]}]}},
    ],
)
def test_a_bad_conversation_is_named(tmp_path: Path, changed: dict[str, Any]) -> None:
    """What is not as BEAM writes it says which folder."""
    with pytest.raises(BadBench, match="7: "):
        list(conversations(written(tmp_path, "7", **changed)))


WORDS = " ".join(f"w{number}" for number in range(16))
SHARES: list[tuple[str, str, float]] = [
    ("", "anything", 0.0),
    (WORDS, "", 0.0),
    (WORDS, WORDS, 1.0),
    (WORDS, f"before {WORDS} after", 1.0),
    (WORDS, WORDS[: WORDS.index(" w8")], 0.5),
    (WORDS, WORDS[: WORDS.index(" w7")], 0.0),  # seven words in a row may be chance
    (WORDS, " ".join(reversed(WORDS.split())), 0.0),
    ("yes, go on", "she said\n  yes,\ngo on then", 1.0),
    ("yes, go on", "yes, on", 0.0),
]


@all_cases(("message", "answer", "share"), SHARES)
def test_what_counts_as_brought_back(message: str, answer: str, share: float) -> None:
    """Words in runs of eight, whatever the blanks between; half of the message is enough."""
    recalled = EvidenceMatch(lambda word: 1)
    assert recalled.share(message, answer) == share


def test_words_weigh_their_tokens() -> None:
    """The share is one of tokens, not of words."""
    assert EvidenceMatch(len).share("a b " * 4 + "long" * 20 + " c" * 8, "a b " * 4) < 0.3


PLAIN: list[tuple[str, int, list[int]]] = [
    ("", 99, []),
    ("xyzzy", 99, []),
    ("kraken", 99, [0, 2]),
    ("kraken", 6, [0]),
    ("kraken", 3, []),
    ("sails kraken", 8, [1, 0]),
]


@all_cases(("query", "budget", "messages"), PLAIN)
def test_plain_bm25(query: str, budget: int, messages: list[int]) -> None:
    """Whole messages, best first, as long as they fit; those without a word are left out."""
    texts = ["a Kraken sleeps here", "sails and sails rest", "the kraken, of whom all sailors tell"]
    plain = Plain(texts, lambda text: len(text.split()))
    assert plain(query, budget).splitlines() == [texts[at] for at in messages]


def test_passages_are_cut_between_words() -> None:
    """At most so many words each, in order; a short text is one, a blank one none."""
    assert passages([" a b\n\nc  d e ", "f", " "], 3) == ["a b\n\nc", "d e", "f"]


def test_recall_is_measured(tmp_path: Path) -> None:
    """Every question, strategy and budget has a share; what fits is found."""
    (conversation,) = conversations(written(tmp_path))
    answered = measure(conversation, [500, 4_000], ["bm25", "bm25_passages", "loom"])
    assert len(answered) == 2 and {one.half for one in answered} == {"odd"}
    found = figures(answered, [500, 4_000])
    assert found == {
        "500": {"bm25": 1.0, "bm25_passages": 1.0, "loom": 1.0},
        "4000": {"bm25": 1.0, "bm25_passages": 1.0, "loom": 1.0},
    }


def test_what_does_not_fit_is_not_brought_back(tmp_path: Path) -> None:
    """The figure can be less than one."""
    (conversation,) = conversations(written(tmp_path))
    texts = list(conversation.messages)
    asked = (Question("When does the railway open?", (4, 10)),)
    changed = type(conversation)("2", tuple(texts), asked)
    (answered,) = measure(changed, [60], ["bm25", "loom"])
    assert answered.half == "even"
    assert dict(answered.shares[60])["bm25"] == 0.5


def test_the_command_ends_with_one_json_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table unless only JSON is asked for; the last line is the figures."""
    written(tmp_path)
    assert memory(data=tmp_path, budgets="4000") == 0
    out = capsys.readouterr().out
    assert "Evidence brought back" in out
    report = json.loads(out.splitlines()[-1])
    assert report["mode"] == "lexical" and report["questions"] == 2
    assert report["4000"] == {"bm25": 1.0, "bm25_passages": 1.0, "loom": 1.0}
    assert memory(data=tmp_path, budgets="4_000", json=True) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


REFUSED: list[tuple[str, Callable[[Path], dict[str, Any]], str]] = [
    ("budgets", lambda path: {"data": path, "budgets": "many"}, "--budgets 'many'"),
    ("none", lambda path: {"data": path, "budgets": "0"}, "--budgets '0'"),
    ("folder", lambda path: {"data": path / "no"}, "no conversations"),
    ("bad", lambda path: {"data": written(path, **{"chat.json": 7})}, "not as BEAM"),
]


@all_cases(("name", "given", "said"), REFUSED)
def test_what_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    given: Callable[[Path], dict[str, Any]],
    said: str,
) -> None:
    """Bad arguments and folders end with 2 and say what to give."""
    assert memory(**given(tmp_path)) == 2
    assert said in capsys.readouterr().err


def test_the_semantic_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the extra it is measured, without it the command says how to have it."""
    written(tmp_path)
    code = memory(data=tmp_path, mode="both", budgets="4000", json=True)
    printed = capsys.readouterr()
    if semantic.available():
        assert code == 0
        assert set(json.loads(printed.out)["4000"]) == {"bm25", "bm25_passages", "loom", "semantic"}
    else:
        assert code == 2 and "loom-window[semantic]" in printed.err
