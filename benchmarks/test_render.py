"""The cost of all messages of a window anew, as after a cut: as Loom has them, then on the wire."""

from __future__ import annotations

from typing import Any

import pytest

from loom.context import Context
from loom.engine.turn import Wire
from loom.providers.formats import FORMATS
from loom.providers.render.render import Rendering

ROUNDS = 3


@pytest.mark.benchmark(group="render")
def test_render(benchmark: Any, ctx: Context, steps: int) -> None:
    """Every message of the window, before it takes a provider's shape."""

    def rendered() -> Rendering:
        rendering = Rendering()
        rendering.update(ctx.window, ctx._engine.read)
        return rendering

    rendering = benchmark.pedantic(rendered, rounds=ROUNDS)
    assert rendering.sha256 == ctx.turn().sha256
    assert len(rendering.messages) > steps
    benchmark.extra_info["bytes"] = rendering.encoded


@pytest.mark.benchmark(group="render")
@pytest.mark.parametrize("format", FORMATS)
def test_render_format(benchmark: Any, ctx: Context, steps: int, format: str) -> None:
    """Every message of the window in the shape of a provider."""
    form, messages = FORMATS[format], list(ctx.turn().messages)

    def encoded() -> dict[str, Any]:
        wire = Wire(ctx._engine.read.data)
        return wire.request(form, 1, messages, len(messages))[0]

    request = benchmark.pedantic(encoded, rounds=ROUNDS)
    assert len(request[form.encoder().key]) > steps
