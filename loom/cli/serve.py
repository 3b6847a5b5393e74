"""`loom serve`: the proxy, and clients started with it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from loom.cli.exits import BadUsage
from loom.errors import LoomError
from loom.home import folder as state_folder

PORT = 8377
WINDOW = 128_000
ANTHROPIC, OPENAI = "https://api.anthropic.com", "https://api.openai.com"
EXTRA = "loom serve needs the extra `serve`: pip install 'loom-window[serve]'"


def serve(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    port: int = PORT,
    window: int = WINDOW,
    folder: Path | None = None,
    anthropic: str = ANTHROPIC,
    openai: str = OPENAI,
    own_tools: bool = True,
    redact: bool = True,
) -> int:
    """Stand between agents and providers: each conversation keeps within a window of its own.

    `loom serve -- claude …` starts a client with the right environment, and ends with it. Without a
    command it runs until it is interrupted; point a client at it by ANTHROPIC_BASE_URL or its
    `base_url`.

    Parameters
    ----------
    command
        A client to start (claude, codex, opencode, or any that reads ANTHROPIC_BASE_URL and
        OPENAI_BASE_URL), with its arguments.
    port
        Where it listens, on 127.0.0.1 alone; 0: any free one.
    window
        Tokens of a request, the client's instructions and tools with them.
    folder
        Where the workspaces lie; by default below ~/.local/state/loom.
    anthropic
        The address of the Messages API.
    openai
        The address of the Chat Completions and Responses APIs, without `/v1`.
    own_tools
        Offer the model page_in and recall, which are answered here.
    redact
        Keep secrets out of workspaces and requests.
    """
    try:
        from loom.serve.running import Running
    except ImportError as error:
        raise LoomError(EXTRA) from error
    if not 0 <= port < 1 << 16:
        raise BadUsage(f"--port {port}: give one from 0 to 65535")
    running = Running(
        folder or state_folder("serve"),
        {"anthropic": anthropic, "openai": openai, "responses": openai},
        window,
        own_tools=own_tools,
        redact=redact,
    )
    return asyncio.run(running.until_done(port, list(command)))
