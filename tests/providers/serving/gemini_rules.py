"""The rules of Gemini's generateContent: turns, function calls, and thought signatures.

Fields are ProtoJSON: their names may come in camel or in snake case.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import gemini_media
from tests.providers.serving.api import Asked
from tests.providers.serving.fields import Refusal, Wrong
from tests.providers.serving.gemini_turns import check_turns, refused
from tests.providers.serving.prompt import Prompt, Unit, canonical, check_signatures, declared
from tests.providers.serving.script import Tool

NAME = f.pattern(r"^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$")
PART = f.record(
    {},
    {
        "text": f.text,
        "thought": f.flag,
        "thoughtSignature": f.text,
        "functionCall": f.record({"name": f.text}, {"id": f.text, "args": f.mapping}),
        "functionResponse": f.record(
            {"name": f.text, "response": f.mapping}, {"id": f.text, "parts": gemini_media.RESULT}
        ),
        **gemini_media.FIELDS,
    },
)
CONTENT = f.record({}, {"role": f.text, "parts": f.listof(PART)})
SCHEMAS = ("parameters", "parametersJsonSchema", "response", "responseJsonSchema")
DECLARATION = f.record(
    {"name": NAME},
    {"description": f.text, "behavior": f.text, **dict.fromkeys(SCHEMAS, f.mapping)},
)
TOOLS = f.listof(
    f.record({}, {"functionDeclarations": f.listof(DECLARATION), "googleSearch": f.mapping})
)
SAMPLING = [
    "stopSequences", "responseMimeType", "responseSchema", "responseJsonSchema",
    "responseModalities", "temperature", "topP", "topK", "seed", "presencePenalty",
    "frequencyPenalty", "responseLogprobs", "logprobs", "candidateCount",
]  # fmt: skip
GENERATION = f.record(
    {},
    {
        "maxOutputTokens": f.integer,
        "thinkingConfig": f.record(
            {}, {"includeThoughts": f.flag, "thinkingBudget": f.integer, "thinkingLevel": f.text}
        ),
        **dict.fromkeys(SAMPLING, f.anything),
    },
)
REQUEST = f.record(
    {"contents": f.listof(CONTENT)},
    {
        "systemInstruction": CONTENT,
        "tools": TOOLS,
        "toolConfig": f.mapping,
        "safetySettings": f.array,
        "generationConfig": GENERATION,
        "cachedContent": f.text,
        "labels": f.mapping,
    },
)
OPAQUE = {"args", "response", "parameters", "parametersJsonSchema"}  # not the API's own fields
DATA = ("text", "functionCall", "functionResponse", "inlineData", "fileData")
MOST = 8_192
# What stands for the signature of a call that came from elsewhere ("Thought signatures", FAQ).
PLACEHOLDERS = ("context_engineering_is_the_way_to_go", "skip_thought_signature_validator")


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """The request, if it is lawful; raises Refusal."""
    body = camel(body)
    try:
        REQUEST(body, ())
    except Wrong as wrong:
        raise refused(str(wrong)) from wrong
    contents = body["contents"]
    if not contents:
        raise refused("* GenerateContentRequest.contents: contents is not specified\n")
    tools = tuple(_tools(body.get("tools", ())))
    for number, content in enumerate(contents):
        _checked_parts(content, f"contents[{number}]")
    if "systemInstruction" in body:
        _checked_parts(body["systemInstruction"], "system_instruction")
    check_turns(contents, model.startswith("gemini-3"))
    prompt = Prompt([*_head(body, tools), *_units(contents)])
    bound = _signed(prompt, contents, items)
    most = body.get("generationConfig", {}).get("maxOutputTokens", MOST)
    return Asked(model, prompt, tools, most, False, body, bound)


def camel(value: Any) -> Any:
    """The same with the API's own names in camel case."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {}
    for name, item in value.items():
        head, *rest = name.split("_")
        new = head + "".join(word.capitalize() for word in rest)
        named[new] = item if new in OPAQUE else camel(item)
    return named


def _tools(declared: list[dict[str, Any]]) -> Iterator[Tool]:
    seen = set()
    for number, tool in enumerate(declared):
        for place, function in enumerate(tool.get("functionDeclarations", ())):
            at = f"tools[{number}].function_declarations[{place}]"
            if function["name"] in seen:
                raise refused(f"Duplicate function declaration found: {function['name']}")
            seen.add(function["name"])
            if "parameters" in function and "parametersJsonSchema" in function:
                raise refused(f"{at}: two schemas")
            blank = {"type": "object"}
            schema = function.get("parametersJsonSchema") or function.get("parameters") or blank
            if str(schema.get("type")).lower() != "object":
                raise refused(f"{at}: the schema is of no object")
            yield Tool(function["name"], schema)


