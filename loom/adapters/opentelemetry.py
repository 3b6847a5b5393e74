"""OpenTelemetry traces and metrics: a span for each request, each cut and each page-in.

    loom.open(path, capabilities=[Tracing()])

Only the OpenTelemetry API is used. Nothing is sent unless the application sets up a provider of
traces or metrics. Spans hold sizes, level names and hashes, never content. Names of pages are added
with `names=True`. Spans are made after a request from the journal, with the times of the records.
Names follow the GenAI conventions where there are any (`gen_ai.conversation.id`)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, set_span_in_context

from loom.capability import Capability
from loom.session.turn import Turn
from loom.version import VERSION
from loom_partitions.records import Compressed, Faulted, Overflowed, Record, Renewed, Turned, Undone

Attributes = dict[str, str | int | float | bool]
MILLI = 1_000_000  # nanoseconds
COMPACTED = "gen_ai.conversation.compacted"
PARTITIONS = ("system", "memory", "skill", "history", "working")


class Tracing(Capability):
    """A capability that makes the spans and metrics of one context. `agent` is the context's name
    in spans and metrics (`gen_ai.agent.name`). With `names`, spans have page names. The providers
    are OpenTelemetry's global ones by default."""

    name = "opentelemetry"

    def __init__(
        self,
        agent: str = "",
        *,
        names: bool = False,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
    ) -> None:
        self.agent, self.names = agent, names
        self._tracer = trace.get_tracer("loom", VERSION, tracer_provider)
        meter = metrics.get_meter("loom", VERSION, meter_provider)
        self._rho = meter.create_gauge("loom.rho", "1", "tokens of the request over their room")
        self._tokens = meter.create_histogram("loom.request.tokens", "{token}", "of a request")
        self._reuse = meter.create_histogram("loom.prefix.reuse", "1", "share the last one had")
        self._cuts = meter.create_counter("loom.cuts", "{cut}", "of the window, by level")
        self._faults = meter.create_counter("loom.page_faults", "{page}", "pages brought back")
        self._began = 0  # when the request was asked for, in nanoseconds
        self._seen = 0  # the last commit that was told of
        self._sent = 0  # tokens of the last request

    def opened(self) -> None:
        """Skip the records that were made before now."""
        self._seen = self.engine.workspace.commits
        self._sent = self.context.window.sent.asked

    def before_turn(self) -> None:
        """Remember the time at which a request is asked for."""
        self._began = time.time_ns()

    def after_turn(self, turn: Turn) -> None:
        """Make the span and the metrics of a request, and of all records since the last request."""
        ended, records = time.time_ns(), [*self._new_records()]
        if not any(isinstance(record, Turned) for _, record in records):
            return  # the same request again
        common: Attributes = {"gen_ai.conversation.id": self.context.window.config.key}
        if self.agent:
            common["gen_ai.agent.name"] = self.agent
        cuts = [one for _, one in records if isinstance(one, Compressed | Renewed)]
        pressure = turn.pressure
        total = pressure.tokens.total
        reused = min([self._sent, total, *(one.certificate.reusable for one in cuts)])
        about: Attributes = {
            "loom.turn": turn.number,
            "loom.rho": pressure.rho,
            "loom.tokens": total,
            "loom.tokens.hidden": pressure.hidden,
            "loom.capacity": pressure.capacity,
            "loom.generation": pressure.generation,
            "loom.pages": pressure.pages,
            "loom.request.sha256": turn.sha256,
            "loom.prefix.reused_tokens": reused,
            COMPACTED: bool(cuts),
            **{f"loom.tokens.{name}": getattr(pressure.tokens, name) for name in PARTITIONS},
        }
        told = {**common, **about}
        span = self._tracer.start_span("loom.turn", start_time=self._began, attributes=told)
        for at, record in records:
            self._add_event(span, at, record, common)
        span.end(ended)
        self._rho.set(pressure.rho, common)
        self._tokens.record(total, common)
        self._reuse.record(reused / max(total, 1), common)
        self._sent = total

    def _new_records(self) -> Iterator[tuple[int, Record]]:
        """Yield (time in epoch nanoseconds, record) for each record since the last request."""
        workspace = self.engine.workspace
        with self.engine.lock, self.engine.atomic:
            since, self._seen = self._seen, workspace.commits
            for commit in range(since + 1, self._seen + 1):
                at = workspace.journal.read(commit).at * MILLI
                for record in workspace.records(commit):
                    yield at, record

    def _add_event(self, turn: Span, at: int, record: Record, common: Attributes) -> None:
        """Make a span below `turn` for a cut or a page-in. Add an event to `turn` for an overflow
        or undo. `at` is the time in epoch nanoseconds, `common` are attributes to add."""
        about: Attributes
        if isinstance(record, Compressed | Renewed):
            level, name = "renewal", "loom.renewal"
            if isinstance(record, Compressed):
                level, name = record.level, "compact_messages"
            self._cuts.add(1, {**common, "loom.level": level})
            about = {
                "compaction.strategy": level,
                "compaction.tokens_before": record.certificate.before.total,
                "compaction.tokens_after": record.certificate.after.total,
                "loom.texts_lowered": record.certificate.removed,
                "loom.prefix.reusable_tokens": record.certificate.reusable,
            }
        elif isinstance(record, Faulted):
            self._faults.add(1, common)
            name, about = "loom.page_in", {"loom.tokens": record.tokens}
            if self.names:
                about["loom.page"] = record.ref
        else:
            if isinstance(record, Overflowed):
                turn.add_event("loom.overflow", {"loom.window": record.limit}, at)
            elif isinstance(record, Undone):
                turn.add_event("loom.undone", {"loom.turn": record.to}, at)
            return
        below, told = set_span_in_context(turn), {**common, **about}
        self._tracer.start_span(name, below, start_time=at, attributes=told).end(at)
