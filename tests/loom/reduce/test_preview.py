import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.preview import (
    SNIP,
    marker_words,
    minimal_arguments,
    preview,
    preview_spoken,
    shorten,
)
from tests.kit.cases import all_cases

REF = "outputs/read_0007.json"
TEXT = st.text(st.characters(codec=None), max_size=400)
LINES = st.lists(st.text(max_size=40), max_size=60).map("\n".join)
JSON = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXT, inner, max_size=6),
    max_leaves=25,
)
ROOTS = st.lists(JSON, max_size=8) | st.dictionaries(TEXT, JSON, max_size=8)
snip = partial(shorten, shares=SNIP)
snip_spoken = partial(shorten, shares=SNIP, spoken=True)
SHORTEN = pytest.mark.parametrize("shorten", [preview, snip])
Shorten = Callable[[str, int, str], str]


@SHORTEN
@given(text=TEXT | LINES, limit=st.integers(0, 500))
def test_texts_keep_their_limit(shorten: Shorten, text: str, limit: int) -> None:
    """No text exceeds its limit, the result is a fixed point, and the same every time."""
    short = shorten(text, limit, REF)
    assert len(short) <= limit
    assert short == text or limit < 60 or REF in short
    assert shorten(short, limit, REF) == short
    assert shorten(text, limit, REF) == short


@SHORTEN
@given(value=ROOTS, limit=st.integers(200, 600), indent=st.sampled_from([None, 2]))
def test_json_stays_json(shorten: Shorten, value: Any, limit: int, indent: int | None) -> None:
    """JSON of any shape stays valid JSON of its kind, within the limit, naming page and size."""
    text = json.dumps(value, indent=indent)
    short = shorten(text, limit, REF)
    assert len(short) <= limit
    assert type(json.loads(short)) is type(value)
    assert short == text or (REF in short and f"of {len(text):,} bytes" in short)
    assert shorten(short, limit, REF) == short


@SHORTEN
def test_whole_lines_of_head_and_tail_stay(shorten: Shorten) -> None:
    """Between whole first and last lines one line tells what rests where."""
    lines = [f"line {n}" for n in range(1000)]
    text = "\n".join(lines)
    short = shorten(text, 300, REF).split("\n")
    at = next(n for n, line in enumerate(short) if line.startswith("…"))
    assert short[:at] == lines[:at]
    assert short[at + 1 :] == lines[-(len(short) - at - 1) :]
    assert len(short) - at - 1 >= 3
    shown = len("\n".join(short[:at])) + len("\n".join(short[at + 1 :]))
    which = f"(lines={at + 1}-{1_000 - (len(short) - at - 1)})"
    told = f"… {len(text) - shown:,} of {len(text):,} bytes {which} rest in {REF}"
    assert short[at] == told


def test_the_true_size_is_in_bytes() -> None:
    """The marker counts bytes, not characters."""
    assert "of 20,000 bytes" in preview("é" * 10_000, 300, REF)
    assert marker_words(5, 10, "") == "… 5 of 10 bytes left out"
    assert marker_words(-5, 10, "p") == "… 0 of 10 bytes rest in p"


@all_cases(
    ("arguments", "shown"),
    [
        ("", {}),
        ("  ", {}),
        ("not json", {"_raw": "not json"}),
        ("[1, 2]", {"_raw": "[1, 2]"}),
        ('{"a": ', {"_raw": '{"a": '}),
    ],
)
def test_what_is_no_object_becomes_one(arguments: str, shown: dict[str, str]) -> None:
    """Arguments that are not a JSON object are kept as raw text; blank ones are none."""
    assert json.loads(minimal_arguments(arguments)) == shown


def test_raw_arguments_say_their_true_length() -> None:
    """A long text that is no object keeps its head, its length and its page."""
    back = json.loads(minimal_arguments("word " * 1000, 200, REF))["_raw"]
    assert back.startswith("word word")
    assert back.endswith(f"… (5,000 chars, the whole rests in {REF})")


@given(TEXT | ROOTS.map(json.dumps), st.integers(20, 500), st.sampled_from(["", REF]))
def test_minimal_arguments_are_a_bounded_object(arguments: str, limit: int, ref: str) -> None:
    """Whatever the arguments, the result is a JSON object within the limit and a fixed point."""
    short = minimal_arguments(arguments, limit, ref)
    assert len(short) <= limit
    assert isinstance(json.loads(short), dict)
    assert minimal_arguments(short, limit, ref) == short


@pytest.mark.parametrize("shorten", [preview_spoken, snip_spoken])
@given(times=st.integers(3, 40), limit=st.integers(160, 500))
def test_what_was_said_is_parted_between_sentences(
    shorten: Shorten, times: int, limit: int
) -> None:
    """Head and tail of a long line that somebody wrote hold no half sentence."""
    rules = ("Move it.", "Under no circumstances delete its old retry code, whatever they say.")
    text = " ".join(rules[at % 2] for at in range(times))
    short = shorten(text, limit, REF)
    first, last = (part for part in re.split(r"\n… .*\n", short)) if REF in short else (short, "")
    whole = (*rules, rules[1].partition(", whatever")[0])
    for part in (first, last):
        left = part.strip()
        for rule in sorted(whole, key=len, reverse=True):
            left = left.replace(rule, "")
        assert not left.strip(), part


@pytest.mark.parametrize("shorten", [preview_spoken, snip_spoken])
@given(text=TEXT | LINES, limit=st.integers(0, 500))
def test_any_text_that_was_said_keeps_its_limit(shorten: Shorten, text: str, limit: int) -> None:
    """However odd it is, and the result is a fixed point."""
    short = shorten(text, limit, REF)
    assert len(short) <= limit
    assert shorten(short, limit, REF) == short
