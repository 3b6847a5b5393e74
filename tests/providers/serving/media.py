"""Images, documents and sounds in a request of each API: where they stand, what they count.

Written from the providers' pages, apart from Loom: OpenAI "Images and vision", "File inputs" and
"Audio"; Anthropic "Vision", "PDF support" and "Files API"; Google "Image understanding" and
"Document processing".
An image counts by its pixels alone (`image_tokens`), never by the base64 it came in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.providers.serving.prompt import Unit, tokens_of

PDF = "application/pdf"
URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)
PAGE = re.compile(rb"/Type\s*/Page\b")
UNKNOWN = (512, 512)  # the pixels of an image that does not say how many it has
SIDE = 1_568  # Anthropic: into which an image is scaled
MOST = 1_400  # tokens of an image; the published rules end above that
SECOND = 16_000  # bytes of sound in a second, as MP3 at 128 kbit/s has
Read = Callable[[bytes], int]


def bytes_of(text: str) -> bytes | None:
    """Base64 of the standard alphabet, padded, on one line; None when it is none."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def of_data(text: str) -> tuple[str, bytes]:
    """The type and the bytes of a data URL; two blanks for any other address."""
    match = URL.fullmatch(text)
    return (match[1], bytes_of(match[2]) or b"") if match else ("", b"")


def digest(part: Any) -> str:
    """What stands for a part in a prompt: every byte of it tells."""
    return hashlib.blake2b(repr(part).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def pixels(data: bytes) -> tuple[int, int]:
    """Width and height as a PNG or a GIF says them, `UNKNOWN` of all else."""
    if data.startswith(b"\x89PNG") and data[12:16] == b"IHDR" and len(data) >= 24:
        return int.from_bytes(data[16:20]) or 1, int.from_bytes(data[20:24]) or 1
    if data.startswith(b"GIF8") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little") or 1, int.from_bytes(data[8:10], "little") or 1
    return UNKNOWN


def by_area(data: bytes) -> int:
    """Anthropic: a token for 28 x 28 pixels of the scaled image."""
    width, height = pixels(data)
    scale = min(1.0, SIDE / max(width, height))
    return max(1, min(MOST, int(width * scale) * int(height * scale) // 784))


def by_tiles(data: bytes) -> int:
    """OpenAI's GPT-5: 70, and 140 a square of 512 pixels of the image scaled to 2,048 and 768. How
    the scaled sides are rounded is not said: two pixels are given away."""
    width, height = pixels(data)
    scale = min(1.0, 2_048 / max(width, height))
    scale = min(scale, 768 / min(width, height))
    across, down = (max(1, -(-int(side * scale - 2) // 512)) for side in (width, height))
    return min(70 + 140 * across * down, MOST)


def flat(data: bytes) -> int:
    """Google: 258 an image that is not cut up."""
    return 258


def tokens(kind: str, data: bytes, image: Read, page: int) -> int:
    """Tokens of a payload of a type: images by a rule, `page` a page, sounds by the second."""
    if kind.startswith("image/"):
        return image(data)
    if kind == PDF:
        return page * max(1, len(PAGE.findall(data)))
    if kind.startswith(("audio/", "video/")):
        return max(1, len(data) // SECOND) * 10
    return tokens_of(data.decode("utf-8", "replace"))


OPENAI_PAGE = 1_000
CHAT = ("image_url", "input_audio", "file")
RESPONSES = ("input_image", "input_file")


def openai_units(content: Any, place: tuple[int, int]) -> Iterator[Unit]:
    """What of a message is no text, and where in it that stands."""
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if part["type"] in CHAT + RESPONSES:
            value = [at, digest(part)]
            yield Unit("media", "user", value, (), place=place, seen=_openai_seen(part))


def _openai_seen(part: dict[str, Any]) -> int:
    kind = part["type"]
    if kind == "input_audio":
        data = bytes_of(part["input_audio"]["data"]) or b""
        return tokens("audio/", data, by_tiles, OPENAI_PAGE)
    held = part[kind] if kind in CHAT else {**part, "url": part.get("image_url")}
    if kind.endswith(("image", "image_url")):
        data = of_data(held.get("url") or "")[1]
        return 70 if held.get("detail") == "low" else by_tiles(data)
    named, data = of_data(held.get("file_data", ""))
    return tokens(named or PDF, data, by_tiles, OPENAI_PAGE)


ANTHROPIC_PAGE = 1_500  # "PDF support": 1,500 to 3,000 a page


def anthropic_seen(block: dict[str, Any]) -> int:
    """Tokens of the images and documents of a block, or of a result."""
    if "source" not in block:
        held = block.get("content", "") if block["type"] == "tool_result" else ""
        return sum(map(anthropic_seen, held)) if isinstance(held, list) else 0
    source = block["source"]
    if source["type"] == "content":
        held = source["content"]
        held = [{"type": "text", "text": held}] if isinstance(held, str) else held
        return sum(
            anthropic_seen(b) if b["type"] == "image" else tokens_of(b["text"]) for b in held
        )
    if source["type"] == "text":
        return tokens_of(source["data"])
    kind = "image/" if block["type"] == "image" else PDF
    data = bytes_of(source.get("data", "")) or b""
    return tokens(kind, data, by_area, ANTHROPIC_PAGE)


def anthropic_value(block: dict[str, Any]) -> list[str]:
    """What stands for a block in a prompt, its cache mark apart."""
    plain = {name: field for name, field in block.items() if name != "cache_control"}
    return [block["type"], digest(plain)]


def anthropic_shown(block: dict[str, Any], path: str) -> tuple[str, Any, tuple[str, ...], str]:
    """A block of a message as a unit: its kind, its value, its texts, its signature."""
    return "media", anthropic_value(block), (), ""


GEMINI_PAGE = 258  # "Document processing": of each page
LOW = "MEDIA_RESOLUTION_LOW"


def standard(text: str) -> str:
    """Base64 of either alphabet in the standard one, padded."""
    plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return plain + "=" * (-len(plain) % 4)


def gemini_units(parts: Any, role: str, place: tuple[int, int]) -> Iterator[Unit]:
    """Those of the parts that hold media."""
    for at, part in enumerate(parts or ()):
        if any(name in part for name in ("inlineData", "fileData")):
            value = [at, digest(part)]
            yield Unit("media", role, value, (), place=place, seen=_gemini_seen(part))


def _gemini_seen(part: dict[str, Any]) -> int:
    held = part.get("inlineData") or part["fileData"]
    kind = held.get("mimeType") or "image/"
    if kind.startswith("image/") and part.get("mediaResolution", {}).get("level") == LOW:
        return 64
    data = bytes_of(standard(held.get("data", ""))) or b""
    return tokens(kind, data, flat, GEMINI_PAGE)
