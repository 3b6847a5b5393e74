"""Images, documents and sounds in a request: what a model counts of them.

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
from collections.abc import Callable
from typing import Any

from tests.providers.serving.prompt import tokens_of

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
