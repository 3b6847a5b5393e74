"""The laws of Gemini requests, as the Python SDK takes them: snake_case, signatures as bytes.

Sources: Google's documentation on function calling and on thought signatures (the first call of
each step since the user last spoke must carry its signature; Gemini 3 refuses a request without),
the docstrings of `google.genai.types` (names of functions, one kind of data in a part), and the
refusals of the service: "function call turn comes immediately after a user turn or after a
function response turn", "the number of function response parts is equal to the number of function
call parts", "multiturn requests alternate between user and model".

Google names two turns of the user's role, the user's and the function responses'. So a content of
responses alone may be followed by one of the user's; nothing else may repeat a role.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loom.lazy import lazy_re
from loom_bench.laws.walk import (
    Object,
    Rules,
    WalkMemory,
    blank,
    ill_declared,
    limit,
    objects,
    repeated,
)

NAME = lazy_re(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
SIGNING = lazy_re(r"(?:.*/)?gemini-(?:[3-9]|\d\d)\b.*")
ROLES = ("user", "model")
DATA = (
    "text",
    "function_call",
    "function_response",
    "inline_data",
    "file_data",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
)
CALL, RESPONSE = "function_call", "function_response"


class GeminiState(NamedTuple):
    """The role before, whether it held function responses alone, and the calls that wait.

    A call is its id ("" when it has none) and its name. `unsigned` is the first content since the
    user last spoke whose first call has no signature, -1 for none.
    """

    role: str = "model"
    answers: bool = False
    waiting: tuple[tuple[str, str], ...] = ()
    unsigned: int = -1


def step(
    state: GeminiState, number: int, content: Any, memory: WalkMemory
) -> tuple[GeminiState, list[str]]:
    """One content after those before it."""
    where = f"content {number}"
    if not isinstance(content, Mapping):
        return state, [f"{where}: it is no object"]
    role = str(content.get("role") or "user")
    parts = objects(content.get("parts"))
    called = [part for part in parts if part.get(CALL) is not None]
    answered = [part for part in parts if part.get(RESPONSE) is not None]
    answers = bool(answered) and len(answered) == len(parts)
    found = _turn(state, where, number, role, answers)
    found += _parts(where, role, content.get("parts"))
    found += _answers(state, where, _pairs(answered, RESPONSE))
    waiting = _pairs(called, CALL)
    found += [
        f"{where}: two calls have the id {id!r}" for id in repeated(id for id, _ in waiting if id)
    ]
    unsigned = -1 if role == "user" and not answers else state.unsigned
    if called and unsigned < 0 and not called[0].get("thought_signature"):
        unsigned = number
    return GeminiState(role, answers, waiting, unsigned), found


def _turn(state: GeminiState, where: str, number: int, role: str, answers: bool) -> list[str]:
    if role not in ROLES:
        return [f"{where}: no role is named {role!r}"]
    if not number and role != "user":
        return [f"{where}: role {role!r} opens the conversation"]
    spoken = state.answers and role == "user" and not answers
    if number and role == state.role and not spoken:
        return [f"{where}: role {role!r} follows {state.role!r}"]
    return []


def _pairs(parts: list[Object], key: str) -> tuple[tuple[str, str], ...]:
    held = objects([part[key] for part in parts])
    return tuple((str(one.get("id") or ""), str(one.get("name"))) for one in held)


def _answers(state: GeminiState, where: str, given: tuple[tuple[str, str], ...]) -> list[str]:
    """Compare the responses of a content with the calls of the content before."""
    calls = state.waiting
    if calls and not given:
        return [f"{where}: no response to the call of {name!r} before it" for _, name in calls]
    if given and not calls:
        return [f"{where}: a response of {name!r}, which was not called" for _, name in given]
    if len(given) != len(calls):
        return [f"{where}: {len(given)} function responses to {len(calls)} function calls"]
    # With ids responses find their call; without, only their order says whose they are.
    if all(id for id, _ in calls):
        given, calls = tuple(sorted(given)), tuple(sorted(calls))
    return [
        f"{where}: the response {_told(got)} answers the call {_told(asked)}"
        for got, asked in zip(given, calls, strict=True)
        if got != asked
    ]


def _told(pair: tuple[str, str]) -> str:
    id, name = pair
    return f"{name!r} of id {id!r}" if id else repr(name)


def _parts(where: str, role: str, given: object) -> list[str]:
    parts = objects(given)
    if not isinstance(given, list | tuple) or not parts or len(parts) != len(given):
        return [f"{where}: {role} content has no parts"]
    return [line for part in parts for line in _part(where, role, part)]


def _part(where: str, role: str, part: Object) -> list[str]:
    kinds = [key for key in DATA if part.get(key) is not None]
    if len(kinds) != 1:
        return [f"{where}: a part has {len(kinds)} kinds of data, not one"]
    kind = kinds[0]
    signature = part.get("thought_signature")
    found = []
    if signature is not None and (not isinstance(signature, bytes) or not signature):
        found.append(f"{where}: a thought_signature is no bytes, or none of them")
    if kind == "text" and blank(part["text"]) and not signature:
        found.append(f"{where}: a text part is blank")
    if kind in OWN:
        found += _function(where, role, kind, part[kind])
    return found


# Whose part it is, and its field that holds an object; a call without arguments may leave it out.
OWN = {CALL: ("model", "args"), RESPONSE: ("user", "response")}


def _function(where: str, role: str, kind: str, held: object) -> list[str]:
    owner, field = OWN[kind]
    if role != owner:
        return [f"{where}: a {kind} in a content of role {role!r}"]
    value = held if isinstance(held, Mapping) else {}
    found = []
    if blank(value.get("name")):
        found.append(f"{where}: a {kind} has no name")
    inner = value.get(field)
    if not isinstance(inner, Mapping) and (inner is not None or kind == RESPONSE):
        found.append(f"{where}: {field} of a {kind} is no object")
    return found


def end(state: GeminiState, request: Object) -> list[str]:
    """Return the faults when nothing follows: open calls, signatures this model demands."""
    found = [f"contents: the call of {name!r} has no response" for _, name in state.waiting]
    if state.unsigned >= 0 and SIGNING.fullmatch(str(request.get("model", ""))):
        found.append(f"content {state.unsigned}: its first call has no thought_signature")
    return found


def rest(request: Object) -> list[str]:
    """Return the faults of `config`: the instructions, the tools, the limit of the reply."""
    config = request.get("config")
    if config is None:
        return []
    if not isinstance(config, Mapping):
        return ["config: it is no object"]
    found = []
    system = config.get("system_instruction")
    if isinstance(system, Mapping):
        texts = [part.get("text") for part in objects(system.get("parts"))] or [None]
    else:
        texts = list(system) if isinstance(system, list | tuple) else [system]
    if system is not None and any(blank(_text(text)) for text in texts or [None]):
        found.append("config: system_instruction is blank; leave it out")
    return [*found, *_declared(config), *limit(config, "max_output_tokens")]


def _text(value: object) -> object:
    return value.get("text") if isinstance(value, Mapping) else value


def _declared(config: Object) -> list[str]:
    tools = list(_tools(config))
    found = ill_declared([(where, name, schema) for where, name, schema, _ in tools], NAME)
    return found + [
        f"{where}: both parameters and parameters_json_schema"
        for where, _, _, both in tools
        if both
    ]


def _tools(config: Object) -> Iterator[tuple[str, object, object, bool]]:
    number = 0
    for tool in objects(config.get("tools")):
        for one in objects(tool.get("function_declarations")):
            schema, other = one.get("parameters_json_schema"), one.get("parameters")
            both = schema is not None and other is not None
            yield f"tool {number}", one.get("name"), other if schema is None else schema, both
            number += 1


def alone(text: str) -> Object:
    """The content of `contents` that are a text."""
    return {"role": "user", "parts": [{"text": text}]}


RULES = Rules("contents", GeminiState(), step, end, rest, alone)
