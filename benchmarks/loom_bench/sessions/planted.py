"""What is planted in a long history: rules the user lays down, and facts with exact values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from msgspec import Struct

from loom.inputs import Event, Reply, Speech

RULE, SAID, REMARKED, OUTPUT = "rule", "said", "remarked", "output"
KINDS = (RULE, SAID, REMARKED, OUTPUT)
FIRST, LAST = 0.02, 0.9  # of a session, in shares of its steps: what is planted stands between
# The user's words, and what each is about.
RULES = (
    ("Never push to the main branch yourself.", "pushing to the main branch"),
    ("Always run the linter before you commit.", "linter before a commit"),
    ("Do not touch anything under migrations/.", "files under migrations"),
    ("From now on, write commit messages in English only.", "language of commit messages"),
    ("You must ask me before you add a dependency.", "adding a dependency"),
    ("Keep every public function name as it is.", "names of public functions"),
    ("Please don't use print for logging, use the log module.", "print for logging"),
    ("I want every new file to start with the license header.", "license header of new files"),
    ("No network calls in unit tests, ever.", "network calls in unit tests"),
    ("Make sure that no line is longer than 100 characters.", "longest line"),
    ("Whatever you do, leave the CI configuration alone.", "the CI configuration"),
    ("Each bug fix needs a regression test, without exception.", "regression test of a bug fix"),
    ("Only use UTC for timestamps.", "time zone of timestamps"),
)
# What a fact is about, and how its value is written: `#` a digit, `@` a small letter.
FACTS = (
    ("port of the staging database", "2####"),
    ("port of the metrics exporter", "3####"),
    ("port of the local proxy", "4####"),
    ("name of the release branch", "release/@@@@-##"),
    ("name of the backup bucket", "backup-@@@@@-##"),
    ("name of the primary replica", "pg-@@@@-##"),
    ("name of the feature flag for billing", "bill_@@@@@_v#"),
    ("name of the customer in the pilot", "Halvor@@@@ Ltd"),
    ("engineer on call", "Marit Ols@@@@"),
    ("reviewer of the ledger work", "Tomas Br@@@@"),
    ("date of the code freeze", "2031-0#-1#"),
    ("date of the launch", "2032-0#-2#"),
    ("date of the last audit", "2029-0#-1#"),
    ("id of the pilot account", "acct_####@@##"),
    ("id of the failing deployment", "dep-@@##@@##"),
    ("id of the incident ticket", "INC-######"),
    ("id of the tracing project", "prj-####-@@@"),
    ("commit that broke the importer", "c0#@##@##f"),
    ("checksum of the fixture archive", "5e##@@##aa##"),
    ("version of the schema in production", "v1#.##.#"),
    ("version of the compiler to build with", "gcc-1#.#.##"),
    ("limit of rows in an export", "6####"),
    ("timeout of the payment gateway", "7###ms"),
    ("size of the worker pool", "19# workers"),
    ("retention of the audit log", "4## days"),
    ("queue chosen for background jobs", "nats-@@@@"),
    ("codec chosen for snapshots", "zstd-#@#"),
    ("region of the disaster recovery", "eu-@@@@-#"),
    ("path of the signing key", "/etc/keys/@@@@@.pem"),
    ("address of the license server", "10.#.2##.4#"),
)


class PlantedItem(Struct, frozen=True):
    """One rule or fact: what must be had again, what it is about, how it came in.

    `phrases` are what tells a tool output it stood in: its path or command; () for what was said.
    """

    kind: str
    value: str
    about: str
    phrases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What it is about as a program writes it."""
        return "_".join(re.findall(r"\w+", self.about))

    @property
    def sentence(self) -> str:
        """The rule, or a sentence that says the fact."""
        return self.value if self.kind == RULE else f"The {self.about} is {self.value}."

    def stands_in(self, text: str) -> bool:
        """True when a text holds the value, and not as a part of a longer word."""
        return re.search(rf"(?<!\w){re.escape(self.value)}(?!\w)", text) is not None


def items(rng: Random) -> list[PlantedItem]:
    """All rules and facts in a random order; a third of the facts of each kind."""
    facts = list(FACTS)
    rng.shuffle(facts)
    made = [PlantedItem(RULE, text, about) for text, about in RULES]
    for at, (about, form) in enumerate(facts):
        kind = (SAID, REMARKED, OUTPUT)[at % 3]
        value = re.sub("#", lambda _: rng.choice("123456789"), form)
        value = re.sub("@", lambda _: rng.choice("bcdfghjklmnpqrstvwxz"), value)
        made.append(PlantedItem(kind, value, about))
    rng.shuffle(made)
    return made


def texts_of(event: Event) -> Iterator[str]:
    """The texts of an event that a request shows."""
    if isinstance(event, Reply):
        yield from (part.text for part in event.parts if isinstance(part, Speech))
        yield from (call.arguments for call in event.calls)
    else:
        yield event.text
