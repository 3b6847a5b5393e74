"""JSON as the redactor reads it, and keys that became the same mark."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from loom.redact.parsed import is_like, parsed, spelled_out
from loom.redact.redactor import apart
from tests.kit.cases import all_cases

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=9,
)
MARK = "[redacted:a]"


@given(VALUES)
def test_keys_without_marks_stay(value: object) -> None:
    """Such a JSON text is given back as it came, also one with a key twice."""
    text = json.encode(value).decode()
    assert apart(text) == text
    assert apart('{"a":1,"a":2}') == '{"a":1,"a":2}'


@all_cases(
    ("text", "told"),
    [
        (f'{{"{MARK}":1}}', f'{{"{MARK}":1}}'),
        (f'{{"{MARK}":1,"{MARK}" : 2}}', f'{{"{MARK}":1,"{MARK}#2" : 2}}'),
        (
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}":2,"{MARK}":3}}',
            f'{{"{MARK}#2":0,"{MARK}":1,"{MARK}#3":2,"{MARK}#4":3}}',
        ),
        (f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]', f'[{{"{MARK}":"{MARK}"}},{{"{MARK}":1}}]'),
        (
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}":"{{"}}',
            f'{{"{MARK}":{{"{MARK}":1}},"x{MARK}":2,"{MARK}#2":"{{"}}',
        ),
    ],
)
def test_keys_are_told_apart(text: str, told: str) -> None:
    """Each key of one object has a name of its own; done twice it is as done once."""
    assert apart(text) == told and apart(told) == told
    assert len(json.decode(told)) == len(json.decode(text)) or MARK in told


def test_many_keys_are_told_apart() -> None:
    """Thousands of the same mark: each name is looked up a bounded number of times."""
    text = "{" + ",".join(f'"{MARK}":{number}' for number in range(20_000)) + "}"
    assert len(json.decode(apart(text))) == 20_000


@given(VALUES)
def test_a_value_is_like_itself(value: object) -> None:
    """Whatever its texts say; and read again it is the same."""
    assert is_like(value, value) and parsed(spelled_out(value)) == value
    assert not is_like([value], {"a": value}) and not is_like([value], [value, value])


@all_cases("text", ["", "no", "{", '"a', "\ud800", "[" * 100_000])
def test_what_is_no_json(text: str) -> None:
    """Ellipsis, for a text of any kind and depth."""
    assert parsed(text) is ...


def test_lone_surrogates() -> None:
    """Spelled out and read they stay."""
    assert parsed(spelled_out({"\ud800": "\udfff密"})) == {"\ud800": "\udfff密"}
