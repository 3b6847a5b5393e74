"""Text of the kinds agents read and write, made from a seeded source: prose, code, logs, JSON.

Nothing here is random by itself: the same source asked the same questions gives the same text.
"""

from __future__ import annotations

import json
from random import Random

NOUNS = (
    "account", "batch", "branch", "buffer", "cache", "channel", "client", "commit", "config",
    "cursor", "driver", "entry", "event", "field", "filter", "header", "index", "invoice",
    "journal", "ledger", "limit", "message", "order", "packet", "parser", "policy", "queue",
    "record", "request", "route", "schema", "segment", "session", "shard", "signal", "snapshot",
    "stream", "table", "token", "trace", "user", "vector", "window", "worker",
)  # fmt: skip
VERBS = (
    "apply", "build", "check", "close", "collect", "commit", "decode", "drop", "encode", "fetch",
    "flush", "load", "merge", "open", "parse", "read", "render", "resolve", "retry", "send",
    "split", "store", "trim", "update", "validate", "wait", "write",
)  # fmt: skip
ADJECTIVES = (
    "active", "bounded", "cold", "dirty", "empty", "final", "frozen", "hot", "lazy", "open",
    "pending", "primary", "safe", "stale", "strict", "total", "valid", "warm",
)  # fmt: skip
FOLDERS = ("src", "src/core", "src/api", "lib/store", "tests", "tests/unit", "docs", "scripts")
SUFFIXES = (".py", ".py", ".py", ".ts", ".go", ".md", ".json", ".toml")
CJK = (
    "请先检查日志，然后再修改配置文件。",
    "窗口满了以后，旧的内容会被移到磁盘上。",
    "テストがすべて通るまで、コミットしないでください。",
    "この関数は空のリストで失敗します。",
    "세션이 만료되면 다시 로그인해야 합니다.",
    "数据库连接池的大小是二十，超时为三十秒。",
)
EMOJI = ("✅ done", "🚀 shipped 1.4.2", "👩‍👩‍👧‍👦 family plan", "⚠️ careful", "🇯🇵🇰🇷🇹🇼")
CODE = (
    "def {verb}_{noun}(self, {other}: {Noun}) -> {Other}:",
    '    """{Verb} the {noun} of a {other}."""',
    "    if not self.{noun}s:",
    "        raise {Noun}Error(f\"no {noun} for {{{other}!r}}\")",
    "    for {noun} in self.{adjective}_{other}s:",
    "        {noun}.{verb}({number}, {adjective}=True)",
    "    {other} = {Noun}({adjective}={number}, limit=self.limits[\"{noun}\"])",
    "    return {other}.{verb}()",
    "class {Adjective}{Noun}(Base{Other}):",
    "    {adjective}_{noun}: dict[str, {Other}] = {{}}",
    "    # {Adjective} {noun}s are kept until the {other} is {verb}d.",
    "    log.debug(\"{verb} %s of %d\", {noun}.name, len({other}s))",
    "    await self.{other}.{verb}(timeout={number})",
    "",
)  # fmt: skip
CJK_SHARE = 0.02  # of prose sentences


class Material:
    """A source of words and what is made of them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def noun(self) -> str:
        """One noun."""
        return self.rng.choice(NOUNS)

    def name(self) -> str:
        """A compound name: `stale_cursor`."""
        return f"{self.rng.choice(ADJECTIVES)}_{self.noun()}"

    def path(self) -> str:
        """The path of a source file."""
        return f"{self.rng.choice(FOLDERS)}/{self.name()}{self.rng.choice(SUFFIXES)}"

    def url(self) -> str:
        """An address with a long tail, as search results have them."""
        return f"https://{self.noun()}.example.com/{self.noun()}/{self.name()}?id={self.number()}"

    def number(self) -> int:
        """A number of any common length."""
        return self.rng.randrange(10 ** self.rng.randint(1, 6))

    def sentence(self) -> str:
        """One sentence, now and then in Chinese, Japanese or Korean."""
        if self.rng.random() < CJK_SHARE:
            return self.rng.choice(CJK)
        verb, noun, other = self.rng.choice(VERBS), self.noun(), self.noun()
        tail = self.rng.choice(("first", "again", f"within {self.number()} ms", f"before {other}"))
        return f"The {self.rng.choice(ADJECTIVES)} {noun} has to {verb} the {other} {tail}."

    def prose(self, sentences: int) -> str:
        """Sentences in paragraphs of five."""
        said = [self.sentence() for _ in range(sentences)]
        return "\n\n".join(" ".join(said[at : at + 5]) for at in range(0, len(said), 5))

    def code_line(self) -> str:
        """One line of a program."""
        noun, other = self.noun(), self.noun()
        verb, adjective = self.rng.choice(VERBS), self.rng.choice(ADJECTIVES)
        words = {"noun": noun, "other": other, "verb": verb, "adjective": adjective}
        titles = {kind.title(): word.title() for kind, word in words.items()}
        return self.rng.choice(CODE).format(**words, **titles, number=self.number())

    def code(self, lines: int) -> list[str]:
        """The lines of a program."""
        return [self.code_line() for _ in range(lines)]

    def record(self, fields: int) -> dict[str, object]:
        """A flat JSON object, as an API returns them."""
        values = (self.number, self.name, self.sentence, lambda: self.rng.random() < 0.5)
        made: dict[str, object] = {"id": f"{self.noun()}_{self.rng.getrandbits(48):012x}"}
        for _ in range(fields):
            made[self.name()] = self.rng.choice(values)()
        return made

    def records(self, count: int, *, indent: int | None = None) -> str:
        """A JSON document with a list of records; on one line without `indent`."""
        items = [self.record(6) for _ in range(count)]
        document = {"total": count, "next": None, "items": items}
        return json.dumps(document, ensure_ascii=False, indent=indent)

    def log(self, lines: int) -> list[str]:
        """Log lines with times and levels."""
        made = []
        for at in range(lines):
            level = self.rng.choices(("INFO", "DEBUG", "WARN", "ERROR"), (70, 20, 8, 2))[0]
            time = f"2025-03-{at % 28 + 1:02d}T{at % 24:02d}:{at % 60:02d}:07.{at % 1000:03d}Z"
            made.append(f"{time} {level:5} {self.noun()}.{self.noun()}: {self.sentence()}")
        return made

    def trace(self) -> list[str]:
        """A Python stack trace."""
        made = ["Traceback (most recent call last):"]
        for _ in range(self.rng.randint(2, 9)):
            made.append(
                f'  File "{self.path()}", line {self.rng.randint(1, 900)}, in {self.name()}'
            )
            made.append(f"    {self.code_line().strip()}")
        return [*made, f"{self.noun().title()}Error: {self.sentence()}"]
