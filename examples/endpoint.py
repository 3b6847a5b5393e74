"""How the examples reach a model: a scripted one by default, or a real one named by options.

    python examples/embed.py                                    # scripted: no key, no network
    OPENAI_API_KEY=… python examples/embed.py --base-url https://api.openai.com/v1 --model gpt-4.1
    ANTHROPIC_API_KEY=… python examples/embed.py --api anthropic \\
        --base-url https://api.anthropic.com/v1 --model MODEL

The client is a page of standard library, so that the examples need nothing but Loom. In a program
of your own use the provider's SDK: it takes the same keyword arguments.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from scripted import Said, ScriptedProvider, Seen

Wire = dict[str, Any]
PATHS = {"openai": "/chat/completions", "anthropic": "/messages"}


class Refused(Exception):
    """An answer of the provider that is no reply; Loom tells "too long" by these two."""

    def __init__(self, status_code: int, body: str) -> None:
        self.status_code = status_code
        self.body = body
        super().__init__(f"HTTP {status_code}: {body[:300]}")


class Endpoint:
    """A provider's API, at `base_url` with its `/v1`; `api` is "openai" or "anthropic"."""

    def __init__(self, base_url: str, model: str, api: str = "openai") -> None:
        self.base_url, self.model, self.api = base_url.rstrip("/"), model, api

    def ask(self, request: Wire) -> Wire:
        """The reply to a request, as the provider's JSON. Raises Refused."""
        with self._sent(request) as response:
            reply: Wire = json.load(response)
        return reply

    def stream(self, request: Wire) -> Iterator[Wire]:
        """The chunks of a reply as they come (server-sent events). Raises Refused."""
        with self._sent(request) as response:
            for line in response:
                data = line.removeprefix(b"data:").strip()
                if data != line.strip() and data != b"[DONE]":
                    yield json.loads(data)

    def _sent(self, request: Wire) -> HTTPResponse:
        key = os.environ.get(f"{self.api.upper()}_API_KEY", "none")
        headers = {"content-type": "application/json"}
        if self.api == "anthropic":
            headers |= {"x-api-key": key, "anthropic-version": "2023-06-01"}
        else:
            headers["authorization"] = f"Bearer {key}"
        data = json.dumps({"model": self.model, **request}).encode()
        url = self.base_url + PATHS[self.api]
        try:
            response: HTTPResponse = urlopen(Request(url, data, headers), timeout=600)
        except HTTPError as error:
            raise Refused(error.code, error.read().decode(errors="replace")) from None
        return response


def options(about: str | None, folder: str, *apis: str) -> ArgumentParser:
    """The options of an example: where its files go, and which model is asked, by which of the
    `apis` it can speak; none for an example that asks no model."""
    parser = ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(folder))
    if apis:
        parser.add_argument("--model", default="scripted", help="name of a model, with --base-url")
        parser.add_argument("--base-url", default="", help="its address, such as https://…/v1")
        parser.add_argument("--api", choices=apis, default=apis[0])
    return parser


@contextmanager
def endpoint_of(given: Namespace, script: Callable[[Seen], Said]) -> Iterator[Endpoint]:
    """The endpoint that the options name; without `--base-url` a scripted one on this machine."""
    if given.base_url:
        yield Endpoint(given.base_url, given.model, given.api)
        return
    with ScriptedProvider(script) as provider:
        yield Endpoint(provider.url, given.model, given.api)
