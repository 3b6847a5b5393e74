"""Clean one file of a workspace from secrets.

A document that Loom wrote is cleaned field by field, so that it can still be read. In any other
text, and in a document that cannot be read, the secrets are replaced as bytes. A binary file that
holds a secret is replaced as a whole by a short text, its stand-in. If other files name a document
by its hash, its new hash is noted."""

from __future__ import annotations

import re

from msgspec import MsgspecError, Struct, json
from msgspec.structs import replace

from loom.capabilities.agents import result as results
from loom.capabilities.agents.event import TOPICS, BusEvent, change_event
from loom.capabilities.agents.result import AgentResult, sha256_hex
from loom.capabilities.events.inbox import InboxMessage
from loom.inputs import Reply
from loom.lazy import lazy_re
from loom.providers.media.inspect import inspect_payload
from loom.rewrite.clean_records import RecordCleaner, ReplacedFiles
from loom.rewrite.secrets import MARK, Secrets
from loom.session.attachments import page_description

STAND_IN = "stand-in"
BUS_PAGE = lazy_re(r".*bus/pages/([0-9a-f]{64})-[0-9a-f]{16}\.(?:json|bin)")
ARTEFACT = lazy_re(r".*capsule/([0-9a-f]{64})")
UNREADABLE = (MsgspecError, ValueError, RecursionError)


def hash_in_name(name: str) -> str:
    """Return the sha256 that a file name contains, or "" for a name without a hash."""
    found = BUS_PAGE.fullmatch(name) or ARTEFACT.fullmatch(name)
    return found[1] if found else ""


class FileCleaner:
    """A callable that cleans one file of a workspace from secrets."""

    def __init__(self, secrets: Secrets, renewals: ReplacedFiles) -> None:
        self._secrets, self._new = secrets, renewals
        self._clean = RecordCleaner(secrets, renewals, len, lambda name: None)

    def __call__(self, name: str, data: bytes) -> tuple[bytes, str]:
        """Return a pair (new bytes without secrets, kind of change) for the file `name`. The kind
        is STAND_IN if a short text replaces the whole file, else ""."""
        kind = next((kind for named, kind in KINDS if named.fullmatch(name)), None)
        try:
            if kind is not None:
                return self._clean_document(kind, data), ""
        except UNREADABLE:  # none that Loom wrote
            return self._secrets.clean_bytes(data), ""
        clean = self._secrets.clean_bytes(data)
        if clean == data or page_description(name, data) is None:
            return clean, ""
        about = inspect_payload(data)
        return f"{MARK}: {len(data):,} bytes of {about.type} held a secret\n".encode(), STAND_IN

    def _clean_document(self, kind: type[Struct], data: bytes) -> bytes:
        """Return the bytes of a document of the type `kind`, with the secrets replaced."""
        if kind is BusEvent:
            return change_event(data, self._clean_event) or self._secrets.clean_bytes(data)
        old = json.decode(data, type=kind)
        if isinstance(old, AgentResult):
            return self._clean_result(old, data)
        new = self._clean(old)
        return data if new == old else json.encode(new)

    def _clean_result(self, old: AgentResult, data: bytes) -> bytes:
        """Return the bytes of an agent's result with the secrets replaced. Note the new hash and
        size."""
        old = replace(old, sha256="")
        new = self._clean(old)
        if new == old:
            return data
        made = results.encode_result(new)
        for before, after in ((_hashed_text(old), _hashed_text(new)), (data, made)):
            self._new.hashes[sha256_hex(before)] = sha256_hex(after), len(after)
        return made

    def _clean_event(self, old: BusEvent) -> BusEvent:
        new: BusEvent = self._clean(replace(old, topic=""))
        topic = old.topic if old.topic in TOPICS else self._secrets.clean_name(old.topic)
        return replace(new, topic=topic)


def _hashed_text(given: AgentResult) -> bytes:
    """Return the summary, artefacts and error of a result as JSON, whose hash the parent agent
    checks."""
    return json.encode((given.summary, given.artefacts, given.error))


# In the order files are cleaned in: what names others by their hashes comes after them.
KINDS: tuple[tuple[re.Pattern[str], type[Struct] | None], ...] = (
    (lazy_re(r"outputs/reply_.*"), Reply),
    (lazy_re(r"inbox/[^/]+\.json"), InboxMessage),
    (lazy_re(r"(?:.*/)?capsule\.json"), AgentResult),
    (BUS_PAGE, None),
    (lazy_re(r"(?:.*/)?bus/[0-9]{12}\.json"), BusEvent),
)


def cleaning_rank(name: str) -> int:
    """Return the rank of a file in the order of cleaning: a file comes after the files that it
    names by their hashes."""
    return next((at for at, (named, _) in enumerate(KINDS) if named.fullmatch(name)), 0)
