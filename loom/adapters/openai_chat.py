"""What models of other APIs than Responses want of the items the OpenAI Agents SDK makes messages
of: a reply's text beside its calls, and what some providers demand of a reply that has calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from agents.models.fake_id import FAKE_RESPONSES_ID

from loom.providers import provider_of
from loom.providers.formats.responses import CALLS

Item = dict[str, Any]
# Reasoning that is gone, where every reply with calls must have some; the SDK leaves out "".
UNTHOUGHT: Item = {
    "id": FAKE_RESPONSES_ID,
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": " "}],
}
# Google's stand-in for a signature that is gone.
UNSIGNED = {"thought_signature": "skip_thought_signature_validator"}


def chat_items(items: Sequence[Item], model: str) -> Iterator[Item]:
    """Yield the items of a request as the SDK is to make messages of."""
    provider = provider_of(model)
    within = called = False  # a reply; its first call was met
    for at, item in enumerate(items):
        if not _replied(item):
            within = called = False
            yield item
            continue
        calls = (one.get("type") in CALLS for one in takewhile(_replied, items[at:]))
        if not within and provider.echo and item.get("type") != "reasoning" and any(calls):
            yield UNTHOUGHT
        within = True
        if item.get("type") in CALLS:
            unsigned = provider.demands == "turn" and not called
            called = True
            data = UNSIGNED | (item.get("provider_data") or {})
            yield {**item, "provider_data": data} if unsigned else item
        else:
            yield _whole(item)


def _replied(item: Item) -> bool:
    return item.get("role") == "assistant" or item.get("type") in ("reasoning", *CALLS)


def _whole(item: Item) -> Item:
    """A text as an item, which the SDK joins with the calls beside it; any other as it is."""
    if item.get("role") != "assistant" or not isinstance(item.get("content"), str):
        return item
    said = {"type": "output_text", "text": item["content"], "annotations": []}
    whole = {"id": FAKE_RESPONSES_ID, "type": "message", "status": "completed"}
    return {**whole, **item, "content": [said]}
