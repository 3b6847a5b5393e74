"""What a request of Pydantic AI brings a model: prompts, results of tools, files; in Loom's words.

Parts that only record something for the framework itself (tools shown, settings changed) say
nothing here, and a system prompt that holds for one request alone is left to it.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic_ai.messages import (
    ERROR_OUTCOMES,
    BinaryContent,
    DocumentUrl,
    FileUrl,
    ImageUrl,
    TextContent,
    UploadedFile,
)

Wire = dict[str, Any]
Seen = dict[str, Any]  # files, and the framework's own words, by what their blocks say
FRAMED = "framed: "  # no file is known by what begins so
DOCUMENTS = ("application/pdf", "text/")  # what a block of type "document" holds


def read_part(part: Any, seen: Seen) -> Iterator[Wire]:
    """Yield the messages that a part of a request is."""
    read = _READ.get(part.part_kind)
    if read is not None:
        yield from read(part, seen)


def framed(text: str) -> str:
    """What the framework's own words are known by among what was seen."""
    return f"{FRAMED}{text}"


def is_of_one_request(part: Any) -> bool:
    """True for a system prompt that holds for one request alone: no entry, sent as it is."""
    return bool(part.part_kind == "system-prompt" and part.scope == "request")


def _system(part: Any, seen: Seen) -> Iterator[Wire]:
    if not is_of_one_request(part):
        yield {"role": "system", "content": part.content}


def _changed(part: Any, seen: Seen) -> Iterator[Wire]:
    yield {"role": "system", "content": part.render()}


def _prompt(part: Any, seen: Seen) -> Iterator[Wire]:
    given = [part.content] if isinstance(part.content, str) else part.content
    yield {"role": "user", "content": [*_blocks(given, seen)]}


def _spoken(part: Any, seen: Seen) -> Iterator[Wire]:
    told = part.transcript if part.part_kind == "speech" else part.content
    yield {"role": "user", "content": told or ""}


def _feedback(part: Any, seen: Seen) -> Iterator[Wire]:
    said = part.model_response()
    if part.part_kind == "retry-prompt" and part.tool_name:
        yield _result(part.tool_call_id, said, error=True)
    else:
        seen[framed(said)] = part  # it has a frame of the framework's, which is no one else's
        yield {"role": "user", "content": said}


def _returned(part: Any, seen: Seen) -> Iterator[Wire]:
    items = part.content_items(mode="str", wrap_if_error=False)
    texts = all(isinstance(item, str) for item in items)
    content = "\n".join(items) if texts else [*_blocks(items, seen)]
    yield _result(part.tool_call_id, content, error=part.outcome in ERROR_OUTCOMES)


def _result(id: str, content: Any, *, error: bool) -> Wire:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}
    return {"role": "user", "content": [block]}


# Parts by their kinds.
_READ: dict[str, Callable[[Any, Seen], Iterator[Wire]]] = {
    "system-prompt": _system,
    "instruction-delta": _changed,
    "user-prompt": _prompt,
    "speech": _spoken,
    "compaction": _spoken,
    "retry-feedback": _feedback,
    "retry-prompt": _feedback,
    "tool-return": _returned,
}


def _blocks(items: Iterable[Any], seen: Seen) -> Iterator[Wire]:
    for item in items:
        if isinstance(item, str):
            yield {"type": "text", "text": item}
        elif isinstance(item, TextContent):
            yield {"type": "text", "text": item.content}
        elif isinstance(item, FileUrl | BinaryContent | UploadedFile):
            key, block = _file(item)
            seen[key] = item
            yield block


def _file(item: Any) -> tuple[str, Wire]:
    """The text a block has about a file, and the block."""
    type = item.media_type
    kind = "image" if type.startswith("image/") else "document"
    if isinstance(item, UploadedFile):
        source = {"type": "file", "file_id": item.file_id}
        return item.file_id, {"type": kind, "source": source}
    held = kind == "image" or type.startswith(DOCUMENTS)
    if isinstance(item, FileUrl):
        source = {"type": "url", "url": item.url}
        other = {"fileData": {"fileUri": item.url, "mimeType": type}}
        return item.url, {"type": kind, "source": source} if held else other
    source = {"type": "base64", "media_type": type, "data": item.base64}
    other = {"inlineData": {"mimeType": type, "data": item.base64}}
    return item.base64, {"type": kind, "source": source} if held else other


def file_of(block: Wire, seen: Mapping[str, Any]) -> Any:
    """The file of a block: the very one that was given, or one made of what the block says."""
    source = block["source"]
    known = seen.get(source.get("data") or source.get("url") or source.get("file_id") or "")
    if known is not None:
        return known
    if source["type"] == "url":
        return (ImageUrl if block["type"] == "image" else DocumentUrl)(url=source["url"])
    if source["type"] == "file":
        return f"[file {source['file_id']}]"
    text = source["type"] == "text"
    data = source["data"].encode() if text else b64decode(source["data"])
    return BinaryContent(data=data, media_type=source.get("media_type", "text/plain"))
