"""What nobody may do to the proxy's other clients: wait, send without an end, pass headers on."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2
import uvicorn

from loom.serve import conversation_owners as peers
from loom.serve import running
from loom.serve.app import application
from loom.serve.bodies import MOST
from loom.serve.dialects import MESSAGES
from loom.serve.running import PatientProtocol
from tests.serve.proxied import FORMATS, PATHS, PromptServer, proxy, served
from tests.serve.proxies import ServedProxy
from tests.serve.test_proxy import worked
from tests.serve.upstream import Upstream

SECRET = "sk-ant-api03-" + "Ab3dE6gH1jK4mN7pQ0rS" * 4 + "-xyzwAA"
BEGUN = b"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HEALTH = b"GET /loom/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
BODY = BEGUN + b"Content-Length: 900\r\n\r\n{"


@contextmanager
def patient(folder: Path, upstream: str) -> Iterator[int]:
    """The port of a proxy as `loom serve` runs it, in this process."""
    app = application(folder, dict.fromkeys(FORMATS, upstream), 24_000)
    config = uvicorn.Config(app, port=0, log_level="critical", http=PatientProtocol)
    with PromptServer(config) as server:
        yield server.port


def begun(port: int, data: bytes) -> socket.socket:
    """A connection on which so much was sent."""
    made = socket.create_connection(("127.0.0.1", port), timeout=30)
    made.sendall(data)
    return made


def left(made: socket.socket, drip: bytes) -> bool:
    """True when the proxy closes a connection, on which something is sent now and then."""
    made.settimeout(0.02)
    for _ in range(1_000):
        try:
            made.sendall(drip)
            if made.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize("data", [b"", b"PO", BEGUN, BODY, HEALTH])
def test_a_request_has_its_time(
    tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds for the headers, from the first moment on; who sends none, some, or headers
    without their body is left; so is one that goes on slowly, and one that was answered before."""
    assert running.HEADERS == 10
    monkeypatch.setattr(running, "HEADERS", 0.2)
    monkeypatch.setattr(running, "BODY", 0.2)
    with Upstream(worked(1)) as up, patient(tmp_path, up.url) as port, begun(port, data) as made:
        if data == HEALTH:
            assert b"200 OK" in made.recv(10_000)
            made.sendall(BEGUN)
        assert left(made, b"x" if len(data) > 2 else b"")
    assert PatientProtocol.waiting == {}


@pytest.mark.parametrize("data", [b"", BODY])
def test_many_that_wait_stop_nobody(tmp_path: Path, data: bytes) -> None:
    """The oldest goes where they are too many; others are answered meanwhile."""
    with (
        Upstream(worked(1)) as up,
        patient(tmp_path, up.url) as port,
        ExitStack() as stack,
        httpx2.Client(timeout=60) as client,
    ):
        for _ in range(running.WAITING + 40):
            stack.enter_context(begun(port, data))
        for _ in range(3):
            assert client.get(f"http://127.0.0.1:{port}/loom/health").status_code == 200
        assert len(PatientProtocol.waiting) <= running.WAITING


@pytest.mark.parametrize("said", [True, False])
@pytest.mark.parametrize("close", [True, False])
def test_a_body_has_its_size(tmp_path: Path, said: bool, close: bool) -> None:
    """One byte more is refused with the limit, whether its length was told or not, and the client
    that still sends sees the answer; nothing of it goes on."""

    def parts() -> Iterator[bytes]:
        for _ in range(MOST >> 20):
            yield bytes(1 << 20)
        yield b"x"

    headers = {"content-length": str(MOST + 1)} if said else {}
    headers |= {"connection": "close"} if close else {}
    with Upstream(worked(1)) as up, proxy(tmp_path, up.url) as url:
        answer = httpx2.post(url + PATHS["openai"], content=parts(), headers=headers, timeout=60)
    assert answer.status_code == 413
    assert answer.json()["error"]["type"] == "request_too_large"
    assert f"{MOST:,} bytes" in answer.json()["error"]["message"]
    assert up.requests == []


HOPS = [
    (b"te", b"trailers"), (b"keep-alive", b"9"), (b"trailer", b"x"), (b"x-hop", b"1"),
    (b"x-loom-session", b"a"), (b"connection", b"keep-alive, X-Hop"),
]  # fmt: skip
ASKED = [(b"proxy-authorization", b"Basic x"), (b"proxy-connection", b"close"), (b"expect", b"")]
TOLD = [(b"proxy-authenticate", b"Basic"), (b"upgrade", b"h2c"), (b"x-loom-folder", b"/home")]


