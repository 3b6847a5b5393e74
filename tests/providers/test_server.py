"""The server takes what is lawful, and refuses every broken rule with its provider's status.

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
from tests.providers.serving.pictures import chat, coded, png, url

Request = dict[str, Any]
Change = Callable[[Request], object]
IMAGE = url(png(40, 30))
PDF = url(b"%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n", "application/pdf")
OTHER = {"role": "user", "content": "Wait."}


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


def add(*path: Any, one: Any, number: int = 99) -> Change:
    """Put one more into a list."""
    return lambda request: at(request, *path).insert(number, one)


def twice(*path: Any) -> Change:
    """Have what stands in a list once more, at its end."""
    return lambda request: at(request, *path[:-1]).append(at(request, *path))


def body(**fields: Any) -> Change:
    """Put fields into the body, past the SDK's own checks."""

    def change(request: Request) -> None:
        held = request["config"].setdefault("http_options", {}) if "config" in request else request
        held["extra_body"] = fields

    return change


def kind(type: str, number: int = 0) -> Callable[[Request], Any]:
    """The n-th input item of a type."""
    return lambda request: [i for i in request["input"] if i.get("type") == type][number]


def items(type: str, change: Callable[[Request, Any], object], number: int = 0) -> Change:
    """Change the request by its n-th input item of a type."""
    return lambda request: change(request, kind(type, number)(request))


def signed(number: int) -> Callable[[Request], Any]:
    """The part of a content that has the first call."""
    return lambda r: next(p for p in r["contents"][number]["parts"] if "function_call" in p)


def block(data: str, media: str = "image/png", type: str = "image") -> Request:
    """An image or document of Anthropic's."""
    return {"type": type, "source": {"type": "base64", "media_type": media, "data": data}}


def said(name: str, *parts: Any) -> Change:
    """A message of the user at the end, of these parts."""
    return lambda request: request[name].append({"role": "user", "content": [*parts]})


def inline(**part: Any) -> Change:
    """A content with a part of Gemini's, past the checks of the SDK."""
    return body(contents=[{"role": "user", "parts": [{"text": "Look."}, {"inlineData": part}]}])


def text(words: str, **more: Any) -> Request:
    """A text block of Anthropic's."""
    return {"type": "text", "text": words, **more}


