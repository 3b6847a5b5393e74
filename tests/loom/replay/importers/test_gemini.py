"""Lists of Gemini's contents, in the spelling of the library and of the wire."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loom.inputs import Reply, Result
from loom.replay.importers import load

Write = Callable[..., Path]


def test_as_the_wire_spells_it(jsonl: Write) -> None:
    """functionCall and functionResponse, by their ids; an answer that is no text is JSON."""
    call = {"functionCall": {"id": "c1", "name": "look", "args": {"someKey": 1}}}
    answer = {"functionResponse": {"id": "c1", "name": "look", "response": {"someKey": [1]}}}
    rows = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [call]},
        {"role": "function", "parts": [answer]},
        {"role": "nobody", "parts": []},
    ]
    (session,) = load(jsonl(*rows))
    reply, result = session.events[1:]
    assert isinstance(reply, Reply) and reply.calls[0].arguments == '{"someKey":1}'
    assert result == Result("c1", '{"someKey":[1]}', index=2)
    assert "nobody" in session.mended[0]
