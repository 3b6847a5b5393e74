"""The vocabularies of simulated sessions, each in two halves: one to develop with, one held out.

Nothing that is measured may be fitted to either. Both halves give the same kinds of things in other
words: names of files and topics, phrasing of rules, decisions and values, styles of test output.
"""

from __future__ import annotations

from random import Random
from typing import Any

Halves = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]

WORDS: Halves = {
    "noun": (
        ("ledger", "cursor", "shard", "batch", "header", "invoice", "journal", "packet", "quota",
         "router", "schema", "tenant", "vector", "worker", "bucket", "digest", "socket", "beacon",
         "cohort", "widget", "parcel", "anchor", "voucher", "roster"),
        ("tariff", "carrier", "dossier", "gateway", "harvest", "kernel", "lattice", "manifest",
         "nugget", "orbit", "pallet", "quarry", "relay", "sensor", "turbine", "upload", "vessel",
         "warrant", "zipcode", "amulet", "bridge", "canopy", "drawer", "emblem"),
    ),
    "verb": (
        ("parse", "merge", "flush", "rotate", "encode", "retry", "split", "index", "prune"),
        ("decode", "align", "drain", "resize", "compact", "cancel", "join", "rank", "sweep"),
    ),
    "adjective": (
        ("stale", "cold", "pending", "strict", "lazy", "bounded", "primary", "dirty"),
        ("remote", "warm", "partial", "loose", "eager", "nested", "backup", "clean"),
    ),
    "folder": (
        ("src/core", "src/api", "lib/store", "src/billing", "pkg/net"),
        ("app/domain", "app/http", "packages/model", "app/jobs", "internal/wire"),
    ),
    "place": (
        ("web", "svc", "api", "ui", "tools", "engine"),
        ("front", "daemon", "edge", "panel", "scripts", "runtime"),
    ),
    "guarded": (
        ("migrations", "vendor", "proto", "fixtures"),
        ("snapshots", "thirdparty", "locales", "certs"),
    ),
    "choice": (
        ("Redis", "SQLite", "JSON lines", "a thread pool", "a ring buffer", "UUIDv7", "gzip",
         "cursor paging", "optimistic locking", "msgpack"),
        ("Postgres", "LMDB", "Parquet", "an event loop", "a linked list", "ULIDs", "zstd",
         "offset paging", "advisory locks", "CBOR"),
    ),
}  # fmt: skip

SAYINGS: Halves = {
    "forbid": (
        ("Never change anything under {0}/.", "Do not touch {0}/, it is generated."),
        ("Hands off: you must not edit files in {0}/.", "Please don't modify {0}/ at all."),
    ),
    "require": (
        ("Always run {0} before you commit.",),
        ("You must run {0} ahead of every commit.",),
    ),
    "ban": (
        ("Do not add a dependency on {0}.",),
        ("{0} is not allowed as a dependency.",),
    ),
    "lift": (
        ("Forget what I said about {0}/: you may change it now.",
         "The rule on {0}/ is taken back, you may edit it."),
        ("{0}/ is no longer off limits, go ahead and edit it.",
         "I lift the ban on {0}/, edits are fine there."),
    ),
    "decide": (
        ("I decided to use {1} for the {0}.", "Decision: the {0} uses {1}, because it is simpler."),
        ("For the {0} I settled on {1}.", "We go with {1} for the {0}; it is the safer bet."),
    ),
    "undecide": (
        ("For the {0} I now use {2} instead of {1}; {1} blocked under load.",
         "I reverted the decision on the {0}: no longer {1}, now {2}."),
        ("Changed course on the {0}: {2} replaces {1}.",
         "{1} turned out too slow, so the {0} will use {2} rather than {1}."),
    ),
    "set": (
        ("Set {0} = {1} for now.", "{0} should be {1}."),
        ("Please use {0}: {1}.", "{0} is to be {1}, as agreed."),
    ),
    "reset": (
        ("{0} is now {2}, it was {1}.", "Change {0} from {1} to {2}."),
        ("Make {0} {2} instead of {1}.", "New value: {0} = {2} (not {1} any more)."),
    ),
    "correct": (
        ("No, that is wrong: the {0} is called `{2}`, not `{1}`.",),
        ("You got that wrong. The {0} goes by `{2}` and not `{1}`.",),
    ),
    "mistake": (
        ("The {0} is called `{1}`, I think.",),
        ("I take it the {0} goes by `{1}`.",),
    ),
    "revert": (
        ("I reverted my change to {0}; it made things worse.",),
        ("My edit of {0} is undone, it did not help.",),
    ),
    "look": (
        ("Let me look at {0}.", "Next, {0}.", "I want to see how {0} does it."),
        ("Checking {0}.", "Opening {0} now.", "On to {0}."),
    ),
    "goon": (
        ("Go on, please.", "Sounds good.", "Thanks, continue with the next one."),
        ("Carry on.", "Fine by me.", "Great, keep going."),
    ),
}  # fmt: skip

