"""The wire APIs that a client may speak: how a request is taken apart, and put together again.

A request begins with its client's fixed part: instructions, the client's own prompt, and the tools.
This part is passed on unchanged; what follows it, the list, goes through a context. The tokens of
the fixed part are counted, since they are taken off the window."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, json

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.providers.caching import mark_blocks, request_mark_lifetime
from loom.providers.counts import Counter
from loom.providers.counts.message_sizes import MESSAGE, TOOL
from loom.providers.formats.wire import (
    Wire,
    compact_json,
    content_parts,
    content_text,
    is_text_part,
)

LEADING = frozenset({"system", "developer"})
SETTING = lazy_re(
    r"\s*(?:<(?:system-reminder|environment_context|user_instructions|skills_instructions"
    r"|permissions instructions|INSTRUCTIONS)>|# AGENTS\.md)"
)
MARK = "cache_control"
MESSAGES = 20_000  # of a list that is managed: what more would cost is minutes of every client's
SMALL = "small window"  # the `kind` of an error, as the next
LONG = "more messages in the list than the proxy manages"
MARKS = 4  # that Anthropic takes in one request


class TakenRequest(Struct, frozen=True):
    """A request's message list in two parts: the first messages (`lead`, the client's
    instructions), which are passed on unchanged, and all others (`items`), which go through a
    context."""

    lead: list[Wire]
    items: list[Wire]


class WireApi(Struct, frozen=True):
    """One of the APIs that clients speak: the `format` of its messages, and its URL `path`. `key`
    names the member of a body that holds the message list; `extra` names members with instructions.
    `join(body, taken, request)` returns the client's `body` with the messages of a context's
    `request` in it."""

    format: str
    path: str
    key: str
    join: Callable[[Wire, TakenRequest, Wire], Wire]
    extra: tuple[str, ...] = ()  # members beside list and tools that count as fixed

    def take(self, body: Wire) -> TakenRequest | None:
        """Return the message list of a request body in its two parts, None for a body without a
        readable list, or if the provider keeps the list. Raises BadInput for a list of more than
        `MESSAGES` messages."""
        given = body.get(self.key)
        if isinstance(given, list) and len(given) > MESSAGES:
            raise BadInput("", LONG)
        if isinstance(given, str):
            given = [{"role": "user", "content": given}]
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            return None
        if body.get("previous_response_id") or body.get("conversation"):
            return None
        lead = next((at for at, one in enumerate(given) if not is_leading(one)), len(given))
        said = next((at for at, one in enumerate(given) if is_from_model(one)), len(given))
        setting, rest = _split_opening_messages(given[lead:said])
        if not any(one.get("role") == "user" for one in rest):
            setting, rest = [], given[lead:said]  # a user may begin with a tag too
        return TakenRequest([*given[:lead], *setting], [*rest, *given[said:]])

    def fixed(self, body: Wire, taken: TakenRequest, count: Counter) -> int:
        """Return how many tokens a request's instructions, first messages (`taken.lead`) and tools
        take."""
        told = (content_parts(one.get("content")) or [one] for one in taken.lead)
        held = [
            block
            for blocks in (*told, *map(content_parts, map(body.get, self.extra)))
            for block in blocks
        ]
        texts = [one["text"] if is_text_part(one) else compact_json(one) for one in held]
        tools = [compact_json(one) for one in declared_tools(body)]
        more = MESSAGE * (len(taken.lead) + len(self.extra)) + TOOL * len(tools)
        return more + sum(count.many([str(text) for text in (*texts, *tools)]))


def is_leading(item: Wire) -> bool:
    """Return True for a message with the client's instructions, and for an item that declares
    tools."""
    kind = item.get("type", "message")
    return kind == "additional_tools" or (kind == "message" and item.get("role") in LEADING)


def is_from_model(item: Wire) -> bool:
    """Return True for a message of the model, and for an item that is no message, such as a call or
    result, unless it declares tools."""
    return item.get("role") == "assistant" or (
        item.get("type", "message") != "message" and not is_leading(item)
    )


def _split_opening_messages(items: list[Wire]) -> tuple[list[Wire], list[Wire]]:
    """Return (messages that the client itself wrote to open the list, all other messages). The
    client writes guides (AGENTS.md, CLAUDE.md) and facts about the machine, as instructions or in
    the user's name. A user's message that also holds the user's own words is split."""
    setting: list[Wire] = []
    rest: list[Wire] = []
    for item in items:
        if is_leading(item):
            setting.append(item)
            continue
        blocks = content_parts(item.get("content"))
        of_user = item.get("role") == "user"
        told = [block for block in blocks if of_user and _is_opening_text(block)]
        if told:
            setting.append({**item, "content": told})
        if left := [block for block in blocks if not (of_user and _is_opening_text(block))]:
            rest.append({**item, "content": left} if told else item)
        elif not told:
            rest.append(item)
    return setting, rest


