"""Measure context pressure: which planted facts can the model still see at the end of a session?

    python examples/harness.py [FOLDER] [--facts 40] [--seed 1]

A made session reads one file after another, and in some of their lines a fact is planted. It is
given to Loom at two windows and to a plain tail, a client that keeps the newest messages that fit.
Then the last request of each is searched. A fact is "in it", or "near": it stands on a page or in
an entry that the request names, so one call of `page_in` brings it back. No model is asked.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from endpoint import options

import loom
from loom.providers.counts import counter_for

WINDOWS = (8_192, 16_384)
REF = re.compile(r"(?:outputs|pages|state)/[\w./-]+\.\w+|\b[a-z]\w*_\d{4}\b")
Read = tuple[str, str]  # the path of a file and its text


def session(facts: int, seed: int) -> Iterator[tuple[Read, str]]:
    """The files that are read, each with the fact planted in it."""
    chance = random.Random(seed)
    words = [f"{one}{two}" for one in ("red", "blue", "dry", "wet") for two in ("line", "gate")]
    for number in range(facts):
        lines = [f"setting.{line} = {chance.choice(words)}" for line in range(120)]
        fact = f"token-{chance.randrange(16**6):06x} belongs to {chance.choice(words)}"
        lines.insert(chance.randrange(120), fact)
        yield (f"conf/part_{number:02}.ini", "\n".join(lines)), fact


def through_loom(folder: Path, reads: list[Read], window: int) -> tuple[str, set[str], int]:
    """The text of the last request, all that one call of `page_in` could bring back, and the
    tokens a request may have."""
    with loom.open(folder, goal="Audit every setting.", window=window, durable=False) as ctx:
        for number, (path, text) in enumerate(reads):
            ctx.turn()  # each would be sent to a model, which says what follows
            call = loom.ToolCall(f"call_{number}", "read_file", f'{{"path": "{path}"}}')
            ctx.reply(loom.Reply((call,)))
            ctx.result(call, text)
        turn = ctx.turn()
        request = str(turn.request("openai")["messages"])
        away = set()
        for ref in {*REF.findall(request)}:
            try:
                away.add(ctx.page_in(ref).text)
            except loom.LoomError:
                continue  # a word that looks like a name and is none
        return request, away, turn.pressure.capacity


def tail(reads: list[Read], room: int) -> str:
    """The newest messages that fit into so many tokens."""
    count, kept = counter_for(), list[str]()
    for path, text in reversed(reads):
        room -= count(text)
        if room < 0:
            break
        kept.insert(0, f"{path}\n{text}")
    return "\n".join(kept)


def main() -> None:
    """Print a table: a row for each keeper and window."""
    parser = options(__doc__, "runs/harness")
    parser.add_argument("--facts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    made = [*session(given.facts, given.seed)]
    reads, facts = [read for read, _ in made], [fact for _, fact in made]
    length = sum(len(text) for _, text in reads)
    print(f"{len(facts)} facts, one in each file; {length:,} characters in all")
    print(f"{'':5}{'window':>7}{'in it':>7}{'near':>6}{'gone':>6}  each fact, the oldest first")
    for window in WINDOWS:
        place = given.folder / f"window-{window}"
        shutil.rmtree(place, ignore_errors=True)  # a measurement begins anew each time
        request, away, room = through_loom(place, reads, window)
        for keeper, text, reach in (("loom", request, away), ("tail", tail(reads, room), set())):
            here = [fact in text for fact in facts]
            near = [not there and any(fact in one for one in reach)
                    for there, fact in zip(here, facts, strict=True)]  # fmt: skip
            gone = len(facts) - sum(here) - sum(near)
            row = f"{keeper:5}{window:7,}{sum(here):7}{sum(near):6}{gone:6}  "
            marks = zip(here, near, strict=True)
            print(row + "".join("#" if one else "+" if two else "." for one, two in marks))
    print("# in the last request, + near: one call of page_in away, . gone")


if __name__ == "__main__":
    main()
