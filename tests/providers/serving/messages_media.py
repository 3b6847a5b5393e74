"""Images and documents in a user's message of Anthropic's Messages, and in what a tool gave."""

from __future__ import annotations

from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import media
from tests.providers.serving.fields import Path, Spec

PAGE = 1_500  # "PDF support": 1,500 to 3,000 a page
URL = f.record({"type": f.text, "url": f.pattern(r"https?://.+")})
FILE = f.record({"type": f.text, "file_id": f.text})


def _base64(*kinds: str) -> Spec:
    """A payload of one of these types."""
    spec = f.record({"type": f.text, "media_type": f.choice(*kinds), "data": f.text})

    def check(value: Any, path: Path) -> None:
        spec(value, path)
        media.typed(value["data"], value["media_type"], (*path, "data"))

    return check


def parts(text: Spec, mark: dict[str, Spec]) -> dict[str, Spec]:
    """The blocks that hold media; `text` is the text block, `mark` the fields of a cache mark."""
    sources = {"base64": _base64(*media.IMAGES), "url": URL, "file": FILE}
    image = f.record(
        {"type": f.text, "source": f.tagged(sources)}, {**mark, "transformations": f.mapping}
    )
    content = f.text_or(f.listof(f.tagged({"text": text, "image": image})))
    sources = {
        "base64": _base64(media.PDF),
        "text": f.record({"type": f.text, "media_type": f.choice("text/plain"), "data": f.text}),
        "content": f.record({"type": f.text, "content": content}),
        "url": URL,
        "file": FILE,
    }
    optional = {
        **dict.fromkeys(("title", "context"), f.nullable(f.text)),
        "citations": f.nullable(f.mapping),
    }
    document = f.record({"type": f.text, "source": f.tagged(sources)}, {**mark, **optional})
    return {"image": image, "document": document}


def seen(block: dict[str, Any]) -> int:
    """Tokens of the images and documents of a block, or of a result."""
    if "source" not in block:
        held = block.get("content", "") if block["type"] == "tool_result" else ""
        return sum(map(seen, held)) if isinstance(held, list) else 0
    source = block["source"]
    if source["type"] == "content":
        held = source["content"]
        held = [{"type": "text", "text": held}] if isinstance(held, str) else held
        return sum(seen(b) if b["type"] == "image" else media.tokens_of(b["text"]) for b in held)
    if source["type"] == "text":
        return media.tokens_of(source["data"])
    kind = "image/" if block["type"] == "image" else media.PDF
    data = media.bytes_of(source.get("data", "")) or b""
    return media.tokens(kind, data, media.by_area, PAGE)


def value(block: dict[str, Any]) -> list[str]:
    """What stands for a block in a prompt, its cache mark apart."""
    plain = {name: field for name, field in block.items() if name != "cache_control"}
    return [block["type"], media.digest(plain)]


def shown(block: dict[str, Any], path: str) -> tuple[str, Any, tuple[str, ...], str]:
    """A block of a message as a unit: its kind, its value, its texts, its signature."""
    return "media", value(block), (), ""
