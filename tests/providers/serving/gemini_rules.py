"""A request of Gemini's generateContent as it is counted, and its thought signatures.

Fields are ProtoJSON: their names may come in camel or in snake case.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.api import Asked, Refusal
from tests.providers.serving.prompt import Prompt, Unit, canonical, check_signatures, declared
from tests.providers.serving.script import Tool

OPAQUE = {"args", "response", "parameters", "parametersJsonSchema"}  # not the API's own fields
BLANK = {"type": "object"}
MOST = 8_192
# What stands for the signature of a call that came from elsewhere ("Thought signatures", FAQ).
PLACEHOLDERS = ("context_engineering_is_the_way_to_go", "skip_thought_signature_validator")


def refused(message: str, code: int = 400, status: str = "INVALID_ARGUMENT") -> Refusal:
    """A refusal in Google's shape."""
    return Refusal(code, {"error": {"code": code, "message": message, "status": status}})


def lawful_form(body: dict[str, Any], model: str) -> dict[str, Any]:
    """The arguments of the SDK's call for a body on the wire, as the laws read them."""
    body = camel(body)
    config = {**body.get("generationConfig", {})}
    config |= {name: body[name] for name in ("systemInstruction", "tools") if name in body}
    return _snake({"model": model, "contents": body.get("contents"), "config": config})


def read(body: dict[str, Any], model: str, items: dict[str, Any]) -> Asked:
    """What a lawful request asks; raises Refusal for signatures that are not its own."""
    body = camel(body)
    contents = body["contents"]
    tools = tuple(
        Tool(one["name"], one.get("parametersJsonSchema") or one.get("parameters") or BLANK)
        for tool in body.get("tools", ())
        for one in tool.get("functionDeclarations", ())
    )
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


def _snake(value: Any) -> Any:
    """The same with the API's own names in snake case, and signatures as the bytes they are."""
    if isinstance(value, list):
        return [_snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    named = {}
    for name, item in value.items():
        new = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
        named[new] = item if name in OPAQUE else _snake(item)
        if name == "thoughtSignature":
            named[new] = str(item).encode()
    return named


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
                yield from media.gemini_units([part], role, place)
            elif "functionCall" in part:
                call = part["functionCall"]
                value = [call.get("id"), call["name"], call.get("args", {})]
                texts = (call["name"], canonical(value[2]))
                yield Unit("call", role, value, texts, sign, place=place)
            else:
                held = part["functionResponse"]
                value = [held.get("id"), held["name"], held["response"]]
                yield Unit("result", role, value, (held["name"], *_told(value[2])))
                yield from media.gemini_units(held.get("parts"), role, place)
            said = ""
        if said:
            yield Unit("text", role, said, (said,), place=(number, len(content["parts"]) - 1))


def _standard(sign: str) -> str:
    """A signature in plain base64: ProtoJSON takes either alphabet, padded or not. A stand-in is
    itself, whether it came as it is or (as SDKs send it) in base64."""
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
