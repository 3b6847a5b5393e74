"""The wire APIs a client may speak: where a request has its list, and how a request is made again.

What leads the list (instructions, the client's own prompt) and the tools are the client's fixed
part: they are passed on as they came, beside what a context makes of the rest. They are counted, so
that the window is what they leave."""

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
    """A request taken apart: `lead`, the messages that lead its list and are passed on as they
    came, and `items`, the rest, which a context is given."""

    lead: list[Wire]
    items: list[Wire]


class WireApi(Struct, frozen=True):
    """A wire API: the `format` of its lists, its `path`, the member of a body that has the list
    (`key`), and the function that makes a body of a context's request (`join`)."""

    format: str
    path: str
    key: str
    join: Callable[[Wire, TakenRequest, Wire], Wire]
    extra: tuple[str, ...] = ()  # members beside list and tools that count as fixed

    def take(self, body: Wire) -> TakenRequest | None:
        """Return a request's list, taken apart; None if it is unreadable or its provider keeps it.

        Raises BadInput for a list of more than `MESSAGES` messages."""
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
        """Return the tokens of what is passed on, instructions and tools, by a window's count."""
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
    """Return True for a message of the client's instructions, or tools declared in its list."""
    kind = item.get("type", "message")
    return kind == "additional_tools" or (kind == "message" and item.get("role") in LEADING)


def is_from_model(item: Wire) -> bool:
    """Return True for a message of the model, and for items such as its calls and their results."""
    return item.get("role") == "assistant" or (
        item.get("type", "message") != "message" and not is_leading(item)
    )


def _split_opening_messages(items: list[Wire]) -> tuple[list[Wire], list[Wire]]:
    """Return (what a client sets down before the model has said anything, the other messages). A
    client tells its guides (AGENTS.md, CLAUDE.md) and machine, in its own or the user's name."""
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
    """Return True for a text that a client writes into its user's first message: in a tag of its
    own, or a guide (Claude Code 2.1, Codex 0.169)."""
    return SETTING.match(str(block.get("text") or "")) is not None


def _join_anthropic(body: Wire, taken: TakenRequest, request: Wire) -> Wire:
    """Return the body of a Messages request: the client's part, with the system texts and messages
    of a context's `request`. Of its cache marks, the newest of as many as the API takes stay."""
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
    """Return a block without its cache mark."""
    return {key: value for key, value in block.items() if key != MARK}


def _has_cache_mark(body: Wire) -> bool:
    """Return True for a request whose client asks for the provider's cache."""
    return MARK.encode() in json.encode([body.get(key) for key in ("system", "tools", "messages")])


def _join_openai(body: Wire, taken: TakenRequest, request: Wire) -> Wire:
    """Return a Chat Completions body: the client's part, with the messages of `request`."""
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
    """Return a Responses body: the client's part, with the items of a context's `request`."""
    told = request.get("instructions")
    part = [{"type": "input_text", "text": told}]
    lead = [*taken.lead, {"type": "message", "role": "developer", "content": part}]
    return {**body, "input": [*(lead if told else taken.lead), *request["input"]]}


ANTHROPIC = WireApi("anthropic", "/v1/messages", "messages", _join_anthropic, ("system",))
OPENAI = WireApi("openai", "/v1/chat/completions", "messages", _join_openai)
RESPONSES = WireApi("responses", "/v1/responses", "input", _join_responses, ("instructions",))
DIALECTS = {one.path: one for one in (ANTHROPIC, OPENAI, RESPONSES)}


def with_question(messages: list[Wire], question: Wire) -> list[Wire]:
    """Return messages with a question at their end, as a part of the last message where that is the
    user's: Anthropic's users do not speak twice in a row."""
    last = messages[-1] if messages else {}
    if last.get("role") != "user" or not isinstance(last.get("content"), list):
        return [*messages, question]
    both = [*last["content"], *content_parts(question["content"])]
    return [*messages[:-1], {**last, "content": both}]


def declared_tools(body: Wire) -> list[Wire]:
    """Return the tools that a request declares."""
    given = body.get("tools")
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []


def tool_names(body: Wire) -> list[str]:
    """Return the names of the tools a request declares; for a provider's own tool its type."""
    spaced = [
        one for tool in declared_tools(body) for one in declared_tools(tool)
    ]  # of Codex's namespaces
    named = (tool.get("function", tool) for tool in (*declared_tools(body), *spaced))
    told = (tool for tool in named if isinstance(tool, dict))
    return [str(tool.get("name") or tool.get("type") or "") for tool in told]
