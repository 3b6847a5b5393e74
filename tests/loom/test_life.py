"""A life on real files: everything a host can do, in any order, and the laws after every step.

Theory of operation
-------------------
The machine drives one `Context` and keeps its own model of it: every text it gave with the entry
it became, the newest text under every key of the shelves, and the wire of the request before.
After a turn the request is judged from outside: recounted in tokens, held to the rules of both
providers, compared with its predecessor. A reopen must render the same bytes; the end of a life
asks for every text it was given.
"""

import os
import shutil
import tempfile
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import json
from msgspec.structs import replace

import loom
from loom.policy import choose_policy
from loom.providers.counts import counter_for
from loom.providers.counts.message_sizes import TOOL
from loom.replay.audit import message_tokens
from loom.text import encodable
from loom_bench.laws import broken
from loom_partitions import laws
from loom_partitions.window import Window
from tests.kit.standins import TooLong

KINDS = {
    "prose": "The parser must not lose a byte of what it read; see src/app/parse.py line 42. ",
    "code": "def load(path: str) -> dict:\n    return json.loads(open(path).read())\n",
    "json": '{"id": 17, "name": "parse", "tags": ["a", "b"], "ok": true},',
    "cjk": "我们需要修复登录模块的错误，并保持会话状态。\n",
    "endless": "x9Kq2",
    "surrogate": "left \ud83d alone \udc00 here ",
    "log": "2024-01-01T00:00:00Z ERROR worker-7 failed: timeout after 30s\n",
}
SIZES = (0, 1, 40, 300, 1_100, 3_000, 12_000, 40_000)
TOOLS = ("read_file", "Bash", "grep", "edit_file", "WebFetch", "list_dir", "weather", "step")
COUNT = counter_for()
MINIMAL = 400  # tokens of history below which nothing is left to free


def made(kind: str, size: int, salt: int) -> str:
    """A text of about `size` characters that no other text of the life equals."""
    body = KINDS[kind] * (size // len(KINDS[kind]) + 1)
    if kind == "json" and size:
        return f'[{{"salt": {salt}}},{body[: body.rfind(",", 0, size + 60)]}]'
    return f"{salt} {body[:size]}" if size else ""


texts = st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(SIZES))
short = st.tuples(st.sampled_from(sorted(KINDS)), st.sampled_from(SIZES[:4]))
calls = st.lists(
    st.tuples(st.sampled_from(TOOLS), texts.filter(lambda t: t[1] < 12_000), st.booleans()),
    max_size=5,
)


