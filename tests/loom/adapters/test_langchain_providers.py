"""Other models of LangChain's with Loom before them, structured answers, and broken calls."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("langchain", reason="langchain is not installed")
pytest.importorskip("langchain_openai", reason="langchain-openai is not installed")
pytest.importorskip("langgraph.checkpoint.sqlite", reason="langgraph-checkpoint-sqlite is missing")

from langchain.agents.middleware import (
    SummarizationMiddleware,
)
from langgraph.checkpoint.memory import InMemorySaver

from tests.kit.langchain_agents import (
    model_of,
    reader,
    sessions_in,
    survey,
)
from tests.kit.scripted_server import ScriptedServer


def test_two_summarizers_are_refused(tmp_path: Path) -> None:
    """LangChain's own would take messages out of the thread: an agent has one of the two."""
    with ScriptedServer(survey(2)) as server, sessions_in(tmp_path) as sessions:
        model = model_of(server)
        theirs = SummarizationMiddleware(model, trigger=("tokens", 1_000))
        with pytest.raises(AssertionError, match="duplicate middleware"):
            reader(model, InMemorySaver(), sessions, middleware=[theirs])
