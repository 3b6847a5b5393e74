"""The example of the proxy: the client's list grows, what is sent on stays small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kit.example_scripts import printed, printed_as_shown

pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")


def test_the_client_needs_to_know_nothing(tmp_path: Path) -> None:
    """All parts are read; the largest request is less than half of the list; nothing is lost."""
    runs = [
        *printed_as_shown("through_the_proxy", tmp_path),
        printed("through_the_proxy", tmp_path),
    ]
    for run, said in enumerate(runs, 1):
        listed, sent = (int(one.replace(",", "")) for one in re.findall(r"(\S+) characters", said))
        assert "42 messages" in said and sent < listed * 0.5
        assert re.search(rf"workspaces in \S+: {run}\n", said)
        assert "the newest: 21 requests" in said
        assert "recalled: 1.57 wind 39" in said
