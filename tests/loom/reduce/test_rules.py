import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.aliases import NAMES
from loom.reduce.rule import COMPACT, TEMPLATES, Observation, ToolResult, fill_template
from loom.reduce.rules import KINDS, RULES, reduce_result
from tests.kit.cases import all_cases

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


@given(NAMES_TRIED, PAYLOAD, PAYLOAD, st.booleans())
def test_reduce_never_raises_and_keeps_its_bounds(
    name: str, arguments: str, result: str, error: bool
) -> None:
    """Any call reduces to one bounded line that a journal can hold."""
    done = reduce_result(name, arguments, result, error=error)
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
    assert reduce_result(name, arguments, result, error=error) == done


def test_a_rule_that_is_wrong_is_told() -> None:
    """What a rule raises is a warning, and Loom's own stands; so is a path out of the folder."""

    def broken(given: ToolResult) -> Observation:
        raise KeyError(given.name)

    def astray(given: ToolResult) -> Observation:
        return Observation(subject="s", text="t", kind="../../etc")

    for rule, why in ((broken, "KeyError"), (astray, "no page is named")):
        with pytest.warns(UserWarning, match=f"the rule for 't' failed: .*{why}"):
            assert reduce_result("t", "{}", "", rules={"t": rule}) == reduce_result("t", "{}", "")


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
    made = reduce_result(name, json.dumps(arguments), result, error=True).reduction
    assert (made.observation, made.compact) == (observation, compact)


@all_cases("unit", ["error ", "[", "[a](", "     1→", "title: ", "\x1b[", " ", "<title"])
def test_two_megabytes_of_anything_are_reduced(unit: str) -> None:
    """Texts made to send a careless pattern into quadratic time come back."""
    text = unit * (2_000_000 // len(unit))
    for name in ("Read", "Bash", "Grep", "WebSearch", "WebFetch", "tool"):
        assert reduce_result(name, text[:1000], text, error=True).page


def test_missing_fields_and_braces() -> None:
    """A field nobody gave shows a question mark, and braces in a value are only text."""
    assert fill_template("Read {path} ({size})", {"path": "{x}"}) == "Read {x} (?)"


def test_the_longest_field_gives_way() -> None:
    """A long command is cut inside the template; a long path loses its front."""
    line = fill_template(TEMPLATES["system:shell"], {"command": "x" * 500, "exit_code": "0"})
    assert line.endswith("…` (exit 0)")
    line = fill_template(TEMPLATES["fs:read_file"], {"path": "/d" * 300 + "/a.py", "size": "1 KB"})
    assert line.startswith("Read …")
    assert line.endswith("/a.py (1 KB)")


@given(st.sampled_from(sorted(TEMPLATES)), st.text(), st.text(), st.integers(20, 200))
def test_a_filled_line_is_one_line_within_its_limit(
    tool: str, path: str, command: str, limit: int
) -> None:
    """No value can make a compact line longer than its limit or more than one line."""
    fields = dict.fromkeys(("path", "query", "url", "location"), path) | {"command": command}
    line = fill_template(TEMPLATES[tool], fields, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) == 1
    assert limit <= COMPACT or len(fill_template(TEMPLATES[tool], fields)) <= COMPACT


@all_cases(
    ("arguments", "result", "line"),
    [
        ({}, "", "t(): no output"),
        ({"a": 1}, "done", "t(1): done"),
        ({"a": "x", "b": True, "c": 3}, "done", "t(x, True): done"),
        ({}, "line\n" * 50, "t(): text of 50 lines, 250 bytes: "),
        (
            {},
            {"id": 7, "name": "n", "body": "b" * 99},
            "t(): object of 3 keys, 133 bytes (id 7, name n, body)",
        ),
        ({}, [{"id": 1, "b": 2}], "t(): list of 1 item, 19 bytes (id, b)"),
        ({}, [1, 2], "t(): list of 2 items, 6 bytes"),
    ],
)
def test_shapes(arguments: dict[str, Any], result: Any, line: str) -> None:
    """Any tool keeps its arguments and the shape of its result."""
    text = result if isinstance(result, str) else json.dumps(result)
    done = reduce_result("t", json.dumps(arguments), text)
    assert done.reduction.observation.startswith(line)
    assert done.kind == "tool"


def test_a_hosts_rule_says_that_a_call_failed() -> None:
    """One that judges by itself and gives what failed is believed, where the host gave no error."""

    def rule(given: ToolResult) -> Observation:
        return Observation(subject="Deploy", text="no quota", failure="no quota", judged=True)

    made = reduce_result("run", '{"command": "make deploy"}', "no quota", rules={"run": rule})
    assert made.failed
    assert not reduce_result("run", '{"command": "make deploy"}', "no quota").failed
