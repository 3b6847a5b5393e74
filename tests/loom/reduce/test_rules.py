import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce import TEMPLATES, Observation, ToolResult, reduce, unanswered
from loom.reduce.aliases import NAMES
from loom.reduce.rules import KINDS, RULES
from loom_partitions.message import Reduction
from tests.kit.cases import all_cases
from tests.kit.standins import work_of

NAMES_TRIED = st.sampled_from(
    ["Read", "Write", "Edit", "LS", "Grep", "WebSearch", "WebFetch", "Bash", "get_weather", "tool",
     "str_replace_editor", ""]
)  # fmt: skip
TEXT = st.text(st.characters(codec=None), max_size=200)
KEYS = st.sampled_from(
    ["path", "command", "args", "query", "url", "content", "edits", "old_string", "offset",
     "limit", "view_range", "results", "entries", "stdout", "stderr", "exit_code", "status",
     "title", "matches", "error", "metadata", "file", "count", "links", "type"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | TEXT, inner, max_size=4),
    max_leaves=12,
)
PAYLOAD = TEXT | st.dictionaries(KEYS, VALUES, max_size=5).map(json.dumps) | VALUES.map(json.dumps)


def test_every_canonical_tool_has_a_rule_a_kind_and_a_template() -> None:
    """The tables cover the same canonical names."""
    assert set(RULES) == set(KINDS) == set(TEMPLATES) == set(NAMES)


GIVEN_UP = [
    ("Bash", {"command": "make test"}, "Bash(make test)"),
    ("Write", {"file_path": "a.py", "content": "x = 1"}, "Write(a.py)"),
    ("Edit", {"path": "a.py", "old_string": "x", "new_string": "y"}, "Edit(a.py)"),
    ("stock", {"of": "bolts", "at": "db7"}, "stock(bolts, db7)"),
    ("stock", {}, "stock()"),
]


@all_cases(("name", "arguments", "asked"), GIVEN_UP)
def test_a_call_that_was_given_up(name: str, arguments: dict[str, Any], asked: str) -> None:
    """What was asked for, and that nothing is known: neither done nor failed."""
    made = unanswered(name, json.dumps(arguments))
    said = f"{asked} — no result: may or may not have taken effect"
    assert (made.observation, made.compact) == (said, said)
    assert made.minimal_args == reduce(name, json.dumps(arguments), "").reduction.minimal_args


@given(NAMES_TRIED, PAYLOAD)
def test_whatever_was_given_up(name: str, arguments: str) -> None:
    """Any call makes one bounded line of it that a journal can hold."""
    made = unanswered(name, arguments)
    assert len(made.observation.splitlines()) == 1 and len(made.observation) <= 240
    assert msgspec.json.decode(msgspec.json.encode(made), type=Reduction) == made


@given(NAMES_TRIED, PAYLOAD, PAYLOAD, st.booleans())
def test_reduce_never_raises_and_keeps_its_bounds(
    name: str, arguments: str, result: str, error: bool
) -> None:
    """Any call reduces to one bounded line that a journal can hold."""
    done = reduce(name, arguments, result, error=error)
    made = done.reduction
    assert len(made.observation.splitlines()) == 1
    assert len(made.observation) <= (470 if error or "exit" in made.observation else 240)
    assert len(made.compact.splitlines()) == 1
    assert len(made.compact) <= (180 if error else 120)
    assert not error or "— failed: " in made.compact
    assert len(made.minimal_args) <= 8
    assert all(not isinstance(v, str) or len(v) <= 100 for v in made.minimal_args.values())
    assert made.outcome_ref == ""
    assert re.fullmatch(r"[a-z]+", done.kind)
    assert msgspec.json.decode(msgspec.json.encode(made), type=type(made)).tool == made.tool
    assert reduce(name, arguments, result, error=error) == done


def tickets(given: ToolResult) -> Observation:
    """A rule as a host writes one: how many tickets a search found, and the first of them."""
    found = given.members.get("tickets", [])
    subject = f"Looked for tickets on {given.arguments.get('topic')}"
    return Observation(
        subject=subject,
        text=f"{subject}: {len(found)}, first {found[0]}" if found else f"{subject}: none",
        args={"topic": given.arguments.get("topic"), "long": "x" * 500},
        page=len(found) > 2,
        kind="tickets",
        extension=".csv",
    )


def test_a_rule_of_the_host_comes_before_the_table() -> None:
    """By the tool's own name or by its canonical one; its arguments and lines are bounded here."""
    given = '{"topic": "login"}', '{"tickets": ["T-1", "T-2", "T-3"]}'
    done = reduce("find_tickets", *given, rules={"find_tickets": tickets})
    assert done.reduction.observation == "Looked for tickets on login: 3, first T-1"
    assert done.reduction.compact == "Looked for tickets on login"
    assert (done.page, done.kind, done.extension) == (True, "tickets", ".csv")
    assert done.reduction.minimal_args == {"topic": "login", "long": "x" * 99 + "…"}
    failed = reduce("find_tickets", *given, error=True, rules={"find_tickets": tickets}).reduction
    assert failed.observation.startswith("Looked for tickets on login — failed: ")
    for name, key in (("Read", "Read"), ("Read", "fs:read_file"), ("read_file", "fs:read_file")):
        assert reduce(name, *given, rules={key: tickets}).kind == "tickets"
    assert reduce("Bash", *given, rules={"Read": tickets}) == reduce("Bash", *given)


