"""The audit of a replay: the laws checked from outside, on the bytes that would be sent.

It looks at what comes out, not at how it was made: requests are recounted from their wire form,
prefixes are compared byte by byte, and every text that went in is asked for again after a reopen.
The order of messages is that of the window; `sent` holds a request against its provider, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import json

from loom.capabilities.memory.guide import key_of
from loom.compress.prefix import common, prefix_tokens, shared
from loom.inputs import Reasoning, Reply, Speech, ToolCall, User
from loom.live import Context
from loom.providers.counts import Sizes
from loom.providers.counts.counter import Counter
from loom.providers.counts.sizes import CALL, MESSAGE, RESULT, TOOL
from loom.providers.formats.wire import compact
from loom.redact import Redactor
from loom.replay.audit.findings import Findings
from loom.replay.audit.standing import misplaced, own
from loom.replay.feed import Ingested
from loom.session.turn import Turn
from loom.text import printable
from loom_paging import Expired
from loom_partitions import laws
from loom_partitions.records import Compressed, Renewed
from loom_partitions.window import Window


class Audit:
    """Watches one session. Call `before` and `after` around each turn, `ends` at the end."""

    def __init__(
        self,
        count: Counter,
        redactor: Redactor,
        *,
        sent: Callable[[Turn], Iterable[tuple[str, str]]] | None = None,
    ) -> None:
        self.findings = Findings()
        self.tokens: list[int] = []
        self._count = count
        self._redactor = redactor
        self._sizes: dict[bytes, int] = {}
        self._previous: list[bytes] = []
        self._own: set[str] = set()  # of the host, the user and Loom, since the last cut
        self._last: Turn | None = None
        self._reusable = -1
        self._version = (-1, -1)  # of the rendering, and cuts: an opening counts versions anew
        self._window = Window()
        self._floored: tuple[object, Window] = ((), Window())  # the guides of the last request
        self._sent = sent  # (law, what is wrong) of a request

    def before(self, ctx: Context) -> None:
        """Remember the window a turn starts from, what happened in the world included."""
        ctx.look()
        self._window = ctx.window

    def after(self, ctx: Context, turn: Turn) -> None:
        """Check one request and the cuts that led to it."""
        found, window = self.findings, ctx.window
        found.turns += 1
        wire = turn.request("openai")["messages"]
        encoded = [json.encode(message) for message in wire]
        version = (turn.version, window.sent.cuts)
        self._own = self._own if version == self._version else set()
        self._prefix(turn, encoded, version)
        self._budget(turn, wire, encoded)
        for line in laws.paired(window):
            found.tell("orphans", f"turn {turn.number}: {line}")
        for law, line in self._sent(turn) if self._sent else ():
            found.tell(law, f"turn {turn.number}: {line}")
        # What was sent stays, whatever became of its page since.
        self._own.update(own(window, ctx._engine.read))
        for line in misplaced(turn, window, self._own):
            found.tell("standing", f"turn {turn.number}: {line}")
        self._floor(ctx, turn)
        for line in laws.newest(self._window, window, ctx._engine.room.free(window)):
            found.tell("newest", f"turn {turn.number}: {line}")
        cuts = window.sent.cuts - self._window.sent.cuts
        self._reuse(window, turn)
        found.cuts += cuts
        if turn.pressure.level and cuts:
            level = turn.pressure.level
            found.levels[level] = found.levels.get(level, 0) + 1
        self._renewal(window, turn)
        for line in laws.protected(self._window, window) if cuts else ():
            self.findings.tell("protected_changed", line)

    def cut(self, record: Compressed | Renewed) -> None:
        """Hear of a cut, as a context's `on_cut`."""
        self._reusable = record.certificate.reusable

    def _reuse(self, window: Window, turn: Turn) -> None:
        """The certificate's prefix is what the two requests share."""
        last, self._last = self._last, turn
        promised, self._reusable = self._reusable, -1
        if last is None or promised < 0:
            return
        front = shared(last.messages, turn.messages)
        sizes = Sizes(self._count)
        tokens = prefix_tokens(window, front, sizes) if last.tools == turn.tools else 0
        if tokens != promised:
            said = f"turn {turn.number}: {promised} promised, {tokens} shared"
            self.findings.tell("reusable_differs", said)

    def _prefix(self, turn: Turn, encoded: list[bytes], version: tuple[int, int]) -> None:
        both = 0
        same = version == self._version
        for old, new in zip(self._previous, encoded, strict=False):
            if old != new:
                both += len(common(old, new))
                break
            both += len(new)
        else:
            same = same and len(encoded) >= len(self._previous)
        if version == self._version and (not same or both < sum(map(len, self._previous))):
            self.findings.tell("prefix_broken_between_cuts", f"turn {turn.number}")
        self.findings.sent += sum(map(len, encoded))
        self.findings.reused += both
        self._previous, self._version = encoded, version

    def _budget(self, turn: Turn, wire: list[dict[str, object]], encoded: list[bytes]) -> None:
        pressure = turn.pressure
        self.findings.peak = max(self.findings.peak, pressure.rho)
        if pressure.tokens.total > pressure.capacity:
            told = f"turn {turn.number}: counted {pressure.tokens.total} of {pressure.capacity}"
            self.findings.tell("over_budget", told)
        fresh = [at for at, data in enumerate(encoded) if data not in self._sizes]
        for at in fresh:
            self._sizes[encoded[at]] = message_tokens(wire[at], self._count)
        tokens = sum(self._sizes[data] for data in encoded)
        tools = turn.request("openai").get("tools", ())
        tokens += sum(TOOL + self._count(compact(tool)) for tool in tools)
        self.tokens.append(tokens)
        if tokens > pressure.capacity:
            self.findings.tell(
                "over_budget", f"turn {turn.number}: {tokens} of {pressure.capacity}"
            )
        if tokens > pressure.tokens.total:
            self.findings.tell(
                "miscounted", f"turn {turn.number}: {tokens}, measured {pressure.tokens.total}"
            )

    def _floor(self, ctx: Context, turn: Turn) -> None:
        """While the project's own guides are the same, and no cut makes them anew, they stand."""
        window, own = ctx.window, ctx.memory.merged.own
        texts = {key_of(guide.name): guide.text for guide in own}
        state = (window.limits.capacity, window.sent.cuts, texts)
        before, self._floored = self._floored, (state, window)
        if before[0] == state:
            both = (*before[1].memory.current, *window.memory.current)
            moved = {held.key for held in both} - texts.keys()
            for line in laws.floor(before[1], window, moved):
                self.findings.tell("floor", f"turn {turn.number}: {line}")

    def _renewal(self, window: Window, turn: Turn) -> None:
        renewals = window.sent.generation - self._window.sent.generation
        self.findings.renewals += renewals
        came = sum(entry.tokens for entry in window.history.stream.unanswered)
        rest = (turn.pressure.tokens.total - came) / max(turn.pressure.capacity, 1)
        full = turn.pressure.rho > 0.96 and (not came or rest > 0.96)
        if renewals > 1 or (renewals and full):
            self.findings.tell("unconverged", f"turn {turn.number}: ρ {turn.pressure.rho:.2f}")

    def restores(self, ctx: Context, ingested: list[Ingested]) -> None:
        """Ask for every text that went in, byte for byte."""
        for item in ingested:
            try:
                restored = ctx.history.restore(item.entry)
            except Expired:  # the law covers what is not retired
                continue
            except Exception as error:  # any other failure to restore is a finding
                self.findings.tell("unrestorable", f"{item.entry} {item.place}: {error}")
                continue
            event = item.event
            if isinstance(event, Reply):
                same = restored.reply is not None and restored.reply.parts == self.cleaned(event)
            elif isinstance(event, User):
                same = restored.text == self._redactor(event.text)
            else:
                text = getattr(event, "text", "")
                same = item.place in restored.retired
                same = same or restored.results.get(item.place) == self._redactor(text)
            if not same:
                self.findings.tell("unrestorable", f"entry {item.entry} {item.place} differs")

    def cleaned(self, reply: Reply) -> tuple[Speech | Reasoning | ToolCall, ...]:
        """The parts of a reply as they are ingested: after redaction, printable."""
        clean: Callable[[str], str] = lambda text: printable(self._redactor(text))  # noqa: E731
        done: list[Speech | Reasoning | ToolCall] = []
        for part in reply.parts:
            if isinstance(part, Speech):
                done.append(Speech(clean(part.text)))
            elif isinstance(part, ToolCall):
                done.append(ToolCall(part.id, part.name, clean(part.arguments)))
            elif part.opaque and self._redactor.holds_secret(part.opaque):
                done.append(Reasoning())
            else:
                done.append(Reasoning(clean(part.text), part.opaque, part.format))
        return tuple(done)

    def reopened(self, one: Turn, two: Turn) -> None:
        """The same request before a close and after the reopen."""
        if one.sha256 != two.sha256 or json.encode(one.request()) != json.encode(two.request()):
            self.findings.tell("reopen_differs", f"turn {one.number}")


def message_tokens(message: dict[str, object], count: Counter) -> int:
    """Tokens of one Chat Completions message, recounted from its wire form."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else []
    # What is no text in a part is charged by its provider's formula, not by what it is sent as.
    texts += [str(part.get("text", "")) for part in content] if isinstance(content, list) else []
    tokens = MESSAGE
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        tokens += CALL
        texts += [call["id"], call["function"]["name"], call["function"]["arguments"]]
    if message.get("role") == "tool":
        tokens += RESULT
        texts.append(str(message["tool_call_id"]))
    return tokens + sum(count.many(texts))
