"""Texts inside a payload that no one sees: metadata of an image or a sound, strings of a document.

Theory of operation
-------------------
They are looked at for secrets alone. A payload is taken apart by its format, and only what its
format calls text is read: pixels, samples and whatever else is compressed or encoded are letters by
chance, and any pattern is found in enough of them. What is read are metadata (`metadata`), strings
and text of a PDF (`pdf`), and members of an archive that are texts. Of a format nobody here
knows, and behind the end of a file, a text is a run of `RUN` letters: in a megabyte of noise there
is one such run in five, in one that holds a text it stands out.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

from loom.lazy import lazy_re
from loom.providers.media import metadata
from loom.providers.media.described import described
from loom.providers.media.inspect import inspect, type_of
from loom.providers.media.pdf import pdf_texts
from loom.redact import Redactor
from loom.text import one_line

LARGEST = 1 << 22  # bytes of a member of an archive; more is not looked at …
MOST = 1 << 24  # … nor of all of them together
MEMBERS = 2_000
WHERE = 60  # characters of the place a secret is in
SAMPLE = 4_096  # bytes a text is told by

_TAGS = lazy_re(r"</(?:w|a):p>|<[^<>]*>")  # of an office document, a paragraph's end among them


def texts_of(data: bytes) -> Iterator[tuple[str, str]]:
    """(where, text) of each text in a payload, as its format has them. Any bytes, never raises."""
    yield from _READERS.get(type_of(data), metadata.loose)(data)


def secret_in(data: bytes, redact: Redactor) -> tuple[str, tuple[str, ...]] | None:
    """(where, kinds) of the first text of a payload with secrets in it; None where there is none.

    What is found counts as what a redaction replaced.
    """
    for where, text in texts_of(data):
        if kinds := redact.kinds(text):
            return where, kinds
    return None


def withheld(data: bytes, redact: Redactor, name: str = "") -> str:
    """The line in place of a payload with a secret in a text of it, which is kept nowhere and sent
    to nobody: what was found, and where. "" where there is none."""
    found = secret_in(data, redact)
    if found is None:
        return ""
    where, kinds = one_line(found[0], WHERE), ", ".join(found[1])
    said = f"[withheld whole: its {where} holds a secret ({kinds})]"
    return f"{described(inspect(data, name=name))} {said}"


def _archive(data: bytes) -> Iterator[tuple[str, str]]:
    """Names of the members of an archive, its comment, and the members that are texts."""
    left = MOST
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield "comment", archive.comment.decode("utf-8", "replace")
            members = archive.infolist()[:MEMBERS]
            yield "names", "\n".join(member.filename for member in members)
            for member in members:
                if member.flag_bits & 1 or left <= 0:  # encrypted
                    continue
                with archive.open(member) as opened:
                    head = opened.read(SAMPLE)
                    if metadata.CONTROL.search(head):
                        continue
                    body = head + opened.read(min(LARGEST, left))
                left -= len(body)
                text = body.decode("utf-8", "replace")
                yield member.filename, text
                if text.startswith("<?xml"):  # words lie apart in runs of their own
                    yield member.filename, _TAGS.sub(_parted, text)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, LookupError):
        yield from metadata.loose(data)
    except (NotImplementedError, EOFError):  # a compression of another kind; cut off
        return


def _parted(found: re.Match[str]) -> str:
    return "\n" if found[0].endswith(":p>") and found[0].startswith("</") else ""


_READERS: dict[str, Callable[[bytes], Iterator[tuple[str, str]]]] = {
    "image/png": metadata.png,
    "image/jpeg": metadata.jpeg,
    "image/gif": metadata.gif,
    "image/webp": metadata.riff,
    "image/bmp": metadata.none,
    "image/tiff": metadata.tiff,
    **dict.fromkeys(("image/heic", "image/heif", "image/avif", "audio/mp4"), metadata.boxes),
    **dict.fromkeys(("video/mp4", "video/quicktime"), metadata.boxes),
    **dict.fromkeys(("audio/wav", "video/x-msvideo"), metadata.riff),
    **dict.fromkeys(("audio/mpeg", "audio/aac"), metadata.tagged),
    "application/pdf": pdf_texts,
    "application/zip": _archive,
}
