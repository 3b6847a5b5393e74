"""The readers of hosts' lists, one for each format.

Chat Completions has a message each for instructions, words, replies and results. Anthropic's
results stand inside messages of the user; so do Gemini's, which may have no id. Responses is a list
of items, in which the parts of one reply stand side by side: nothing says where a reply ends and
the next begins. A result ends a reply, and so does a message of another role; of two messages in a
row with no call waiting, each is a reply of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from loom.errors import BadInput
from loom.inputs import ToolCall
from loom.providers.formats import anthropic, format_of, gemini, openai, responses
from loom.providers.formats.envelope import split_tagged_reasoning
from loom.providers.formats.listing import (
    TEXTS,
    ListedMessage,
    ListedResult,
    Listing,
    bad_message_error,
    instruction_messages,
    message_id,
    result_text_or_parts,
    results_then_content,
    user_content,
)
from loom.providers.formats.wire import (
    FOREIGN,
    Wire,
    compact_json,
    content_parts,
    snake_names,
    without_nulls,
)


def _listing_by_message(
    read: Callable[[Wire, int, Sequence[Wire]], Iterable[ListedMessage]],
) -> Listing:
    """Return a function that reads a host's list by calling `read(message, index, list)` for each
    message."""

    def listing(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
        for number in range(start, len(messages)):
            yield from read(messages[number], number, messages)

    return listing


def _read_openai(message: Wire, number: int, messages: Sequence[Wire]) -> Iterable[ListedMessage]:
    """Return the ListedMessages of one Chat Completions message; `messages` is the whole list."""
    id, content = message_id(message), message.get("content")
    match message.get("role"):
        case "system" | "developer":
            return instruction_messages(id, content)
        case "user":
            if "content" not in message:
                raise bad_message_error(number, "a message of the user has no `content`")
            return [ListedMessage(id=id, content=user_content(content))]
        case "assistant":
            return [ListedMessage(id=id, reply=openai.read_listed_message(message))]
        case "tool" | "function":
            call = message.get("tool_call_id")
            if message.get("role") == "function":
                call = _called_id(str(message.get("name")), messages[:number])
            if not isinstance(call, str):
                raise bad_message_error(number, "a result has no `tool_call_id`")
            failed = message.get("status") == "error"  # of hosts that tell, as LangChain does
            return [
                ListedMessage(
                    id=id, results=(ListedResult(call, result_text_or_parts(content), failed),)
                )
            ]
        case role:
            known = "system, developer, user, assistant, tool"
            raise bad_message_error(number, f"the role {role!r:.80} is none of {known}")


def _called_id(name: str, messages: Sequence[Wire]) -> str:
    """Return the id of the call of the function `name` in the last reply of `messages`; `name`
    itself if there is no such call."""
    replies = (one for one in reversed(messages) if one.get("role") == "assistant")
    calls = openai.decode(next(replies, {"role": "assistant", "content": ""})).calls
    return next((call.id for call in calls if call.name == name), name)


def _read_anthropic(
    message: Wire, number: int, messages: Sequence[Wire]
) -> Iterator[ListedMessage]:
    """Yield the ListedMessages made from one message of the Messages API."""
    id, content = message_id(message), message.get("content")
    match message.get("role"):
        case "system":
            yield from instruction_messages(id, content)
        case "assistant":
            reply = anthropic.decode({"type": "message", **message})
            yield ListedMessage(id=id, reply=reply)
        case "user":
            told, rest = list[ListedResult](), list[Wire]()
            for block in content_parts(content):
                if block.get("type") != "tool_result":
                    rest.append(block)
                    continue
                call, failed = block.get("tool_use_id"), bool(block.get("is_error"))
                if not isinstance(call, str):
                    raise bad_message_error(number, "a tool_result has no `tool_use_id`")
                told.append(ListedResult(call, result_text_or_parts(block.get("content")), failed))
            yield from results_then_content(id, told, user_content(rest))
        case role:
            raise bad_message_error(
                number, f"the role {role!r:.80} is none of user, assistant, system"
            )


TOLD = ("output", "result", "error")  # members of a response that hold its text


def _read_gemini(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Yield the ListedMessages of Gemini contents from index `start` on. Raises BadInput."""
    waiting = _waiting_calls(messages, start)
    for number in range(start, len(messages)):
        for read in _read_gemini_content(messages[number], number, waiting):
            if read.reply is not None:
                waiting = [*read.reply.calls]
            yield read


def _waiting_calls(messages: Sequence[Wire], start: int) -> list[ToolCall]:
    """Return the calls without a result in the last reply before index `start`."""
    at = next((n for n in range(start - 1, -1, -1) if messages[n].get("role") == "model"), None)
    if at is None:
        return []
    waiting = [*gemini.decode(messages[at]).calls]
    for number in range(at + 1, start):
        with suppress(BadInput):  # whoever reads on behind a bad one knows of it
            [*_read_gemini_content(messages[number], number, waiting)]
    return waiting