@pytest.mark.parametrize("path", [PATHS["openai"], PATHS["anthropic"], "/v1/models"])
@pytest.mark.parametrize("value", ["caf\u00e9".encode("latin-1"), "caf\u00e9 \u20ac".encode()])
def test_headers_go_on_but_those_of_one_hop(tmp_path: Path, path: str, value: bytes) -> None:
    """In both directions: bytes of whatever, also those of a key, as they came and as often; those
    of one hop, also those that Connection names, no further."""
    got: list[tuple[bytes, bytes]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        got.extend(scope["headers"])
        cookies = [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]
        headers = [(b"content-type", b"application/json"), (b"x-end", value), *cookies]
        start = {"type": "http.response.start", "status": 200}
        await send({**start, "headers": [*headers, *HOPS, *TOLD]})
        await send({"type": "http.response.body", "body": b"{}"})

    body = {"model": "m", "max_tokens": 900, "messages": [{"role": "user", "content": "hi"}]}
    sent = [(b"x-other", value), (b"authorization", b"Bearer " + value)]
    with served(app) as upstream, proxy(tmp_path, upstream) as url:
        answer = httpx2.post(url + path, json=body, headers=[*sent, *HOPS, *ASKED])
    assert answer.status_code == 200 and (b"x-end", value) in answer.headers.raw
    assert {*sent} <= {*got} and answer.headers.get_list("set-cookie") == ["a=1", "b=2"]
    hops = {name for name, _ in (*HOPS, *ASKED, *TOLD)} - {b"connection"}
    assert not hops & {name for name, _ in got}
    assert not hops & {name.lower() for name, _ in answer.headers.raw}


WORDS = "plain words of somebody"  # that nothing takes for a secret
ODD: list[Any] = [
    shape
    for word in (WORDS, SECRET)
    for shape in (
        {"role": word, "content": "x"},
        {"role": "user", "content": {word: word}},
        {"role": "user", "content": [{"type": word, word: word}]},
        {"role": "tool", "tool_call_id": word, "content": word},
        {"role": "assistant", "tool_calls": word},
        {"role": "assistant", "tool_calls": [{"id": word, "function": {"name": word}}]},
        {"role": "assistant", "content": [{"type": "tool_use", word: word}]},
    )
]


def test_nothing_of_a_message_is_on_stderr(tmp_path: Path) -> None:
    """Whatever shape a list has, and however the provider fails; no traceback either."""
    with Upstream(worked(1)) as up, ServedProxy(up.url, tmp_path / "ws") as proxy:
        for path in (PATHS["openai"], PATHS["anthropic"]):
            for one in ODD:
                told = [{"role": "user", "content": f"hi {SECRET}"}, one]
                body = {"model": "m", "max_tokens": 900, "messages": told}
                httpx2.post(proxy.url + path, json=body)
        httpx2.post(proxy.url + path, content=json.dumps(SECRET) + "{" + SECRET)
        said = proxy.said
    assert "passed on as it came: BadInput" in said and ", message 1 of the list: " in said
    assert SECRET not in said and WORDS not in said and "Traceback" not in said


def test_a_list_has_its_length(tmp_path: Path) -> None:
    """One message more is passed on as it came, said and counted, and no conversation is made."""
    with Upstream(worked(0)) as up, ServedProxy(up.url, tmp_path / "ws") as proxy:
        for path, key in ((PATHS["openai"], "messages"), (PATHS["responses"], "input")):
            told = [{"role": "user", "content": "a"}] * (MESSAGES + 1)
            body = {"model": "m", key: told}
            assert httpx2.post(proxy.url + path, json=body, timeout=60).status_code == 200
            assert up.asked[-1].body == body
        counts = httpx2.get(proxy.url + "/loom/health").json()["requests"]
        said = [line for line in proxy.said.splitlines() if "BadInput" in line]
    assert counts["unmanaged"] == len(said) == 2 and counts["main"] == 0
    assert not [one for one in (tmp_path / "ws").iterdir() if one.is_dir()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which user asks")
def test_a_connection_is_looked_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks on it stays the same; another connection is looked up for itself."""
    asked: list[tuple[object, ...]] = []
    found = peers._socket_user_id
    monkeypatch.setattr(peers, "_socket_user_id", lambda *ends: asked.append(ends) or found(*ends))
    with Upstream(worked(1)) as up, patient(tmp_path, up.url) as port:
        for connections in (1, 2):
            with httpx2.Client() as client:
                for _ in range(3):
                    assert client.get(f"http://127.0.0.1:{port}/loom/health").status_code == 200
            assert len(asked) == connections
