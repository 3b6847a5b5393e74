import json
import os
from pathlib import Path

import pytest

from loom.cli.pricing import pricing
from loom.errors import BadInput
from loom.providers.prices import prices_of
from tests.kit.cases import all_cases


def test_a_file_comes_before_the_list(tmp_path: Path) -> None:
    """The longest beginning counts; what it leaves out follows from the provider."""
    file = tmp_path / "prices.json"
    rows = {
        "claude": {"input": 10, "output": 20},
        "claude-opus": {"input": 1, "output": 2, "read": 0.5, "as_of": "2026-01"},
    }
    file.write_text(json.dumps(rows), "utf-8")
    given = pricing(None, file)
    sonnet, opus = given("claude-sonnet-4-5"), given("claude-opus-4-5")
    assert (sonnet.input, sonnet.read, sonnet.write, sonnet.model) == (10, 1.0, 12.5, "claude")
    assert (opus.read, opus.write, opus.as_of) == (0.5, 1.25, "2026-01")
    assert given("gpt-5") == prices_of("gpt-5")


@all_cases(
    ("text", "why"),
    [
        *((text, r"prices\.json.*expected") for text in ("", "[]", '{"a": 1}', '{"a": {"in": 1}}')),
        ('{"a": {"input": -5, "output": 1}}', "amounts run from 0"),
        ('{"a": {"input": 1e308, "output": 1}}', "amounts run from 0"),
        ('{"": {"input": 1, "output": 1}}', "amounts run from 0"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str, why: str) -> None:
    """The file is named, and what was expected; so is one given beside `--price`."""
    file = tmp_path / "prices.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=why):
        pricing(None, file)
    with pytest.raises(BadInput, match="one of them"):
        pricing("1,2,3,4", file)


def test_a_file_of_prices_is_a_plain_file(tmp_path: Path) -> None:
    """A pipe is refused at once, and a device is not read to its end."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="no plain file"):
            pricing(None, place)
