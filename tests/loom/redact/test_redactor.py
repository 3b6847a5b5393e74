"""Secrets are replaced before anything is hashed or written; private keys in their armour."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import json

from loom.redact import Redactor
from tests.kit.secrets_made import EXAMPLES, KEY, MIXED, SECRET, SHAPED

REDACT = Redactor()
ODD = st.characters() | st.sampled_from("密のé٣ıЖ🔑\u0301\u200b\x00\x1b\x9b\\%\"'`(=,;:@&\n{}[]")
TEXTS = st.text(ODD, max_size=80)
PLAIN = st.text("abcdefgh ,.\n(){}密", max_size=60)
CASES = st.sampled_from(EXAMPLES)
LEAVES = st.none() | st.booleans() | st.integers(-99, 99) | PLAIN | TEXTS
VALUES = st.recursive(
    LEAVES | CASES.map(lambda case: "".join(case[1:])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            PLAIN | st.sampled_from(SHAPED).map(lambda case: case[2]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.lists(st.tuples(PLAIN, CASES), max_size=4))
def test_among_words(parts: list[tuple[str, tuple[str, str, str, str]]]) -> None:
    """However many there are: no value is left, a second pass changes nothing and counts none."""
    text = "".join(f"{said}\n{''.join(case[1:])}\n" for said, case in parts)
    redact = Redactor()
    clean = redact(text)
    assert not any(case[2] in clean for _, case in parts)
    assert sum(redact.take().values()) == clean.count("[redacted:")
    assert redact(clean) == clean and redact.take() == {}
    if not parts:
        assert clean == text


@given(TEXTS)
@example("\ud800")
@example('"\ud800' + SECRET)
def test_any_text(text: str) -> None:
    """Whatever is in it: done twice it is as done once, and what is left holds no secret."""
    clean = REDACT(text)
    assert REDACT(clean) == clean
    assert REDACT.arguments(clean) == clean and not REDACT.holds_secret(clean)


@given(VALUES)
@example({SECRET: 1, SECRET.replace("a1", "b2"): 2})
@example([{"a": {SECRET: {SECRET: "x"}, SECRET + "q": SECRET}}])
def test_json_stays_json(value: object) -> None:
    """The structure stays, no key is lost, and values that hold no secret are what they were."""
    text = json.encode(value).decode()
    clean = REDACT.arguments(text)
    assert shape(json.decode(clean)) == shape(value)
    assert REDACT.arguments(clean) == clean
    assert not any(case[2] in clean for case in SHAPED if "\n" not in case[2])
    if clean == text:
        assert REDACT.value(value) == value


def shape(value: object) -> object:
    """A JSON value without what its texts and keys say."""
    if isinstance(value, dict):
        return [shape(one) for one in value.values()]
    if isinstance(value, list):
        return tuple(map(shape, value))
    return "" if isinstance(value, str) else (type(value), value)


def test_a_rule_that_eats_structure() -> None:
    """A caller's pattern that ends at a space leaves arguments their structure."""
    redact = Redactor([("word", r"(?P<keep>password=)\S+")])
    clean = redact.arguments('{"q":"password=abc","r":[1,"password=d e"]}')
    assert json.decode(clean) == {
        "q": "password=[redacted:word]",
        "r": [1, "password=[redacted:word] e"],
    }
    assert redact.take() == {"word": 2}
    assert redact.arguments(clean) == clean and redact.take() == {}
    redact = Redactor([("pair", r'"password": *"[^"]*"')])
    clean = redact.arguments('{"password": "abc", "r": 1}')
    assert json.decode(clean) == {"[redacted:pair]": "[redacted:pair]", "r": 1}
    assert redact.take() == {"pair": 1}


def test_a_redactor_in_another_process() -> None:
    """Pickled, it has its rules and its counts."""
    redact = Redactor()
    redact(SECRET)
    other = pickle.loads(pickle.dumps(redact))
    assert other.patterns is redact.patterns and other.take() == {"api-key": 1}
    own = pickle.loads(pickle.dumps(Redactor([("badge", r"B-\d{4}")])))
    assert own("B-1234") == "[redacted:badge]"


BEGIN, END = KEY.splitlines()[0], KEY.splitlines()[-1]
LINES = [f"{number:04d}{MIXED}{MIXED[:20]}" for number in range(300)]
MARK = "[redacted:private-key]"


def test_a_short_text_without_a_secret_is_searched_once() -> None:
    """Names of tools and files recur; one that holds a secret is searched and replaced again."""
    redact = Redactor((("badge", r"badge \d{6}"),))
    for _ in range(9):
        assert redact("read_the_file_of_mine") == "read_the_file_of_mine"
    assert redact._search.searched == 1
    assert [redact("My badge 120934.") for _ in range(2)] == ["My [redacted:badge]."] * 2
    assert redact.take() == {"badge": 2}


def test_a_key_that_was_cut() -> None:
    """Without its last line it goes as far as it can be told, and so does its end."""
    body = "\n".join(LINES[:9])
    assert Redactor()(f"a\n{BEGIN}\n{body}\n\nand more") == f"a\n{MARK}\n\nand more"
    clean = Redactor()(f"{body}\n{END}\nb")
    assert clean.endswith("\nb") and not any(line in clean for line in LINES[:9])


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{body}\n=a1B2\n"
        "-----END PGP PRIVATE KEY BLOCK-----",
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 9\n{body}\nPrivate-MAC: 1234",
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{body}\n"
        "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ],
)
def test_other_armours(text: str) -> None:
    """PGP, PuTTY and SSH2 have lines of their own."""
    clean = Redactor()(text.format(body="\n".join(LINES[:9])))
    assert MARK in clean and not any(line in clean for line in LINES[:9])


def test_the_beginning_of_a_long_secret_is_found_by_halves() -> None:
    """An error that quotes 2,000 of a password's 3,900 characters, and a text in which half of the
    characters could begin it: each is looked at a dozen times, not once a character."""
    secret = "k7Qz9" * 780
    source = json.encode({"command": f'password="{secret}"'}).decode()
    clean = Redactor().message(f"cannot run: {secret[:2_000]} " + "k7Qz" * 60_000, source)
    assert secret[:20] not in clean and "[redacted:" in clean


@pytest.mark.parametrize("length", [60, 240, 900])
def test_a_password_of_an_address_may_be_a_long_token(length: int) -> None:
    """Access tokens stand in the place of a password."""
    password = "k7Qz9" * (length // 5)
    assert password not in Redactor()(f"psql postgres://bob:{password}@db.example.com/app")
