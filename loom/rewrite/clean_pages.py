"""The bytes of a page without secrets: in place where it is a text, a stand-in where it is none."""

from __future__ import annotations

from hashlib import sha256

from msgspec import MsgspecError, json
from msgspec.structs import replace

from loom.engine.archive.restore import REPLY
from loom.engine.attach import described_page
from loom.inputs import Reasoning, Speech, ToolCall
from loom.providers.formats.pairs import opaque_of, unpaired
from loom.providers.media.inspect import inspect
from loom.rewrite.secrets import MARK, Secrets

STAND_IN = "stand-in"


def digest(data: bytes) -> str:
    """The sha256 of bytes, in hex."""
    return sha256(data).hexdigest()


def cleaned(name: str, data: bytes, secrets: Secrets) -> tuple[bytes, str]:
    """The bytes a page has now, and STAND_IN where they are a text in place of what it held."""
    if name.startswith("outputs/reply_"):
        try:
            return _reply(data, secrets), ""
        except (MsgspecError, UnicodeDecodeError):
            pass  # no reply Loom wrote: bytes like any others
    clean = secrets.data(data)
    if clean == data or described_page(name, data) is None:
        return clean, ""
    about = inspect(data)
    return f"{MARK}: {len(data):,} bytes of {about.type} held a secret\n".encode(), STAND_IN


def _reply(data: bytes, secrets: Secrets) -> bytes:
    """A reply without secrets; a signed block that would have to change is dropped whole."""
    reply = REPLY.decode(data)
    parts: list[Speech | Reasoning | ToolCall] = []
    for part in reply.parts:
        if isinstance(part, Speech):
            parts.append(Speech(secrets.text(part.text)))
        elif isinstance(part, ToolCall):
            texts = map(secrets.text, (part.id, part.name, part.arguments))
            parts.append(ToolCall(*texts))
        elif secrets.text(part.opaque) != part.opaque:
            parts.append(Reasoning())
        else:
            parts.append(Reasoning(secrets.text(part.text), part.opaque, part.format))
    for at in unpaired(opaque_of(reply.parts), opaque_of(parts)):
        parts[at] = Reasoning()
    new = replace(reply, parts=tuple(parts), model=secrets.text(reply.model))
    return data if new == reply else json.encode(new)
