"""What providers really say when a request is too long, and when something else is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.overflow import Overflow, read_overflow
from loom_partitions.limits import MediaLimits
from tests.kit.cases import all_cases

TABLE = tomllib.loads(Path(__file__).with_name("overflow_texts.toml").read_text("utf-8"))
LIMITS = MediaLimits.__struct_fields__
SAID = {row["source"]: row["text"] for kind in TABLE.values() for row in kind}
TOLD = {row["source"]: Overflow(row.get("limit", 0), row.get("size", 0)) for row in TABLE["long"]}
TOLD |= {
    row["source"]: Overflow(
        media=MediaLimits(**{name: row[name] for name in LIMITS if name in row})
    )
    for row in TABLE["media"]
}
OVERFLOWS = [pytest.param(SAID[source], told, id=source) for source, told in TOLD.items()]
DIFFERENT = [pytest.param(row["text"], id=row["source"]) for row in TABLE["other"]]
CHAT = "openai: evalstate/fast-agent 621"


class Refused(Exception):
    """An exception with whatever attributes an SDK's would have."""

    def __init__(self, message: str = "", /, **fields: object) -> None:
        super().__init__(message)
        self.__dict__.update(fields)


@all_cases(("text", "told"), OVERFLOWS)
def test_what_is_said_of_too_long_a_request(text: str, told: Overflow) -> None:
    """Capitals make no difference; a rate limit or a missing right is no overflow."""
    assert (
        read_overflow(RuntimeError(text.lower()))
        == read_overflow(RuntimeError(text.upper()))
        == told
    )
    for status in (401, 403, 404, 429):
        assert read_overflow(Refused(text, status_code=status)) is None
        assert read_overflow(Refused(text, status_code=200, code=str(status))) is None


@all_cases("text", DIFFERENT)
def test_another_kind(text: str) -> None:
    """Other failures are none, with the statuses they come with."""
    for error in (RuntimeError(text), Refused(text, status_code=400), Refused(text, code=500)):
        assert read_overflow(error) is None


MINUTE = "Request too large on tokens per minute (TPM): Limit 12000, Requested 14137"
STATUSES: list[dict[str, Any]] = [{"status_code": 413}, {"status": 413}, {"code": "413"}]
PAYLOAD: list[dict[str, Any]] = [
    *STATUSES,
    {"response": Refused(status_code=413)},
    {"response": {"ResponseMetadata": {"HTTPStatusCode": 413}}},
]


@all_cases("fields", PAYLOAD)
@all_cases("text", ["", "<h1>413 Request Entity Too Large</h1>", MINUTE])
def test_too_large_a_body(text: str, fields: dict[str, Any]) -> None:
    """HTTP 413 says it all, wherever an SDK puts the status; the limit Groq names is of tokens a
    minute (continue 10218)."""
    assert read_overflow(Refused(text, **fields)) == Overflow()


FIELDS = ["status_code", "status", "code", "body", "message", "response", "type"]
PLAIN = st.integers() | st.text(max_size=50)
ODD = PLAIN | st.none() | st.binary(max_size=50) | st.dictionaries(st.text(max_size=9), PLAIN)


@given(text=st.text(max_size=200), fields=st.dictionaries(st.sampled_from(FIELDS), ODD))
def test_any_exception(text: str, fields: dict[str, Any]) -> None:
    """Whatever an exception bears, the answer is none or a plausible overflow."""
    told = read_overflow(Refused(text, **fields))
    assert told is None or (told.limit == 0 or told.limit >= 256)


class Hostile(Exception):
    """Its parts cannot be read."""

    def __str__(self) -> str:
        """Raise, as broken exceptions do."""
        raise ValueError("no text")

    @property
    def body(self) -> str:
        """Raise, as a response does that was not read."""
        raise RuntimeError("not read")

    response = body


def test_what_cannot_be_read_is_passed_over() -> None:
    """Broken exceptions are of another kind, unless a part that can be read says otherwise."""
    error = Hostile()
    assert read_overflow(error) is None
    error.status_code = 413  # type: ignore[attr-defined]
    assert read_overflow(error) == Overflow()


@pytest.mark.parametrize("streamed", [False, True], ids=["read", "not read"])
def test_what_httpx_raises(streamed: bool) -> None:
    """The text of its response is read where it was received, and missed without harm elsewhere."""
    httpx2 = pytest.importorskip("httpx2")
    body = SAID[CHAT].encode()
    response = httpx2.Response(
        400,
        request=httpx2.Request("POST", "http://localhost"),
        **({"stream": httpx2.ByteStream(body)} if streamed else {"content": body}),
    )
    with pytest.raises(httpx2.HTTPStatusError) as caught:
        response.raise_for_status()
    assert read_overflow(caught.value) == (None if streamed else Overflow(131_072, 122_942))