class Life(RuleBasedStateMachine):
    """One workspace from its opening to its end."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp(prefix="loom-life-")
        self.ctx: loom.Context
        self.salt = 0
        self.given: list[tuple[int, str, Any]] = []
        self.held: dict[tuple[str, str], str] = {}
        self.wire: list[bytes] = []
        self.blocks: list[bytes] = []
        self.cuts = -1
        self.highest = 0
        self.alive = True

    @initialize(
        preset=st.sampled_from(["lazy", "eager"]),
        window=st.sampled_from([1_000, 1_500, 2_000, 4_000, 8_192, 9_000]),
        own=st.booleans(),
    )
    def begin(self, preset: str, window: int, own: bool) -> None:
        """Open a new workspace."""
        self.own = own and window >= 2_000  # in less the declared tools leave too little
        self.ctx = loom.open(
            self.folder,
            goal="Fix the parser.",
            window=window,
            policy=replace(choose_policy(preset), own_tools=self.own),
            durable=False,
        )

    def text(self, shape: tuple[str, int]) -> str:
        """A new text of that shape."""
        self.salt += 1
        return made(*shape, self.salt)

    def idle(self) -> bool:
        """No call waits for a result."""
        return not self.ctx.window.history.open_calls

    # What came in
    @rule(shape=texts)
    def user(self, shape: tuple[str, int]) -> None:
        """The user says something."""
        text = self.text(shape)
        entry = self.ctx.window.history.next_id
        self.ctx.user(text)
        self.given.append((entry, "user", text))

    @precondition(idle)
    @rule(
        said=st.lists(texts, max_size=3),
        made_calls=calls,
        thought=st.booleans(),
        repeat=st.booleans(),
        lookup=st.sampled_from(["", "page_in", "recall"]),
    )
    def reply(
        self,
        said: list[tuple[str, int]],
        made_calls: list[tuple[str, tuple[str, int], bool]],
        thought: bool,
        repeat: bool,
        lookup: str,
    ) -> None:
        """The model answers: reasoning, texts and calls, some of them Loom's own."""
        parts: list[Any] = []
        if thought:
            opaque = {"type": "thinking", "thinking": "hm " * 50, "signature": f"s{self.salt}"}
            parts.append(loom.Reasoning("hm", json.encode(opaque).decode(), "anthropic"))
        parts += [loom.Speech(self.text(shape)) for shape in said]
        for number, (tool, shape, lawful) in enumerate(made_calls):
            id = f"call_{number}" if repeat else f"call_{self.salt}_{number}"
            body = encodable(self.text(shape))
            arguments = json.encode({"path": f"src/f{number}.py", "command": body}).decode()
            parts.append(loom.ToolCall(id, tool, arguments if lawful else arguments[:-1]))
        if lookup and self.own:
            asked = {"page_in": f'{{"ref":"step_{self.salt:04d}"}}', "recall": '{"query":"parser"}'}
            parts.append(loom.ToolCall(f"own_{self.salt}", lookup, asked[lookup]))
        self.salt += 1
        entry = self.ctx.window.history.next_id
        self.ctx.reply(loom.Reply(tuple(parts)))
        self.given.append((entry, "reply", tuple(parts)))

    @precondition(lambda self: not self.idle())
    @rule(shape=texts, error=st.booleans(), at=st.integers(0, 4), every=st.booleans())
    def result(self, shape: tuple[str, int], error: bool, at: int, every: bool) -> None:
        """A result arrives, or all that are left, in any order."""
        for _ in range(len(self.ctx.calls) if every else 1):
            waiting = self.ctx.calls
            call = waiting[at % len(waiting)]
            text = self.text(shape)
            entry = self.ctx.window.history.waiting
            self.ctx.result(call, text, error=error)
            self.given.append((entry, call.id, text))

    @rule(
        partition=st.sampled_from(["system", "memory", "skill"]),
        key=st.sampled_from("ab"),
        version=st.integers(1, 4),
    )
    def hold(self, partition: str, key: str, version: int) -> None:
        """A short text of a shelf arrives, changes, or changes back."""
        text = f"{partition}.{key} v{version}: " + "be careful. " * version
        put = {
            "system": lambda: self.ctx.system(text, key=key),
            "memory": lambda: self.ctx.memory.remember(key, text),
            "skill": lambda: self.ctx.skills.activate(key, text),
        }
        before = laws.fingerprints(self.ctx.window)
        try:
            put[partition]()
        except loom.OverCapacity:
            assert laws.fingerprints(self.ctx.window) == before
            return
        self.held[partition, key] = text

    @rule(shape=short, urgency=st.sampled_from(["low", "high"]), id=st.integers(1, 6))
    def signal(self, shape: tuple[str, int], urgency: str, id: int) -> None:
        """An event is detected."""
        self.ctx.events.signal(f"e{id}", encodable(self.text(shape))[:30], urgency=urgency)

    @rule(id=st.integers(1, 6), disposition=st.sampled_from(["ignore", "defer", "replan"]))
    def acknowledge(self, id: int, disposition: str) -> None:
        """An event gets its disposition."""
        self.ctx.events.acknowledge(f"e{id}", disposition)

    @rule(count=st.integers(0, 4))
    def plan(self, count: int) -> None:
        """The plan is written."""
        self.ctx.working.plan([(f"item {n}", "doing" if n == 1 else "todo") for n in range(count)])

    @rule(window=st.sampled_from([1_000, 1_200, 2_500, 5_000, 9_000]))
    def resize(self, window: int) -> None:
        """The window becomes smaller or larger."""
        before = self.ctx.window
        try:
            self.ctx.resize(window)
        except loom.OverCapacity:
            assert self.ctx.window is before

    @precondition(lambda self: self.idle() and self.ctx.window.sent.turned)
    @rule()
    def overflowed(self) -> None:
        """The provider finds the last request too long; the next one is smaller, once."""
        before = self.ctx.window
        try:
            self.ctx.overflowed(TooLong("request entity too large"))
        except loom.OverCapacity:
            if not before.sent.overflowed:
                self.honest(before)
            assert self.ctx.window.history.stream is before.history.stream
            return
        assert not before.sent.overflowed
        self.turn()
        full = before.tokens.total > before.target
        if full and before.tokens.history > MINIMAL:
            assert self.ctx.window.tokens.total < before.tokens.total

    # What goes out
    @precondition(idle)
    @rule()
    def turn(self) -> None:
        """A request is made, and judged."""
        before = self.ctx.window
        try:
            turn = self.ctx.turn()
        except loom.OverCapacity:
            assert self.ctx.window is before
            self.honest(before)
            return
        again = self.ctx.turn()
        assert (again.number, again.sha256) == (turn.number, turn.sha256)
        after = self.ctx.window
        pinned = sum(one.tokens for one in after.history.stream.unanswered)
        room = self.ctx._engine.room.free(after) - pinned * bool(after.history.pins)
        assert laws.newest(before, after, room) == []
        self.judge(turn)

    def honest(self, window: Window) -> None:
        """A refusal is due only when what may not leave takes nearly everything."""
        limits = window.limits
        widest = self.ctx._engine.notices.widest_tokens(window)
        shelves = [*(shelf for _, shelf in window.head), window.skill.tools]
        protected = sum(shelf.settle().tokens for shelf in shelves) + limits.head + widest
        assert protected + limits.run + 240 > 0.95 * limits.capacity

    def judge(self, turn: loom.Turn) -> None:
        """Hold one request to the laws, from outside."""
        window = self.ctx.window
        chat = turn.request("openai")["messages"]
        other = turn.request("anthropic", cache=False)
        assert broken("openai", {"messages": chat}) == []
        assert broken("anthropic", other) == []
        tokens = sum(message_tokens(message, COUNT) for message in chat)
        tokens += sum(TOOL + COUNT(document) for document in turn.tools)
        assert tokens <= turn.pressure.tokens.total <= turn.pressure.capacity
        self.current(json.encode(chat).decode())
        wire = [json.encode(message) for message in chat]
        blocks = [json.encode(other.get("system"))]
        for message in other["messages"]:
            content = message["content"]
            parts = content if isinstance(content, list) else [content]
            blocks += [json.encode([message["role"], part]) for part in parts]
        if window.sent.cuts == self.cuts:
            assert laws.append_only(self.wire, wire) == []
            assert laws.append_only(self.blocks, blocks) == []
        self.wire, self.blocks, self.cuts = wire, blocks, window.sent.cuts

    def current(self, sent: str) -> None:
        """Of every shelf's text the version that is stored is the one told last."""
        assert "Fix the parser." in sent
        for (partition, key), text in list(self.held.items()):
            if self.ctx.window.shelf(partition).get(key) is None:
                assert partition != "system"  # a renewal may shed skills, then memory
                del self.held[partition, key]
                continue
            at = sent.rfind(f"{partition}.{key} v")
            assert sent[at:].startswith(text), f"{partition} {key}: told last {sent[at:][:80]!r}"

    @rule()
    def reopen(self) -> None:
        """Closed and opened again, the workspace is the same to the byte."""
        before = self.ctx.window
        turn = self.ctx.turn() if before.sent.turned else None
        self.ctx.close()
        self.ctx = loom.open(self.folder, policy=loom.Policy(own_tools=self.own), durable=False)
        assert laws.fingerprints(self.ctx.window) == laws.fingerprints(before)
        assert json.encode(list(self.ctx.window.history.stream)) == json.encode(
            list(before.history.stream)
        )
        assert self.ctx.window.tokens == before.tokens
        if turn is not None:
            again = self.ctx.turn()
            assert again.sha256 == turn.sha256
            for format in ("openai", "anthropic"):
                assert json.encode(again.request(format)) == json.encode(turn.request(format))

    @invariant()
    def lawful(self) -> None:
        """Calls are paired, totals are true, ids rise."""
        if not hasattr(self, "ctx"):
            return
        window = self.ctx.window
        assert laws.paired(window) == []
        assert laws.counted(window) == []
        assert laws.ordered(window) == []
        assert window.history.next_id >= self.highest
        self.highest = window.history.next_id

    def teardown(self) -> None:
        """Every text that was given comes back, every byte of it."""
        try:
            if hasattr(self, "ctx"):
                self.restored()
        finally:
            if hasattr(self, "ctx"):
                self.ctx.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def restored(self) -> None:
        """Ask for all that was given, by entry."""
        for entry, place, text in self.given:
            back = self.ctx.history.restore(entry)
            if place == "user":
                assert back.text == text
            elif place == "reply":
                assert back.reply.parts == tuple(map(cleaned, text))
            else:
                assert back.results[place] == text


def cleaned(part: Any) -> Any:
    """A part as it is stored: what cannot be encoded was replaced."""
    if isinstance(part, loom.Speech):
        return loom.Speech(encodable(part.text))
    return part


# A life is slow to shrink: only the longer runs do it.
PHASES = () if os.environ.get("HYPOTHESIS_PROFILE") else (Phase.shrink, Phase.explain)


class TestLife(Life.TestCase):
    """Any life is lawful."""

    settings = settings(
        stateful_step_count=40,
        phases=[phase for phase in Phase if phase not in PHASES],
        suppress_health_check=list(HealthCheck),
    )
