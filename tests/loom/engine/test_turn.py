"""A turn's request in a provider's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom
from loom.providers.formats import FORMATS


def test_an_unknown_format_is_named_with_those_there_are(tmp_path: Path) -> None:
    """The error holds the name that was asked for, and its text lists the others."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.user("Begin.")
        with pytest.raises(loom.UnknownFormat) as raised:
            ctx.turn().request("morse")
    assert raised.value.format == "morse"
    assert str(raised.value) == f"no format 'morse'; there are {', '.join(FORMATS)}"
