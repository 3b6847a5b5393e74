"""The server refuses every broken rule of Google with its status and words.

Each row takes a lawful request of two tool steps (two calls, then a text and one call) and breaks
one thing in it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tests.kit.cases import all_cases

Request = dict[str, Any]
Change = Callable[[Request], object]
Row = tuple[str, Change, str]
Refusal = Callable[[str, Change], Any]
MISSING = "Function call is missing a thought_signature in functionCall parts."


def parts(request: Request, number: int) -> list[dict[str, Any]]:
    """The parts of a content."""
    held: list[dict[str, Any]] = request["contents"][number]["parts"]
    return held


def body(**fields: Any) -> Change:
    """Put fields into the body, past the SDK's own checks."""
    return lambda request: request["config"].update(http_options={"extra_body": fields})


def call(request: Request, number: int) -> dict[str, Any]:
    """The first part with a call, of a content."""
    return next(part for part in parts(request, number) if "function_call" in part)


def declared(request: Request) -> list[dict[str, Any]]:
    """The declared functions."""
    held: list[dict[str, Any]] = request["config"]["tools"][0]["function_declarations"]
    return held


GEMINI: list[Row] = [
    (
        "unknown field",
        body(nonsense=1),
        'Invalid JSON payload received. Unknown name "nonsense": Cannot find field.',
    ),
    (
        "an unknown name in a part",
        body(contents=[{"parts": [{"txt": "x"}]}]),
        "Unknown name \"txt\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    (
        "no contents",
        body(contents=[]),
        "GenerateContentRequest.contents: contents is not specified",
    ),
    ("a wrong type", body(contents=[{"parts": [{"text": 3}]}]), "(TYPE_STRING), 3"),
    (
        "an unknown role",
        lambda r: r["contents"][0].update(role="system"),
        "Please use a valid role: user, model.",
    ),
    ("no parts", body(contents=[{"parts": []}]), "contents[0].parts: contents.parts must not be"),
    (
        "an empty text",
        lambda r: parts(r, 4).append({"text": ""}),
        "contents[4].parts[1].data: required oneof field 'data' must have one initialized field",
    ),
    (
        "a response is missing",
        lambda r: parts(r, 2).pop(),
        "the number of function response parts is equal to the number of function call parts",
    ),
    (
        "a response twice",
        lambda r: parts(r, 2).append(parts(r, 2)[0]),
        "the number of function response parts is equal to the number of function call parts",
    ),
    (
        "an unknown id",
        lambda r: parts(r, 2)[0]["function_response"].update(id="zz"),
        "the number of function response parts is equal to the number of function call parts",
    ),
    (
        "responses cut in two",
        lambda r: r["contents"].insert(3, {"role": "user", "parts": [parts(r, 2).pop()]}),
        "the number of function response parts is equal to the number of function call parts",
    ),
    ("no response", lambda r: r["contents"].pop(), "the number of function response parts"),
    (
        "responses without calls",
        lambda r: r["contents"].pop(1),
        "function response turn comes immediately after a function call turn.",
    ),
    (
        "calls after the model's own words",
        lambda r: r["contents"].insert(3, {"role": "model", "parts": [{"text": "Well."}]}),
        "function call turn comes immediately after a user turn or after a function response turn.",
    ),
    (
        "calls first",
        lambda r: r["contents"].pop(0),
        "function call turn comes immediately after a user turn or after a function response turn.",
    ),
    (
        "the model's words last",
        lambda r: r["contents"].append({"role": "model", "parts": [{"text": "Well."}]}),
        "multiturn requests ends with a user role",
    ),
    ("no signature now", lambda r: call(r, 3).pop("thought_signature"), MISSING),
    ("no signature earlier in the turn", lambda r: call(r, 1).pop("thought_signature"), MISSING),
    (
        "a forged signature",
        lambda r: call(r, 3).update(thought_signature=b"x" * 24),
        "Corrupted thought signature.",
    ),
    (
        "a signature of other arguments",
        lambda r: call(r, 3)["function_call"].update(args={"path": "elsewhere"}),
        "Corrupted thought signature.",
    ),
    (
        "an earlier signature after other words",
        lambda r: parts(r, 0)[0].update(text="Other."),
        "Corrupted thought signature.",
    ),
    (
        "a function twice",
        lambda r: declared(r).append(declared(r)[0]),
        "Duplicate function declaration found: read",
    ),
    ("a function's name", lambda r: declared(r)[0].update(name="1st"), "Invalid function name."),
    (
        "a function's schema",
        lambda r: declared(r)[0].update(parameters_json_schema={"type": "string"}),
        "functionDeclaration parameters schema should be of type OBJECT.",
    ),
]


@all_cases(("name", "change", "words"), GEMINI, ids=[row[0] for row in GEMINI])
def test_generate_content(name: str, change: Change, words: str, refusal: Refusal) -> None:
    """Gemini answers a broken rule with a 400 INVALID_ARGUMENT in Google's words."""
    error = refusal("gemini", change)
    assert (error.code, error.status) == (400, "INVALID_ARGUMENT")
    assert words in error.message


def test_the_running_loops_last_signature_needs_no_prefix(talks: dict[str, Any]) -> None:
    """When all before it changed, the last reply's reasoning is accepted, and no other."""
    ask, lawful = talks["gemini"]
    request = copy.deepcopy(lawful)
    kept = request["contents"]
    del kept[1:3]
    ask(**request)


def test_a_stand_in_signature_is_accepted(talks: dict[str, Any]) -> None:
    """Calls from elsewhere carry the documented stand-in; an earlier turn's calls need nothing."""
    ask, lawful = talks["gemini"]
    request = copy.deepcopy(lawful)
    call(request, 1)["thought_signature"] = b"skip_thought_signature_validator"
    ask(**request)
    call(request, 1).pop("thought_signature")
    call(request, 3).pop("thought_signature")
    request["contents"].append({"role": "user", "parts": [{"text": "Go on."}]})
    ask(**request)
