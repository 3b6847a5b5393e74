"""Lines of stdin that are no request of the protocol: each that asks for something is answered."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp_types")

from loom.mcp.lines import judged
from tests.kit.mcp_client import COMMAND, PATHS
from tests.kit.opened import plain

DEEP = "[" * 5_000 + "]" * 5_000
CLIENT = {"name": "c", "version": "1"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
BEHIND = f'"params": {{"a": {DEEP}}}, "jsonrpc": "2.0"'


def asking(id: object, method: str = "ping", **params: Any) -> str:
    """A request as a line."""
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def answers(folder: Path, lines: list[str]) -> list[dict[str, Any]]:
    """What `loom mcp` answers lines, sent one after the other; it ends with them, and well."""
    sent = [asking("hello", "initialize", **HELLO), *lines, asking("last")]
    ran = subprocess.run(
        [*COMMAND, "mcp", str(folder)],
        input="".join(f"{line}\n" for line in sent).encode("utf-8", "surrogatepass"),
        capture_output=True,
        env={"PYTHONPATH": PATHS, "PATH": ""},
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def test_lines_of_the_protocol_pass() -> None:
    """A request, a notification and an answer go on as they say; a blank line asks nothing."""
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    for line in (asking(1), json.dumps(told), '{"jsonrpc": "2.0", "id": 3, "result": {}}'):
        (found,) = judged(line)
        assert isinstance(found, str) and json.loads(found) == json.loads(line)
    assert [*judged(" \r\n")] == []


@pytest.mark.parametrize(
    ("line", "id", "code"),
    [
        ("{not json", None, -32700),
        (asking(5, "tools/call", a=1)[:-1], 5, -32700),
        (f'{{"id": 7, "jsonrpc": "2.0", "method": "ping", "params": {{"a": {DEEP}}}}}', 7, -32700),
        (f'{{"method": "ping", {BEHIND}, "id": "e"}}', "e", -32700),
        ("[]", None, -32600),
        ("1", None, -32600),
        ("{}", None, -32600),
        ('{"jsonrpc": "2.0", "id": 8}', 8, -32600),
        ('{"jsonrpc": "2.0", "id": 8, "method": 5}', 8, -32600),
        ('{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": [1]}', 9, -32602),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(line: str, id: object, code: int) -> None:
    """By its id, where one can be told, and with the code of JSON-RPC."""
    (found,) = judged(line)
    assert not isinstance(found, str)
    assert (found.id, found.error.code) == (id, code)


def test_every_call_has_an_answer(tmp_path: Path) -> None:
    """Unknown methods, parameters of other kinds, surrogates, huge ids, a batch, no JSON: an error
    or a result for each, and the server goes on."""
    with plain(tmp_path / "w") as ctx:
        ctx.user("hello")
    huge = 10**40
    calls = [
        asking(1, "no/such"),
        asking(2, "tools/call", name=5),
        asking(3, "tools/call", name="recall", arguments={"query": "\ud99c"}),
        asking(4, "tools/call", name="page_in", arguments={"ref": "\ud99c"}),
        asking(5, "tools/call", name="\ud99c", arguments={}),
        asking(6, "tools/call", name="working", arguments={"action": "note", "text": "\ud99c"}),
        asking(7, "resources/read", uri="\ud99c"),
        asking(huge),
        "\ufeff" + asking(8),
        f"[{asking(9)}, {asking(10)}, 3]",
        "{torn",
        asking(11, "tools/call", name="recall", arguments="x"),
    ]
    found = answers(tmp_path / "w", calls)
    ids = [one["id"] for one in found]
    assert {"hello", "last", huge, *range(1, 12)} <= {*ids} and ids.count(None) == 2
    assert all(("error" in one) != ("result" in one) for one in found)