TASKS: Halves = {
    "item": (
        ("{verb} the {adjective} {noun} table", "write a test for the {adjective} {noun}",
         "document how the {adjective} {noun} works"),
        ("let the {adjective} {noun} {verb} twice", "cover the {adjective} {noun} with a test",
         "describe the {adjective} {noun} in the guide"),
    ),
    "heading": (
        ("Goal", "Storage", "Rollout", "Checks"),
        ("Purpose", "Data model", "Release", "Verification"),
    ),
    "commit": (
        ("fix: {verb} the {adjective} {noun}", "feat: {adjective} {noun} can {verb}"),
        ("{noun}: {verb} {adjective} entries", "Let the {adjective} {noun} {verb}"),
    ),
}  # fmt: skip


class Vocabulary:
    """A source of words from one half; the same seed and half give the same words."""

    def __init__(self, rng: Random, *, held_out: bool = False) -> None:
        self.rng = rng
        self._half = int(held_out)
        self._used: set[str] = set()

    def pool(self, kind: str) -> tuple[str, ...]:
        """Every word or saying of a kind."""
        for table in (WORDS, SAYINGS, TASKS):
            if kind in table:
                return table[kind][self._half]
        raise KeyError(kind)

    def one(self, kind: str) -> str:
        """Any word or saying of a kind."""
        return self.rng.choice(self.pool(kind))

    def some(self, kind: str, count: int) -> list[str]:
        """So many different ones of a kind."""
        return self.rng.sample(self.pool(kind), count)

    def say(self, kind: str, *given: str) -> str:
        """A saying with what it speaks of filled in."""
        return self.one(kind).format(*given, **self._filled())

    def name(self) -> str:
        """A compound name that was not given before: `stale_cursor`."""
        made = f"{self.one('adjective')}_{self.one('noun')}"
        while made in self._used:
            made = f"{self.one('adjective')}_{self.one('noun')}_{self.one('verb')}"
        self._used.add(made)
        return made

    def path(self, suffix: str = ".py") -> str:
        """The path of a file that was not given before."""
        return f"{self.one('folder')}/{self.name()}{suffix}"

    def _filled(self) -> dict[str, Any]:
        adjective, _, noun = self.name().partition("_")
        return {"verb": self.one("verb"), "adjective": adjective, "noun": noun.replace("_", " ")}

    def code(self, lines: int) -> list[str]:
        """Lines of a program in Python, made of these words."""
        made: list[str] = []
        while len(made) < lines:
            verb, noun, other = self.one("verb"), self.one("noun"), self.one("noun")
            adjective, number = self.one("adjective"), self.rng.randrange(2, 9_000)
            title = noun.title()
            made += [
                f"def {verb}_{noun}({other}: {other.title()}, limit: int = {number}) -> {title}:",
                f'    """{verb.title()} the {adjective} {noun} of a {other}."""',
                f"    {noun} = {title}({other}.{adjective}_id, size={number // 2})",
                f"    for part in {other}.{noun}s[:limit]:",
                f"        {noun}.{verb}(part, {adjective}={self.rng.random() < 0.5})",
                f"    return {noun}",
                "",
            ]
        return made[:lines]
