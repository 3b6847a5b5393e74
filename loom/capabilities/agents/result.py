"""Agent results: all that comes back from an agent to its parent.

A result is put once, under one name beside the agent's journal, before the agent records that it
delivered. The store refuses a second result, so of two that come at once (the agent's own, and that
of a parent that gives the agent up) one stands. Nothing else of the agent's window travels."""

from __future__ import annotations

import hashlib

from msgspec import DecodeError, Struct, ValidationError, json
from msgspec.structs import replace

from loom.errors import BadInput
from loom.text import encodable
from loom_paging import MissingPage, PageExists, Store

NAME = "capsule.json"
CHANGED = "its result is damaged: it is not the one that was delivered"
DONE, FAILED, LOST = STATUSES = ("done", "failed", "lost")


class Artefact(Struct, frozen=True):
    """A page that an agent hands over: its name in that agent's workspace, size in bytes, and
    sha256 (hex)."""

    name: str
    size: int
    sha256: str


class AgentResult(Struct, frozen=True, omit_defaults=True):
    """The result of an agent. `status` is "done", "failed" or "lost". `error` says why the task is
    not done; "" for a finished task.

    `artefacts` are the pages handed over. `sha256` is set only in the stored result: the digest
    of the other fields as JSON.

        >>> loom.AgentResult("reader-1", "done", summary="3 files use it.").ok
        True"""

    agent: str
    status: str
    summary: str = ""
    artefacts: tuple[Artefact, ...] = ()
    error: str = ""
    sha256: str = ""

    @property
    def ok(self) -> bool:
        """Return True if the status is "done"."""
        return self.status == DONE


def encode_result(result: AgentResult) -> bytes:
    """Return a result as JSON bytes, with `sha256` set. U+FFFD replaces characters that UTF-8
    cannot hold."""
    summary, error = encodable(result.summary), encodable(result.error)
    clean = replace(result, summary=summary, error=error, sha256="")
    return json.encode(replace(clean, sha256=sha256_hex(json.encode(clean))))


def put_result(store: Store, result: AgentResult) -> str:
    """Store a result in the agent's own store. Return the sha256 (hex) of its bytes. Raises
    BadInput if the store has a result already."""
    data = encode_result(result)
    try:
        store.put(NAME, data)
    except PageExists:
        first, _ = read_result(store, result.agent)
        said = f"was given already, as {first.status if first else FAILED}: it stays"
        raise BadInput(f"the result of {result.agent} {said}") from None
    return sha256_hex(data)


def read_result(store: Store, agent: str) -> tuple[AgentResult | None, str]:
    """Return the result in the store of `agent`, and the sha256 (hex) of its bytes; (None, "") if
    there is no result yet. A damaged result, or a result that names another agent, is returned with
    status "failed"."""
    try:
        data = store.get(NAME)
    except MissingPage:
        return None, ""
    try:
        found = json.decode(data, type=AgentResult)
    except (DecodeError, ValidationError, UnicodeDecodeError) as error:
        found = AgentResult(agent, FAILED, error=f"its result is damaged: {error}")
    if found.agent != agent or found.status not in STATUSES:
        found = AgentResult(agent, FAILED, error="its result is damaged: not as Loom writes one")
    rest = replace(found, sha256="")
    if found.sha256 and found.sha256 != sha256_hex(json.encode(rest)):
        rest = AgentResult(agent, FAILED, error=CHANGED)
    return rest, sha256_hex(data)


def sha256_hex(data: bytes) -> str:
    """Return the sha256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
