"""A text takes as long as it is: four times as much of anything, about four times as long."""

from __future__ import annotations

import json
from time import process_time

import pytest

from loom.redact import SECRETS
from loom.redact.rule import compiled
from loom.redact.search import SecretSearch
from loom.redact.words import WordSearch
from tests.kit.cases import all_cases

SEARCH = SecretSearch(*compiled(SECRETS))
SMALL, TIMES, MOST = 12_000, 4, 9  # characters; as many; as long at most: a square takes 16
WORDS = (
    *("password", "pass", "pwd", "pw", "secret", "token", "key", "api_key", "auth", "sess", "sid"),
    *("bearer", "cookie", "login", "user", "seed", "recovery code", "pin", "creds", "sshpass"),
)
FORMS = (
    "{}",
    "{}=",
    "{}: ",
    '"{}": "',
    "{} {{\n",
    "{}|user\n",
    "{}:a@",
    "<{}>",
    "--{} ",
    "{}='\\\"",
)
SIGNS = (
    *("\x1b", "\x1b[", "\x1b[0;", "\x1b]0;", "\x9b", "\x9d0;", "\x1bP\\", "\x1b[m", "\x1b[C"),
    *("\\", "\\u001b", "\\u001b]a", "\\\\\\\\u0041", "\\n", "%25", "%2541", "%", "\x00", "\u200b"),
    *("eyJ", "eyJaaaaaaaaaa.", "sk-", "-sk", "ghp_", "a.", "AKIA", "://", "http://a:b@", "://a:"),
    *("-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n", "-----", "\n", "{"),
    *("curl -u a:b ", "Authorization: Bearer ", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY", "0123abcd"),
    *(
        "password " + "x" * 90,
        "p\x00",
        "\x1b[32mkey\x1b[0m ",
        "密码",
        "é",
        "\r\n",
        "?token=",
        ";sid=",
    ),
)
UNITS = (*SIGNS, *(form.format(word) for form in FORMS for word in WORDS))


def seconds(text: str, tries: int) -> float:
    """Processor time of a search, the least of some."""
    times = []
    for _ in range(tries):
        began = process_time()
        SEARCH(text)
        times.append(process_time() - began)
    return min(times)


def is_linear(short: str, long: str) -> bool:
    """True when the long one takes about as much more as it is longer; a busy machine has turns."""
    return any(seconds(long, tries) < MOST * seconds(short, tries) for tries in (1, 2, 4, 8))


@all_cases("unit", UNITS)
def test_one_thing_over_and_over(unit: str) -> None:
    """Whatever a text repeats, nothing in it is searched again and again."""
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (SMALL, TIMES * SMALL))
    assert is_linear(short, long)


def nested(rows: int) -> str:
    """JSON in JSON in JSON, whose backslashes double each time."""
    made = json.dumps([{"user": "u", "password": "", "token": None, "note": "a\nb"}] * rows)
    for _ in range(3):
        made = json.dumps({"text": made})
    return made


def coloured(rows: int) -> str:
    """A log with a colour for each word."""
    words = ["the", "password", "of", "user", "12", "is", "not", "set"]
    return "".join(f"\x1b[3{n % 8}m{word}\x1b[0m " for n in range(rows) for word in words)


@pytest.mark.parametrize("made", [nested, coloured], ids=["nested", "coloured"])
def test_ordinary_texts(made: object) -> None:
    """So does what tools print every day."""
    assert callable(made)
    assert is_linear(made(40), made(40 * TIMES))


def test_a_word_is_found_at_each_of_its_places() -> None:
    """The places of words are those that `find` gives, however the words overlap."""
    words = ("pass", "passw", "password", "sw", "key", "api_key", "-key", "a" * 12)
    text = "api_key passwordpassw -keykey aaaaaaaaaaaaaaa pas sword"
    found = WordSearch(words).places(text.encode())
    for word in words:
        begins = word[:8]
        every = [at for at in range(len(text)) if text.startswith(begins, at)]
        assert found.get(word, []) == every
