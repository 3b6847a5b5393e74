"""Spans and metrics of a context, by the API of OpenTelemetry and its in-memory exporters."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_partitions.records import Compressed, Faulted, Renewed

pytest.importorskip("opentelemetry.sdk", reason="needs opentelemetry-sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from loom.adapters.opentelemetry import Tracing

SECRET = "the content nobody may see"


class Told:
    """What was exported, and the capability that told it."""

    def __init__(self, **given: Any) -> None:
        self._spans, self._metrics = InMemorySpanExporter(), InMemoryMetricReader()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self._spans))
        meters = MeterProvider([self._metrics])
        self.tracing = Tracing(tracer_provider=traces, meter_provider=meters, **given)

    def spans(self, name: str) -> list[Any]:
        """The spans of a name, in order."""
        return [span for span in self._spans.get_finished_spans() if span.name == name]

    @property
    def all(self) -> str:
        """All spans as text."""
        return "".join(span.to_json() for span in self._spans.get_finished_spans())

    def points(self, name: str) -> list[Any]:
        """The data points of a metric."""
        data = self._metrics.get_metrics_data()
        metrics = data.resource_metrics[0].scope_metrics[0].metrics if data else []
        return [point for one in metrics if one.name == name for point in one.data.data_points]


def lived(ctx: loom.Context, steps: int) -> None:
    """Steps that fill the window, and one that brings a page back."""
    for number in range(steps):
        ctx.turn()
        call = loom.ToolCall(f"c{number}", "bash", json.dumps({"command": f"make {number}"}))
        ctx.reply(loom.Reply((call,)))
        ctx.result(call, f"{SECRET} {number}\n" * 120)
    ctx.turn()
    ref = json.dumps({"ref": "step_0001"})
    ctx.reply(loom.Reply((loom.ToolCall("back", "page_in", ref),)))
    ctx.renew()
    ctx.turn()


def test_spans_are_what_the_journal_says(tmp_path: Path) -> None:
    """One for each request, cut, renewal and page brought back, below the request that shows it."""
    told = Told(agent="builder")
    with loom.open(tmp_path / "w", window=8_192, capabilities=[told.tracing], durable=False) as ctx:
        lived(ctx, 25)
        ctx.turn()  # the same again: told once
        workspace = ctx._engine.workspace
        made = [one for n in range(1, workspace.commits + 1) for one in workspace.records(n)]
        kinds = Counter(type(one) for one in made)
        turns = told.spans("loom.turn")
        assert [span.attributes["loom.turn"] for span in turns] == [*range(1, len(turns) + 1)]
        assert len(told.spans("compact_messages")) == kinds[Compressed] > 0
        assert len(told.spans("loom.renewal")) == kinds[Renewed] > 0
        assert len(told.spans("loom.page_in")) == kinds[Faulted] == 1
        cuts = [*told.spans("compact_messages"), *told.spans("loom.renewal")]
        parents = {span.parent.span_id for span in cuts}
        compacted = {
            span.context.span_id
            for span in turns
            if span.attributes["gen_ai.conversation.compacted"]
        }
        assert parents == compacted
        assert all(span.end_time >= span.start_time > 0 for span in turns)
        last = turns[-1].attributes
        assert last["gen_ai.agent.name"] == "builder"
        assert last["loom.tokens"] == ctx.pressure.tokens.total
        assert last["gen_ai.conversation.id"] == ctx.window.config.key
    levels = {point.attributes["loom.level"]: point.value for point in told.points("loom.cuts")}
    assert sum(levels.values()) == len(cuts) and levels["renewal"] == kinds[Renewed]
    assert [point.count for point in told.points("loom.request.tokens")] == [len(turns)]
    assert 0 < told.points("loom.prefix.reuse")[0].sum < len(turns)


@pytest.mark.parametrize("names", [False, True])
def test_no_content(tmp_path: Path, names: bool) -> None:
    """Neither results nor arguments are told; names of pages where it is asked for."""
    told = Told(names=names)
    with loom.open(tmp_path / "w", window=8_192, capabilities=[told.tracing], durable=False) as ctx:
        lived(ctx, 6)
    assert SECRET not in told.all and "make 1" not in told.all
    assert ("step_0001" in told.all) == names
