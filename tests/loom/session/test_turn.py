"""What a host adds to a request."""

from types import SimpleNamespace
from typing import Any

import pytest

import loom
from loom.session.turn import with_arguments
from tests.kit.cases import all_cases

MADE = {"contents": [], "config": {"system_instruction": "Be brief.", "temperature": 1}}
DUMPED = SimpleNamespace(model_dump=lambda exclude_none: {"temperature": 0})


@all_cases("config", [{"temperature": 0}, DUMPED])
def test_a_config_adds_to_looms(config: Any) -> None:
    """By name, as a mapping or as a model of the SDK; the rest of the request stays."""
    request = with_arguments(dict(MADE), {"config": config, "model": "m"})
    assert request["config"] == {"system_instruction": "Be brief.", "temperature": 0}
    assert request["contents"] == [] and request["model"] == "m"


def test_a_config_that_is_none_is_refused() -> None:
    """A list has no members by name."""
    with pytest.raises(loom.LoomError, match="by name"):
        with_arguments(dict(MADE), {"config": [1]})
