"""The loops that are shown run with the SDK call they name, against a provider on the loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.test_snippets import BLOCK, QUICK, ROOT
from tests.kit.scripted_server import ScriptedServer, said

# What stands in for the model until the reader puts the SDK there, which its comment names.
STANDS_IN = re.compile(
    r"^(?:async )?def model\(.*\):  # (?:your SDK goes here: |await )(\S+?)(?:\(…\))?\n"
    r"(?:    .*\n)+",
    re.MULTILINE,
)
SHOWN = [
    (name, block)
    for name in ("README.md", "docs/embed.md")
    for block in BLOCK.findall((ROOT / name).read_text("utf-8"))
    if STANDS_IN.search(block)
]
MESSAGES = "anthropic.Anthropic().messages.create"
QUICKSTART = dict(
    zip(
        ("openai", "anthropic", "google.genai", "langchain_openai"),
        BLOCK.findall(QUICK.read_text("utf-8")),
        strict=True,
    )
)


def ran(block: str, folder: Path, server: ScriptedServer) -> str:
    """What a block prints where the provider of each SDK is the server."""
    (folder / "block.py").write_text(block, "utf-8")
    (folder / "README.md").write_text((ROOT / "README.md").read_text("utf-8"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "block.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "partitions", ROOT / "paging"))),
            "PYTHONIOENCODING": "utf-8",
            "NO_PROXY": "127.0.0.1",
            "OPENAI_BASE_URL": server.v1,
            "OPENAI_API_KEY": "key",
            "ANTHROPIC_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "key",
            "GOOGLE_GEMINI_BASE_URL": server.url,
            "GEMINI_API_KEY": "key",
        },
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert server.bodies and not server.refused and not server.faults
    return done.stdout


def with_sdk(block: str, call: str) -> str:
    """A block with an SDK's call in the place of its model."""
    pytest.importorskip(call.partition(".")[0])
    return STANDS_IN.sub(f"import {call.partition('.')[0]}\nmodel = {call}\n", block)


@pytest.mark.parametrize(("name", "block"), SHOWN)
def test_a_loop_runs_with_the_sdk_it_names(name: str, block: str, tmp_path: Path) -> None:
    """The request has all the call needs, the model's name too, and the reply is taken as it is.
    The files README's gives are told as observed: no digest says that the user said them."""
    assert [one for one, _ in SHOWN] == ["README.md", "docs/embed.md"]
    found = STANDS_IN.search(block)
    assert found is not None
    with ScriptedServer(lambda messages, step: "Read.") as server:
        assert ran(with_sdk(block, found[1]), tmp_path, server).strip()
        last = str(server.bodies[-1]["messages"])
    assert name != "README.md" or ("\\n observed" in last and "\\n the user said" not in last)


def test_readmes_loop_runs_with_the_other_sdk_it_names(tmp_path: Path) -> None:
    """Anthropic's call, with the format README names for it and a model of theirs."""
    readme = (ROOT / "README.md").read_text("utf-8")
    assert MESSAGES.removesuffix("()") in readme and 'turn.request("anthropic")' in readme
    block = SHOWN[0][1].replace('"openai"', '"anthropic"').replace("gpt-5", "claude-sonnet-4-6")
    with ScriptedServer(lambda messages, step: "Read.") as server:
        assert ran(with_sdk(block, MESSAGES), tmp_path, server).strip()


@pytest.mark.parametrize("sdk", QUICKSTART)
def test_the_quickstart_runs(sdk: str, tmp_path: Path) -> None:
    """Each program as it is printed, and again in its folder: it goes on, runs the tool it has, and
    declares the two tools of Loom's that it names."""
    pytest.importorskip(sdk)
    block = QUICKSTART[sdk]
    tool = "read_file" in block
    folder = tmp_path / sdk
    folder.mkdir()

    def script(messages: list[dict[str, object]], step: int) -> object:
        return said("", ("read_file", {"path": "README.md"})) if tool and step == 0 else "Read."

    with ScriptedServer(script) as server:
        for _ in range(2):
            assert ran(block, folder, server).startswith("Read. ρ 0.0")
        assert len(server.bodies) == 2 + tool
        told = str(server.bodies[-1])
    assert "'page_in'" in told and "'recall'" in told and "compact_now" not in told
    assert not tool or "context window fills up" in told
