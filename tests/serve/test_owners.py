"""A conversation of the proxy is its owner's: who says its name with another key, or as another
user of the machine, is given one of his own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import httpx2

from tests.kit.cases import each_value
from tests.kit.scripted_server import said
from tests.serve.proxied import FORMATS, PATHS, ListingAgent, proxy
from tests.serve.upstream import Recorded, Upstream

WORD = "blue-heron-4711"
OTHERS = 65_534  # a user of any Linux that owns nothing
KEYS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or sys.platform != "linux",
    reason="asks as another user, which root alone can become",
)
known = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which user asks")


def nothing(name: str, arguments: dict[str, Any]) -> str:
    """What a tool gives."""
    return "nothing"


@pytest.fixture
def up() -> Iterator[Upstream]:
    """The provider."""
    asked: list[int] = []

    def script(request: Recorded, n: int) -> Any:
        if "What is the word?" not in json.dumps(request.body):
            return "Noted."
        asked.append(n)
        return said("", ("recall", {"query": "word"})) if len(asked) % 2 else "It is."

    with Upstream(script) as upstream:
        yield upstream


def told(up: Upstream, url: str, headers: dict[str, str], format: str = "openai") -> None:
    """Have an agent be told the word."""
    ListingAgent(format, url, nothing, headers=headers).ask(f"The word is {WORD}.")


def finds(up: Upstream, url: str, headers: dict[str, str], format: str = "openai") -> bool:
    """True where an agent that asks for the word has a model that is sent it."""
    before = len(up.asked)
    ListingAgent(format, url, nothing, headers=headers).ask("What is the word?")
    return any(WORD in json.dumps(one.body) for one in up.asked[before:])


def token(subject: str, time: int) -> str:
    """A JSON Web Token of a subject, made at a time."""
    parts = ({"alg": "RS256"}, {"iss": "https://login.example", "sub": subject, "iat": time})
    made = [urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts]
    return ".".join([*made, f"signature{time}"])


NAMES: list[dict[str, str]] = [
    {"x-loom-session": "monday"},
    {"thread-id": "0192f0c1"},
    {"x-session-id": "ses_1"},
    {"x-claude-code-session-id": "5b1f", "x-claude-code-agent-id": "7"},
]


@pytest.mark.parametrize(("name", "format"), each_value(NAMES, FORMATS))
def test_a_name_is_no_proof(
    tmp_path: Path, up: Upstream, format: str, name: dict[str, str]
) -> None:
    """The same name with another key, or with none, finds nothing; with the same key all."""
    with proxy(tmp_path, up.url) as url:
        told(up, url, {**name, "x-api-key": "MINE"}, format)
        for other in ({"x-api-key": "OTHERS"}, {}, {"x-api-key": ""}):
            assert not finds(up, url, {**name, **other}, format)
        assert finds(up, url, {**name, "x-api-key": "MINE"}, format)
    assert up.faults == []


@pytest.mark.parametrize("header", KEYS)
def test_a_key_is_one_in_any_header(tmp_path: Path, up: Upstream, header: str) -> None:
    """Wherever a client puts it, and whatever scheme it has; and it is written nowhere."""
    name = {"x-loom-session": "monday"}
    with proxy(tmp_path, up.url) as url:
        told(up, url, {**name, header: "Bearer KEY-OF-MINE"})
        assert not finds(up, url, {**name, header: "Bearer KEY-OF-OTHERS"})
        assert finds(up, url, {**name, "x-api-key": "KEY-OF-MINE"})
    held = b"".join(one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())
    assert b"KEY-OF-" not in held
    assert not any("KEY-OF" in str(one) for one in tmp_path.rglob("*"))


def test_metadata_names_no_other_s(tmp_path: Path, up: Upstream) -> None:
    """Nor does the session that Claude Code writes into its metadata."""
    user = {"user_id": json.dumps({"session_id": "5b1f"})}

    def sent(url: str, key: str, words: str) -> bool:
        before = len(up.asked)
        agent = ListingAgent("anthropic", url, nothing, headers={"x-api-key": key})
        agent.list.append({"role": "user", "content": words})
        agent.send(metadata=user)
        return any(WORD in json.dumps(one.body) for one in up.asked[before:])

    with proxy(tmp_path, up.url) as url:
        sent(url, "MINE", f"The word is {WORD}.")
        assert not sent(url, "OTHERS", "What is the word?")
        assert sent(url, "MINE", "What is the word?")


@known
@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("sk-ant-oat01-AAAA", "sk-ant-oat01-BBBB", True),
        (token("me", 1), token("me", 2), True),
        (token("me", 1), token("you", 1), False),
        ("sk-ant-api03-AAAA", "sk-ant-api03-BBBB", False),
        ("a.b.c", "a.b.d", False),
        (token("me", 1), "sk-ant-oat01-AAAA", False),
    ],
)
def test_a_key_that_is_made_anew_keeps_its_session(
    tmp_path: Path, up: Upstream, first: str, second: str, same: bool
) -> None:
    """For a user of this machine: the token of a subscription, or of a login; also of a list
    without a name, and after a restart. One that is passed on for another is known by the token."""
    name = {"x-loom-session": "monday"}
    far = {"x-forwarded-for": "192.0.2.7"}
    with proxy(tmp_path, up.url) as url:
        told(up, url, {**name, "authorization": f"Bearer {first}"})
        told(up, url, {**name, "authorization": f"Bearer {first}", **far})
    with proxy(tmp_path, up.url) as url:
        assert finds(up, url, {**name, "authorization": f"Bearer {second}"}) is same
        assert not finds(up, url, {**name, "authorization": f"Bearer {second}", **far})
        assert finds(up, url, {**name, "authorization": f"Bearer {first}", **far})


def test_lists_without_a_name_are_their_owners(tmp_path: Path, up: Upstream) -> None:
    """The very same list with another key goes on in a conversation of its own."""
    with proxy(tmp_path, up.url) as url:
        agent = ListingAgent("openai", url, nothing, headers={"x-api-key": "MINE"})
        agent.ask("Begin.")
        copied = ListingAgent("openai", url, nothing, headers={"x-api-key": "OTHERS"})
        copied.list = [*agent.list]
        agent.ask(f"The word is {WORD}.")
        before = len(up.asked)
        copied.ask("What is the word?")
    assert not any(WORD in json.dumps(one.body) for one in up.asked[before:])
    assert sum(path.is_dir() for path in tmp_path.iterdir()) == 2


@known
def test_health_tells_who_asks_of_his_own(tmp_path: Path, up: Upstream) -> None:
    """Of all that this user asked, whatever his key; of one that is passed on, by its key."""
    far = {"x-forwarded-for": "192.0.2.7", "x-api-key": "FAR"}
    with proxy(tmp_path, up.url) as url:
        told(up, url, {"x-loom-session": "monday", "x-api-key": "MINE"})
        mine = httpx2.get(f"{url}/loom/health").json()
        theirs = httpx2.get(f"{url}/loom/health", headers=far).json()
        told(up, url, {"x-loom-session": "monday", **far})
        later = httpx2.get(f"{url}/loom/health", headers=far).json()
        again = httpx2.get(f"{url}/loom/health").json()
    assert (mine["open"], mine["requests"]["main"]) == (1, 1)
    assert theirs["open"] == 0 and not any(theirs["requests"].values())
    assert (later["open"], later["requests"]["main"]) == (1, 1)
    assert again == mine


ASK = """
import http.client, json, os, sys, urllib.request
"a".encode("idna")  # loaded late, where another user may not read it
os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
asked = json.load(sys.stdin)
opened = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for url, headers, body in asked:
    data = None if body is None else json.dumps(body).encode()
    print(opened.open(urllib.request.Request(url, data, headers), timeout=60).read().decode())
