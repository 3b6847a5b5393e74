"""Images, documents and sounds in a request: how they are checked, and what a model counts of them.

Written from the providers' pages, apart from Loom: OpenAI "Images and vision", "File inputs" and
"Audio"; Anthropic "Vision", "PDF support" and "Files API"; Google "Image understanding" and
"Document processing". What is in base64 is read to the end, and its first bytes must be of the type
it is said to be; nothing more of it is looked at, so a file may be broken further on.

An image counts by its pixels alone (`image_tokens`), never by the base64 it came in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving.fields import Path, Spec, Wrong
from tests.providers.serving.prompt import tokens_of

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
PDF = "application/pdf"
BEGINS = {
    "image/jpeg": rb"\xff\xd8\xff",
    "image/png": rb"\x89PNG\r\n\x1a\n",
    "image/gif": rb"GIF8[79]a",
    "image/webp": rb"RIFF....WEBP",
    PDF: rb"%PDF-",
}
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


def encoded(value: Any, path: Path) -> None:
    """Base64 of something."""
    f.text(value, path)
    if not value:
        raise Wrong("empty", path)
    if bytes_of(value) is None:
        raise Wrong("base64", path, "", value)


def typed(data: str, kind: str, path: Path) -> None:
    """Base64 whose bytes begin as its type does."""
    encoded(data, path)
    if kind in BEGINS and not re.match(BEGINS[kind], bytes_of(data) or b"", re.DOTALL):
        raise Wrong("media", path, kind)


def data_url(*kinds: str, elsewhere: bool) -> Spec:
    """A data URL of one of these types (any without), or (`elsewhere`) the address of a file."""

    def check(value: Any, path: Path) -> None:
        f.text(value, path)
        if elsewhere and value.startswith(("https://", "http://")):
            return
        match = URL.fullmatch(value)
        if match is None or (kinds and match[1] not in kinds) or not match[2]:
            raise Wrong("url", path, "a data URL of such a type", value)
        typed(match[2], match[1], path)

    return check


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
    """OpenAI's GPT-5: 70, and 140 a square of 512 pixels of the image scaled to 2,048 and 768.

    How the scaled sides are rounded is not said: two pixels are given away.
    """
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
