"""Decode the bodies of requests that come compressed.

The codings are those of RFC 9110, 8.4.1, and of RFC 8878 (zstd). A body is decoded up to a bound: a
few bytes can stand for gigabytes."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable
from io import BytesIO

LAYERS = 3  # codings of a body: each may take as long as the largest body does


def decode_body(body: bytes, encoding: str, most: int) -> bytes:
    """Return the body decoded. `encoding` names its codings, separated by commas ("gzip, zstd").
    Raises ValueError for a body that cannot be decoded, or that has more than `most` bytes when
    decoded; the error quotes nothing of the body."""
    named = (one.strip() for one in encoding.lower().split(","))
    codings = [one for one in named if one not in ("", "identity")]
    if len(codings) > LAYERS:
        raise ValueError(f"it has {len(codings):,} codings, and {LAYERS} are taken off at most")
    for coding in reversed(codings):
        if coding not in DECODERS:
            raise ValueError(f"there is no decoder for {coding!r:.40}")
        try:
            body = DECODERS[coding](body, most + 1)
        except ImportError:
            told = f"no decoder for {coding!r} is installed: pip install zstandard"
            raise ValueError(told) from None
        except Exception as error:  # each module has errors of its own
            raise ValueError(f"it is no {coding} ({type(error).__name__})") from None
        if len(body) > most:
            raise ValueError(f"it holds more than {most:,} bytes")
    return body


def _decode_gzip(body: bytes, most: int) -> bytes:
    """Return a gzip body decoded, at most `most` bytes of it."""
    return gzip.GzipFile(fileobj=BytesIO(body)).read(most)  # of all its members


def _decode_deflate(body: bytes, most: int) -> bytes:
    """Return a deflate body decoded, at most `most` bytes. Raises EOFError if it is cut off."""
    stream = zlib.decompressobj(zlib.MAX_WBITS | 32)  # of gzip or zlib, which its head tells
    made = stream.decompress(body, most)
    if not stream.eof and len(made) < most:
        raise EOFError
    return made


def _decode_zstd(body: bytes, most: int) -> bytes:
    """Return a zstd body decoded, at most `most` bytes. Raises ImportError without a decoder."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile

        return ZstdFile(BytesIO(body)).read(most)
    from zstandard import ZstdDecompressor

    stream = ZstdDecompressor().stream_reader(BytesIO(body), read_across_frames=True)
    return stream.read(most)


DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    **dict.fromkeys(("gzip", "x-gzip"), _decode_gzip),
    "deflate": _decode_deflate,
    "zstd": _decode_zstd,
}
