"""A secret that is found in a short text is found in a long one, whatever stands around it."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.kit.secrets.kinds import KINDS

REDACT = Redactor()
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


@pytest.mark.parametrize("kind", KINDS)
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


@all_cases("kind", KINDS)
def test_in_a_line_of_ten_thousand_characters(kind: str) -> None:
    """A log in one line of JSON holds it as a value, with much before and behind it."""
    one = KINDS[kind](Random(7))
    row = {"level": "info", "at": 12, "message": PROSE}
    short = json.dumps([row, {"output": one.text}, row])
    if found(short, json.dumps(one.secret)[1:-1]):
        long = json.dumps([*[row] * 60, {"output": one.text}, *[row] * 60])
        assert "\n" not in long and len(long) > 2 * LONG
        assert found(long, json.dumps(one.secret)[1:-1])


BLOCKS = (
    'variable "db_password" {{\n  description = "of the database"\n  type = string\n'
    '  sensitive = true\n  default = "{}"\n}}\n',
    '"password": {{\n  "type": "string",\n  "minimum": 8,\n  "value": "{}"\n}}\n',
    "- name: DB_PASSWORD\n  value: {}\n",
    "password: |\n  {}\n",
)


@all_cases("block", BLOCKS)
@all_cases("size", [0, 40, 400])
def test_a_value_some_lines_below_its_name(block: str, size: int) -> None:
    """What a block gives a name is found in a long text as in a short one."""
    secret = "kT9vQz7LmX2w"
    text = block.format(secret)
    if found(text, secret):
        assert found(f"{PROSE}\n" * size + text + f"{PROSE}\n" * size, secret)
        assert found(f"{LOG}\n" * size + text + f"{LOG}\n" * size, secret)


def test_blocks_are_told() -> None:
    """Some of the blocks are such that the value is found at all."""
    assert sum(found(block.format("kT9vQz7LmX2w"), "kT9vQz7LmX2w") for block in BLOCKS) >= 3
