"""Which user asks: of a socket that is there, and of nothing else."""

from __future__ import annotations

import os
import socket
import sys
from typing import Any

import pytest

pytest.importorskip("starlette")

from loom.serve.conversation_owners import peer_user_id

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
PAIRS = [("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::", "::ffff:127.0.0.1")]


def scope(client: socket.socket, server: socket.socket, *headers: bytes) -> dict[str, Any]:
    """What an application is told of a connection."""
    ends = {"client": server.getpeername()[:2], "server": server.getsockname()[:2]}
    return {**ends, "headers": [(name, b"x") for name in headers]}


@pytest.mark.parametrize(("bound", "asked"), PAIRS)
def test_the_user_of_a_socket(bound: str, asked: str) -> None:
    """Of IPv4, IPv6, and IPv4 on a socket of IPv6; none after it was closed, none of one that
    passes requests on, none of an address nobody has."""
    family = socket.AF_INET6 if ":" in bound else socket.AF_INET
    with socket.socket(family) as listening:
        try:
            listening.bind((bound, 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        listening.listen()
        client = socket.socket(family)
        client.connect((asked, listening.getsockname()[1]))
        server, _ = listening.accept()
        with server:
            told = scope(client, server)
            assert peer_user_id(told) == os.geteuid()
            for name in (b"x-forwarded-for", b"forwarded", b"x-real-ip"):
                assert peer_user_id(scope(client, server, name)) is None
            assert peer_user_id({**told, "client": ("192.0.2.7", 9)}) is None
            assert peer_user_id({**told, "client": ("no address", 9)}) is None
            client.close()
            assert peer_user_id(told) is None


@pytest.mark.parametrize("ends", [{}, {"client": None, "server": None}, {"client": ("", 0)}])
def test_no_connection_no_user(ends: dict[str, Any]) -> None:
    """As on a socket of the file system, of which an application is told nothing."""
    assert peer_user_id({"server": ("/run/loom.sock", None), "headers": [], **ends}) is None