def _is_opening_text(block: Wire) -> bool:
    """Return True for a text in the user's first message that a client wrote: a guide, or a text in
    one of the client's tags (Claude Code 2.1, Codex 0.169)."""
    return SETTING.match(str(block.get("text") or "")) is not None


def _join_anthropic(body: Wire, taken: TakenRequest, request: Wire) -> Wire:
    """Return the client's body for the Messages API with the system texts and messages of a
    context's `request`. Only the newest `MARKS` cache marks are kept: the API allows no more."""
    given = body.get("system") or []
    system = [{"type": "text", "text": given}] if isinstance(given, str) else [*given]
    told = [_without_cache_mark(block) for block in request.get("system", ())]
    for one in filter(is_leading, taken.lead):  # between messages only some models take them
        blocks = [_without_cache_mark(block) for block in content_parts(one.get("content"))]
        told += [block for block in blocks if block.get("text") != ""]
    messages = [*request["messages"]]
    if front := [block for one in taken.lead if not is_leading(one) for block in one["content"]]:
        front = [_without_cache_mark(block) for block in front]
        first = messages[0] if messages and messages[0]["role"] == "user" else None
        both = [*front, *first["content"]] if first else front
        messages[: 1 if first else 0] = [{"role": "user", "content": both}]
    left = MARKS - sum(MARK in one for one in (body, *system, *(body.get("tools") or ())))
    marked = [block for one in messages for block in one["content"] if MARK in block]
    kept = marked[-left:] if left > 0 and _has_cache_mark(body) else []
    for block in marked[: len(marked) - len(kept)]:
        del block[MARK]  # of messages that are this request's own
    mark_blocks(kept, request_mark_lifetime(body))
    return {**body, "system": [*system, *told], "messages": messages}


def _without_cache_mark(block: Wire) -> Wire:
    """Return a copy of a block without its cache mark."""
    return {key: value for key, value in block.items() if key != MARK}


def _has_cache_mark(body: Wire) -> bool:
    """Return True if the client set a cache mark in a request."""
    return MARK.encode() in json.encode([body.get(key) for key in ("system", "tools", "messages")])


def _join_openai(body: Wire, taken: TakenRequest, request: Wire) -> Wire:
    """Return the client's body for Chat Completions with its first messages and the messages of a
    context's `request`."""
    messages = [*request["messages"]]
    lead = [*taken.lead]
    told = messages.pop(0) if messages and messages[0].get("role") in LEADING else None
    at = max((at for at, one in enumerate(lead) if is_leading(one)), default=-1)
    if told is not None and at >= 0 and isinstance(lead[at].get("content"), str):
        # Some servers take one system message, at the head.
        lead[at] = {
            **lead[at],
            "content": f"{lead[at]['content']}\n\n{content_text(told['content'])}",
        }
    elif told is not None:
        lead.insert(at + 1, told)
    return {**body, "messages": [*lead, *messages]}


def _join_responses(body: Wire, taken: TakenRequest, request: Wire) -> Wire:
    """Return the client's body for the Responses API with its first messages and the items of a
    context's `request`."""
    told = request.get("instructions")
    part = [{"type": "input_text", "text": told}]
    lead = [*taken.lead, {"type": "message", "role": "developer", "content": part}]
    return {**body, "input": [*(lead if told else taken.lead), *request["input"]]}


ANTHROPIC = WireApi("anthropic", "/v1/messages", "messages", _join_anthropic, ("system",))
OPENAI = WireApi("openai", "/v1/chat/completions", "messages", _join_openai)
RESPONSES = WireApi("responses", "/v1/responses", "input", _join_responses, ("instructions",))
DIALECTS = {one.path: one for one in (ANTHROPIC, OPENAI, RESPONSES)}


def with_question(messages: list[Wire], question: Wire) -> list[Wire]:
    """Return the messages with a question at the end, inside the last message if this is the
    user's: Anthropic's API takes no two messages of the user in a row."""
    last = messages[-1] if messages else {}
    if last.get("role") != "user" or not isinstance(last.get("content"), list):
        return [*messages, question]
    both = [*last["content"], *content_parts(question["content"])]
    return [*messages[:-1], {**last, "content": both}]


def declared_tools(body: Wire) -> list[Wire]:
    """Return the tools that a request declares; [] if it declares none."""
    given = body.get("tools")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def tool_names(body: Wire) -> list[str]:
    """Return the names of the tools that a request declares; of a tool without a name, the type."""
    spaced = [
        one for tool in declared_tools(body) for one in declared_tools(tool)
    ]  # of Codex's namespaces
    named = (tool.get("function", tool) for tool in (*declared_tools(body), *spaced))
    told = (tool for tool in named if isinstance(tool, dict))
    return [str(tool.get("name") or tool.get("type") or "") for tool in told]
