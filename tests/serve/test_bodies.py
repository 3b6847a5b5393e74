"""Bodies that are not plain JSON: decoded, mended, or passed on as they came and told of once."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2
import zstandard

from loom.cli.doctor.wiring import WiringChecks
from loom.serve.bodies import decode_object
from loom.serve.codings import decode_body
from loom.serve.events import EventReader
from loom.serve.served_notices import ServedNotices
from tests.kit.cases import all_cases
from tests.kit.secrets_made import SECRET
from tests.serve.proxied import FORMATS, PATHS, proxy
from tests.serve.proxies import ServedProxy
from tests.serve.test_proxy import worked
from tests.serve.upstream import Upstream

CODED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
WINDOW = 24_000  # tokens, of which a body has more than three times as many
LONE, MENDED = "\\ud99c", "�"


def asked(format: str, text: str = "x " * 80_000) -> bytes:
    """A request whose one message is longer than the window, in each wire API."""
    key = "input" if format == "responses" else "messages"
    told = [{"role": "user", "content": text}]
    return json.dumps({"model": "m", "max_tokens": 999, key: told}).encode()


@all_cases(
    ("body", "text"),
    [
        (f'{{"a": "{LONE}"}}'.encode(), MENDED),
        (b'{"a": "\\ud83d\\ude00"}', "\U0001f600"),
        (b'{"a": "\xff"}', MENDED),
        (b'\xef\xbb\xbf{"a": "b"}', "b"),
        ('{"a": "b"}'.encode("utf-16"), "b"),
        (b'{"a": "x\ny"}', "x\ny"),
        (b'{"a": "b", "n": NaN}', "b"),
    ],
)
def test_what_most_programs_write_is_read(body: bytes, text: str) -> None:
    """Surrogates, bytes that are no text, other encodings, lines in texts, a NaN; strict JSON is as
    it is, and a value that is no object is none."""
    assert decode_object(b'{"a": "\xc3\xa9"}') == ({"a": "é"}, False)
    assert decode_object(b"[1]") == (None, False)
    found, _ = decode_object(body)
    assert found is not None and found["a"] == text


@pytest.mark.parametrize("coding", CODED)
def test_a_coding_is_decoded_to_a_bound(coding: str) -> None:
    """What is torn, of another coding, or larger decoded than it may be is unreadable; two codings
    are taken off in their order."""
    whole = CODED[coding](b"abc" * 1_000)
    assert decode_body(whole, coding, 3_000) == b"abc" * 1_000
    assert decode_body(gzip.compress(whole), f"{coding}, GZIP", 3_000) == b"abc" * 1_000
    for body, most in ((whole, 2_999), (b"no such bytes", 3_000)):
        with pytest.raises(ValueError):
            decode_body(body, coding, most)


def test_gzip_of_several_members_is_whole() -> None:
    """As RFC 1952, 2.2 has it, within the bound; what is torn or no member is unreadable."""
    body = b"".join(gzip.compress(part) for part in (b"abc", b"", b"def"))
    assert decode_body(body, "gzip", 6) == decode_body(body + b"\0" * 9, "x-gzip", 6) == b"abcdef"
    for bad, most in ((body, 5), (body[:-9], 6), (body + b"no member", 6)):
        with pytest.raises(ValueError):
            decode_body(bad, "gzip", most)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python has a decoder of its own")
def test_a_decoder_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is not the body's, and says what to install."""
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ValueError, match="no decoder for 'zstd' is installed: pip install zstand"):
        decode_body(CODED["zstd"](b"{}"), "zstd", 100)


