"""The page of the adapter runs as printed, twice in the same folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import loom
from tests.kit.scripted_server import ScriptedServer

pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is missing")

ROOT = Path(loom.__file__).parents[1]
PAGE = (ROOT / "docs" / "adapters" / "langchain.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=["langchain", "deepagents"])
def test_snippet_runs(block: str, tmp_path: Path) -> None:
    """Each block runs in an empty folder and in the one it left, against a scripted model."""
    if "deepagents" in block:
        pytest.importorskip("deepagents", reason="deepagents is not installed")
    with ScriptedServer(lambda messages, step: f"Reply {step}.") as server:
        trees = os.pathsep.join(map(str, (ROOT, ROOT / "partitions", ROOT / "paging")))
        given = {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.v1, "PYTHONPATH": trees}
        for number in range(2):
            done = subprocess.run(
                [sys.executable, "-c", block],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, **given},
                timeout=120,
            )
            assert done.returncode == 0, done.stderr
            assert done.stdout.strip() == f"Reply {number}."
        assert server.refused == []
        kept = "SqliteSaver" in block  # then the second process goes on with the thread
        assert json.dumps(server.bodies[-1]).count('"Go on."') == (2 if kept else 1)
        assert (tmp_path / "runs" / "survey").is_dir()
