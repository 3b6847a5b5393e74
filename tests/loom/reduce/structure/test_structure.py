import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loom.reduce.structure import structural
from tests.kit.cases import all_cases

REF = "outputs/shell_0012.log"
KINDS = {"json", "jsonl", "log", "table", "html", "text"}
PIECES = st.sampled_from([
    "{", "}", "[", "]", '"', "\\", "\n", "\r\n", "\t", " " * 40, "a", "7", "é", "\ud800", "\0",
    "\x1b[31m", "error: x", 'Traceback (most recent call last):\n  File "a"\n', "<p>", "</div>",
    "<!--", "<![CDATA[", "<script>", "|", ",", "a,b,c\n", "| a | b |\n", "|---|---|\n",
    "src/a.py:12: hit\n", "2024-01-01 12:00:00 INFO ok\n", "@@ -1 +1 @@\n", "diff --git a b\n",
    "def f():\n", "# head\n", "\ufeff", "NaN", "1e999", ":", "null", '{"a":1}\n', "NAME  AGE  ID\n",
    "-rw-r--r-- 1 u g 12 Jan 1 10:00 f.py\n", "a/b/c.py\n",
])  # fmt: skip
MIXED = st.lists(st.tuples(PIECES, st.integers(1, 40)), max_size=40).map(
    lambda parts: "".join(piece * times for piece, times in parts)
)
TEXT = st.text(st.characters(codec=None), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(TEXT, inner, max_size=8),
    max_leaves=40,
)
ROOTS = st.lists(JSON, max_size=20) | st.dictionaries(TEXT, JSON, max_size=20)


@all_cases("text", ["", "a", "a\nb", '{"a": 1}', "x" * 200, "[" + "1," * 98 + "1]"])
def test_a_text_that_fits_is_the_very_input(text: str) -> None:
    """What fits is returned as it is and said to be whole."""
    found = structural(text, 200, REF)
    assert (found.text, found.whole) == (text, True)
    assert found.kind in KINDS


@settings(max_examples=40)
@given(text=MIXED | TEXT, limit=st.integers(0, 900), ref=st.sampled_from(["", REF]))
def test_any_text_keeps_any_limit(text: str, limit: int, ref: str) -> None:
    """Nothing raises, no limit is exceeded, what was made is a fixed point, and always the same."""
    found = structural(text, limit, ref, objective="errors of a")
    assert len(found.text) <= limit or found.text == text
    assert found.kind in KINDS
    assert found.whole or found.text != text
    assert structural(text, limit, ref, objective="errors of a") == found
    assert structural(found.text, limit, ref).text == found.text
    if not found.whole and limit >= 200:
        assert ref in found.text


@settings(max_examples=40)
@given(value=ROOTS, limit=st.integers(2, 700), indent=st.sampled_from([None, 2]))
def test_json_stays_json(value: Any, limit: int, indent: int | None) -> None:
    """JSON of any shape stays valid JSON of its kind."""
    found = structural(json.dumps(value, indent=indent), limit, REF)
    assert len(found.text) <= limit
    assert type(json.loads(found.text)) is type(value)
    assert found.kind == "json"


@settings(max_examples=40)
@given(values=st.lists(st.dictionaries(TEXT, JSON, min_size=1, max_size=5), min_size=3, max_size=8))
def test_lines_of_json_stay_lines_of_json(values: list[Any]) -> None:
    """Each line that is kept, and each that tells of others, is valid JSON."""
    text = "\n".join(map(json.dumps, values))
    for limit in (2, 40, 200, 500):
        found = structural(text, limit, REF)
        assert all(json.loads(line) is not None for line in found.text.split("\n"))


@all_cases(
    "text",
    [
        " " * 1_000_000, "\n" * 300_000, "[" * 200_000, "[" * 50_000 + "]" * 50_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000, '["' + '\\"' * 200_000, "<a " * 200_000,
        "<p>" * 100_000, "<html><!--" + "<!--" * 100_000, "a," * 200_000, '"' * 300_000,
        "9" * 100_000, "[" + "9" * 100_000 + "]", "\r" * 100_000, "/" * 100_000, "a/" * 100_000,
        "a-" * 100_000, "x" * 400_000, "1 " * 200_000, "=" * 200_000, "\x1b]" * 100_000,
    ],
)  # fmt: skip
def test_hostile_texts_are_only_long(text: str) -> None:
    """What would take a careless pattern a square of its length is reduced like any other."""
    assert len(structural(text, 500, REF, objective="find the a").text) <= 500


def test_a_long_json_string_stays_a_string() -> None:
    """A text that is one JSON string stays one, and names its page."""
    found = structural(json.dumps("word " * 1000), 300, REF)
    assert REF in json.loads(found.text)


def test_blanks_alone_leave_nothing_out() -> None:
    """JSON that fits without its blanks is whole, its numbers as they were written."""
    found = structural('{ "a" : 1.50,\n' + " " * 500 + '"b": "x y" }', 200, REF)
    assert (found.text, found.whole) == ('{"a":1.50,"b":"x y"}', True)


def test_a_log_with_a_body_of_json_is_a_log() -> None:
    """A mixed text goes by its main part."""
    lines = [f"2026-01-02 10:00:{n % 60:02} INFO served {n}" for n in range(300)]
    text = "\n".join([*lines[:150], json.dumps({"a": [1] * 30}, indent=1), *lines[150:]])
    assert structural(text, 600).kind == "log"