MARKED = [text("s", cache_control={"type": "ephemeral"})] * 5
BROKEN: dict[str, dict[str, Change]] = {
    "openai": {
        "unknown field": body(nonsense=1),
        "no model": body(model=""),
        "max_tokens": body(max_tokens=9),
        "unknown role": put("messages", 1, role="robot"),
        "no messages": lambda r: r["messages"].clear(),
        "a result is missing": pop("messages", 4),
        "a word between call and result": add("messages", one=OTHER, number=3),
        "an answer twice": lambda r: r["messages"].insert(4, r["messages"][3]),
        "an unknown id": put("messages", 3, tool_call_id="call_zz"),
        "a result without a call": pop("messages", 2),
        "nothing said": add("messages", one={"role": "assistant", "content": None}),
        "a tool's name": put("tools", 0, "function", name="read file"),
        "a tool's schema": put("tools", 0, "function", parameters={"type": "string"}),
        "reasoning of other words": put("messages", 2, "reasoning_details", 0, text="Other."),
        "a changed prefix": put("messages", 1, content="Other."),
        "an image a tool gave": put("messages", -1, content=[chat(IMAGE)]),
        "an image of the model": put("messages", 2, content=[chat(IMAGE)]),
        "bare base64": said("messages", chat(coded(b"x"))),
        "another image": said("messages", chat(url(png(4, 4), "image/gif"))),
    },
    "responses": {
        "unknown field": body(nonsense=1),
        "no model": body(model=None),
        "few tokens": put(max_output_tokens=5),
        "an unknown item": add("input", one={"type": "poem"}),
        "a null status": items("reasoning", lambda _, one: one.update(status=None)),
        "a call's id": items("function_call", lambda _, one: one.update(id="call_1")),
        "no output": items("function_call_output", lambda r, one: r["input"].remove(one), 1),
        "a word between call and output": add("input", one=OTHER, number=4),
        "an unknown id": items("function_call_output", lambda _, one: one.update(call_id="call_z")),
        "an output twice": items("function_call_output", lambda r, one: r["input"].append(one)),
        "reasoning alone": items("reasoning", lambda r, i: r["input"].append({**i, "id": "rs_1"})),
        "a call less its reasoning": items("reasoning", lambda r, one: r["input"].remove(one)),
        "no content": items("reasoning", lambda _, one: one.pop("encrypted_content")),
        "forged": items("reasoning", lambda _, one: one.update(encrypted_content="gAAAAabc")),
        "a model that does not reason": put(model="gpt-4.1"),
        "a tool's schema": put("tools", 0, parameters={"type": "array"}),
        "Chat's image": said("input", chat(IMAGE)),
    },
    "anthropic": {
        "unknown field": body(n=1),
        "no max_tokens": body(max_tokens=None),
        "a missing field": said("messages", {"type": "text"}),
        "an unknown role": add("messages", one={"role": "system", "content": "x"}, number=0),
        "the assistant first": add("messages", one={**OTHER, "role": "assistant"}, number=0),
        "an empty text": add("messages", 4, "content", one=text("")),
        "a blank text": add("messages", 4, "content", one=text(" \n")),
        "an empty text in a result": put("messages", 2, "content", 0, content=[text("")]),
        "a result is missing": pop("messages", 2, "content", -1),
        "no results at all": pop("messages", -1),
        "a result twice": twice("messages", 2, "content", 0),
        "an id twice": lambda r: r["messages"].extend(r["messages"][1:3]),
        "a bad id": put("messages", 1, "content", 1, id="call|1"),
        "a call of the user": lambda r: said("messages", at(r, "messages", 1, "content", 1))(r),
        "no thinking in the running loop": pop("messages", 3, "content", 0),
        "forged thinking": put("messages", 3, "content", 0, thinking="Other."),
        "earlier thinking after other words": put("messages", 0, content="Other."),
        "thinking without its signature": pop("messages", 1, "content", 0, "signature"),
        "prefill": add("messages", one={"role": "assistant", "content": "So"}),
        "a large budget": put(thinking={"type": "enabled", "budget_tokens": 2_000}),
        "a tool twice": twice("tools", 0),
        "a tool's name": put("tools", 0, name="read file"),
        "another image": said("messages", block(coded(png(4, 4)), "image/jpeg")),
        "an image of the model": add("messages", 3, "content", one=block(coded(png(4, 4)))),
    },
    "gemini": {
        "unknown field": body(nonsense=1),
        "an unknown role": put("contents", 0, role="system"),
        "no parts": body(contents=[{"parts": []}]),
        "a response is missing": pop("contents", 2, "parts", -1),
        "a response twice": twice("contents", 2, "parts", 0),
        "an unknown id": put("contents", 2, "parts", 0, "function_response", id="zz"),
        "no response": pop("contents", -1),
        "responses without calls": pop("contents", 1),
        "the model's words last": add("contents", one={"role": "model", "parts": [{"text": "So"}]}),
        "no signature now": lambda r: signed(3)(r).pop("thought_signature"),
        "no signature earlier in the turn": lambda r: signed(1)(r).pop("thought_signature"),
        "forged": lambda r: signed(3)(r).update(thought_signature=b"x" * 24),
        "earlier after other words": put("contents", 0, "parts", 0, text="Other."),
        "a function twice": twice("config", "tools", 0, "function_declarations", 0),
        "a name": put("config", "tools", 0, "function_declarations", 0, name="1st"),
        "a type that is not taken": inline(mimeType="image/tiff", data=coded(b"x")),
    },
}


@all_cases(("api", "name"), [(api, name) for api in APIS for name in BROKEN[api]])
def test_a_broken_rule_is_refused(
    api: str, name: str, refusal: Callable[[str, Change], Any]
) -> None:
    """A 400 (for an item that was lost, a 404), and the lawful request is accepted as before."""
    error = refusal(api, BROKEN[api][name])
    status = getattr(error, "status_code", None) or error.code
    assert status == (404 if (api, name) == ("responses", "no content") else 400)


def stand_in(request: Request) -> None:
    """Give a call from elsewhere the documented stand-in."""
    signed(1)(request)["thought_signature"] = b"skip_thought_signature_validator"


TAKEN: list[tuple[str, Change]] = [
    ("openai", said("messages", {"type": "file", "file": {"filename": "a", "file_data": PDF}})),
    ("responses", said("input", {"type": "input_file", "filename": "a.pdf", "file_data": PDF})),
    ("anthropic", put("messages", 4, "content", 0, content=[block(coded(png(4, 4)))])),
    # The running loop's last reasoning is accepted though all before it has changed.
    ("anthropic", lambda r: r.update(messages=[r["messages"][0], *r["messages"][3:]])),
    ("gemini", lambda r: r.update(contents=[r["contents"][0], *r["contents"][3:]])),
    ("gemini", inline(mimeType="image/png", data=coded(png(4, 4)))),
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
