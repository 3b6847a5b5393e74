"""Content codings: the bodies of requests that come compressed, decoded.

gzip and deflate are Python's own; zstd is from Python 3.14 on, before that the package `zstandard`
brings it, and `brotli` (or `brotlicffi`) brings br. The codings are those of RFC 9110, 8.4.1, of
RFC 8878 (zstd) and of RFC 7932 (br). A body is decoded to a bound and no further: a few bytes can
stand for gigabytes.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any

LAYERS = 3  # codings of a body: each may take as long as the largest body does
# By coding: the modules that can decode it, the first that is there does.
MODULES = {
    "gzip": ("gzip",),
    "deflate": ("zlib",),
    "zstd": ("compression.zstd", "zstandard"),
    "br": ("brotli", "brotlicffi"),  # of 1.2 or later, which take a bound
}
ALIASES = {"x-gzip": "gzip", "": "identity"}
INSTALL = {"zstd": "zstandard", "br": "brotli"}


def decoded(body: bytes, encoding: str, most: int) -> bytes:
    """The body without its codings, at most so many bytes. Raises ValueError, which says
    why, and nothing of what the body holds."""
    named = (one.strip() for one in encoding.lower().split(","))
    codings = [one for one in (ALIASES.get(one, one) for one in named) if one != "identity"]
    if len(codings) > LAYERS:
        raise ValueError(f"it has {len(codings):,} codings, and {LAYERS} are taken off at most")
    for coding in reversed(codings):
        body = _decoded(body, coding, most)
    return body


def readable(coding: str) -> bool:
    """True for a coding that can be decoded here."""
    return _module(coding) is not None


def _decoded(body: bytes, coding: str, most: int) -> bytes:
    name = _module(coding)
    if name is None:
        more = f": pip install {INSTALL[coding]}" if coding in INSTALL else ""
        raise ValueError(f"no decoder for {coding!r:.40} is installed{more}")
    try:
        made = _DECODERS[name](import_module(name), body, most + 1)
    except Exception as error:  # each module has errors of its own
        raise ValueError(f"it is no {coding} ({type(error).__name__})") from None
    if len(made) > most:
        raise ValueError(f"it holds more than {most:,} bytes")
    return made


def _module(coding: str) -> str | None:
    return next((name for name in MODULES.get(coding, ()) if _is_there(name)), None)


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # of a package that is not there
        return False


def _gunzipped(module: Any, body: bytes, most: int) -> bytes:
    return gzip.GzipFile(fileobj=BytesIO(body)).read(most)


def _inflated(module: Any, body: bytes, most: int) -> bytes:
    """Of the zlib format, or bare, as some clients send it."""
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        try:
            return zlib.decompressobj(bits).decompress(body, most)
        except zlib.error as error:
            failed = error
    raise failed


def _zstd(module: Any, body: bytes, most: int) -> bytes:
    return bytes(module.ZstdFile(BytesIO(body)).read(most))


def _zstandard(module: Any, body: bytes, most: int) -> bytes:
    stream = module.ZstdDecompressor().stream_reader(BytesIO(body), read_across_frames=True)
    return bytes(stream.read(most))


def _brotli(module: Any, body: bytes, most: int) -> bytes:
    decoder = module.Decompressor()
    made = bytearray(decoder.process(body, output_buffer_limit=most))
    while len(made) < most and not decoder.is_finished():
        if not (more := decoder.process(b"", output_buffer_limit=most - len(made))):
            raise EOFError
        made += more
    return bytes(made[:most])


_DECODERS: dict[str, Callable[[Any, bytes, int], bytes]] = {
    "gzip": _gunzipped,
    "zlib": _inflated,
    "compression.zstd": _zstd,
    "zstandard": _zstandard,
    "brotli": _brotli,
    "brotlicffi": _brotli,
}
