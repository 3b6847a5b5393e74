"""Where the secrets of a text stand: whole, in a large one, cut off."""

from __future__ import annotations

from base64 import b64encode, encodebytes
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from loom.redact import SECRETS, Redactor
from loom.redact.redactor import without_secret_beginning
from loom.redact.rule_places import CHUNK
from loom.redact.secret_rule import compile_rules
from loom.redact.secret_search import SecretSearch, merged_spans
from tests.kit.cases import all_cases, some
from tests.kit.secrets.kinds import KINDS
from tests.kit.secrets_made import EXAMPLES, KEY, MIXED, SECRET

SEARCH = SecretSearch(*compile_rules(SECRETS))
REDACT = Redactor()
WORDS = "an ordinary line of words\n"
LINE = "words of a line that has no end, "


@pytest.mark.parametrize("filler", [WORDS, LINE])
def test_what_lies_across_two_chunks(filler: str) -> None:
    """A secret of any kind is found wherever its words are looked for, with lines or without."""
    for number, case in enumerate(EXAMPLES):
        secret = "".join(case[1:])
        before = filler * 80
        before = before[len(before) - CHUNK + number * 7 % (len(secret) + 40) :]
        text = f"{before}\n{secret}\n{filler * 900}"
        at = len(before) + 1 + len(case[1])
        assert (at, at + len(case[2]), case[0]) in SEARCH(text)


@pytest.mark.parametrize("coded", [b64encode, encodebytes], ids=["one line", "wrapped"])
def test_what_a_long_run_encodes(coded: object) -> None:
    """A run of base64 goes whole, however long it is."""
    assert callable(coded)
    said = f"{WORDS * 400}DB_PASSWORD={MIXED}\n{WORDS * 400}".encode()
    run = coded(said).decode().strip()
    text = f"{WORDS * 70}\n{run}\n{WORDS * 900}"
    [(start, end, _)] = SEARCH(text)
    assert text[start:end] == run


def test_a_long_key() -> None:
    """It goes whole, also where its last line is far away from its first."""
    head, *lines, last = KEY.splitlines()
    key = "\n".join((head, *(lines * 2_000), last))
    text = f"{WORDS * 40_000}{key}\n{WORDS * 40_000}"
    clean = REDACT(text)
    assert clean == f"{WORDS * 40_000}[redacted:private-key]\n{WORDS * 40_000}"


def test_rows_far_from_their_heading() -> None:
    """A column of secrets is one to the table's end."""
    rows = [f"user{number},x{number * 7919:x}Kq{number:x}Zw" for number in range(70_000)]
    clean = REDACT("\n".join(("user,password", *rows)))
    assert clean.count("[redacted:password]") > 69_000


MARK = "[redacted:a]"


@all_cases(
    ("text", "clean"),
    [
        ("", ""),
        ("nothing of it", "nothing of it"),
        ("sk-ant-", "sk-ant-"),
        ("it was sk-ant-a1B2…", f"it was {MARK}…"),
        (f"{SECRET} and {SECRET}", f"{MARK} and {MARK}"),
    ],
)
def test_beginnings_of_a_value(text: str, clean: str) -> None:
    """The longest that is there goes, wherever it stands; a few letters are an ordinary word."""
    assert without_secret_beginning(text, SECRET, MARK) == clean


@given(st.sampled_from([case for case in EXAMPLES if case[2].isprintable()]), st.integers(8, 200))
def test_a_message_that_was_cut(case: tuple[str, str, str, str], size: int) -> None:
    """However much of the command it repeats, no more than a few letters of the value are left."""
    _, before, secret, after = case
    command = f"{before}{secret}{after}"
    source = json.encode({"command": command}).decode()
    said = Redactor().message(f"refused: {command[:size]}", source)
    assert secret[:8] not in said and said.startswith("refused: ")


PROSE = "step 12 of the build went through, nothing to do for the next one"
CODE = "    def run(self, name):\n        return self.names[name] or {}  # {name} -- see `run`"
LOG = '{"level":"info","worker":7,"message":"request is done","path":"/api/v1/items"}'
KEYS = "# where a token, a key or a password would stand: the user sets it -p"
LINES = (PROSE, CODE, LOG, KEYS, "", "{", "}", "12: -", "naïve 文字 “quoted”")
LONG = 5_000  # characters on each side


def found(text: str, secret: str) -> bool:
    """True when no more than half of a secret is left of it in a text."""
    clean = REDACT(text)
    REDACT.take()
    return secret not in clean and secret[: len(secret) // 2 + 1] not in clean


def filler(lines: list[str]) -> str:
    """Lines over and over up to a length."""
    one = "\n".join((*lines, ""))
    return one * (LONG // max(len(one), 1) + 1)


@pytest.mark.parametrize("kind", some(KINDS, 120))
@settings(max_examples=6)
@given(
    seed=st.integers(0, 5),
    before=st.lists(st.sampled_from(LINES), min_size=1, max_size=4),
    after=st.lists(st.sampled_from(LINES), min_size=1, max_size=4),
)
def test_amid_many_lines(kind: str, seed: int, before: list[str], after: list[str]) -> None:
    """Lines before and behind a secret hide none of it."""
    one = KINDS[kind](Random(seed))
    if found(one.text, one.secret):
        assert found(f"{filler(before)}\n{one.text}\n\n{filler(after)}", one.secret)


def test_a_long_value_goes_whole() -> None:
    """Beyond what its rule reads it ends at a space, a quote or the line's end."""
    value = MIXED * 300
    [(start, end, _)] = SEARCH(f"DB_PASSWORD={value} and more")
    assert (start, end) == (12, 12 + len(value))


@all_cases(
    ("spans", "made"),
    [
        ([], []),
        ([(3, 4, "a"), (0, 2, "b")], [(0, 2, "b"), (3, 4, "a")]),
        ([(0, 2, "a"), (2, 4, "b")], [(0, 2, "a"), (2, 4, "b")]),
        ([(0, 3, "a"), (2, 9, "b")], [(0, 9, "b")]),
        ([(0, 9, "a"), (2, 4, "b")], [(0, 9, "a")]),
        ([(0, 4, "a"), (3, 6, "b"), (5, 7, "c")], [(0, 7, "a")]),
    ],
)
def test_spans_are_joined(
    spans: list[tuple[int, int, str]], made: list[tuple[int, int, str]]
) -> None:
    """Those that overlap are one, of the kind of the longest."""
    assert merged_spans(spans) == made


# What a rule finds begun again and again, and never ended.
BEGUN = [
    "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN ", "AKIA", "ghp_", "-glpat", "xoxb-", "-sk",
    "sk-a1bcd-Ef", "sk-ant-", "-eyJ.eyJ", "eyJaaaaaaaaaa.", "Authorization: Bearer abc ",
    "aa://a:", "aa://a:b@sha1:", "password=", "password: ", "user,password\n", "mysql -p ",
    "\x1b[0;", "\x1b]0;", "\x9d0;", "\\u001b]a", "\\\\", "\\n", "%25", "%73k-", "\x00",
    "\x1b[msk-\x1b[m", "YWFh",
]  # fmt: skip


def seconds(text: str) -> float:
    """Processor time of a search, the least of some."""
    times = []
    for _ in range(4):
        began = process_time()
        SEARCH(text)
        times.append(process_time() - began)
    return min(times)


@all_cases("unit", BEGUN)
def test_no_text_is_searched_again_and_again(unit: str) -> None:
    """Four times as much text takes about four times as long, whatever it is made of."""
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (4_000, 16_000))
    assert seconds(long) < 10 * seconds(short)
