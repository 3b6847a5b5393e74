"""Labels read from beside a session, and resolved against its events."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.inputs import Reply, Speech, ToolCall
from loom.replay.importers import BadSession
from loom_bench.recorded.labels import (
    Label,
    far,
    labelled,
    labels_of,
    needs_of,
    phrases_of,
    terms_of,
)
from tests.kit.cases import all_cases

Recording = Callable[..., Path]


@all_cases(
    ("label", "measured"),
    [
        (Label(1, "edit_old", "x", distance_tokens=8_000), False),
        (Label(1, "edit_old", "x", distance_tokens=8_001), True),
        (Label(1, "ident", "x", distance_tokens=9_000), True),
        (Label(1, "reread", "x", distance_tokens=9_000), False),
        (Label(1, "reread", "x", distance_tokens=9_000, same_content=True), True),
        (Label(1, "other", "x", distance_tokens=9_000), False),
    ],
)
def test_far(label: Label, measured: bool) -> None:
    """Only known kinds more than 8,000 tokens back are measured, rereads if nothing changed."""
    assert far(label) is measured


def test_needs_of(recording: Recording) -> None:
    """A need knows its reply, what held it and what names that; one nobody showed is left out."""
    session, needs = needs_of(recording(filler=2))
    [need] = needs
    assert session.events[need.at].index == 7
    [holder] = need.holders
    assert session.events[holder.at].index == 2
    assert holder.phrases == ("app/parser.go",)
    assert need.query == "/repo/app/parser.go"


def test_reread(recording: Recording) -> None:
    """What a reread needs is the whole result of the last read of that file."""
    path = recording(filler=1)
    line = {
        "call": 5,
        "kind": "reread",
        "needle": "/repo/app/parser.go",
        "same_content": True,
        "distance_tokens": 9_000,
    }
    labels_of(path).write_text(json.dumps(line), "utf-8")
    session, [need] = needs_of(path)
    assert need.needle == session.events[2].text  # type: ignore[union-attr]
    assert [holder.at for holder in need.holders] == [2]


@all_cases(
    ("arguments", "phrases"),
    [
        ("{}", ()),
        ("no JSON", ()),
        ('{"todos": "x"}', ()),
        ('{"path": "go.mod"}', ("go.mod",)),
        ('{"file_path": "/a/b/c.py"}', ("b/c.py",)),
        ('{"command": "\\n make all the things there are\\nls"}', ("make all the things ",)),
        ('{"pattern": "x", "path": "/a/b"}', ("a/b", "x")),
    ],
)
def test_phrases_of(arguments: str, phrases: tuple[str, ...]) -> None:
    """A call is named by its file's last two components or by the head of its command."""
    assert phrases_of(ToolCall("1", "tool", arguments)) == phrases


def test_query_without_needle(recording: Recording) -> None:
    """What is searched for never holds the needle, nor what only one who has it could write."""
    path = recording(filler=1)
    line = {"call": 5, "kind": "ident", "needle": "parser", "distance_tokens": 9_000}
    labels_of(path).write_text(json.dumps(line), "utf-8")
    _, [need] = needs_of(path)
    assert need.query == "/repo/app/ .go"


@all_cases(
    ("said", "terms"),
    [
        ("I look.", ()),
        ("Now `parseAll` and max_depth of src/old_parser.go.", ("parseAll", "max_depth")),
        ("parseAll, then the_needle and not_the_needle", ("parseAll",)),
        ("a_1 a_2 a_3 a_4 a_5 a_6", ("a_2", "a_3", "a_4", "a_5", "a_6")),
    ],
)
def test_terms_of(said: str, terms: tuple[str, ...]) -> None:
    """The last words of code that are said, none of a path and none that holds the needle."""
    assert terms_of(Reply((Speech(said),)), "", "the_needle") == terms


def test_labelled(recording: Recording, tmp_path: Path) -> None:
    """Sessions with a need come, the largest first; those without labels or needs do not."""
    small, large = recording("small", filler=1), recording("large", filler=3)
    bare = recording("bare", filler=2)
    labels_of(bare).unlink()
    labels_of(recording("near", filler=1)).write_text("", "utf-8")
    assert labelled([tmp_path]) == [large, small]
    assert labelled([tmp_path], limit=1) == [large]


def test_broken_labels(recording: Recording) -> None:
    """A line that is no label is refused by file and line."""
    path = recording()
    labels_of(path).write_text("\n{}\n", "utf-8")
    with pytest.raises(BadSession, match=r"one\.labels\.jsonl"):
        needs_of(path)
