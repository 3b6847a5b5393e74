import json
import re
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


@all_cases("unit", ["error ", "[", "[a](", "     1→", "title: ", "\x1b[", " ", "<title"])
def test_two_megabytes_of_anything_are_reduced(unit: str) -> None:
    """Texts made to send a careless pattern into quadratic time come back."""
    text = unit * (2_000_000 // len(unit))
    for name in ("Read", "Bash", "Grep", "WebSearch", "WebFetch", "tool"):
        assert reduce(name, text[:1000], text, error=True).page