def _read_gemini_content(
    message: Wire, number: int, waiting: list[ToolCall]
) -> Iterator[ListedMessage]:
    """Yield the ListedMessages of one content, and remove the calls that it answers from `waiting`.
    Raises BadInput."""
    id, parts = message_id(message), without_nulls(snake_names(message), whole=FOREIGN).get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise bad_message_error(number, "`parts` is no list of parts")
    match message.get("role", "user"):
        case "model":
            yield ListedMessage(id=id, reply=gemini.decode(message))
        case "system":
            yield ListedMessage(id=id, system="\n\n".join(str(p.get("text", "")) for p in parts))
        case "user" | "function" | "tool":
            results = [part["function_response"] for part in parts if "function_response" in part]
            others = [part for part in parts if "function_response" not in part]
            rest = (one["text"] if isinstance(one.get("text"), str) else one for one in others)
            told = [_function_result(one, number, waiting) for one in results]
            yield from results_then_content(id, told, tuple(rest))
        case role:
            known = "user, model, function, system"
            raise bad_message_error(number, f"the role {role!r:.80} is none of {known}")


def _function_result(given: object, number: int, waiting: list[ToolCall]) -> ListedResult:
    """Return a function response as a ListedResult, and remove the call that it answers from
    `waiting`."""
    if not isinstance(given, dict):
        raise bad_message_error(number, "a `function_response` is no object")
    name, response = str(given.get("name") or ""), given.get("response")
    by_name = (call.id for call in waiting if call.name == name)
    call_id = str(given.get("id") or next(by_name, name))
    waiting[:] = [call for call in waiting if call.id != call_id]
    told = next((key for key in TOLD if isinstance(response, dict) and key in response), "")
    text = response[told] if told and isinstance(response, dict) else response
    said = text if isinstance(text, str) else compact_json(text)
    beside = given.get("parts")
    content = [said, *beside] if isinstance(beside, list) and beside else said
    return ListedResult(call_id, content, told == "error")


RESULTS = frozenset(result for _, result in responses.CALLS.values())


def _read_responses(messages: Sequence[Wire], start: int) -> Iterator[ListedMessage]:
    """Yield the ListedMessages of Responses items from index `start` on. Raises BadInput."""
    while start < len(messages):
        many = _item_count(messages, start)
        yield from _read_items(messages[start : start + many], start)
        start += many


def item_type(item: Wire) -> str:
    """Return the type of an item; "message" if it has none."""
    return str(item.get("type", "message"))


def is_reply_item(item: Wire) -> bool:
    """Tell whether an item is part of a model's reply."""
    return item.get("role", "assistant") == "assistant" and item_type(item) not in RESULTS


def _item_count(messages: Sequence[Wire], number: int) -> int:
    """Return how many items, from index `number` on, make up one reply; 1 if the item at `number`
    is not part of a reply."""
    if not is_reply_item(messages[number]):
        return 1
    said = called = False
    many = 0
    for item in messages[number:]:
        another = said and not called and item_type(item) in ("message", "reasoning")
        if not is_reply_item(item) or another:
            break
        said, called = (
            said or item_type(item) == "message",
            called or item_type(item) in responses.CALLS,
        )
        many += 1
    return many


def _read_items(items: Sequence[Wire], number: int) -> Iterable[ListedMessage]:
    """Return the ListedMessages of all items of one reply, or of one other item. Raises
    BadInput."""
    first = items[0]
    role, id, content = first.get("role"), message_id(first), first.get("content")
    if item_type(first) in RESULTS:
        call, failed = first.get("call_id"), first.get("status") == "error"
        if not isinstance(call, str):
            raise bad_message_error(number, "a result has no `call_id`")
        told = ListedResult(call, result_text_or_parts(first.get("output")), failed)
        return [ListedMessage(id=id, results=(told,))]
    if is_reply_item(first):
        reply = responses.read_listed_items([*map(_full_item, items)])
        return [ListedMessage(many=len(items), id=id, reply=reply)]
    if role in ("system", "developer"):
        return instruction_messages(id, content)
    if role != "user":
        known = "user, assistant, system, developer"
        raise bad_message_error(number, f"the role {role!r:.80} is none of {known}")
    return [ListedMessage(id=id, content=user_content(content, TEXTS))]


def _full_item(item: Wire) -> Wire:
    """Return a message item with a `type` and a list of parts; any other item unchanged."""
    content = item.get("content")
    if "type" in item and not isinstance(content, str):
        return item
    told = [{"type": "output_text", "text": content}] if isinstance(content, str) else content
    return {"type": "message", **item, "content": told}


LISTINGS: dict[str, Listing] = {
    "openai": _listing_by_message(_read_openai),
    "responses": _read_responses,
    "anthropic": _listing_by_message(_read_anthropic),
    "gemini": _read_gemini,
}


def read_list(
    format: str, messages: Sequence[Wire], start: int = 0, model: str = ""
) -> Iterator[ListedMessage]:
    """Yield the ListedMessages of a host's list, from the message at index `start` on. `model` is
    the model that was asked. Raises BadInput if a message cannot be read, or if the format reads no
    lists."""
    read = LISTINGS.get(format) or format_of(format).listing
    if read is None:
        why = "no `listing` that reads a host's own list"
        raise BadInput(f"the format {format!r} has {why}: use ctx.user, ctx.reply, ctx.result")
    number = start
    try:
        for message in read(messages, start):
            said = message.reply
            yield (
                message
                if said is None
                else replace(message, reply=split_tagged_reasoning(said, model))
            )
            number += message.many
    except (TypeError, AttributeError, LookupError, ValueError) as error:
        # A member of another type than any provider sends, or one nested without end.
        if isinstance(error, BadInput) and error.kind:
            raise
        raise bad_message_error(number, f"no message of the format {format!r} ({error})") from error
    except RecursionError:
        raise bad_message_error(number, "nested too deeply to be read") from None
