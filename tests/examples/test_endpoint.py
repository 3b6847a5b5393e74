"""The client of the examples, at a server that refuses what is not lawful or too long."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.example_scripts import printed
from tests.kit.scripted_server import ScriptedServer
from tests.kit.steps import stepping

READS = [("", ("read_file", {"path": f"handbook/chapter_{at:02}.txt"})) for at in range(1, 13)]
WRITE = ("", ("write_file", {"path": "answer.txt", "text": "Port 8039\n"}))


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_real_endpoint(tmp_path: Path, api: str) -> None:
    """The loop asks what `--base-url` names; a request that is too long is made again, shorter."""
    with ScriptedServer(stepping([*READS, WRITE]), limit=6_500) as server:
        given = ("--base-url", server.v1, "--model", "gpt-4.1", "--api", api, "--turns", "40")
        said = printed("embed", tmp_path, *given)
        assert said.endswith("done: Port 8039\n")
        assert server.faults == []
        assert server.refused and len(server.accepted) == 14