def _checked_parts(content: dict[str, Any], at: str) -> None:
    """Every part holds something; a text may be blank only to carry a signature."""
    parts = content.get("parts") or ()
    if content.get("role", "user") not in ("user", "model"):
        raise refused("Please use a valid role: user, model.")
    if not parts:
        raise refused(f"* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n")
    for number, part in enumerate(parts):
        held = [name for name in DATA if name in part]
        blank = held == ["text"] and not part["text"] and "thoughtSignature" not in part
        where = f"* GenerateContentRequest.{at}.parts[{number}]"
        if not held or blank:
            raise refused(f"{where}.data: required oneof field 'data'\n")
        if len(held) > 1:
            raise refused(f"{where}: both {held[0]} and {held[1]}")
        if held[0].startswith("function") and not part[held[0]]["name"]:
            raise refused(f"{where}.name: Name cannot be empty.\n")


def _head(body: dict[str, Any], tools: tuple[Tool, ...]) -> Iterator[Unit]:
    text = "".join(p.get("text", "") for p in body.get("systemInstruction", {}).get("parts", ()))
    if text:
        yield Unit("system", "", text, (text,))
    yield from declared(tools)


def _units(contents: list[dict[str, Any]]) -> Iterator[Unit]:
    """A model's texts in a row are one, however they were cut; its thoughts are not read again."""
    for number, content in enumerate(contents):
        role, said = content.get("role", "user"), ""
        for at, part in enumerate(content["parts"]):
            place, sign = (number, at), _standard(part.get("thoughtSignature", ""))
            if part.get("thought"):
                continue
            if "text" in part:
                said += part["text"]
                if not sign:
                    continue
            elif said:
                yield Unit("text", role, said, (said,), place=place)
            if "text" in part:
                yield Unit("text", role, said, (said,), sign, place=place)
            elif "functionResponse" not in part and "functionCall" not in part:
                yield from gemini_media.units([part], role, place)
            elif "functionCall" in part:
                call = part["functionCall"]
                value = [call.get("id"), call["name"], call.get("args", {})]
                texts = (call["name"], canonical(value[2]))
                yield Unit("call", role, value, texts, sign, place=place)
            else:
                held = part["functionResponse"]
                value = [held.get("id"), held["name"], held["response"]]
                yield Unit("result", role, value, (held["name"], *_told(value[2])))
                yield from gemini_media.units(held.get("parts"), role, place)
            said = ""
        if said:
            yield Unit("text", role, said, (said,), place=(number, len(content["parts"]) - 1))


def _standard(sign: str) -> str:
    """A signature in plain base64: ProtoJSON takes either alphabet, padded or not.

    A stand-in is itself, whether it came as it is or (as SDKs send it) in base64.
    """
    plain = sign.rstrip("=").translate(str.maketrans("-_", "+/"))
    plain += "=" * (-len(plain) % 4)
    try:
        read = base64.b64decode(plain, validate=True).decode("ascii", "replace")
    except (binascii.Error, ValueError):
        read = ""
    return next((stand for stand in PLACEHOLDERS if stand in (sign, read)), plain)


def _told(response: dict[str, Any]) -> list[str]:
    """The texts of a response: its names, its texts as they are, all else as JSON."""
    return [
        text
        for name, value in response.items()
        for text in (name, value if isinstance(value, str) else canonical(value))
    ]


def _signed(
    prompt: Prompt, contents: list[dict[str, Any]], items: dict[str, Any]
) -> frozenset[tuple[str, bytes]]:
    """Signatures are the server's own, each where it was given; see `check_signatures`."""
    models = [n for n, content in enumerate(contents) if content.get("role") == "model"]
    last = models[-1] if models else -1
    running = last if any("functionCall" in part for part in contents[last]["parts"]) else -1
    wrong, bound = check_signatures(prompt, running, items.get("bound", ()), PLACEHOLDERS)
    if wrong is not None:
        raise refused("Corrupted thought signature.")
    return bound


def too_long(asked: Asked, count: int, limit: int, *, stated: bool) -> Refusal:
    """The refusal of a request that is too long; the limit it states is that of the input."""
    if not stated:
        return refused("The input token count exceeds the maximum number of tokens allowed.")
    most = limit if count > limit else limit - asked.most
    return refused(
        f"The input token count ({count}) exceeds the maximum number of tokens allowed ({most})."
    )
