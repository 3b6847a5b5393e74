"""A host that keeps its own list of messages, in whichever provider's format, and its oddities."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from loom.inputs import Speech
from loom.providers.formats.listing.readers import read_list

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000"
    "000c49444154789c636064620600000e0007d76fe4780000000049454e44ae426082"
)
FORMATS = ("openai", "responses", "anthropic", "gemini")
MEMBERS = {"openai": "messages", "responses": "input", "anthropic": "messages"}
Wire = dict[str, Any]


class User(Struct, frozen=True):
    """Texts of the user, and an image behind the first of them."""

    texts: tuple[str, ...]
    image: bool = False


class Called(Struct, frozen=True):
    """A call of a reply."""

    id: str
    name: str
    word: str


class Replied(Struct, frozen=True):
    """A reply of the model."""

    text: str
    calls: tuple[Called, ...] = ()


class Resulted(Struct, frozen=True):
    """The result of a call."""

    call: Called
    text: str


Told = User | Replied | Resulted


class Spelling(Struct, frozen=True):
    """How a list is written this time: nothing of it changes what is said."""

    marked: bool = False  # a cache mark on the last message
    parts: bool = False  # one text as a part
    spaced: bool = False  # arguments with spaces


PLAIN = Spelling()


def wire(format: str, told: Sequence[Told], how: Spelling = PLAIN) -> list[Wire]:
    """The messages of a list as a host of a format keeps them."""
    return [*_FORMS[format](told, how)]


def enveloped(format: str, message: list[Wire], tokens: int) -> Wire:
    """The provider's own reply object: the message with the usage it reports."""
    if format == "openai":
        usage = {"prompt_tokens": tokens, "completion_tokens": 1}
        choice = {"index": 0, "message": message[0], "finish_reason": "stop"}
        return {"object": "chat.completion", "choices": [choice], "usage": usage}
    if format == "responses":
        usage = {"input_tokens": tokens, "output_tokens": 1}
        output = [
            {**one, "content": [{"type": "output_text", "text": one["content"]}]}
            if one["type"] == "message"
            else one
            for one in message
        ]
        return {"object": "response", "status": "completed", "output": output, "usage": usage}
    if format == "anthropic":
        usage = {"input_tokens": tokens, "output_tokens": 1}
        return {"type": "message", **message[0], "usage": usage}
    usage = {"prompt_token_count": tokens, "candidates_token_count": 1}
    return {"candidates": [{"content": message[0]}], "usage_metadata": usage}


def said_in(format: str, request: Wire, own: set[str]) -> list[tuple[object, ...]]:
    """What a request says but for Loom's own: its blocks, the calls it answers, lines of images."""
    found: list[tuple[object, ...]] = []
    calls: list[str] = []
    ours: set[str] = set()
    results: dict[str, tuple[object, ...]] = {}

    def settled() -> None:
        found.extend(results[id] for id in calls if id in results)
        results.clear()

    for message in read_list(format, request[MEMBERS.get(format, "contents")]):
        if message.reply is not None:
            settled()
            mine = [one for one in message.reply.calls if one.name in own]
            ours |= {one.id for one in mine}
            kept = [one for one in message.reply.calls if one.name not in own]
            text = " ".join(p.text for p in message.reply.parts if isinstance(p, Speech))
            calls = [one.id for one in kept]
            if kept or text:
                made = tuple((one.name, json.loads(one.arguments)["word"]) for one in kept)
                found.append(("reply", text, made))
            continue
        for result in message.results:
            stands_in = str(result.content).startswith("[")  # Loom's own words for one that lacks
            if result.call_id not in ours and not stands_in:
                results[result.call_id] = ("result", result.content)
        if message.content is not None:
            settled()
            texts = (part if isinstance(part, str) else "<image>" for part in message.content)
            told = map(unheaded, texts)
            found += [("user", text) for text in told if not text.startswith("[")]
    settled()
    return found


def unheaded(text: str) -> str:
    """A text of the client's own without the line in which Loom says whose it is."""
    heads = ("[your client program's summary ", "[instructions ")
    return text.partition("]\n")[2] if text.startswith(heads) and "]\n" in text else text


def said_by(told: Sequence[Told]) -> list[tuple[object, ...]]:
    """What a list says, as `said_in` has it; the results of a reply in the order of its calls."""
    found: list[tuple[object, ...]] = []
    for at, one in enumerate(told):
        if isinstance(one, User):
            texts = [*one.texts[:1], *(["<image>"] if one.image else []), *one.texts[1:]]
            found += [("user", text) for text in texts]
        elif isinstance(one, Replied):
            found.append(("reply", one.text, tuple((call.name, call.word) for call in one.calls)))
            answers = results_of(told, at)
            found += [("result", answers[call.id]) for call in one.calls if call.id in answers]
    return found