"""


@root
@pytest.mark.parametrize("key", [{"x-api-key": "SHARED"}, {}])
@pytest.mark.parametrize("name", [*NAMES, {}], ids=lambda one: next(iter(one), "none"))
def test_another_user_of_the_machine(
    tmp_path: Path, up: Upstream, name: dict[str, str], key: dict[str, str]
) -> None:
    """With the same name, the same key, the same list: nothing of the first is found or told."""
    with proxy(tmp_path / "ws", up.url) as url:
        agent = ListingAgent("openai", url, nothing, headers={**name, **key}, stream=False)
        agent.ask("Begin.")
        first = [*agent.list]
        agent.ask(f"The word is {WORD}.")
        agent.list = [*first, {"role": "user", "content": "What is the word?"}]
        before = len(up.asked)
        head = {"content-type": "application/json", **name, **key}
        asked = [(url + PATHS["openai"], head, agent.body()), (f"{url}/loom/health", head, None)]
        ran = subprocess.run(
            [sys.executable, "-I", "-c", ASK, str(OTHERS)],
            input=json.dumps(asked), capture_output=True, text=True, check=True, cwd="/",
        )  # fmt: skip
        _, health = ran.stdout.splitlines()
        assert WORD not in ran.stdout
        assert not any(WORD in json.dumps(one.body) for one in up.asked[before:])
        assert json.loads(health)["requests"]["main"] == json.loads(health)["open"] == 1
        mine = httpx2.get(f"{url}/loom/health").json()
        assert mine["requests"]["main"] == 2
        assert finds(up, url, {**name, **key}) or not name