@pytest.mark.parametrize("format", FORMATS)
def test_a_compressed_body_is_managed(tmp_path: Path, format: str) -> None:
    """It is within the window, and goes on as the plain JSON it says it is."""
    with Upstream(worked(0)) as up, proxy(tmp_path / "ws", up.url, WINDOW) as url:
        for coding, code in CODED.items():
            headers = {"content-encoding": coding, "x-loom-session": coding}
            body = code(asked(format))
            httpx2.post(url + PATHS[format], content=body, headers=headers, timeout=60)
            assert "content-encoding" not in up.asked[-1].headers
            assert 0 < len(json.dumps(up.asked[-1].body)) < 100_000
        twice = [("content-encoding", "deflate"), ("content-encoding", "gzip")]
        body = gzip.compress(zlib.compress(asked(format)))
        httpx2.post(url + PATHS[format], content=body, headers=twice, timeout=60)
        counts = httpx2.get(url + "/loom/health").json()
        assert counts["requests"]["main"] == 4 and counts["notices"] == []


def test_a_lone_surrogate_is_mended_and_told_once(tmp_path: Path) -> None:
    """Each conversation is managed, and three requests of one make one line."""
    with Upstream(worked(0)) as up, ServedProxy(up.url, tmp_path / "ws", WINDOW) as served:
        for number, format in enumerate(FORMATS, 1):
            for _ in range(3):
                body = asked(format).replace(b"x x", f"x {LONE} x".encode(), 1)
                headers = {"x-loom-session": format}
                httpx2.post(served.url + PATHS[format], content=body, headers=headers, timeout=60)
            (notice,) = httpx2.get(served.url + "/loom/health").json()["notices"]
            assert (notice["kind"], notice["unmanaged"]) == ("mended", False)
            assert notice["requests"] == 3 * number
            assert served.said.count("mended") == number
            assert len(json.dumps(up.asked[-1].body)) < 100_000


def test_what_cannot_be_read_goes_on_and_is_told_once(tmp_path: Path) -> None:
    """By conversation: a coding nobody can decode, one the body is not of, JSON that is torn."""
    cases: dict[str, tuple[str, bytes]] = {
        "unknown": ("aws-chunked", asked("openai")),
        "liar": ("zstd", gzip.compress(asked("openai"))),
        "torn": ("", asked("openai")[:-9]),
        "layers": ("gzip, " * 500 + "gzip", gzip.compress(asked("openai"))),
    }
    with Upstream(worked(0)) as up, ServedProxy(up.url, tmp_path / "ws", WINDOW) as served:
        for name, (coding, body) in cases.items():
            headers = {"x-loom-session": name, **({"content-encoding": coding} if coding else {})}
            for _ in range(2):
                httpx2.post(served.url + PATHS["openai"], content=body, headers=headers)
        told = httpx2.get(served.url + "/loom/health").json()
        assert told["requests"]["unmanaged"] == 2 * len(cases) and told["requests"]["main"] == 0
        assert [one["unmanaged"] for one in told["notices"]] == [True]
        assert served.said.count("passed on as it came") == len(cases)
        assert "501 codings" in served.said
        port = int(served.url.rpartition(":")[2])
        found = [*WiringChecks(tmp_path, tmp_path, {"PATH": ""}, port, "loom").check_results()]
        (fault,) = [one for one in found if one.state == "fault"]
        assert "passed on as it came" in fault.told and f"{2 * len(cases)} requests" in fault.told


def test_the_logger_hears_once_of_what_was_passed_on(caplog: pytest.LogCaptureFixture) -> None:
    """A line at level INFO of a conversation's first notice of a kind, its secrets replaced."""
    notices = ServedNotices()
    with caplog.at_level("INFO", "loom"):
        for _ in range(2):
            notices.tell("ada", "c1", "BadInput", f"passed on as it came: {SECRET}")
    (line,) = [one.getMessage() for one in caplog.records]
    assert line.startswith("proxy, BadInput: passed on as it came") and SECRET not in line


def test_half_a_character_in_an_event_goes_on_as_it_is() -> None:
    """A stream may break a pair of surrogates between two events: each keeps its half."""
    halves: list[Any] = []
    for half in ("\\ud83d", "\\ude00"):
        (event,) = EventReader().take(f'data: {{"t": "{half}"}}\n\n'.encode())
        assert half.encode() in event.changed({**event.data, "n": 1}).raw
        halves.append(event.data["t"])
    assert "".join(halves) == "\ud83d\ude00"
