"""Which user of this machine asks: the owner of the socket at the other end of a connection.

Linux tells it of every TCP socket of its network namespace (Documentation/networking/proc_net_tcp
of the kernel, 2019). A socket that its process has closed is shown with user and inode 0, and a
user of another namespace as the overflow user: neither tells anything. Elsewhere nothing is told.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
OVERFLOW = Path("/proc/sys/kernel/overflowuid")
MAP, WHOLE = Path("/proc/self/uid_map"), ["0", "0", "4294967295"]  # where every user is told apart
CONNECTION = "loom.connection"  # of a scope's state: what is known of its connection
LOCAL, REMOTE, USER, INODE = 1, 2, 7, 9  # columns
MAPPED = b"\0" * 10 + b"\xff\xff"  # before an address of version 4 in one of version 6
TOLD = sys.platform == "linux"  # systems that tell it
# Of who forwards for others: the one who connected is not the one who asks.
FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip"})


def peer_of(scope: Mapping[str, Any]) -> int | None:
    """The user id of who sent a request, None where it is not known. It reads files of /proc."""
    client, server = scope.get("client"), scope.get("server")
    if (
        not TOLD
        or not client
        or not server
        or any(name in FORWARDED for name, _ in scope["headers"])
    ):
        return None
    known: dict[str, int] = scope.get("state", {}).get(CONNECTION, {})
    try:
        if "uid" not in known:
            uid = _user(f"{client[0]}", int(client[1]), f"{server[0]}", int(server[1] or 0))
            if uid is None or uid == _overflow():
                return None
            known["uid"] = uid  # of a connection it stays the same, and reading takes 10 ms
        return known["uid"]
    except (OSError, ValueError):
        return None


def _user(host: str, port: int, at_host: str, at_port: int) -> int | None:
    ends = {*zip(_written(host, port), _written(at_host, at_port), strict=False)}
    for table in TABLES:
        if not table.exists():
            continue
        for row in map(str.split, table.read_text().splitlines()[1:]):
            if (row[LOCAL], row[REMOTE]) in ends and row[INODE] != "0":
                return int(row[USER])
    return None


def _written(host: str, port: int) -> Iterator[str]:
    """How the tables write an address: its words in the order of bytes this machine has."""
    host = host.removeprefix("::ffff:")
    if ":" in host:
        yield f"{_words(socket.inet_pton(socket.AF_INET6, host))}:{port:04X}"
        return
    address = socket.inet_pton(socket.AF_INET, host)
    for form in (address, MAPPED + address):
        yield f"{_words(form)}:{port:04X}"


def _words(address: bytes) -> str:
    words = (address[at : at + 4] for at in range(0, len(address), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)


def _overflow() -> int | None:
    """The id that stands for all users this namespace has none for."""
    whole = not MAP.exists() or MAP.read_text().split() == WHOLE
    return None if whole else int(OVERFLOW.read_text())