def results_of(told: Sequence[Told], at: int) -> dict[str, str]:
    """The results that follow a reply, by their calls."""
    found = {}
    for one in told[at + 1 :]:
        if not isinstance(one, Resulted):
            break
        found[one.call.id] = one.text
    return found


def _openai(told: Sequence[Told], how: Spelling) -> Iterator[Wire]:
    yield {"role": "system", "content": "You build things."}
    for one in told:
        mark = {"cache_control": {"type": "ephemeral"}} if how.marked and one is told[-1] else {}
        if isinstance(one, User):
            url = f"data:image/png;base64,{b64encode(PNG).decode()}"
            image = {"type": "image_url", "image_url": {"url": url}}
            yield {"role": "user", "content": _content(one, "text", image, how, mark)}
        elif isinstance(one, Resulted):
            text = [{"type": "text", "text": one.text, **mark}] if mark or how.parts else one.text
            yield {"role": "tool", "tool_call_id": one.call.id, "content": text}
        else:
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": _arguments(call, how)},
                }
                for call in one.calls
            ]
            made = {"tool_calls": calls} if calls else {}
            yield {"role": "assistant", "content": one.text or None, **made}


def _responses(told: Sequence[Told], how: Spelling) -> Iterator[Wire]:
    yield {"role": "developer", "content": "You build things."}
    for one in told:
        if isinstance(one, User):
            url = f"data:image/png;base64,{b64encode(PNG).decode()}"
            image = {"type": "input_image", "image_url": url}
            yield {"role": "user", "content": _content(one, "input_text", image, how, {})}
        elif isinstance(one, Resulted):
            yield {"type": "function_call_output", "call_id": one.call.id, "output": one.text}
        else:
            if one.text:
                yield {"type": "message", "role": "assistant", "content": one.text}
            for call in one.calls:
                yield {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": _arguments(call, how),
                }


def _anthropic(told: Sequence[Told], how: Spelling) -> Iterator[Wire]:
    results: list[Wire] = []
    for at, one in enumerate(told):
        last = at == len(told) - 1
        mark = {"cache_control": {"type": "ephemeral"}} if how.marked and last else {}
        if isinstance(one, Resulted):
            results.append(
                {"type": "tool_result", "tool_use_id": one.call.id, "content": one.text, **mark}
            )
            if last or not isinstance(told[at + 1], Resulted):
                yield {"role": "user", "content": results}
                results = []
        elif isinstance(one, User):
            data = b64encode(PNG).decode()
            source = {"type": "base64", "media_type": "image/png", "data": data}
            image = {"type": "image", "source": source}
            yield {"role": "user", "content": _content(one, "text", image, how, mark)}
        else:
            text = [{"type": "text", "text": one.text, **mark}] if one.text else []
            calls = [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": {"word": call.word}}
                for call in one.calls
            ]
            yield {"role": "assistant", "content": [*text, *calls]}


def _gemini(told: Sequence[Told], how: Spelling) -> Iterator[Wire]:
    for one in told:
        if isinstance(one, User):
            data = {"mime_type": "image/png", "data": b64encode(PNG).decode()}
            texts: list[Wire] = [{"text": text} for text in one.texts]
            image = [{"inline_data": data}] if one.image else []
            yield {"role": "user", "parts": [*texts[:1], *image, *texts[1:]]}
        elif isinstance(one, Resulted):
            answer = {"name": one.call.name, "response": {"output": one.text}}
            yield {"role": "user", "parts": [{"function_response": answer}]}
        else:
            calls = [
                {"function_call": {"name": call.name, "args": {"word": call.word}}}
                for call in one.calls
            ]
            yield {"role": "model", "parts": [*([{"text": one.text}] if one.text else []), *calls]}


def _content(one: User, kind: str, image: Wire, how: Spelling, mark: Wire) -> str | list[Wire]:
    if len(one.texts) == 1 and not (one.image or how.parts or mark):
        return one.texts[0]
    texts: list[Wire] = [{"type": kind, "text": text} for text in one.texts]
    found = [*texts[:1], *([image] if one.image else []), *texts[1:]]
    return [*found[:-1], {**found[-1], **mark}]


def _arguments(call: Called, how: Spelling) -> str:
    return json.dumps({"word": call.word}, indent=1 if how.spaced else None)


_FORMS: dict[str, Callable[[Sequence[Told], Spelling], Iterator[Wire]]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
