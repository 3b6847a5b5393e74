"""Lists of Gemini's contents, in the spelling of the library and of the wire."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loom.inputs import Reply, Result, Speech, System, User
from loom.replay.importers import load

Write = Callable[..., Path]


def test_a_request(document: Write) -> None:
    """The contents of a request with its instructions; results may be two in one content."""
    calls = [{"function_call": {"name": "look", "args": {"at": at}}} for at in (1, 2)]
    answers = [
        {"function_response": {"name": "look", "response": {"output": "one"}}},
        {"function_response": {"name": "look", "response": {"error": "two"}}},
        {"text": "And now?"},
    ]
    contents = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"text": "I look."}, *calls]},
        {"role": "user", "parts": answers},
    ]
    made = {"config": {"system_instruction": "Be careful."}, "contents": contents}
    (session,) = load(document(made))
    system, user, reply, one, two, more = session.events
    assert (system, user) == (System("Be careful."), User("Go.", 0))
    assert isinstance(reply, Reply) and reply.parts[0] == Speech("I look.")
    first, second = (call.id for call in reply.calls)
    assert (one, two) == (Result(first, "one", False, 2), Result(second, "two", True, 2))
    assert more == User("And now?", 2) and session.mended == ()


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