def test_a_rule_that_is_wrong_is_told() -> None:
    """What a rule raises is a warning, and Loom's own stands; so is a path out of the folder."""

    def broken(given: ToolResult) -> Observation:
        raise KeyError(given.name)

    def astray(given: ToolResult) -> Observation:
        return Observation(subject="s", text="t", kind="../../etc")

    for rule, why in ((broken, "KeyError"), (astray, "no page is named")):
        with pytest.warns(UserWarning, match=f"the rule for 't' failed: .*{why}"):
            assert reduce("t", "{}", "", rules={"t": rule}) == reduce("t", "{}", "")


@all_cases(
    ("name", "size", "page"),
    [
        ("Read", 1024, False),
        ("Read", 1025, True),
        ("Write", 1024, False),
        ("Write", 1025, True),
        ("tool", 1024, False),
        ("tool", 1025, True),
        ("Grep", 1024, False),
        ("Grep", 1025, True),
        ("get_weather", 1025, True),
        ("LS", 1025, True),
        ("WebSearch", 1025, True),
        ("WebFetch", 0, True),
    ],
)
def test_pages_by_size(name: str, size: int, page: bool) -> None:
    """What is larger than 1,024 bytes rests on a page, whatever the tool."""
    assert reduce(name, "{}", "x" * size).page is page


def test_size_is_counted_in_bytes() -> None:
    """Characters of several bytes count as many."""
    assert not reduce("Read", "{}", "é" * 512).page
    assert reduce("Read", "{}", "é" * 513).page


@all_cases(
    ("name", "result", "extension"),
    [
        ("Read", "", ".txt"),
        ("Read", "text", ".txt"),
        ("Read", "12", ".txt"),
        ("Read", '{"a": 1}', ".json"),
        ("tool", "[1]", ".json"),
        ("WebFetch", "<!DOCTYPE html><html>", ".html"),
        ("WebFetch", "  <HTML lang=en>", ".html"),
        ("Bash", '{"stdout": ""}', ".log"),
        ("Bash", "out", ".log"),
    ],
)
def test_extensions(name: str, result: str, extension: str) -> None:
    """A page is named for what it holds; a shell's is a log."""
    assert reduce(name, "{}", result).extension == extension


@all_cases(
    ("name", "arguments", "result", "observation", "compact"),
    [
        ("Read", {"path": "a"}, "<tool_use_error>File does not exist.</tool_use_error>",
         "Read a — failed: File does not exist.", "Read a — failed: File does not exist."),
        ("tool", {"x": 1}, '{"error": {"message": "no quota", "code": 9}}',
         "tool(1) — failed: no quota", "tool(1) — failed: no quota"),
        ("Write", {"path": "a"}, '{"error": "denied"}',
         "Wrote a — failed: denied", "Wrote a — failed: denied"),
        ("LS", {"path": "a"}, "", "Listed a — failed", "Listed a — failed: no output"),
    ],
)  # fmt: skip
def test_errors_are_told(
    name: str, arguments: dict[str, Any], result: str, observation: str, compact: str
) -> None:
    """A failed call carries the text of its error in both lines."""
    made = reduce(name, json.dumps(arguments), result, error=True).reduction
    assert (made.observation, made.compact) == (observation, compact)


def test_a_long_error_is_bounded() -> None:
    """About 300 characters of an error stay in the observation and 80 in the compact line."""
    made = reduce("tool", "{}", "wrong " * 1000, error=True).reduction
    assert len(made.observation.partition("failed: ")[2]) == 300
    assert len(made.compact.partition("failed: ")[2]) == 80


def calls_of(text: str, name: str) -> int:
    """How many function calls reducing a result takes: work, counted without a clock."""
    return work_of(lambda: reduce(name, "{}", text), lambda *_: True)


@all_cases("name", ["Read", "Bash", "Grep", "LS", "WebSearch", "WebFetch", "tool"])
@all_cases("unit", ["a.py:1:x\n", "dir/\n", "1:", "[1] ", "error\n"])
def test_work_is_linear_in_the_result(name: str, unit: str) -> None:
    """Twice the result takes at most about twice the calls."""
    assert calls_of(unit * 4000, name) <= 2.2 * calls_of(unit * 2000, name) + 50


@all_cases("unit", ["error ", "[", "[a](", "     1→", "title: ", "\x1b[", " ", "<title"])
def test_two_megabytes_of_anything_are_reduced(unit: str) -> None:
    """Texts made to send a careless pattern into quadratic time come back."""
    text = unit * (2_000_000 // len(unit))
    for name in ("Read", "Bash", "Grep", "WebSearch", "WebFetch", "tool"):
        assert reduce(name, text[:1000], text, error=True).page


@pytest.mark.shared
def test_recorded_sessions_reduce_to_bounded_lines() -> None:
    """Every result of the recorded sessions becomes a line far smaller than itself."""
    folder = Path(__file__).parents[4] / "shared" / "data" / "agent-sessions" / "claude-code"
    files = [path for path in sorted(folder.glob("*.jsonl")) if ".labels." not in path.name][:8]
    if not files:
        pytest.skip("no recorded sessions beside the repository")
    before = after = 0
    for path in files:
        calls: dict[str, dict[str, Any]] = {}
        for line in path.read_text("utf-8").splitlines():
            message = json.loads(line)
            calls |= {call["id"]: call for call in message.get("tool_calls") or ()}
            call = calls.get(message.get("tool_call_id", ""))
            if call is None or message["role"] != "tool":
                continue
            result = message.get("content") or ""
            arguments = json.dumps(call["arguments"])
            done = reduce(call["name"], arguments, result, error=bool(message.get("is_error")))
            assert len(done.reduction.observation) <= 470
            before, after = before + len(result), after + len(done.reduction.observation)
    assert before > 20 * after > 0
