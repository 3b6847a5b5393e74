"""Content parts that Loom does not know: kept, and sent back to their format as they came.

Such a part rests on a page as the JSON `{"format", "part"}`, which is the text it is shown as to
any other format; in a result all of its parts do. So everything that brings a text down to size,
cuts it or brings it back holds for it too, and only one that stands whole is sent as what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom.providers.formats.wire import compact, is_text
from loom.providers.media.payload import own_of
from loom.providers.render.message import Block, OwnResultBlock, OwnTextBlock, PartBlock
from loom.providers.render.standin import StandIn
from loom_partitions.message import Text

# What a text is in the content of a result, where it is not of type `text`.
TEXT_PART: dict[str, dict[str, str]] = {"responses": {"type": "input_text"}, "gemini": {}}
# Blocks a host may give without saying of which format: the format, and the members each has
# (platform.claude.com, "Search results", "Tool search tool", "Code execution tool"; docs.vllm.ai,
# "Multimodal Inputs"; November 2026). In a list whose format is known any other block counts too.
OWN: dict[str, tuple[str, dict[str, type]]] = {
    "search_result": ("anthropic", {"source": str, "title": str, "content": list}),
    "tool_reference": ("anthropic", {"tool_name": str}),
    "container_upload": ("anthropic", {"file_id": str}),
    "video_url": ("openai", {"video_url": dict}),
}


class OwnPart(Struct, frozen=True):
    """A content part of a format's own, which is sent back to that format as it came."""

    format: str
    part: dict[str, Any]

    @property
    def text(self) -> str:
        """The part as JSON."""
        return compact(self.part)


def own_format(part: Mapping[str, Any], format: str) -> str:
    """The format whose own a part is, "" for a text and for what is a part of none."""
    if is_text(dict(part)):
        return ""
    if format:
        return format if isinstance(part.get("type"), str) or format == "gemini" else ""
    owner, members = OWN.get(str(part.get("type")), ("", {}))
    return owner if all(isinstance(part.get(key), kind) for key, kind in members.items()) else ""


def in_own(format: str, part: object) -> str:
    """The JSON of parts of a format's own, as a page holds it."""
    return compact({"format": format, "part": part})


def result_in_own(found: Sequence[object], texts: Sequence[str]) -> str:
    """The JSON of a result's pieces, each told by one of `texts`, where one of them is known to its
    format alone; "" for any other result."""
    format = next((piece.format for piece in found if isinstance(piece, OwnPart)), "")
    if not format:
        return ""
    told = [
        piece.part if isinstance(piece, OwnPart) else _said(format, text)
        for piece, text in zip(found, texts, strict=True)
        if text.strip()
    ]
    return in_own(format, told)


def as_own(text: Text, value: str) -> Text:
    """A text that is sent as the parts that are its `value`, if it is whole."""
    found = own_of(value) if text.body is None else None
    return replace(text, own=found.format) if found else text


def sent_own(block: OwnTextBlock | OwnResultBlock, format: str, data: bytes | StandIn) -> Block:
    """Return the part of a request that a block becomes in a format, from the bytes of its page."""
    own = None if isinstance(data, StandIn) else own_of(data.decode("utf-8", "replace"))
    if own is None or own.format != format:
        return block
    if isinstance(block, OwnTextBlock):
        return PartBlock(own.part)
    behind = [_said(format, block.behind)] if block.behind else []
    return replace(block, parts=(*own.part, *behind))


def _said(format: str, text: str) -> dict[str, Any]:
    return {**TEXT_PART.get(format, {"type": "text"}), "text": text}
