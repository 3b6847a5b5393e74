"""The words Loom uses: what holds for each of them."""

from __future__ import annotations

import re

import pytest

from loom.providers.counts import counter_for
from loom.providers.render import wording
from loom_partitions.config import PAIRS


@pytest.mark.exact
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_every_mark_takes_as_many_tokens(encoding: str) -> None:
    """A session drawn another mark sends as many tokens: no figure depends on the draw."""
    count, forms = counter_for(encoding=encoding), 0
    for value in vars(wording).values():
        held = value.values() if isinstance(value, dict) else value
        for form in held if isinstance(value, dict | tuple) else (value,):
            if isinstance(form, str) and "{mark}" in form:
                told = re.sub(r"\{(?!mark)\w+\}", "x", form)
                forms += 1
                assert len({count(told.format(mark=f"{pair}07")) for pair in PAIRS}) == 1, form
    assert forms > 10
