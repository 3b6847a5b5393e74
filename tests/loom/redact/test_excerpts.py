"""A secret that is found in a short text is found in a long one, whatever stands around it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.redact import Redactor
from tests.kit.cases import some
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
