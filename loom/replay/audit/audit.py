"""The audit of a replay: checks Loom's laws on the bytes that would be sent.

The audit judges requests and does not trust Loom's own counts. It counts the tokens of each request
again. It compares the bytes at the beginning of successive requests. It asks again for every text
that went in, after the workspace was reopened. It checks the order of messages in the window. The
function `sent` can also check a request by its provider's rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import json
from msgspec.structs import replace

from loom.capabilities.memory.guide import guide_key
from loom.compress.prefix import common_front, common_front_tokens, common_prefix
from loom.inputs import Reasoning, Reply, Speech, ToolCall, User
from loom.live import Context
from loom.providers.counts import MessageSizes
from loom.providers.counts.counter import Counter
from loom.providers.counts.message_sizes import CALL, MESSAGE, RESULT, TOOL
from loom.providers.formats.wire import compact_json
from loom.redact import Redactor
from loom.replay.audit.findings import Findings
from loom.replay.audit.misplaced_texts import find_misplaced, rightful_texts
from loom.replay.feed import Ingested
from loom.session.turn import Turn, on_first_request
from loom.text import encodable
from loom_paging import Expired
from loom_partitions import laws
from loom_partitions.records import Compressed, Renewed
from loom_partitions.window import Window


class Audit:
    """The audit of one session. Call `before` and `after` around each turn, `cut` at each cut, and
    `check_restores` and `check_reopened` at the end.

    `sent(turn)` checks a request by its provider's rules and returns a (law, description) pair for
    each breach. `tokens` lists the audit's own token count of each request."""

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
        """Let the context notice outside changes; remember its window. Call before a turn."""
        ctx.look()
        self._window = ctx.window

    def after(self, ctx: Context, turn: Turn) -> None:
        """Check the turn's request and the cuts made for it. Call this after a turn."""
        found, window, start = self.findings, ctx.window, self._window
        wire = turn.request("openai")["messages"]
        encoded = [json.encode(message) for message in wire]
        version = (turn.version, window.sent.cuts)
        self._own = self._own if version == self._version else set()
        self._check_prefix(turn, encoded, version)
        self._check_budget(turn, wire, encoded)
        # What was sent stays, whatever became of its page since.
        self._own.update(rightful_texts(window, ctx._engine.read))
        cuts = window.sent.cuts - start.sent.cuts
        for law, lines in (
            ("orphans", laws.paired(window)),
            ("standing", find_misplaced(turn, window, self._own)),
            ("floor", self._check_floor(ctx)),
            ("newest", laws.newest(start, window, ctx._engine.room.free(window))),
            ("reusable_differs", self._check_reuse(window, turn)),
            ("unconverged", self._check_renewal(window, turn)),
            ("protected_changed", laws.protected(start, window) if cuts else ()),
        ):
            self._tell_broken(turn, law, *lines)
        for law, line in self._sent(turn) if self._sent else ():
            self._tell_broken(turn, law, line)
        found.turns += 1
        found.cuts += cuts
        if (level := turn.pressure.level) and cuts:
            found.levels[level] = found.levels.get(level, 0) + 1

    def _tell_broken(self, turn: Turn, law: str, *lines: str) -> None:
        for line in lines:
            self.findings.tell(law, f"turn {turn.number}: {line}")

    def cut(self, record: Compressed | Renewed) -> None:
        """Remember how many tokens the cut's `record` promises that the next request shares with
        the last one. Pass this method as a context's `on_cut`."""
        self._reusable = record.certificate.reusable

    def _check_reuse(self, window: Window, turn: Turn) -> Iterator[str]:
        """Yield a line if this request shares fewer or more tokens with the previous request than
        the cut between them promised."""
        last, self._last = self._last, turn
        promised, self._reusable = self._reusable, -1
        if last is None or promised < 0:
            return
        front = common_front(last.messages, turn.messages)
        tokens = (
            common_front_tokens(window, front, MessageSizes(self._count))
            if last.tools == turn.tools
            else 0
        )
        if tokens != promised:
            yield f"{promised} promised, {tokens} shared"

    def _check_prefix(self, turn: Turn, encoded: list[bytes], version: tuple[int, int]) -> None:
        """Count a breach if there was no cut and the request does not begin with all bytes of the
        previous request."""
        both = 0
        same = version == self._version
        for old, new in zip(self._previous, encoded, strict=False):
            if old != new:
                both += len(common_prefix(old, new))
                break
            both += len(new)
        else:
            same = same and len(encoded) >= len(self._previous)
        if version == self._version and (not same or both < sum(map(len, self._previous))):
            self.findings.tell("prefix_broken_between_cuts", f"turn {turn.number}")
        self.findings.sent += sum(map(len, encoded))
        self.findings.reused += both
        self._previous, self._version = encoded, version

    def _check_budget(
        self, turn: Turn, wire: list[dict[str, object]], encoded: list[bytes]
    ) -> None:
        """Count a breach if a request is larger than the capacity or Loom's own count."""
        pressure = turn.pressure
        counted, capacity = pressure.tokens.total, pressure.capacity
        self.findings.peak = max(self.findings.peak, pressure.rho)
        for data, message in zip(encoded, wire, strict=True):
            if data not in self._sizes:
                self._sizes[data] = message_tokens(message, self._count)
        tokens = sum(self._sizes[data] for data in encoded)
        tools = turn.request("openai").get("tools", ())
        tokens += sum(TOOL + self._count(compact_json(tool)) for tool in tools)
        self.tokens.append(tokens)
        if counted > capacity:
            self._tell_broken(turn, "over_budget", f"counted {counted} of {capacity}")
        if tokens > capacity:
            self._tell_broken(turn, "over_budget", f"{tokens} of {capacity}")
        if tokens > counted:
            self._tell_broken(turn, "miscounted", f"{tokens}, measured {counted}")

    def _check_floor(self, ctx: Context) -> Iterable[str]:
        """Return a line for each text of the project itself that was removed since the last request
        to make room for a text found while working. Such a removal breaks the law *floor*."""
        window, own = ctx.window, ctx.memory.merged.own
        texts = {guide_key(guide.name): guide.text for guide in own}
        state = (window.limits.capacity, window.sent.cuts, texts)
        before, self._floored = self._floored, (state, window)
        both = (*before[1].memory.current, *window.memory.current)
        moved = {held.key for held in both} - texts.keys()
        return laws.floor(before[1], window, moved) if before[0] == state else ()

    def _check_renewal(self, window: Window, turn: Turn) -> Iterator[str]:
        """Yield a line if a turn made two renewals or a renewal left the window nearly full."""
        renewals = window.sent.generation - self._window.sent.generation
        self.findings.renewals += renewals
        came = sum(entry.tokens for entry in window.history.stream.unanswered)
        rest = (turn.pressure.tokens.total - came) / max(turn.pressure.capacity, 1)
        full = turn.pressure.rho > 0.96 and (not came or rest > 0.96)
        if renewals > 1 or (renewals and full):
            yield f"ρ {turn.pressure.rho:.2f}"

    def check_restores(self, ctx: Context, ingested: list[Ingested]) -> None:
        """Restore the text of each ingested event. Count a breach for each difference."""
        for item in ingested:
            event, place = item.event, f"{item.entry} {item.place}"
            try:
                restored = ctx.history.restore(item.entry)
            except Expired:  # the law covers what is not retired
                continue
            except Exception as error:  # any other failure to restore is a finding
                self.findings.tell("unrestorable", f"{place}: {error}")
                continue
            if isinstance(event, Reply):
                same = restored.reply is not None and restored.reply.parts == self._redacted_parts(
                    event
                )
            elif isinstance(event, User):
                same = restored.text == self._redactor(event.text)
            else:
                same = item.place in restored.retired
                same = same or restored.results.get(item.place) == self._redactor(event.text)
            if not same:
                self.findings.tell("unrestorable", f"entry {place} differs")

    def _redacted_parts(self, reply: Reply) -> tuple[Speech | Reasoning | ToolCall, ...]:
        """Return the parts of a reply with secrets redacted, as valid UTF-8."""

        def clean(part: Speech | Reasoning | ToolCall) -> Speech | Reasoning | ToolCall:
            if isinstance(part, ToolCall):
                return replace(part, arguments=encodable(self._redactor(part.arguments)))
            if isinstance(part, Reasoning) and self._redactor.holds_secret(part.opaque):
                return Reasoning()
            return replace(part, text=encodable(self._redactor(part.text)))

        return tuple(map(clean, reply.parts))

    def check_reopened(self, one: Turn, two: Turn) -> None:
        """Count a breach if the request `two`, made after the workspace was reopened, differs from
        the request `one`, made before it was closed."""
        on_first_request(two, lambda: None)
        if one.sha256 != two.sha256 or json.encode(one.request()) != json.encode(two.request()):
            self.findings.tell("reopen_differs", f"turn {one.number}")


def message_tokens(message: dict[str, object], count: Counter) -> int:
    """Return the number of tokens of one Chat Completions message, its fixed cost included."""
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
