"""`loom serve`: run the proxy. With the command line of a client, also start the client."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from cyclopts import Parameter

import loom
from loom.errors import BadInput, LoomError
from loom.home import session_folder as state_folder

PORT = 8377
WINDOW = 128_000
ANTHROPIC, OPENAI = "https://api.anthropic.com", "https://api.openai.com"
EXTRA = "loom serve needs more: pip install '.[serve]' in a checkout of Loom"


def serve(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    port: int | None = None,
    window: int = WINDOW,
    folder: Path | None = None,
    anthropic: str = "",
    openai: str = "",
    own_tools: Annotated[bool, Parameter(negative="--no-own-tools")] = True,
    redact: Annotated[bool, Parameter(negative="--no-redact")] = True,
) -> int:
    """Stand between agents and providers: each conversation keeps within a window of its own.

    `loom serve -- claude …` starts a client with the right environment, and ends with the client.
    Without a command the proxy runs until it is interrupted; point a client at it by
    ANTHROPIC_BASE_URL or by the client's `base_url`.

    Args:
        command: A client to start (claude, codex, opencode, or any that reads ANTHROPIC_BASE_URL
            and OPENAI_BASE_URL), with its arguments.
        port: The port the proxy listens on, on 127.0.0.1 alone; 0: any free one. By default 8377,
            and with a command any free one.
        window: Tokens of a request, the client's instructions and tools included.
        folder: The folder of the workspaces; by default below ~/.local/state/loom.
        anthropic: The address of the Messages API; by default $ANTHROPIC_BASE_URL, or the
            provider's own.
        openai: The address of the Chat Completions and Responses APIs; by default $OPENAI_BASE_URL,
            or the provider's own.
        own_tools: Offer the model page_in and recall, which the proxy answers; --no-own-tools does
            not.
        redact: Keep secrets out of workspaces and requests; --no-redact lets them through.
    """
    if command and command[0].startswith("-"):
        raise BadInput(
            f"there is no option {command[0]}: `loom serve --help` lists them; the command of a"
            " client follows `--`, as in `loom serve -- claude --resume`"
        )
    try:
        import asyncio

        from loom.serve.app import application
        from loom.serve.running import serve_application as run
    except ImportError as error:
        raise LoomError(EXTRA) from error
    port = port if port is not None else 0 if command else PORT
    if not 0 <= port < 1 << 16:
        raise BadInput(f"--port {port}: give one from 0 to 65535")
    own = f"http://127.0.0.1:{port or PORT}"  # what a shell may still have
    anthropic = _base_url(anthropic or os.environ.get("ANTHROPIC_BASE_URL", ""), own, ANTHROPIC)
    openai = _base_url(openai or os.environ.get("OPENAI_BASE_URL", ""), own, OPENAI)
    try:  # a window no conversation fits, as its first request would say
        with TemporaryDirectory(prefix="loom-serve-") as place:
            loom.open(place, window=window, policy=loom.Policy(own_tools=False)).close()
    except loom.OverCapacity as error:
        raise BadInput(
            f"--window {window:,} holds no conversation: give what the model has, as in"
            f" --window 64000 ({error})"
        ) from error
    folder = folder or state_folder("serve")
    app = application(
        folder,
        {"anthropic": anthropic, "openai": openai, "responses": openai},
        window,
        own_tools=own_tools,
        redact=redact,
        project=str(Path.cwd()) if command else "",  # where the client is started
    )
    return asyncio.run(run(app, folder, port, list(command)))


def _base_url(given: str, own: str, usual: str) -> str:
    """Return the address to send requests to, without `/v1`: `given`, or `usual` if `given` is ""
    or the proxy's own address `own`. Raises BadInput if `given` is no address."""
    base = given.rstrip("/").removesuffix("/v1")
    # A shell may still have set the address of the proxy itself.
    if not base or base == own:
        return usual
    if not base.startswith(("http://", "https://")):
        raise BadInput(f"{given!r} is no address: give one that begins with http:// or https://")
    return base
