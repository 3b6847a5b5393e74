"""The server takes what is lawful, and refuses what a law forbids and reasoning that was touched.

Each row takes a lawful request of two tool steps (two calls, then a text and one call) and breaks
one thing in it. A session through Loom that is refused nothing holds because of this.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tests.kit.cases import all_cases
from tests.providers.serving import dialogue
from tests.providers.serving.clients import APIS
from tests.providers.serving.pictures import coded, png, url

Request = dict[str, Any]
Change = Callable[[Request], object]
PDF = url(b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n", "application/pdf")


def at(request: Request, *path: Any) -> Any:
    """What stands at a place of the request."""
    for key in path:
        request = request[key]
    return request


def put(*path: Any, **fields: Any) -> Change:
    """Change fields of what stands at a place."""
    return lambda request: at(request, *path).update(fields)


def pop(*path: Any) -> Change:
    """Take out what stands at a place."""
    return lambda request: at(request, *path[:-1]).pop(path[-1])


def items(type: str, change: Callable[[Request, Any], object], number: int = 0) -> Change:
    """Change the request by its n-th input item of a type."""
    return lambda request: change(
        request, [i for i in request["input"] if i.get("type") == type][number]
    )


def signed(number: int) -> Callable[[Request], Any]:
    """The part of a content that has the first call."""
    return lambda r: next(p for p in r["contents"][number]["parts"] if "function_call" in p)


def said(name: str, *parts: Any) -> Change:
    """A message of the user at the end, of these parts."""
    return lambda request: request[name].append({"role": "user", "content": [*parts]})


BROKEN: dict[str, dict[str, Change]] = {
    "openai": {
        "a result is missing": pop("messages", 4),
        "a tool's name": put("tools", 0, "function", name="read file"),
        "reasoning of other words": put("messages", 2, "reasoning_details", 0, text="Other."),
        "a changed prefix": put("messages", 1, content="Other."),
    },
    "responses": {
        "no output": items("function_call_output", lambda r, one: r["input"].remove(one), 1),
        "reasoning alone": items("reasoning", lambda r, i: r["input"].append({**i, "id": "rs_1"})),
        "a call less its reasoning": items("reasoning", lambda r, one: r["input"].remove(one)),
        "no content": items("reasoning", lambda _, one: one.pop("encrypted_content")),
        "forged": items("reasoning", lambda _, one: one.update(encrypted_content="gAAAAabc")),
        "a model that does not reason": put(model="gpt-4.1"),
    },
    "anthropic": {
        "a result is missing": pop("messages", 2, "content", -1),
        "no results at all": pop("messages", -1),
        "no thinking in the running loop": pop("messages", 3, "content", 0),
        "forged thinking": put("messages", 3, "content", 0, thinking="Other."),
        "earlier thinking after other words": put("messages", 0, content="Other."),
    },
    "gemini": {
        "a response is missing": pop("contents", 2, "parts", -1),
        "no signature now": lambda r: signed(3)(r).pop("thought_signature"),
        "no signature earlier in the turn": lambda r: signed(1)(r).pop("thought_signature"),
        "forged": lambda r: signed(3)(r).update(thought_signature=b"x" * 24),
        "earlier after other words": put("contents", 0, "parts", 0, text="Other."),
        "a name": put("config", "tools", 0, "function_declarations", 0, name="1st"),
    },
}


@all_cases(("api", "name"), [(api, name) for api in APIS for name in BROKEN[api]])
def test_a_broken_rule_is_refused(
    api: str, name: str, refusal: Callable[[str, Change], Any]
) -> None:
    """By the status of a request that is wrong; the lawful one is accepted as before."""
    error = refusal(api, BROKEN[api][name])
    assert (getattr(error, "status_code", None) or error.code) == 400


def stand_in(request: Request) -> None:
    """Give a call from elsewhere the documented stand-in."""
    signed(1)(request)["thought_signature"] = b"skip_thought_signature_validator"


SOURCE = {"type": "base64", "media_type": "image/png", "data": coded(png(4, 4))}
IMAGE = {"type": "image", "source": SOURCE}
TAKEN: list[tuple[str, Change]] = [
    ("openai", said("messages", {"type": "file", "file": {"filename": "a", "file_data": PDF}})),
    ("responses", said("input", {"type": "input_file", "filename": "a.pdf", "file_data": PDF})),
    ("anthropic", put("messages", 4, "content", 0, content=[IMAGE])),
    # The running loop's last reasoning is accepted though all before it has changed.
    ("anthropic", lambda r: r.update(messages=[r["messages"][0], *r["messages"][3:]])),
    ("gemini", lambda r: r.update(contents=[r["contents"][0], *r["contents"][3:]])),
    ("gemini", stand_in),
]


@all_cases(("api", "change"), TAKEN)
def test_what_is_documented_is_taken(api: str, change: Change, talks: dict[str, Any]) -> None:
    """Images and files of the user's, and reasoning that must not be dropped."""
    ask, lawful = talks[api]
    request = copy.deepcopy(lawful)
    change(request)
    ask(**request)


@all_cases("api", APIS)
def test_a_dialogue_sent_back_as_it_came_is_accepted(
    api: str, serve: Callable[..., Any], clients: ModuleType
) -> None:
    """Eight tool steps, the answer, another word of the user: nothing is refused."""
    server = serve(seed=2935, steps=8)
    with clients.connected(server, api) as (ask, _):
        request = dialogue.grown(ask, api, 8)
        listed = dialogue.turns(api, request)
        listed += dialogue.plain(api, ask(**request))
        listed.append(dialogue.spoken(api, "And now?"))
        assert dialogue.asked(api, dialogue.plain(api, ask(**request))) == []
    assert [exchange.status for exchange in server.exchanges] == [200] * 10
